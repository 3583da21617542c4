//! Which contacts are blows: new ones, closing faster than rest, that had not pressed there a moment ago (*Distant*, §4.5).
//!
//! A contact that comes and goes while bodies rest or rattle must not strike again and again. So where a pair pressed is
//! remembered for a while; what presses near such a place is no new contact. With impulses a blow is over within a step. Springs take
//! many: the blow is then counted, with all its impulse and all that dampers took, when it ends: when the bodies part, or close
//! for the second time.

use carom_contact::Vector;

/// Places of a pair nearer than this part of the smaller body's radius are one.
pub(crate) const NEAR: f64 = 0.1;

/// A contact that pressed in this step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Press<V> {
    pub bodies: [u32; 2],
    pub feature: u64,
    pub point: V,
    pub normal: V,
    pub impulse: f64,
    /// How fast it closed before.
    pub approach: f64,
    /// How fast it opens after.
    pub opening: f64,
    /// What restitution or damping took there, J.
    pub lost: f64,
    /// Up to this distance the place is the same, m.
    pub near: f64,
    /// For so long it is remembered, s.
    pub calm: f64,
}

/// A blow that has been struck.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blow<V> {
    pub bodies: [u32; 2],
    pub point: V,
    /// From the second body to the first.
    pub normal: V,
    pub impulse: f64,
    pub lost: f64,
}

/// What is remembered of a place where bodies pressed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mark<V> {
    pub bodies: [u32; 2],
    pub feature: u64,
    pub point: V,
    pub normal: V,
    /// Until when it counts, s.
    pub until: f64,
    /// Of a blow that goes on: so far.
    pub impulse: f64,
    pub lost: f64,
    pub phase: Phase,
}

/// How far a blow by springs is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Phase {
    /// It is none, or over.
    #[default]
    Over,
    /// The bodies still approach.
    Closing,
    /// The spring drives them apart.
    Opening,
}

impl<V: Vector> Mark<V> {
    fn blow(&self) -> Blow<V> {
        let Mark { bodies, point, normal, impulse, lost, .. } = *self;
        Blow { bodies, point, normal, impulse, lost: lost.max(0.0) }
    }
}

/// Takes note of what presses at a time, and returns the blows. `presses` are sorted by bodies and feature, and so are `marks`.
pub(crate) fn observe<V: Vector>(
    marks: &mut Vec<Mark<V>>,
    presses: &[Press<V>],
    time: f64,
    resting_speed: f64,
    springs: bool,
) -> Vec<Blow<V>> {
    let mut blows = Vec::new();
    let old = std::mem::take(marks);
    let mut used = vec![false; old.len()];
    for press in presses {
        let pair = old.partition_point(|mark| mark.bodies < press.bodies)
            ..old.partition_point(|mark| mark.bodies <= press.bodies);
        let same = pair.clone().find(|&i| old[i].feature == press.feature);
        let known = pair.clone().any(|i| {
            let is_same = old[i].feature == press.feature;
            time <= old[i].until && (is_same || (old[i].point - press.point).length() <= press.near)
        });
        let mut mark = Mark {
            bodies: press.bodies,
            feature: press.feature,
            point: press.point,
            normal: press.normal,
            until: time + press.calm,
            impulse: 0.0,
            lost: 0.0,
            phase: Phase::Over,
        };
        if let Some(i) = same {
            used[i] = true;
            (mark.impulse, mark.lost, mark.phase) = (old[i].impulse, old[i].lost, old[i].phase);
        }
        if !known && press.approach > resting_speed {
            (mark.impulse, mark.lost, mark.phase) = (0.0, 0.0, Phase::Closing);
        }
        if mark.phase != Phase::Over {
            mark.impulse += press.impulse;
            mark.lost += press.lost;
            if !springs || (mark.phase == Phase::Opening && press.opening < 0.0) {
                blows.push(mark.blow());
                mark.phase = Phase::Over;
            } else if press.opening > 0.0 {
                mark.phase = Phase::Opening;
            }
        }
        marks.push(mark);
    }
    for (mut mark, used) in old.into_iter().zip(used) {
        if !used && mark.phase != Phase::Over {
            blows.push(mark.blow());
            mark.phase = Phase::Over;
        }
        if !used && time <= mark.until {
            marks.push(mark);
        }
    }
    marks.sort_by_key(|mark| (mark.bodies, mark.feature));
    blows
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn press(feature: u64, x: f64, approach: f64, opening: f64) -> Press<DVec3> {
        Press {
            bodies: [0, 1],
            feature,
            point: DVec3::X * x,
            normal: DVec3::Y,
            impulse: 2.0,
            approach,
            opening,
            lost: 0.5,
            near: 0.1,
            calm: 0.05,
        }
    }

    #[test]
    fn only_what_is_new_and_fast_is_a_blow() {
        let mut marks = Vec::new();
        let mut see = |presses: &[Press<DVec3>], time| observe(&mut marks, presses, time, 0.2, false).len();
        assert_eq!(see(&[press(1, 0.0, 3.0, 0.4)], 0.0), 1);
        // It persists; then it is gone for a moment, and comes back under another number: it flickers.
        assert_eq!(see(&[press(1, 0.0, 3.0, 0.0)], 0.01), 0);
        assert_eq!(see(&[], 0.02), 0);
        assert_eq!(see(&[press(7, 0.05, 3.0, 0.0)], 0.03), 0);
        // Elsewhere on the same body is new; slowly is rest; after a while it is new again.
        assert_eq!(see(&[press(7, 0.05, 3.0, 0.0), press(8, 0.5, 3.0, 0.0), press(9, 0.9, 0.1, 0.0)], 0.04), 1);
        assert_eq!(see(&[], 0.05), 0);
        assert_eq!(see(&[press(1, 0.0, 3.0, 0.0)], 0.2), 1);
    }

    #[test]
    fn a_blow_by_springs_is_counted_when_it_ends_with_all_its_impulse() {
        for ending in [None, Some(press(1, 0.0, 0.1, -0.1))] {
            let mut marks = Vec::new();
            let mut see = |presses: &[Press<DVec3>], time| observe(&mut marks, presses, time, 0.2, true);
            for (k, opening) in [-2.0, -1.0, 0.5, 1.0].into_iter().enumerate() {
                assert!(see(&[press(1, 0.0, 3.0, opening)], 0.001 * k as f64).is_empty());
            }
            let blows = see(ending.as_slice(), 0.004);
            let steps = 4.0 + ending.map_or(0.0, |_| 1.0);
            assert_eq!(blows.len(), 1);
            assert_eq!((blows[0].impulse, blows[0].lost), (2.0 * steps, 0.5 * steps));
            assert!(see(ending.as_slice(), 0.005).is_empty());
        }
    }
}
