//! What holds in every world: conservation, determinism, and impacts that know where they happen.

mod bounces;
mod closed_systems;
mod heaps;
mod impacts;
mod joints;
mod rest;
mod threads;
