//! A body's distant response while a world runs: what it is made of, prepared for the world's step, and what it remembers.

use glam::DVec3;

use super::filter::ModalFilter;
use super::readings::Readings;
use super::surface::VibratingSurface;
use super::ways::Ways;
use super::{Carrier, DistantResponse, WaveAmplitude};
use crate::WorldError;

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

/// What is known of the places where others rest on a body.
#[derive(Debug)]
enum Places {
    Modes(Readings),
    Along(Ways),
    Straight,
}

/// A distant response made ready for a world.
#[derive(Debug)]
pub(crate) struct Medium {
    pub response: DistantResponse,
    /// Of the modes.
    filter: Option<ModalFilter>,
    /// Of a wave at each vertex, or at any place if it is one number.
    amplitudes: Vec<f64>,
    places: Places,
    samples: Vec<f64>,
    rates: Vec<f64>,
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
        let places = match &response.carrier {
            Carrier::Modes { surface, .. } => Places::Modes(Readings::new(surface)),
            Carrier::Waves { distances: Some(along), .. } => Places::Along(Ways::new(along)),
            Carrier::Waves { distances: None, .. } => Places::Straight,
        };
        Ok(Medium { response, filter, amplitudes, places, samples: Vec::new(), rates: Vec::new() })
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
        self.rates.clear();
        self.rates.resize(states.len(), 0.0);
        surface.add_strokes(strokes, &mut self.rates);
        states.iter_mut().zip(&self.rates).for_each(|(state, rate)| state[1] += rate);
    }

    /// Gets to know a place where a body rests, so that a blow finds it known.
    pub fn prepare(&mut self, point: DVec3, normal: DVec3) {
        match (&self.response.carrier, &mut self.places) {
            (Carrier::Modes { surface, .. }, Places::Modes(readings)) => {
                readings.read(surface, &[(point, normal)]);
            }
            (Carrier::Waves { distances: Some(along), .. }, Places::Along(ways)) => {
                ways.place(along, point);
            }
            _ => {}
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
        match (&self.response.carrier, &self.filter, &mut self.places) {
            (Carrier::Modes { surface, .. }, Some(filter), Places::Modes(readings)) => {
                filter.ring(&states, &mut self.samples);
                let mut speeds = readings.peaks(surface, contacts, &self.samples);
                speeds.iter_mut().for_each(|speed| *speed /= step);
                speeds
            }
            _ => self.waves(strokes, contacts).into_iter().map(|displacement| displacement / step).collect(),
        }
    }

    /// The displacements by waves of several strokes, which come together where the contacts are (*Distant*, Eq. 15, 16).
    fn waves(&mut self, strokes: &[Stroke], contacts: &[(DVec3, DVec3)]) -> Vec<f64> {
        let Carrier::Waves { amplitude, distances, attenuation } = &self.response.carrier else { return Vec::new() };
        let starts: Vec<DVec3> = strokes.iter().map(|stroke| stroke.point).collect();
        let ends: Vec<DVec3> = contacts.iter().map(|&(point, _)| point).collect();
        let ways = match (distances, &mut self.places) {
            (Some(along), Places::Along(ways)) => Some(ways.lengths(along, &starts, &ends)),
            _ => None,
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
                let way = ways.as_ref().map_or(straight, |ways| ways[i * contacts.len() + k].max(straight));
                *sum += attenuation.share(way) * height * stroke.impulse;
            }
        }
        sums
    }
}
