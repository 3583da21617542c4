//! What distant response remembers from step to step, in a world's state: where bodies were pressed lately, and modes that ring on.

use carom_contact::Vector;

use super::{Mark, Phase, Ring};
use crate::{State, WorldError};

/// Adds it to a state.
pub(crate) fn save<V: Vector>(marks: &[Mark<V>], rings: &[Option<Ring>], state: &mut State) {
    let phase = |phase| match phase {
        Phase::Over => 0,
        Phase::Closing => 1,
        Phase::Opening => 2,
    };
    let keys = marks.iter().flat_map(|mark| {
        let [a, b] = mark.bodies.map(u64::from);
        [a, b, mark.feature, phase(mark.phase)]
    });
    state.put_u64("pressed", keys.collect());
    let numbers = marks.iter().flat_map(|mark| {
        let ([x, y, z], [p, q, r]) = (mark.point.in_space().to_array(), mark.normal.in_space().to_array());
        [x, y, z, p, q, r, mark.until, mark.impulse, mark.lost]
    });
    state.put_f64("pressures", numbers.collect());
    let ringing = rings.iter().flatten().flat_map(|ring| {
        let states = ring.states.as_flattened().iter().copied();
        states.chain([ring.budget])
    });
    state.put_f64("ringing", ringing.collect());
}

/// Takes it out of a state; `rings` are those of the scene.
#[expect(clippy::type_complexity, reason = "two lists, each of its own kind")]
pub(crate) fn restored<V: Vector>(
    state: &State,
    bodies: usize,
    rings: &[Option<Ring>],
) -> Result<(Vec<Mark<V>>, Vec<Option<Ring>>), WorldError> {
    let (keys, rest) = state.u64("pressed", None)?.as_chunks::<4>();
    let numbers = state.f64("pressures", Some(9 * keys.len()))?.as_chunks::<9>().0;
    if !rest.is_empty() || !keys.iter().all(|&[a, b, _, phase]| a < b && b < bodies as u64 && phase < 3) {
        return Err(WorldError::State("'pressed' names bodies that are not in the scene".into()));
    }
    let mark = |(&[a, b, feature, phase], &[x, y, z, p, q, r, until, impulse, lost]): (&[u64; 4], &[f64; 9])| Mark {
        bodies: [a as u32, b as u32],
        feature,
        point: V::from_space([x, y, z].into()),
        normal: V::from_space([p, q, r].into()),
        until,
        impulse,
        lost,
        phase: [Phase::Over, Phase::Closing, Phase::Opening][phase as usize],
    };
    let marks = keys.iter().zip(numbers).map(mark).collect();
    let length = rings.iter().flatten().map(|ring| 2 * ring.states.len() + 1).sum();
    let mut numbers = state.f64("ringing", Some(length))?;
    let mut ring = |ring: &Ring| {
        let (mine, rest) = numbers.split_at(2 * ring.states.len() + 1);
        numbers = rest;
        let (states, budget) = mine.as_chunks::<2>();
        Ring { states: states.to_vec(), budget: budget.first().copied().unwrap_or(0.0) }
    };
    Ok((marks, rings.iter().map(|known| known.as_ref().map(&mut ring)).collect()))
}
