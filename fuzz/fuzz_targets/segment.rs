//! Segments of recordings, each as all tables, whatever its checksum.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = carom::recording::unsealed::parse_segment(bytes);
});
