//! Scenes, as far as the schema checks them: nothing is built.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = carom::scene::Scene::parse("fuzzed", text, &[]);
    }
});
