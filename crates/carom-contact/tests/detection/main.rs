//! Which bodies touch, where, and when: against brute force, closed forms and another library.

mod broad_phase;
mod detector;
mod impact_time;
mod plane;
mod plane_laws;
mod space_convex;
mod space_solids;
