//! Volume meshes of Gmsh.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = carom::modal::read_msh(bytes);
});
