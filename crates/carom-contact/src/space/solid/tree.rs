//! A tree of boxes over small things: corners, edges, triangles.

use carom_shape::Aabb;

const LEAF: usize = 4;

#[derive(Debug)]
struct Node {
    bounds: Aabb,
    /// First item of a leaf; second child of an inner node, whose first child is the next node.
    first: u32,
    /// Items of a leaf, zero for an inner node.
    count: u32,
}

/// Things by where they are.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

impl Tree {
    /// Halves the things again and again along the longer side of the box around their middles.
    pub fn new(boxes: &[Aabb]) -> Tree {
        let mut tree = Tree { nodes: Vec::new(), items: (0..boxes.len() as u32).collect() };
        let mut items = std::mem::take(&mut tree.items);
        if !items.is_empty() {
            tree.build(&mut items, 0, boxes);
        }
        tree.items = items;
        tree
    }

    fn build(&mut self, items: &mut [u32], first: u32, boxes: &[Aabb]) {
        let bounds = items.iter().fold(Aabb::EMPTY, |all, &i| all.union(boxes[i as usize]));
        let index = self.nodes.len();
        if items.len() <= LEAF {
            self.nodes.push(Node { bounds, first, count: items.len() as u32 });
            return;
        }
        self.nodes.push(Node { bounds, first: 0, count: 0 });
        let size = Aabb::around(items.iter().map(|&i| boxes[i as usize].centre())).size();
        let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
        let middle = items.len() / 2;
        let place = |i: &u32| boxes[*i as usize].centre()[axis];
        items.select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)));
        let (left, right) = items.split_at_mut(middle);
        self.build(left, first, boxes);
        self.nodes[index].first = self.nodes.len() as u32;
        self.build(right, first + middle as u32, boxes);
    }

    /// Visits what lies in boxes whose bound is at most the limit, least bound first. The limit may sink on the way; a bound
    /// above it need not be exact.
    pub fn visit<S>(
        &self,
        state: &mut S,
        limit: impl Fn(&S) -> f64,
        bound: impl Fn(&Aabb, f64) -> f64,
        mut visit: impl FnMut(&mut S, u32),
    ) {
        // Halving bounds the depth by the bits of an index.
        let mut stack = [(0u32, f64::NEG_INFINITY); 64];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let (index, least) = stack[top];
            if least > limit(state) {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for &item in &self.items[node.first as usize..(node.first + node.count) as usize] {
                    visit(state, item);
                }
                continue;
            }
            let most = limit(state);
            let child = |i: u32| (i, bound(&self.nodes[i as usize].bounds, most));
            let (mut near, mut far) = (child(index + 1), child(node.first));
            if far.1 < near.1 {
                (near, far) = (far, near);
            }
            for next in [far, near] {
                if next.1 <= most {
                    stack[top] = next;
                    top += 1;
                }
            }
        }
    }

    /// The things in the order in which they are visited; from now on they are called by their place in it.
    pub fn take_order(&mut self) -> Vec<u32> {
        let renamed = (0..self.items.len() as u32).collect();
        std::mem::replace(&mut self.items, renamed)
    }

    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds)
    }
}
