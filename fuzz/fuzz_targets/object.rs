//! Baked objects (.carom).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = carom::object::Object::from_bytes(bytes);
});
