//! Bodies whose modes are known in closed form.

use carom_bounce::Site;
use glam::{DMat3, DVec3};

/// Speed of sound along the rods, in m/s.
pub const SOUND: f64 = 5000.0;

/// Mass per length of the rods, in kg/m.
pub const LINE_DENSITY: f64 = 2.0;

/// The end of a rod that moves along itself only, with its first axial modes, √(2/M) cos(kπx/L) at kπc/L.
pub fn rod(length: f64, modes: usize) -> Site {
    let mass = LINE_DENSITY * length;
    let shape = (2.0 / mass).sqrt();
    Site {
        arm: DVec3::X * (length / 2.0),
        normal: DVec3::X,
        mass,
        inertia: DMat3::IDENTITY,
        angular_frequencies: (1..=modes).map(|k| k as f64 * std::f64::consts::PI * SOUND / length).collect(),
        shapes: (1..=modes).map(|k| if k % 2 == 0 { shape * DVec3::X } else { -shape * DVec3::X }).collect(),
    }
}
