//! A tree of boxes over small things: corners, edges, triangles.

use carom_shape::Aabb;
use glam::DVec3;

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

    /// Visits what lies in the boxes that are entered.
    pub fn visit<S>(&self, state: &mut S, enter: impl Fn(&S, &Aabb) -> bool, mut visit: impl FnMut(&mut S, u32)) {
        let mut stack = [0u32; 64];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let index = stack[top];
            let node = &self.nodes[index as usize];
            if !enter(state, &node.bounds) {
                continue;
            }
            if node.count > 0 {
                for &item in &self.items[node.first as usize..(node.first + node.count) as usize] {
                    visit(state, item);
                }
            } else {
                // Halving bounds the depth by the bits of an index.
                stack[top] = node.first;
                stack[top + 1] = index + 1;
                top += 2;
            }
        }
    }

    /// Calls `visit` with things in boxes nearer than the square root of what it returned last, near ones first.
    pub fn nearest(&self, p: DVec3, mut best: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        let mut stack = [(0u32, 0.0f64); 64];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let (index, distance) = stack[top];
            if distance > best {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for &item in &self.items[node.first as usize..(node.first + node.count) as usize] {
                    best = visit(item, best);
                }
                continue;
            }
            let child = |i: u32| (i, self.nodes[i as usize].bounds.distance_squared(p));
            let (mut near, mut far) = (child(index + 1), child(node.first));
            if far.1 < near.1 {
                (near, far) = (far, near);
            }
            stack[top] = far;
            stack[top + 1] = near;
            top += 2;
        }
    }

    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds)
    }
}
