//! A body's distant response while a world runs: what it is made of, prepared for the world's step, and what it remembers.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::filter::{ModalFilter, peak};
use super::surface::{SurfacePlace, VibratingSurface};
use super::{Carrier, DistantResponse, WaveAmplitude, WaveDistances};
use crate::WorldError;

/// Distance fields that are kept; when there are more, all are forgotten. What is kept changes no result.
const MOST_KEPT: usize = 512;
/// Vertices whose normal points up by more than this are on the upper side.
const UPWARDS: f64 = 0.5;

/// An impulse on a body: where and along which outward normal, in its own axes from its centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub point: DVec3,
    pub normal: DVec3,
    /// Against the normal, N s.
    pub impulse: f64,
}

/// Modes that ring on from step to step, and the energy that they may still give.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Ring {
    /// q and q̇ of each mode.
    pub states: Vec<[f64; 2]>,
    /// J.
    pub budget: f64,
}

/// A distant response made ready for a world.
#[derive(Debug)]
pub(crate) struct Medium {
    pub response: DistantResponse,
    /// Of the modes.
    filter: Option<ModalFilter>,
    /// Of a wave at each vertex, or at any place if it is one number.
    amplitudes: Vec<f64>,
    /// Distances from vertices that waves came from.
    kept: BTreeMap<u32, Vec<f64>>,
    samples: Vec<f64>,
    rows: Vec<f64>,
}

impl Medium {
    pub fn new(body: &str, response: &DistantResponse, step: f64) -> Result<Medium, WorldError> {
        for (quantity, value) in [
            ("the threshold of its distant response", response.threshold),
            ("the calm of its distant response", response.calm),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                let (body, expected) = (body.to_owned(), "zero or more, and finite");
                return Err(WorldError::BadBody { body, quantity, value, expected });
            }
        }
        let amplitudes_of =
            |surface: &VibratingSurface| Ok::<_, WorldError>(surface.amplitudes(&surface.filter(step)?));
        let (filter, amplitudes) = match &response.carrier {
            Carrier::Modes { surface, .. } => (Some(surface.filter(step)?), Vec::new()),
            Carrier::Waves { amplitude, attenuation, .. } => {
                attenuation.check()?;
                let amplitudes = match amplitude {
                    WaveAmplitude::Uniform(value) => vec![*value],
                    WaveAmplitude::Places(surface) => amplitudes_of(surface)?,
                    WaveAmplitude::Mean(surface) => {
                        let normals = surface.model().surface.vertex_normals();
                        let all = amplitudes_of(surface)?;
                        let up: Vec<f64> =
                            all.iter().zip(normals).filter(|(_, n)| n.y > UPWARDS).map(|(&a, _)| a).collect();
                        vec![up.iter().sum::<f64>() / up.len().max(1) as f64]
                    }
                };
                (None, amplitudes)
            }
        };
        if let Some(&value) = amplitudes.iter().find(|x| !(**x >= 0.0 && x.is_finite())) {
            let (body, quantity) = (body.to_owned(), "the amplitude of its waves");
            return Err(WorldError::BadBody { body, quantity, value, expected: "zero or more, and finite" });
        }
        let response = response.clone();
        Ok(Medium { response, filter, amplitudes, kept: BTreeMap::new(), samples: Vec::new(), rows: Vec::new() })
    }

    /// At rest, if the modes ring on.
    pub fn ring(&self) -> Option<Ring> {
        match (&self.response.carrier, &self.filter) {
            (Carrier::Modes { running: true, .. }, Some(filter)) => {
                Some(Ring { states: vec![[0.0; 2]; filter.modes()], budget: 0.0 })
            }
            _ => None,
        }
    }

    /// Lets time pass for modes that ring on; what damping takes from them they cannot give any more.
    pub fn ring_on(&self, ring: &mut Ring, time: f64) {
        let Some(filter) = &self.filter else { return };
        let before = filter.energy(&ring.states);
        filter.advance(&mut ring.states, time);
        let after = filter.energy(&ring.states);
        ring.budget *= if before > 0.0 { (after / before).min(1.0) } else { 0.0 };
    }

    /// Adds what strokes give to the modes (*Distant*, Eq. 9).
    pub fn strike(&mut self, strokes: &[Stroke], states: &mut [[f64; 2]]) {
        let Carrier::Modes { surface, .. } = &self.response.carrier else { return };
        for stroke in strokes {
            self.rows.clear();
            surface.push_row(stroke.point, stroke.normal, &mut self.rows);
            for (state, row) in states.iter_mut().zip(&self.rows) {
                state[1] -= row * stroke.impulse;
            }
        }
    }

    /// The separation velocities, m/s, that the body gives to contacts at these points and outward normals: the largest
    /// displacement within the step over the step. `ringing` has q and q̇ of the modes before the strokes, if they are not at rest.
    pub fn shake(
        &mut self,
        strokes: &[Stroke],
        ringing: Option<&[[f64; 2]]>,
        contacts: &[(DVec3, DVec3)],
        step: f64,
    ) -> Vec<f64> {
        let modes = self.filter.as_ref().map_or(0, ModalFilter::modes);
        let mut states = ringing.map_or_else(|| vec![[0.0; 2]; modes], <[[f64; 2]]>::to_vec);
        self.strike(strokes, &mut states);
        match (&self.response.carrier, &self.filter) {
            (Carrier::Modes { surface, .. }, Some(filter)) => {
                filter.ring(&states, &mut self.samples);
                let speed = |&(point, normal): &(DVec3, DVec3)| {
                    self.rows.clear();
                    surface.push_row(point, normal, &mut self.rows);
                    peak(&self.rows, &self.samples) / step
                };
                contacts.iter().map(speed).collect()
            }
            _ => self.waves(strokes, contacts).into_iter().map(|displacement| displacement / step).collect(),
        }
    }

    /// The displacements by waves of several strokes, which come together where the contacts are (*Distant*, Eq. 15, 16).
    fn waves(&mut self, strokes: &[Stroke], contacts: &[(DVec3, DVec3)]) -> Vec<f64> {
        let Carrier::Waves { amplitude, distances, attenuation } = &self.response.carrier else { return Vec::new() };
        let ways = match distances {
            None => None,
            Some(along) => {
                let points = strokes.iter().map(|stroke| stroke.point);
                let starts: Vec<Option<SurfacePlace>> = points.map(|point| along.surface.place(point)).collect();
                know(&mut self.kept, along, starts.iter().flatten());
                let ends: Vec<Option<SurfacePlace>> =
                    contacts.iter().map(|&(point, _)| along.surface.place(point)).collect();
                Some((along, starts, ends))
            }
        };
        let mut sums = vec![0.0; contacts.len()];
        for (i, stroke) in strokes.iter().enumerate() {
            let height = match amplitude {
                WaveAmplitude::Places(surface) => surface.place(stroke.point).map_or(0.0, |place| {
                    let corners = surface.model().surface.triangles[place.triangle];
                    corners.iter().zip(place.weights).map(|(&v, w)| w * self.amplitudes[v as usize]).sum()
                }),
                _ => self.amplitudes.first().copied().unwrap_or(0.0),
            };
            for (k, (sum, &(point, _))) in sums.iter_mut().zip(contacts).enumerate() {
                let straight = point.distance(stroke.point);
                let way = match &ways {
                    None => straight,
                    Some((along, starts, ends)) => match (&starts[i], &ends[k]) {
                        (Some(start), Some(end)) => distance(&self.kept, along, start, end).max(straight),
                        _ => f64::INFINITY,
                    },
                };
                *sum += attenuation.share(way) * height * stroke.impulse;
            }
        }
        sums
    }
}

/// Finds the distances from the corners of places that are not known yet, all at once.
fn know<'a>(kept: &mut BTreeMap<u32, Vec<f64>>, along: &WaveDistances, places: impl Iterator<Item = &'a SurfacePlace>) {
    let triangles = &along.surface.model().surface.triangles;
    let sources: BTreeSet<u32> = places.flat_map(|place| triangles[place.triangle]).collect();
    if kept.len() + sources.len() > MOST_KEPT {
        kept.clear();
    }
    let missing: Vec<u32> = sources.into_iter().filter(|vertex| !kept.contains_key(vertex)).collect();
    let found = along.distances.distances_from(&missing);
    kept.extend(missing.into_iter().zip(found));
}

/// The way along the surface between two places; zero within one triangle, where the straight way is the shortest.
fn distance(kept: &BTreeMap<u32, Vec<f64>>, along: &WaveDistances, from: &SurfacePlace, to: &SurfacePlace) -> f64 {
    if from.triangle == to.triangle {
        return 0.0;
    }
    let triangles = &along.surface.model().surface.triangles;
    let mut sum = 0.0;
    for (source, share) in triangles[from.triangle].iter().zip(from.weights) {
        let field = &kept[source];
        for (&corner, weight) in triangles[to.triangle].iter().zip(to.weights) {
            // Other pieces are infinitely far.
            if share * weight != 0.0 {
                sum += share * weight * field[corner as usize];
            }
        }
    }
    sum
}
