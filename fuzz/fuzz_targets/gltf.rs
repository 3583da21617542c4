//! glTF and GLB meshes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = carom::shape::read_gltf(bytes);
});
