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
use num_complex::{Complex32, Complex64};
use rayon::prelude::*;

use super::dense::{Dense, Rows};
use super::kernel::{Factors, LANES, Nearby, Point, Viewpoints, Wave, far_rows};
use super::panels::Panels;
use super::statics::{Statics, of_triangle};
use crate::wave::{Work, in_vectors};

/// Panels within this many sizes are integrated exactly.
const NEAR: f64 = 4.0;

/// What does not depend on frequency.
pub(crate) struct Operator {
    pub panels: Panels,
    /// Of each panel: the static parts of those near it, itself included.
    near: Vec<Vec<Near>>,
    /// The patches about the middle of the body.
    middle: DVec3,
    points: Vec<Point>,
    /// Slopes that the pressure of panel j enters are `entered_start[j]..entered_start[j + 1]`.
    entered_start: Vec<usize>,
    /// Panels whose slopes those are, and the weights along their two tangents.
    entered: Vec<(u32, [f32; 2])>,
}

/// What a panel near a row contributes to it at k = 0, times one and times β; and the weak part of N, without ½k².
struct Near {
    panel: u32,
    /// Factors of its pressure.
    pressure: [f64; 2],
    /// Factors of the normal derivative of its pressure.
    derivative: [f64; 2],
    /// Factors of the slope of its pressure along its two tangents.
    slope: [[f64; 2]; 2],
    weak: f64,
}

/// Equations at one frequency, for several fields of normal velocity.
pub(crate) struct System {
    pub matrix: Dense,
    /// One for each field.
    pub right_sides: Vec<Vec<Complex64>>,
}

/// What a thread needs to assemble rows.
struct Scratch {
    factors: Vec<Factors>,
    nearby: Nearby,
}

impl Operator {
    pub fn new(panels: Panels) -> Operator {
        let near = (0..panels.len()).into_par_iter().map(|i| near_panels(&panels, i)).collect();
        let middle = panels.places.iter().sum::<DVec3>() / panels.len().max(1) as f64;
        let point = |patch: usize| Point {
            place: (panels.patches.place(patch) - middle).as_vec3().to_array(),
            normal: panels.patches.area_vector(patch).as_vec3().to_array(),
            area: panels.patches.area[patch] as f32,
            offset: panels.offsets[patch].as_vec2().to_array(),
        };
        let points = (0..panels.patches.len()).map(point).collect();
        let (entered_start, entered) = entered(&panels);
        Operator { panels, near, middle, points, entered_start, entered }
    }

    /// The equations at a wave number, for fields of ∂p/∂n on the panels.
    pub fn system(&self, wave_number: f64, coupling: Complex64, slopes: &[Vec<Complex64>]) -> System {
        let count = self.panels.len();
        let coupling = Complex32::new(coupling.re as f32, coupling.im as f32);
        let wave = Wave { number: wave_number as f32, coupling };
        let mut matrix = Dense::zero(count);
        let right: Vec<Vec<[Complex64; LANES]>> = matrix
            .blocks_mut()
            .enumerate()
            .map_init(
                || Scratch { factors: vec![Factors::ZERO; count], nearby: Nearby::default() },
                |scratch, (block, rows)| {
                    self.factors(block * LANES, wave, scratch);
                    let factors = &scratch.factors[..];
                    in_vectors(Slopes { operator: self, factors, used: count - block * LANES, rows });
                    slopes.iter().map(|slopes| in_vectors(RightSide { factors, slopes })).collect()
                },
            )
            .collect();
        let side = |field: usize| right.iter().flat_map(|block| block[field]).take(count).collect();
        System { matrix, right_sides: (0..slopes.len()).map(side).collect() }
    }

    /// What all panels contribute to rows from one on, side by side.
    fn factors(&self, first: usize, wave: Wave, scratch: &mut Scratch) {
        let panels = &self.panels;
        // Lanes beyond the last row repeat it.
        let row = |lane: usize| (first + lane).min(panels.len() - 1);
        let axes = |vectors: &[DVec3], middle: DVec3| {
            [0, 1, 2].map(|axis| std::array::from_fn(|lane| (vectors[row(lane)] - middle)[axis] as f32))
        };
        let views = Viewpoints { place: axes(&panels.places, self.middle), normal: axes(&panels.normals, DVec3::ZERO) };
        far_rows(wave, &views, &self.points, &panels.patch_start, &mut scratch.factors);
        for lane in 0..LANES.min(panels.len() - first) {
            self.near_factors(first + lane, lane, wave, &views, scratch);
        }
    }

    /// What panels near a row contribute to it takes the place of what was computed as if they were far.
    fn near_factors(&self, row: usize, lane: usize, wave: Wave, views: &Viewpoints, scratch: &mut Scratch) {
        let Scratch { factors, nearby } = scratch;
        let patches = |near: &Near| {
            let panel = near.panel as usize;
            self.panels.patch_start[panel]..self.panels.patch_start[panel + 1]
        };
        nearby.clear();
        self.near[row].iter().flat_map(patches).for_each(|patch| nearby.push(&self.points[patch]));
        nearby.evaluate(wave, views.place.map(|axis| axis[lane]), views.normal.map(|axis| axis[lane]));
        let beta = [wave.coupling.re, wave.coupling.im].map(f64::from);
        let weak = 0.5 * f64::from(wave.number).powi(2);
        let mut at = 0;
        for near in &self.near[row] {
            let entry = &mut factors[near.panel as usize];
            let points = &self.points[patches(near)];
            for part in 0..2 {
                let combined = |[one, other]: [f64; 2]| if part == 0 { one } else { 0.0 } + beta[part] * other;
                let [still, slowly] = near.pressure;
                let mut pressure = combined([still, slowly + weak * near.weak]) as f32;
                let mut derivative = combined(near.derivative) as f32;
                let mut slope = near.slope.map(|slope| combined(slope) as f32);
                for (patch, point) in points.iter().enumerate() {
                    let more = nearby.pressure[part][at + patch];
                    pressure += more;
                    derivative += nearby.derivative[part][at + patch];
                    slope[0] += more * point.offset[0];
                    slope[1] += more * point.offset[1];
                }
                entry.pressure[part][lane] = pressure;
                entry.derivative[part][lane] = derivative;
                entry.slope[0][part][lane] = slope[0];
                entry.slope[1][part][lane] = slope[1];
            }
            at += points.len();
        }
    }
}

/// Rows of the matrix: the slope of the pressure on a panel is that of the panels around it.
struct Slopes<'a> {
    operator: &'a Operator,
    factors: &'a [Factors],
    /// How many rows there are; lanes beyond hold numbers without meaning, which must not set the scale.
    used: usize,
    rows: &'a mut [Rows],
}

impl Work for Slopes<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Slopes { operator: Operator { entered_start, entered, .. }, factors, used, rows } = self;
        for (panel, rows) in rows.iter_mut().enumerate() {
            let mut sum = factors[panel].pressure;
            for &(other, [u, v]) in &entered[entered_start[panel]..entered_start[panel + 1]] {
                let [along_u, along_v] = &factors[other as usize].slope;
                for part in 0..2 {
                    for lane in 0..LANES {
                        sum[part][lane] += along_u[part][lane] * u + along_v[part][lane] * v;
                    }
                }
            }
            if used < LANES {
                sum.iter_mut().for_each(|part| part[used..].fill(0.0));
            }
            *rows = Rows::new(&sum);
        }
    }
}

/// What rows make of a field of ∂p/∂n.
struct RightSide<'a> {
    factors: &'a [Factors],
    slopes: &'a [Complex64],
}

impl Work for RightSide<'_> {
    type Output = [Complex64; LANES];

    #[inline(always)]
    fn run(self) -> [Complex64; LANES] {
        let (mut re, mut im) = ([0f64; LANES], [0f64; LANES]);
        for (Factors { derivative: [a, b], .. }, slope) in self.factors.iter().zip(self.slopes) {
            for lane in 0..LANES {
                let (a, b) = (f64::from(a[lane]), f64::from(b[lane]));
                re[lane] += a * slope.re - b * slope.im;
                im[lane] += a * slope.im + b * slope.re;
            }
        }
        std::array::from_fn(|lane| Complex64::new(re[lane], im[lane]))
    }
}

/// Of each panel, the slopes that its pressure enters, its own included, which is by the differences to those around it.
fn entered(panels: &Panels) -> (Vec<usize>, Vec<(u32, [f32; 2])>) {
    let mut of_panels = vec![Vec::new(); panels.len()];
    for panel in 0..panels.len() {
        let weights = panels.slope_weights(panel);
        let own: glam::DVec2 = weights.iter().map(|&(_, weight)| weight).sum();
        of_panels[panel].push((panel as u32, (-own).as_vec2().to_array()));
        for &(other, weight) in weights {
            of_panels[other as usize].push((panel as u32, weight.as_vec2().to_array()));
        }
    }
    let mut start = vec![0];
    start.extend(of_panels.iter().scan(0, |end, own| {
        *end += own.len();
        Some(*end)
    }));
    (start, of_panels.concat())
}

/// The static parts of all panels near one, its own jumps included.
fn near_panels(panels: &Panels, i: usize) -> Vec<Near> {
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
    let all: Vec<(u32, Statics)> = (0..panels.len()).filter(is_near).map(integrals).collect();
    let lack = static_defects(panels, i, &all);
    let near = |&(panel, ref statics): &(u32, Statics)| {
        let j = panel as usize;
        // Moments are about the point of view; slopes about the panel's own place.
        let shift = place - panels.places[j];
        let double_moment = statics.double_moment + statics.double * shift;
        let hyper_moment = statics.hyper_moment + statics.hyper * shift;
        let (u, v) = panels.tangents(j);
        let [double, hyper, jump] = if j == i { [0.5 - lack[0], lack[1], 0.5] } else { [0.0; 3] };
        Near {
            panel,
            pressure: [double - statics.double, hyper + statics.hyper],
            derivative: [-statics.single, statics.adjoint + jump],
            slope: [u, v].map(|axis| [-axis.dot(double_moment), axis.dot(hyper_moment)]),
            weak: normal.dot(panels.normals[j]) * statics.single,
        }
    };
    all.iter().map(near).collect()
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
