//! How wide the cells of a grid are, and where they lie: chosen for the least work.

use super::Boxes;
use crate::{Bounds, Vector};

/// Where the cells lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Boxes wider than this are compared with all others.
    pub widest: f64,
    /// From a cell to the next in each direction, and how many there are in all. Every direction has empty cells at both
    /// ends, as many as a box is wide, so that a neighbour's number never belongs to another row.
    pub strides: [u64; 4],
    /// Comparisons of boxes that this grid should take, and a sweep in its place.
    pub efforts: Efforts,
    origin: [f64; 3],
    per_metre: [f64; 3],
    most: f64,
}

/// Comparisons of boxes, if bodies are spread evenly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Efforts {
    pub grid: f64,
    pub sweep: f64,
}

/// Cells are so many times narrower along the first axis than across: the neighbours in a row are one run of cells anyway, and a run that
/// begins and ends closer to a box has fewer that are not its neighbours.
pub(super) const FINE: u64 = 4;

/// In the plane, rows are as high as most boxes, and the highest reaches so many rows beyond its own at most. A box looks for others in as many as it
/// reaches itself: those below look for it.
pub(super) const ROWS: u64 = 4;

/// Cells are wider than boxes by this part, against round-off.
const SLACK: f64 = 1e-6;

/// Boxes are sorted into classes by the exponent of their width.
const CLASSES: usize = 2048;

impl Layout {
    pub fn new<V: Vector>(boxes: &Boxes<V>) -> Layout {
        let (ranges, widths) = measure(boxes);
        let (widest, mean, efforts) = best_width::<V>(boxes.len(), &ranges, &widths);
        let width = if widest > 0.0 { widest * (1.0 + SLACK) } else { 1.0 };
        let height = if V::DIMENSION == 2 { mean.clamp(width / ROWS as f64, width) } else { width };
        // Few enough along an axis that the place of a box in units of cells is exact to 2⁻²², and that a box's key has 64 bits.
        let most = if V::DIMENSION == 2 { (1_u64 << 27) as f64 } else { (1_u64 << 18) as f64 };
        let mut layout = Layout { widest, strides: [1; 4], efforts, origin: [0.0; 3], per_metre: [0.0; 3], most };
        for axis in 0..V::DIMENSION {
            let width = if axis == 0 { width / FINE as f64 } else { height };
            // A few bodies that fled far away share the cells at the border; the grid stays where most are.
            let middle = middle(boxes, axis);
            let from = ranges[axis][0].max(middle - 0.5 * most * width);
            let cells = ((ranges[axis][1] - from) / width).floor().clamp(0.0, most - 1.0) as u64 + 1;
            (layout.origin[axis], layout.per_metre[axis]) = (from, 1.0 / width);
            layout.strides[axis + 1] = layout.strides[axis] * (cells + 2 * around(axis));
        }
        layout
    }

    /// The cell of a box's lowest corner, and how far it reaches beyond.
    #[inline]
    pub fn key<V: Vector>(&self, bounds: &Bounds<V>) -> Key {
        let (mut cell, mut spans) = (0, 0);
        for axis in 0..V::DIMENSION {
            let place = self.place(axis, bounds.min.coordinate(axis));
            let span = self.place(axis, bounds.max.coordinate(axis)).saturating_sub(place).min(Key::MOST_SPAN);
            cell += (place + around(axis)) * self.strides[axis];
            spans |= span << (Key::SPAN_BITS * axis as u32);
        }
        Key(cell << Key::ALL_SPANS | spans)
    }

    /// Which cell along an axis.
    #[inline]
    fn place(&self, axis: usize, at: f64) -> u64 {
        let place = (at - self.origin[axis]) * self.per_metre[axis];
        // The cast drops the fraction. To a number with a sign it is one instruction.
        place.min(self.most - 1.0).max(0.0) as i64 as u64
    }
}

/// The number of a cell and, in its last bits, how many cells a box reaches beyond it along each axis. One number, since one number is sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64);

impl Key {
    const SPAN_BITS: u32 = 3;
    const ALL_SPANS: u32 = 3 * Self::SPAN_BITS;
    const MOST_SPAN: u64 = (1 << Self::SPAN_BITS) - 1;

    /// The least key of a cell.
    #[inline]
    pub fn of_cell(cell: u64) -> Key {
        Key(cell << Self::ALL_SPANS)
    }

    /// The number of the cell.
    #[inline]
    pub fn cell(self) -> u64 {
        self.0 >> Self::ALL_SPANS
    }

    /// How many cells the box reaches beyond along an axis.
    #[inline]
    pub fn span(self, axis: u32) -> u64 {
        self.0 >> (Self::SPAN_BITS * axis) & Self::MOST_SPAN
    }
}

/// How many cells a box is wide at most: that far neighbours are away, and so many cells at the borders are empty.
#[inline]
fn around(axis: usize) -> u64 {
    if axis == 0 { FINE } else { 1 }
}

/// How wide boxes are that end on all sides.
struct Widths {
    classes: [Class; CLASSES],
    sum: f64,
}

/// How many there are of a class, the widest of them, and the sum.
#[derive(Clone, Copy, Default)]
struct Class {
    count: u32,
    widest: f64,
    sum: f64,
}

/// Between which finite numbers the lowest corners lie, and the widths: one pass over all boxes.
fn measure<V: Vector>(boxes: &Boxes<V>) -> ([[f64; 2]; 3], Widths) {
    let mut ranges = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    let mut widths = Widths { classes: [Class::default(); CLASSES], sum: 0.0 };
    // Most are of the class of the one before: it need not be written and read again for each.
    let (mut last, mut class) = (0, Class::default());
    for boxed in &boxes.list {
        for (axis, range) in ranges.iter_mut().enumerate().take(V::DIMENSION) {
            let lower = boxed.bounds.min.coordinate(axis);
            // Comparisons tell nothing of what is no number, and rarely anything new of what is one.
            if lower < range[0] && lower > f64::NEG_INFINITY {
                range[0] = lower;
            }
            if lower > range[1] && lower < f64::INFINITY {
                range[1] = lower;
            }
        }
        let width = boxed.width();
        if width.is_finite() {
            let own = (width.to_bits() >> 52) as usize % CLASSES;
            if own != last {
                widths.classes[last] = class;
                (last, class) = (own, widths.classes[own]);
            }
            class = Class { count: class.count + 1, widest: class.widest.max(width), sum: class.sum + width };
            widths.sum += width;
        }
    }
    widths.classes[last] = class;
    (ranges.map(|[low, high]| if low <= high { [low, high] } else { [0.0; 2] }), widths)
}

/// The median of the lowest coordinates of a few boxes from all over the list.
fn middle<V: Vector>(boxes: &Boxes<V>, axis: usize) -> f64 {
    const SAMPLES: usize = 63;
    let mut samples = [0.0; SAMPLES];
    let mut count = 0;
    let some = boxes.list.iter().step_by(boxes.len() / SAMPLES + 1);
    for value in some.map(|boxed| boxed.bounds.min.coordinate(axis)).filter(|value| value.is_finite()) {
        samples[count] = value;
        count += 1;
    }
    samples[..count].sort_unstable_by(f64::total_cmp);
    if count > 0 { samples[count / 2] } else { 0.0 }
}

/// The width of cells that should need the fewest comparisons: those within and between cells, and those of larger boxes with
/// all others. Also the mean of the boxes that are no wider.
fn best_width<V: Vector>(boxes: usize, ranges: &[[f64; 2]; 3], widths: &Widths) -> (f64, f64, Efforts) {
    let Widths { classes, sum: widths } = widths;
    let all = boxes as f64;
    let finite: f64 = classes.iter().map(|class| f64::from(class.count)).sum();
    let spread = |axis: usize| ranges[axis][1] - ranges[axis][0];
    let longest = (0..V::DIMENSION).map(spread).fold(f64::MIN_POSITIVE, f64::max);
    let sweep = finite * (widths / longest).min(0.5 * finite) + (all - finite) * all;
    let neighbours = 0.5 * 3.0_f64.powi(V::DIMENSION as i32);
    let mut best = (0.0, 0.0, f64::INFINITY);
    let (mut small, mut sum) = (0.0, 0.0);
    for &Class { count, widest: width, sum: of_class } in classes.iter().filter(|class| class.count > 0) {
        small += f64::from(count);
        sum += of_class;
        let cells = (0..V::DIMENSION).map(|axis| spread(axis) / width + 1.0).product::<f64>();
        let effort = small * neighbours * (small / cells) + (all - small) * all;
        if effort <= best.2 {
            best = (width, sum / small, effort);
        }
    }
    (best.0, best.1, Efforts { grid: best.2, sweep })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use glam::DVec3;

    use super::*;

    #[test]
    fn a_body_far_away_does_not_put_all_others_into_one_cell() {
        // If all of a sheet of 40,000 balls shared a cell, each would be compared with all.
        let mut boxes = Boxes::default();
        for k in 0..40_000 {
            let min = DVec3::new(f64::from(k % 200), f64::from(k / 200), 0.0);
            boxes.push(Bounds { min, max: min + DVec3::splat(0.9) }, true);
        }
        boxes.push(Bounds { min: DVec3::splat(-1e9), max: DVec3::splat(1.0 - 1e9) }, true);
        let layout = Layout::new(&boxes);
        let mut shared = BTreeMap::new();
        for boxed in &boxes.list {
            *shared.entry(layout.key(&boxed.bounds).cell()).or_insert(0) += 1;
        }
        assert!(shared.values().all(|&count| count <= 8), "{:?} balls in one cell", shared.values().max());
    }
}
