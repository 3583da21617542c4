//! What must be heard, as statements of physics.

mod bank;
mod click;
mod coupling;
mod damping;
mod flight;
mod listener;
mod pulse;
mod redistribution;
mod sofa;
mod taps;

use carom_sound::synthesis::Contact;
use glam::DVec3;

/// A blow of 1 mN s on top of a ball of 1 cm, as the first thing that happens.
fn blow() -> Contact {
    Contact {
        start: 0.0,
        span: 0.0,
        feature: 0,
        point: DVec3::new(0.0, 0.01, 0.0),
        normal: -DVec3::Y,
        impulse: -1e-3 * DVec3::Y,
        friction: 0.0,
        impact: Some((0.0, 0.0)),
    }
}
