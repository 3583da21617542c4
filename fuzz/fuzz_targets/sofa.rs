//! Measured ears (SOFA).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = carom::sound::Sofa::read(bytes);
});
