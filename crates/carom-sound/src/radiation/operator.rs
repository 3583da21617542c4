//! The boundary integral equation of Burton and Miller on panels, collocated at their middles.
//!
//! For the pressure p outside a body whose surface moves with q = ∂p/∂n = −iωρ v_n, and a coupling β:
//! (½ − K + βN) p = (−S + β(½ + K′)) q, which has one solution at every frequency. S, K, K′ and N are the single and double
//! layers and their normal derivatives. On each panel the pressure has a value and the slope of the panels around it, on its
//! side of the wall: with values alone, panels of uneven form would disturb N however small they are, and the air in a
//! vessel would not resonate. Static singular parts are integrated exactly over near facets, once for all frequencies;
//! K 1 = −½ and N 1 = 0 hold exactly.

use std::f64::consts::PI;

use glam::DVec3;
use num_complex::Complex64;
use rayon::prelude::*;

use super::dense::Dense;
use super::kernel::{Factors, LANES, Point, Viewpoint, Viewpoints, far_rows, remainder};
use super::panels::Panels;
use super::statics::{Statics, of_triangle};
use crate::wave::{Work, in_vectors};

/// Panels that are inverted together, at most.
const BLOCK: usize = 96;

/// Panels within this many sizes are integrated exactly.
const NEAR: f64 = 4.0;

/// What does not depend on frequency.
pub(crate) struct Operator {
    pub panels: Panels,
    /// Of each panel: the static integrals over those near it, itself included.
    near: Vec<Vec<(u32, Statics)>>,
    /// Of each panel: what its own entries lack so that a constant is mapped as it must be: of K, and of N.
    lack: Vec<[f64; 2]>,
    /// The patches about the middle of the body.
    middle: DVec3,
    points: Vec<Point>,
    /// Panels that are close together, both sides of a wall included.
    pub blocks: Vec<Vec<u32>>,
}

/// Equations at one frequency, for several fields of normal velocity.
pub(crate) struct System {
    pub matrix: Dense,
    /// One for each field.
    pub right_sides: Vec<Vec<Complex64>>,
}

impl Operator {
    pub fn new(panels: Panels) -> Operator {
        let of_row = |i: usize| {
            let near = near_statics(&panels, i);
            let lack = static_defects(&panels, i, &near);
            (near, lack)
        };
        let (near, lack) = (0..panels.len()).into_par_iter().map(of_row).unzip();
        let middle = panels.places.iter().sum::<DVec3>() / panels.len().max(1) as f64;
        let point = |patch: usize| Point {
            place: (panels.patches.place(patch) - middle).as_vec3().to_array(),
            normal: panels.patches.area_vector(patch).as_vec3().to_array(),
            area: panels.patches.area[patch] as f32,
            offset: panels.offsets[patch].as_vec2().to_array(),
        };
        let points = (0..panels.patches.len()).map(point).collect();
        let mut blocks = Vec::new();
        divide(&panels.places, (0..panels.len() as u32).collect(), &mut blocks);
        Operator { panels, near, lack, middle, points, blocks }
    }

    /// The equations at a wave number, for fields of ∂p/∂n on the panels.
    pub fn system(&self, wave_number: f64, coupling: Complex64, slopes: &[Vec<Complex64>]) -> System {
        let count = self.panels.len();
        let mut matrix = Dense::zero(count);
        let right: Vec<Vec<[Complex64; LANES]>> = matrix
            .rows_mut(LANES)
            .enumerate()
            .map_init(
                || vec![Factors::ZERO; count],
                |factors, (block, (re, im))| {
                    let first = block * LANES;
                    self.rows(first, wave_number, coupling, factors);
                    for (lane, (re, im)) in re.chunks_mut(count).zip(im.chunks_mut(count)).enumerate() {
                        for ((re, im), factors) in re.iter_mut().zip(im).zip(&*factors) {
                            (*re, *im) = (factors.pressure[0][lane], factors.pressure[1][lane]);
                        }
                    }
                    slopes.iter().map(|slopes| right_side(factors, slopes)).collect()
                },
            )
            .collect();
        let side = |field: usize| right.iter().flat_map(|block| block[field]).take(count).collect();
        System { matrix, right_sides: (0..slopes.len()).map(side).collect() }
    }

    /// Rows from one on, side by side.
    fn rows(&self, first: usize, wave_number: f64, coupling: Complex64, factors: &mut [Factors]) {
        let panels = &self.panels;
        // Lanes beyond the last row repeat it.
        let row = |lane: usize| (first + lane).min(panels.len() - 1);
        let axes = |vectors: &[DVec3], middle: DVec3| {
            [0, 1, 2].map(|axis| std::array::from_fn(|lane| (vectors[row(lane)] - middle)[axis] as f32))
        };
        let views = Viewpoints {
            place: axes(&panels.places, self.middle),
            normal: axes(&panels.normals, DVec3::ZERO),
            wave_number: wave_number as f32,
            coupling: [coupling.re as f32, coupling.im as f32],
        };
        far_rows(&views, &self.points, &panels.patch_start, factors);
        for (lane, i) in (first..panels.len()).take(LANES).enumerate() {
            let (place, normal) = (panels.places[i].to_array(), panels.normals[i].to_array());
            let view = Viewpoint { place, normal, wave_number, coupling };
            for &(panel, ref statics) in &self.near[i] {
                let entry = self.near_entry(&view, i, panel as usize, statics);
                let near = &mut factors[panel as usize];
                for (parts, number) in
                    [&mut near.pressure, &mut near.derivative].into_iter().zip([entry.pressure, entry.slope])
                {
                    (parts[0][lane], parts[1][lane]) = (number.re as f32, number.im as f32);
                }
                for (parts, number) in near.slope.iter_mut().zip(entry.moment) {
                    (parts[0][lane], parts[1][lane]) = (number.re as f32, number.im as f32);
                }
            }
        }
        in_vectors(Slopes { panels, factors });
    }

    /// The entry of a panel that is near.
    fn near_entry(&self, view: &Viewpoint, i: usize, j: usize, statics: &Statics) -> Entry {
        let panels = &self.panels;
        let beta = view.coupling;
        let weak = 0.5 * view.wave_number.powi(2) * panels.normals[i].dot(panels.normals[j]) * statics.single;
        // Moments are about the point of view; slopes about the panel's own place.
        let shift = panels.places[i] - panels.places[j];
        let double_moment = statics.double_moment + statics.double * shift;
        let hyper_moment = statics.hyper_moment + statics.hyper * shift;
        let (u, v) = panels.tangents(j);
        let mut entry = Entry {
            pressure: -statics.double + beta * (statics.hyper + weak),
            slope: -statics.single + beta * statics.adjoint,
            moment: [u, v].map(|axis| -axis.dot(double_moment) + beta * axis.dot(hyper_moment)),
        };
        for patch in panels.patch_start[j]..panels.patch_start[j + 1] {
            let (pressure, slope) = remainder(view, &panels.patches, patch);
            entry.pressure += pressure;
            entry.slope += slope;
            entry.moment[0] += pressure * panels.offsets[patch].x;
            entry.moment[1] += pressure * panels.offsets[patch].y;
        }
        if j == i {
            let [double, hyper] = self.lack[i];
            entry.pressure += 0.5 - double + beta * hyper;
            entry.slope += 0.5 * beta;
        }
        entry
    }
}

/// What one panel contributes to a row.
struct Entry {
    /// Factor of its pressure.
    pressure: Complex64,
    /// Factor of the normal derivative of its pressure.
    slope: Complex64,
    /// Factors of the slope of its pressure along the two tangents.
    moment: [Complex64; 2],
}

/// The slope of the pressure on a panel is that of the panels around it.
struct Slopes<'a> {
    panels: &'a Panels,
    factors: &'a mut [Factors],
}

impl Work for Slopes<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Slopes { panels, factors } = self;
        for panel in 0..factors.len() {
            let slope = factors[panel].slope;
            let mut own = [[0f32; LANES]; 2];
            for &(other, weight) in panels.slope_weights(panel) {
                let (u, v) = (weight.x as f32, weight.y as f32);
                let pressure = &mut factors[other as usize].pressure;
                for part in 0..2 {
                    for lane in 0..LANES {
                        let more = slope[0][part][lane] * u + slope[1][part][lane] * v;
                        pressure[part][lane] += more;
                        own[part][lane] += more;
                    }
                }
            }
            for part in 0..2 {
                for lane in 0..LANES {
                    factors[panel].pressure[part][lane] -= own[part][lane];
                }
            }
        }
    }
}

/// Divides points in halves across their longest side until blocks are small.
fn divide(places: &[DVec3], mut block: Vec<u32>, blocks: &mut Vec<Vec<u32>>) {
    if block.len() <= BLOCK {
        blocks.push(block);
        return;
    }
    let place = |&panel: &u32| places[panel as usize];
    let (low, high) = (block.iter().map(place).reduce(DVec3::min), block.iter().map(place).reduce(DVec3::max));
    let size = high.unwrap_or_default() - low.unwrap_or_default();
    let axis = (0..3).fold(0, |longest, axis| if size[axis] > size[longest] { axis } else { longest });
    block.sort_by(|a, b| place(a)[axis].total_cmp(&place(b)[axis]));
    let rest = block.split_off(block.len() / 2);
    divide(places, block, blocks);
    divide(places, rest, blocks);
}

/// What rows make of a field of ∂p/∂n.
fn right_side(factors: &[Factors], slopes: &[Complex64]) -> [Complex64; LANES] {
    let (mut re, mut im) = ([0f64; LANES], [0f64; LANES]);
    for (Factors { derivative: [a, b], .. }, slope) in factors.iter().zip(slopes) {
        for lane in 0..LANES {
            let (a, b) = (f64::from(a[lane]), f64::from(b[lane]));
            re[lane] += a * slope.re - b * slope.im;
            im[lane] += a * slope.im + b * slope.re;
        }
    }
    std::array::from_fn(|lane| Complex64::new(re[lane], im[lane]))
}

/// The static integrals over all panels near one.
fn near_statics(panels: &Panels, i: usize) -> Vec<(u32, Statics)> {
    let (place, normal) = (panels.places[i], panels.normals[i]);
    let reach = NEAR * panels.size;
    let is_near = |&j: &usize| panels.places[j].distance_squared(place) < reach * reach;
    let integrals = |j: usize| {
        let mut sum = Statics::default();
        for facet in &panels.facets[panels.facet_start[j]..panels.facet_start[j + 1]] {
            sum += of_triangle(facet.corners, place, normal);
        }
        (j as u32, sum)
    };
    (0..panels.len()).filter(is_near).map(integrals).collect()
}

/// What a row of the static operators lacks so that K 1 = −½ and N 1 = 0.
fn static_defects(panels: &Panels, i: usize, near: &[(u32, Statics)]) -> [f64; 2] {
    let (place, normal) = (panels.places[i], panels.normals[i]);
    let (mut double, mut hyper) = (0.0, 0.0);
    let mut next = near.iter().peekable();
    for j in 0..panels.len() {
        if let Some((_, statics)) = next.next_if(|(panel, _)| *panel as usize == j) {
            double += statics.double;
            hyper += statics.hyper;
            continue;
        }
        for patch in panels.patch_start[j]..panels.patch_start[j + 1] {
            let (r, area_vector) = (panels.patches.place(patch) - place, panels.patches.area_vector(patch));
            let unit = 1.0 / (4.0 * PI * r.length().powi(3));
            let (a, b) = (r.dot(normal), r.dot(area_vector));
            double -= unit * b;
            hyper += unit * (normal.dot(area_vector) - 3.0 * a * b / r.length_squared());
        }
    }
    [-0.5 - double, -hyper]
}
