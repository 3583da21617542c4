//! What must be heard, as statements of physics.

mod bank;
