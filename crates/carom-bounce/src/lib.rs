//! How bouncy is each point of a body.
//!
//! A body that strikes the floor begins to ring; what it keeps as vibration is missing when it leaves. This crate
//! computes the coefficient of restitution from the body's modes, point by point (Wang, Setaluri, James and Pai,
//! *Bounce Maps*, 2017), for one body against a rigid plane and for two bodies against each other.
//!
//! A [`Site`] is what a strike sees of a body. [`strike`] follows one through time, [`strike_pair`] two against each
//! other; [`strike_all`] strikes many places of one body at once.

mod batch;
mod error;
mod fast;
mod impulse;
mod lanes;
mod moving;
mod oscillator;
mod pack;
mod params;
mod sampling;
mod site;
mod strike;

pub use batch::{strike_all, strike_all_with};
pub use error::BounceError;
pub use lanes::Lanes;
pub use params::{Impulse, Method, Params, TimeStep};
pub use sampling::{SHARP_ANGLE, SamplingError, SamplingParams, geodesic_sphere};
pub use site::{Place, Site};
pub use strike::{Series, Strike, strike, strike_pair, strike_pair_series, strike_series};
