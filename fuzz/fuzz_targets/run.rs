//! The `run.json` of a recording, whatever its run id.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = carom::recording::unsealed::parse_run(bytes);
});
