//! The library's front: references, pictures, files, recordings and runs. Scenes have a program of their own.

mod common;
mod gltf;
mod pictures;
mod recordings;
mod references;
mod resume;
mod runs;
