//! A ruler on the edge of a table: what stands out swings as a beam (*Sound*, Fig. 13).

use carom::references::ruler_pitch;

use super::built;

/// The frequency at which the ruler swings after it was plucked, Hz, with so much of it beyond the edge, m.
fn pitch(beyond: f64) -> f64 {
    let place = format!("[{}, 0.0005, 0]", beyond - 0.155);
    let settings = [("body.ruler.position", &place[..]), ("load.pluck.until", "0.02")];
    let mut system = built("ruler-twang", &settings).system;
    let (mut crossings, mut before) = (Vec::new(), 0.0);
    while system.time() < 0.25 {
        system.step().unwrap();
        // The lowest mode alone tells: all modes swing together.
        let q = system.vibrations()[0].q;
        if system.time() > 0.02 && before < 0.0 && q >= 0.0 {
            crossings.push(system.time() - 1e-3 * q / (q - before));
        }
        before = q;
    }
    let ledger = system.ledger();
    assert!(ledger.imbalance().abs() < 1e-9 * ledger.injected, "{ledger:?}");
    (crossings.len() - 1) as f64 / (crossings[crossings.len() - 1] - crossings[0])
}

#[test]
fn a_ruler_held_on_the_edge_of_a_table_swings_as_a_beam_of_its_free_length() {
    // Without the modes above the cut it would be 142 Hz at 8 cm.
    for length in [0.2, 0.1, 0.08] {
        let (found, expected) = (pitch(length), ruler_pitch(length));
        println!("{length} m: {found} Hz, in closed form {expected} Hz");
        assert!((found / expected - 1.0).abs() < 0.03, "{length} m: {found} Hz, in closed form {expected} Hz");
    }
}
