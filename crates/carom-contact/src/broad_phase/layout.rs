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

/// Cells are wider than boxes by this part, against round-off.
const SLACK: f64 = 1e-6;

/// Boxes are sorted into classes by the exponent of their width.
const CLASSES: usize = 2048;

impl Layout {
    pub fn new<V: Vector>(boxes: &Boxes<V>) -> Layout {
        let ranges: [[f64; 2]; 3] = std::array::from_fn(|axis| range(&boxes.lower[axis]));
        let (widest, efforts) = best_width(boxes, &ranges);
        let width = if widest > 0.0 { widest * (1.0 + SLACK) } else { 1.0 };
        // Few enough along an axis that the place of a box in units of cells is exact to 2⁻²², and that a cell's number has 64 bits.
        let most = if V::DIMENSION == 2 { (1_u64 << 30) as f64 } else { (1_u64 << 20) as f64 };
        let mut layout = Layout { widest, strides: [1; 4], efforts, origin: [0.0; 3], per_metre: [0.0; 3], most };
        for axis in 0..V::DIMENSION {
            let width = width / around(axis) as f64;
            // A few bodies that fled far away share the cells at the border; the grid stays where most are.
            let middle = middle(&boxes.lower[axis]);
            let from = ranges[axis][0].max(middle - 0.5 * most * width);
            let cells = ((ranges[axis][1] - from) / width).floor().clamp(0.0, most - 1.0) as u64 + 1;
            (layout.origin[axis], layout.per_metre[axis]) = (from, 1.0 / width);
            layout.strides[axis + 1] = layout.strides[axis] * (cells + 2 * around(axis));
        }
        layout
    }

    /// The cell of a box's lowest corner.
    #[inline]
    pub fn cell<V: Vector>(&self, boxes: &Boxes<V>, body: usize) -> u64 {
        (0..V::DIMENSION)
            .map(|axis| (self.place(axis, boxes.lower[axis][body]) + around(axis)) * self.strides[axis])
            .sum()
    }

    /// How many cells along the first axis a box reaches beyond that of its lowest corner.
    #[inline]
    pub fn span<V: Vector>(&self, bounds: &Bounds<V>) -> u64 {
        self.place(0, bounds.max.coordinate(0)) - self.place(0, bounds.min.coordinate(0))
    }

    /// Which cell along an axis.
    #[inline]
    fn place(&self, axis: usize, at: f64) -> u64 {
        let place = (at - self.origin[axis]) * self.per_metre[axis];
        // The cast drops the fraction and takes what is below the origin to zero.
        place.min(self.most - 1.0) as u64
    }
}

/// How many cells a box is wide at most: that far neighbours are away, and so many cells at the borders are empty.
#[inline]
fn around(axis: usize) -> u64 {
    if axis == 0 { FINE } else { 1 }
}

/// The lowest and the highest finite number.
fn range(values: &[f64]) -> [f64; 2] {
    let finite = values.iter().filter(|value| value.is_finite());
    let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &x| [low.min(x), high.max(x)]);
    if low <= high { [low, high] } else { [0.0; 2] }
}

/// The median of a few numbers from all over the list.
fn middle(values: &[f64]) -> f64 {
    const SAMPLES: usize = 63;
    let mut samples = [0.0; SAMPLES];
    let mut count = 0;
    for value in values.iter().step_by(values.len() / SAMPLES + 1).filter(|value| value.is_finite()) {
        samples[count] = *value;
        count += 1;
    }
    samples[..count].sort_unstable_by(f64::total_cmp);
    if count > 0 { samples[count / 2] } else { 0.0 }
}

/// The width of cells that should need the fewest comparisons: those within and between cells, and those of larger boxes with
/// all others.
fn best_width<V: Vector>(boxes: &Boxes<V>, ranges: &[[f64; 2]; 3]) -> (f64, Efforts) {
    let mut classes = [(0_u32, 0.0_f64); CLASSES];
    let mut widths = 0.0;
    for body in 0..boxes.len() {
        let width = boxes.width(body);
        if width.is_finite() {
            let class = &mut classes[(width.to_bits() >> 52) as usize % CLASSES];
            *class = (class.0 + 1, class.1.max(width));
            widths += width;
        }
    }
    let all = boxes.len() as f64;
    let finite: f64 = classes.iter().map(|class| f64::from(class.0)).sum();
    let spread = |axis: usize| ranges[axis][1] - ranges[axis][0];
    let longest = (0..V::DIMENSION).map(spread).fold(f64::MIN_POSITIVE, f64::max);
    let sweep = finite * (widths / longest).min(0.5 * finite) + (all - finite) * all;
    let neighbours = 0.5 * 3.0_f64.powi(V::DIMENSION as i32);
    let mut best = (0.0, f64::INFINITY);
    let mut small = 0.0;
    for &(count, width) in classes.iter().filter(|class| class.0 > 0) {
        small += f64::from(count);
        let cells = (0..V::DIMENSION).map(|axis| spread(axis) / width + 1.0).product::<f64>();
        let effort = small * neighbours * (small / cells) + (all - small) * all;
        if effort <= best.1 {
            best = (width, effort);
        }
    }
    (best.0, Efforts { grid: best.1, sweep })
}
