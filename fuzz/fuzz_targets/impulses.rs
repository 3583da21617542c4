//! Impulses from a CSV file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = carom::soundtrack::read_impulses(bytes);
});
