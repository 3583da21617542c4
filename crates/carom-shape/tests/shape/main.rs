//! Shapes and imported surfaces: fields, files, queries, repair, formats and what is measured on them.

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

use carom_testing::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
