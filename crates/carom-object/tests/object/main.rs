//! Baked objects as run-time data: bounce maps, files, and who else reads them.

mod bounce;
mod common;
mod file;
mod python;
