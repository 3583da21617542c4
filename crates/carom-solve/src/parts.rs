//! Connected parts of a problem: columns that share a block belong together.
//!
//! The cost is that of the columns looked at, not of the matrix.

use crate::Columns;

pub(crate) const UNSEEN: u32 = u32::MAX;

/// Columns grouped by connection. The parts come in the order of their first columns, and so do the members of each.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// Union-find over the blocks that occur, by local number.
    parent: Vec<u32>,
    /// Scratch: a number for each block of the matrix, `UNSEEN` between uses.
    block_number: Vec<u32>,
    seen: Vec<u32>,
    /// Positions in the subset, part by part.
    members: Vec<u32>,
    starts: Vec<u32>,
    /// The part of each block, by local number; later the end of each part.
    part_of_block: Vec<u32>,
    /// The first block of each column, by local number; later its part.
    part_of: Vec<u32>,
}

impl Parts {
    /// How many.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The members of a part, as positions in the subset.
    pub fn members(&self, part: usize) -> &[u32] {
        &self.members[self.starts[part] as usize..self.starts[part + 1] as usize]
    }

    /// Groups some columns of a matrix.
    pub fn find<C: Columns>(&mut self, columns: &C, subset: &[u32]) {
        if self.block_number.len() < columns.blocks() {
            self.block_number.resize(columns.blocks(), UNSEEN);
        }
        self.parent.clear();
        self.seen.clear();
        self.part_of.clear();
        for &column in subset {
            let ends = columns.blocks_of(column as usize).map(|block| {
                let number = &mut self.block_number[block as usize];
                if *number == UNSEEN {
                    *number = self.parent.len() as u32;
                    self.parent.push(*number);
                    self.seen.push(block);
                }
                *number
            });
            self.part_of.push(ends[0]);
            let [a, b] = ends.map(|end| root(&mut self.parent, end));
            // The smaller number is the root, so that parts come in the order of their first columns.
            self.parent[a.max(b) as usize] = a.min(b);
        }
        self.part_of_block.clear();
        self.starts.clear();
        self.starts.push(0);
        for (number, &parent) in self.parent.iter().enumerate() {
            if parent as usize == number {
                self.part_of_block.push(self.starts.len() as u32 - 1);
                self.starts.push(0);
            } else {
                // It has a smaller number, so its part is known.
                self.part_of_block.push(self.part_of_block[parent as usize]);
            }
        }
        for part in &mut self.part_of {
            *part = self.part_of_block[*part as usize];
            self.starts[*part as usize + 1] += 1;
        }
        for part in 1..self.starts.len() {
            self.starts[part] += self.starts[part - 1];
        }
        self.members.clear();
        self.members.resize(subset.len(), 0);
        // Filling from the back leaves each start where it belongs.
        let ends = &mut self.part_of_block;
        ends.clear();
        ends.extend_from_slice(&self.starts[1..]);
        for (position, &part) in self.part_of.iter().enumerate().rev() {
            ends[part as usize] -= 1;
            self.members[ends[part as usize] as usize] = position as u32;
        }
        for &block in &self.seen {
            self.block_number[block as usize] = UNSEEN;
        }
    }
}

fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}
