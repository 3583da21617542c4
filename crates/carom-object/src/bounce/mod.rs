//! How bouncy each point of a body is, and what two bodies make of it (Wang, Setaluri, James and Pai, *Bounce Maps*,
//! 2017, §4 and §5.2): the baked map, its lookup at run time, and the rules that combine two bodies.

mod cells;
mod combine;
mod layout;
mod least_squares;
mod lookup;
mod map;
mod neighbourhood;
mod quantize;
mod validate;

pub use combine::{Combiner, UnknownCombiner};
pub use layout::{FacePoint, FaceSamples, Feature, SampleKind, SampleLayout, SamplePlace};
pub use lookup::{BounceLookup, Interpolation};
pub use map::{BounceMap, BounceSample, Statistics};
pub use quantize::Values;
