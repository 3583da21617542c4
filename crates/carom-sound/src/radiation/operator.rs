//! The boundary integral equation of Burton and Miller on panels, collocated at their middles.
//!
//! For the pressure p outside a body whose surface moves with q = ∂p/∂n = −iωρ v_n, and β = i·coupling:
//! (½ − K + βN) p = (−S + β(½ + K′)) q, which has one solution at every frequency. S, K, K′ and N are the single and double
//! layers and their normal derivatives. Their static singular parts are integrated exactly over near facets, once for
//! all frequencies. Three identities of static fields hold exactly: K 1 = −½, N 1 = 0, and N x = (K′ − ½) n for the
//! coordinates x along the surface. Without the last one, panels of uneven form would disturb the normal derivative
//! however small they are.

use glam::{DMat2, DVec2, DVec3};
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
    /// Of each panel: what N gains from the pressure of its neighbours.
    gradient: Vec<Vec<(u32, f64)>>,
}

/// Equations at one frequency, for several fields of normal velocity.
pub(crate) struct System {
    pub matrix: Dense,
    /// One for each field.
    pub right_sides: Vec<Vec<Complex64>>,
}

impl Operator {
    pub fn new(panels: Panels) -> Operator {
        let neighbours = panels.neighbours();
        let of_row = |i: usize| {
            let (near, turned) = near_statics(&panels, i);
            let (lack, slope) = static_defects(&panels, i, &near, turned);
            let gradient = gradient_weights(&panels, i, &neighbours[i], slope);
            (near, lack, gradient)
        };
        let rows: Vec<_> = (0..panels.len()).into_par_iter().map(of_row).collect();
        let (mut all_near, mut all_lack, mut all_gradient) = (Vec::new(), Vec::new(), Vec::new());
        for (near, lack, gradient) in rows {
            all_near.push(near);
            all_lack.push(lack);
            all_gradient.push(gradient);
        }
        Operator { panels, near: all_near, lack: all_lack, gradient: all_gradient }
    }

    /// The equations at a wave number, for fields of ∂p/∂n on the panels.
    pub fn system(&self, wave_number: f64, coupling: f64, slopes: &[Vec<Complex64>]) -> System {
        let count = self.panels.len();
        let mut matrix = Dense::zero(count);
        let right: Vec<Vec<Complex64>> = matrix
            .rows_mut()
            .enumerate()
            .map_init(Row::default, |row, (i, (re, im))| {
                self.row(i, wave_number, coupling, row);
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
    fn row(&self, i: usize, wave_number: f64, coupling: f64, row: &mut Row) {
        let panels = &self.panels;
        let view =
            Viewpoint { place: panels.places[i].to_array(), normal: panels.normals[i].to_array(), wave_number, coupling };
        row.resize(panels.patches.len());
        far_row(&view, &panels.patches, row);
        // Patches are sorted by panel, and there are no fewer of them: sums fit in front of what they add up.
        for column in row.pressure.iter_mut().chain(&mut row.slope) {
            for panel in 0..panels.len() {
                column[panel] = column[panels.patch_start[panel]..panels.patch_start[panel + 1]].iter().sum();
            }
        }
        let beta = Complex64::new(0.0, coupling);
        for &(panel, statics) in &self.near[i] {
            let j = panel as usize;
            let weak = 0.5 * wave_number.powi(2) * panels.normals[i].dot(panels.normals[j]) * statics.single;
            let mut pressure = -statics.double + beta * (statics.hyper + weak);
            let mut slope = -statics.single + beta * statics.adjoint;
            for patch in panels.patch_start[j]..panels.patch_start[j + 1] {
                let (of_pressure, of_slope) = remainder(&view, &panels.patches, patch);
                pressure += of_pressure;
                slope += of_slope;
            }
            if j == i {
                let [double, hyper] = self.lack[i];
                pressure += 0.5 - double + beta * hyper;
                slope += 0.5 * beta;
            }
            (row.pressure[0][j], row.pressure[1][j]) = (pressure.re, pressure.im);
            (row.slope[0][j], row.slope[1][j]) = (slope.re, slope.im);
        }
        for &(panel, weight) in &self.gradient[i] {
            row.pressure[1][panel as usize] += coupling * weight;
            row.pressure[1][i] -= coupling * weight;
        }
    }
}

/// The static integrals over all panels near one, and K′ n over them.
fn near_statics(panels: &Panels, i: usize) -> (Vec<(u32, Statics)>, DVec3) {
    let (place, normal) = (panels.places[i], panels.normals[i]);
    let reach = NEAR * panels.size;
    let mut turned = DVec3::ZERO;
    let mut near = Vec::new();
    for j in 0..panels.len() {
        if panels.places[j].distance_squared(place) > reach * reach {
            continue;
        }
        let mut sum = Statics::default();
        for facet in &panels.facets[panels.facet_start[j]..panels.facet_start[j + 1]] {
            let statics = of_triangle(facet.corners, place, normal);
            turned += statics.adjoint * facet.area_vector().normalize_or_zero();
            sum += statics;
        }
        near.push((j as u32, sum));
    }
    (near, turned)
}

/// What a row of the static operators lacks to satisfy the three identities: a number for K, one for N, and the vector
/// (K′ − ½) n − N x. `turned` is K′ n over the near panels.
fn static_defects(panels: &Panels, i: usize, near: &[(u32, Statics)], turned: DVec3) -> ([f64; 2], DVec3) {
    let (place, normal) = (panels.places[i], panels.normals[i]);
    let (mut double, mut hyper) = (0.0, 0.0);
    let mut defect = turned - 0.5 * normal;
    let mut next = near.iter().peekable();
    for j in 0..panels.len() {
        let away = panels.places[j] - place;
        if let Some(&(_, statics)) = next.next_if(|(panel, _)| *panel as usize == j) {
            double += statics.double;
            hyper += statics.hyper;
            defect -= statics.hyper * away;
            continue;
        }
        for patch in panels.patch_start[j]..panels.patch_start[j + 1] {
            let (r, area_vector) = (panels.patches.place(patch) - place, panels.patches.area_vector(patch));
            let unit = 1.0 / (4.0 * std::f64::consts::PI * r.length().powi(3));
            let (a, b) = (r.dot(normal), r.dot(area_vector));
            let of_patch = unit * (normal.dot(area_vector) - 3.0 * a * b / r.length_squared());
            double -= unit * b;
            hyper += of_patch;
            defect += unit * a * area_vector - of_patch * away;
        }
    }
    ([-0.5 - double, -hyper], defect)
}

/// Weights of the differences to the neighbours in the slope of the pressure along a vector, by least squares in the
/// tangent plane.
fn gradient_weights(panels: &Panels, i: usize, neighbours: &[u32], along: DVec3) -> Vec<(u32, f64)> {
    let (u, v) = panels.normals[i].any_orthonormal_pair();
    let flat = |vector: DVec3| DVec2::new(vector.dot(u), vector.dot(v));
    let steps: Vec<DVec2> = neighbours.iter().map(|&j| flat(panels.places[j as usize] - panels.places[i])).collect();
    let weight = |step: DVec2| 1.0 / (step.length_squared() + 0.1 * panels.size * panels.size);
    let sum = |pick: fn(DVec2) -> f64| steps.iter().map(|&step| weight(step) * pick(step)).sum::<f64>();
    let (xx, xy, yy) = (sum(|s| s.x * s.x), sum(|s| s.x * s.y), sum(|s| s.y * s.y));
    let normal_matrix = DMat2::from_cols(DVec2::new(xx, xy), DVec2::new(xy, yy));
    // Neighbours in one line tell nothing of the slope across it.
    if normal_matrix.determinant() < 0.01 * (xx + yy).powi(2) {
        return Vec::new();
    }
    let along = normal_matrix.inverse() * flat(along);
    neighbours.iter().zip(&steps).map(|(&j, &step)| (j, weight(step) * along.dot(step))).collect()
}
