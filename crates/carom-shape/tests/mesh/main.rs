//! Imported surfaces: queries, repair, formats and what is measured on them.

mod formats;
mod hierarchy;
mod hostile;
mod mass;
mod repair;
mod shapes;
mod thickness;
mod winding;
