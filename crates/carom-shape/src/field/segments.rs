//! The nearest of many line segments, in the plane or in space, by a tree of boxes.

/// Segments per leaf. Below that many a scan is faster than a descent.
const LEAF: usize = 4;

/// Line segments sorted into a binary tree of boxes.
#[derive(Clone, Debug)]
pub(crate) struct SegmentTree<const N: usize> {
    segments: Vec<Segment<N>>,
    nodes: Vec<Node<N>>,
}

/// Where a point comes closest to the segments of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub distance_squared: f64,
    /// Index in the order in which the segments were given.
    pub segment: usize,
    /// Zero at the start of the segment, one at its end; clamped.
    pub along: f64,
}

#[derive(Clone, Debug)]
struct Segment<const N: usize> {
    start: [f64; N],
    direction: [f64; N],
    inverse_length_squared: f64,
    index: u32,
}

#[derive(Clone, Debug)]
struct Node<const N: usize> {
    min: [f64; N],
    max: [f64; N],
    /// First segment of a leaf, or the node of the right half; the left half follows its parent.
    first: u32,
    /// Number of segments in a leaf, zero for a branch.
    count: u32,
}

impl<const N: usize> SegmentTree<N> {
    /// Segments without length are points.
    pub fn new(ends: impl IntoIterator<Item = ([f64; N], [f64; N])>) -> SegmentTree<N> {
        let segment = |(index, (start, end)): (usize, ([f64; N], [f64; N]))| {
            let direction: [f64; N] = std::array::from_fn(|k| end[k] - start[k]);
            let length_squared: f64 = direction.iter().map(|x| x * x).sum();
            let inverse_length_squared = if length_squared > 0.0 { 1.0 / length_squared } else { 0.0 };
            Segment { start, direction, inverse_length_squared, index: index as u32 }
        };
        let mut segments: Vec<_> = ends.into_iter().enumerate().map(segment).collect();
        let mut nodes = Vec::new();
        if !segments.is_empty() {
            split(&mut segments, 0, &mut nodes);
        }
        SegmentTree { segments, nodes }
    }

    /// The nearest segment; of equally near ones, any. The tree must not be empty.
    pub fn nearest(&self, p: [f64; N]) -> Nearest {
        let mut best = Nearest { distance_squared: f64::INFINITY, segment: 0, along: 0.0 };
        // A tree over u32 indices split at the median is at most 32 deep.
        let mut stack = [(0u32, 0.0f64); 34];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (mut at, reach) = stack[height];
            if reach >= best.distance_squared {
                continue;
            }
            loop {
                let node = &self.nodes[at as usize];
                if node.count > 0 {
                    let first = node.first as usize;
                    for segment in &self.segments[first..first + node.count as usize] {
                        segment.improve(p, &mut best);
                    }
                    break;
                }
                let (left, right) = (at + 1, node.first);
                let to_left = self.nodes[left as usize].distance_squared(p);
                let to_right = self.nodes[right as usize].distance_squared(p);
                let (near, to_near, far, to_far) = if to_left <= to_right {
                    (left, to_left, right, to_right)
                } else {
                    (right, to_right, left, to_left)
                };
                if to_far < best.distance_squared {
                    stack[height] = (far, to_far);
                    height += 1;
                }
                if to_near >= best.distance_squared {
                    break;
                }
                at = near;
            }
        }
        best
    }
}

fn split<const N: usize>(segments: &mut [Segment<N>], offset: usize, nodes: &mut Vec<Node<N>>) {
    let (mut min, mut max) = ([f64::INFINITY; N], [f64::NEG_INFINITY; N]);
    for segment in segments.iter() {
        for k in 0..N {
            let (a, b) = (segment.start[k], segment.start[k] + segment.direction[k]);
            min[k] = min[k].min(a.min(b));
            max[k] = max[k].max(a.max(b));
        }
    }
    let this = nodes.len();
    if segments.len() <= LEAF {
        nodes.push(Node { min, max, first: offset as u32, count: segments.len() as u32 });
        return;
    }
    let widest = (0..N).max_by(|&i, &j| (max[i] - min[i]).total_cmp(&(max[j] - min[j]))).unwrap_or(0);
    let middle = segments.len() / 2;
    segments.select_nth_unstable_by(middle, |a, b| a.middle(widest).total_cmp(&b.middle(widest)));
    nodes.push(Node { min, max, first: 0, count: 0 });
    let (left, right) = segments.split_at_mut(middle);
    split(left, offset, nodes);
    nodes[this].first = nodes.len() as u32;
    split(right, offset + middle, nodes);
}

impl<const N: usize> Segment<N> {
    fn middle(&self, axis: usize) -> f64 {
        self.start[axis] + 0.5 * self.direction[axis]
    }

    #[inline]
    fn improve(&self, p: [f64; N], best: &mut Nearest) {
        let mut dot = 0.0;
        for k in 0..N {
            dot += (p[k] - self.start[k]) * self.direction[k];
        }
        let along = (dot * self.inverse_length_squared).clamp(0.0, 1.0);
        let mut distance_squared = 0.0;
        for k in 0..N {
            let gap = p[k] - self.start[k] - along * self.direction[k];
            distance_squared += gap * gap;
        }
        if distance_squared < best.distance_squared {
            *best = Nearest { distance_squared, segment: self.index as usize, along };
        }
    }
}

impl<const N: usize> Node<N> {
    #[inline]
    fn distance_squared(&self, p: [f64; N]) -> f64 {
        let mut sum = 0.0;
        for k in 0..N {
            let gap = (self.min[k] - p[k]).max(p[k] - self.max[k]).max(0.0);
            sum += gap * gap;
        }
        sum
    }
}
