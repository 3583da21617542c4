//! The boundary integral equation of Burton and Miller on panels, collocated at their middles.
//!
//! For the pressure p outside a body whose surface moves with q = ∂p/∂n = −iωρ v_n, and a coupling β:
//! (½ − K + βN) p = (−S + β(½ + K′)) q, which has one solution at every frequency. S, K, K′ and N are the single and double
//! layers and their normal derivatives. On each panel the pressure has a value and the slope of the panels around it, on its
//! side of the wall: with values alone, panels of uneven form would disturb N however small they are, and the air in a
//! vessel would not resonate. Static singular parts are integrated exactly over near facets, once for all frequencies;
//! K 1 = −½ and N 1 = 0 hold exactly.

use std::f64::consts::PI;

use num_complex::Complex64;
use rayon::prelude::*;

use super::dense::Dense;
use super::kernel::{Row, Viewpoint, far_row, remainder};
use super::panels::Panels;
use super::statics::{Statics, of_triangle};

/// Panels within this many sizes are integrated exactly.
const NEAR: f64 = 4.0;

/// What does not depend on frequency.
pub(crate) struct Operator {
    pub panels: Panels,
    /// Of each panel: the static integrals over those near it, itself included.
    near: Vec<Vec<(u32, Statics)>>,
    /// Of each panel: what its own entries lack so that a constant is mapped as it must be: of K, and of N.
    lack: Vec<[f64; 2]>,
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
        Operator { panels, near, lack }
    }

    /// The equations at a wave number, for fields of ∂p/∂n on the panels.
    pub fn system(&self, wave_number: f64, coupling: Complex64, slopes: &[Vec<Complex64>]) -> System {
        let count = self.panels.len();
        let mut matrix = Dense::zero(count);
        let right: Vec<Vec<Complex64>> = matrix
            .rows_mut()
            .enumerate()
            .map_init(<(Row, Vec<[f64; 4]>)>::default, |(row, moments), (i, (re, im))| {
                self.row(i, wave_number, coupling, row, moments);
                for (panel, (re, im)) in re.iter_mut().zip(im).enumerate() {
                    (*re, *im) = (row.pressure[0][panel] as f32, row.pressure[1][panel] as f32);
                }
                let product = |slopes: &Vec<Complex64>| {
                    let terms = slopes.iter().enumerate();
                    terms.map(|(j, slope)| Complex64::new(row.slope[0][j], row.slope[1][j]) * slope).sum()
                };
                slopes.iter().map(product).collect()
            })
            .collect();
        let right_sides = (0..slopes.len()).map(|field| right.iter().map(|row| row[field]).collect()).collect();
        System { matrix, right_sides }
    }

    /// One row; afterwards the first numbers of `row`, as many as there are panels, are those of the panels.
    fn row(&self, i: usize, wave_number: f64, coupling: Complex64, row: &mut Row, moments: &mut Vec<[f64; 4]>) {
        let panels = &self.panels;
        let view = Viewpoint {
            place: panels.places[i].to_array(),
            normal: panels.normals[i].to_array(),
            wave_number,
            coupling,
        };
        row.resize(panels.patches.len());
        far_row(&view, &panels.patches, row);
        moments.clear();
        moments.resize(panels.len(), [0.0; 4]);
        for (panel, moment) in moments.iter_mut().enumerate() {
            for patch in panels.patch_start[panel]..panels.patch_start[panel + 1] {
                let (re, im, offset) = (row.pressure[0][patch], row.pressure[1][patch], panels.offsets[patch]);
                let more = [re * offset.x, im * offset.x, re * offset.y, im * offset.y];
                (0..4).for_each(|part| moment[part] += more[part]);
            }
        }
        // Patches are sorted by panel, and there are no fewer of them: sums fit in front of what they add up.
        for column in row.pressure.iter_mut().chain(&mut row.slope) {
            for panel in 0..panels.len() {
                column[panel] = column[panels.patch_start[panel]..panels.patch_start[panel + 1]].iter().sum();
            }
        }
        for &(panel, ref statics) in &self.near[i] {
            let j = panel as usize;
            let Entry { pressure, slope, moment } = self.near_entry(&view, i, j, statics);
            (row.pressure[0][j], row.pressure[1][j]) = (pressure.re, pressure.im);
            (row.slope[0][j], row.slope[1][j]) = (slope.re, slope.im);
            moments[j] = [moment[0].re, moment[0].im, moment[1].re, moment[1].im];
        }
        // The slope of the pressure on a panel is that of the panels around it.
        let [re, im] = &mut row.pressure;
        for (panel, moment) in moments.iter().enumerate() {
            let (mut own_re, mut own_im) = (0.0, 0.0);
            for &(other, weight) in panels.slope_weights(panel) {
                let more_re = moment[0] * weight.x + moment[2] * weight.y;
                let more_im = moment[1] * weight.x + moment[3] * weight.y;
                re[other as usize] += more_re;
                im[other as usize] += more_im;
                own_re += more_re;
                own_im += more_im;
            }
            re[panel] -= own_re;
            im[panel] -= own_im;
        }
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
