//! A priority queue of vertices whose priorities change.

const ABSENT: u32 = u32::MAX;

/// A binary heap of vertices, the largest key first; among equal keys the vertex that entered or changed last.
pub struct VertexHeap {
    /// Key and time of the last change in one number, and the vertex.
    entries: Vec<(u64, u32)>,
    place: Vec<u32>,
    clock: u32,
}

impl VertexHeap {
    /// An empty heap for vertices below a number.
    pub fn new(vertices: usize) -> VertexHeap {
        VertexHeap { entries: Vec::new(), place: vec![ABSENT; vertices], clock: 0 }
    }

    /// Removes all vertices.
    pub fn clear(&mut self) {
        for &(_, vertex) in &self.entries {
            self.place[vertex as usize] = ABSENT;
        }
        self.entries.clear();
        self.clock = 0;
    }

    /// Removes the vertex with the largest key.
    pub fn pop(&mut self) -> Option<u32> {
        let (_, vertex) = *self.entries.first()?;
        self.place[vertex as usize] = ABSENT;
        self.entries.swap_remove(0);
        if !self.entries.is_empty() {
            self.settle(0);
        }
        Some(vertex)
    }

    /// Adds a vertex or changes its key.
    pub fn set(&mut self, vertex: u32, key: i64) {
        self.clock += 1;
        let entry = (((key + (1 << 31)) as u64) << 32 | u64::from(self.clock), vertex);
        let at = match self.place[vertex as usize] {
            ABSENT => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
            at => {
                self.entries[at as usize] = entry;
                at as usize
            }
        };
        self.settle(at);
    }

    fn settle(&mut self, mut at: usize) {
        let entry = self.entries[at];
        while at > 0 && self.entries[(at - 1) / 2].0 < entry.0 {
            self.entries[at] = self.entries[(at - 1) / 2];
            self.place[self.entries[at].1 as usize] = at as u32;
            at = (at - 1) / 2;
        }
        loop {
            let mut child = 2 * at + 1;
            if child >= self.entries.len() {
                break;
            }
            if child + 1 < self.entries.len() && self.entries[child].0 < self.entries[child + 1].0 {
                child += 1;
            }
            if self.entries[child].0 <= entry.0 {
                break;
            }
            self.entries[at] = self.entries[child];
            self.place[self.entries[at].1 as usize] = at as u32;
            at = child;
        }
        self.entries[at] = entry;
        self.place[entry.1 as usize] = at as u32;
    }
}
