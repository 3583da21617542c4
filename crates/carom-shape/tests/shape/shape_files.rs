//! Shapes in TOML: what is written comes back, and every mistake is named with its place.

use crate::common::specimens;
use carom_shape::{Shape, ShapeFile};
use proptest::prelude::*;

#[test]
fn every_kind_of_shape_survives_being_written_and_read() {
    for specimen in specimens() {
        let text = toml::to_string(&specimen.shape).unwrap();
        assert_eq!(Shape::from_toml(&text).unwrap(), specimen.shape, "{}", specimen.name);
    }
    let named = "shape = 'named'\nname = 'mug'\n[set]\nheight = 0.1\nturns = 3\n";
    let expected = [("height".to_owned(), 0.1), ("turns".to_owned(), 3.0)].into();
    assert_eq!(Shape::from_toml(named).unwrap(), Shape::Named { name: "mug".to_owned(), set: expected });
}

#[test]
fn a_file_may_tell_its_name_and_material() {
    let file = ShapeFile::from_toml("name = 'die'\nmaterial = 'wood'\nshape = 'box'\nsize = [1, 1, 1.0]").unwrap();
    assert_eq!((file.name.as_deref(), file.material.as_deref()), (Some("die"), Some("wood")));
    assert_eq!(file.shape, Shape::Box { size: [1.0; 3], rounding: 0.0 });
}

#[test]
fn mistakes_are_shown_with_their_place_and_a_remedy() {
    let cases = [
        ("shape = 'spere'\nradius = 1", "line 1, column 9: 'spere' is no kind of shape; did you mean 'sphere'?"),
        ("shape = 'sphere'\nraduis = 1", "line 2, column 1: a sphere has no 'raduis'; did you mean 'radius'?"),
        ("shape = 'sphere'\nradius = 'big'", "line 2, column 10: 'radius' must be a number, but is 'big'"),
        ("shape = 'box'\n  size = [1, 2]", "line 2, column 10: 'size' must be a list of 3 numbers, but is a list of 2"),
        ("shape = 'ellipsoid'", "line 1, column 1: the ellipsoid lacks 'radii'"),
        ("radius = 1", "line 1, column 1: the key 'shape' is missing"),
        (
            "shape = 'union'\nparts = [\n  { shape = 'cone', botom = 1 },\n]",
            "line 3, column 21: a cone has no 'botom'; did you mean 'bottom'?",
        ),
        ("shape = 'shell'\nthickness = 1\nof = 3", "line 3, column 6: 'of' must be a shape"),
        ("shape = 'revolve'\nprofile = { outlin = [] }", "a profile has no 'outlin'; did you mean 'outline'?"),
        ("shape = 'box", "line 1, column"),
        (
            "shape = 'union'\nname = 'x'\nparts = [{ shape = 'sphere', radius = 1, material = 'y' }]",
            "a sphere has no 'material'",
        ),
    ];
    for (text, expected) in cases {
        let message = Shape::from_toml(text).unwrap_err().to_string();
        assert!(message.starts_with(expected) || message.contains(expected), "expected '{expected}' in '{message}'");
    }
}

#[test]
fn a_bottomless_nest_is_refused_and_not_followed() {
    let inline = |depth: usize| {
        let open = "of = { shape = 'shell', thickness = 1, ".repeat(depth);
        format!("shape = 'shell'\nthickness = 1\n{open}x = 1{}", "}".repeat(depth))
    };
    let headers = |depth: usize| format!("[{}]\nshape = 'sphere'", vec!["of"; depth].join("."));
    let arrays = |depth: usize| format!("shape = 'union'\nparts = {}{}", "[".repeat(depth), "]".repeat(depth));
    let many_headers = |depth: usize| (1..depth).map(|d| headers(d) + "\n").collect::<String>();
    for text in [inline(70), inline(100_000), headers(100_000), arrays(100_000), many_headers(79), many_headers(300)] {
        assert!(Shape::from_toml(&text).is_err());
    }
}

/// Pieces of real files in any order, so that parsing gets far before it fails.
fn pieces() -> impl Strategy<Value = String> {
    let words = [
        "shape",
        "=",
        "'box'",
        "'union'",
        "'transform'",
        "'tube'",
        "size",
        "parts",
        "of",
        "path",
        "radius",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\n",
        "1.5",
        "-3",
        "inf",
        "nan",
        "0x7f",
        "1e999",
        "true",
        "[of]",
        "[[parts]]",
        "1979-05-27",
        "\"",
        "#",
        ".",
        "\u{1f}",
        "é",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..40).prop_map(|w| w.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn hostile_text_gives_an_error_and_no_panic(text in prop_oneof![pieces(), any::<String>()]) {
        if let Ok(shape) = Shape::from_toml(&text) {
            let _ = shape.build();
        }
    }

    #[test]
    fn a_damaged_file_gives_an_error_or_another_shape(which in 0..23_usize, at in 0.0..1.0_f64, byte in any::<char>()) {
        let text = toml::to_string(&specimens()[which].shape).unwrap();
        let place = (at * text.chars().count() as f64) as usize;
        let damaged: String = text.chars().enumerate().map(|(i, c)| if i == place { byte } else { c }).collect();
        if let Ok(shape) = Shape::from_toml(&damaged) {
            let _ = shape.build();
        }
    }
}
