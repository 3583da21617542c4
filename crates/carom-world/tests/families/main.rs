//! Joints, and the families of response one by one: what each does to rows and velocities, and to worlds.

mod constraints;
mod encounters;
mod jointed_worlds;
mod joints;
mod penalty;
mod pendulums;
mod swing;
