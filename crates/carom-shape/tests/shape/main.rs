//! Shapes and imported surfaces: fields, files, queries, repair, formats and what is measured on them.

mod allocations;
mod common;
mod fields;
mod formats;
mod hierarchy;
mod hostile;
mod mass;
mod repair;
mod shape_files;
mod shapes;
mod surfaces;
mod thickness;
mod winding;
