//! Pictures show what is there, the same on any number of threads.

use crate::common::{bar, cuboid};
use carom::shape::TriMesh;
use carom::{
    Background, Colormap, Image, Paint, PictureError, PictureParams, View, contact_sheet, render, render_mode,
};
use glam::DVec3;

fn small() -> PictureParams {
    PictureParams { width: 120, height: 90, supersampling: 2, ..PictureParams::default() }
}

fn transparent() -> PictureParams {
    PictureParams { background: Background::Transparent, ground_shadow: false, ..small() }
}

/// Share of the pixels, weighted by opacity.
fn covered(image: &Image) -> f64 {
    image.pixels.iter().map(|p| f64::from(p[3]) / 255.0).sum::<f64>() / image.pixels.len() as f64
}

#[test]
fn a_face_seen_straight_on_covers_what_the_margin_leaves() {
    let view = View { azimuth: 0.0, elevation: 0.0, field_of_view: 0.01 };
    let params = PictureParams { view: Some(view), margin: 0.1, ..transparent() };
    // A face of 4 to 3 fits the frame exactly.
    let image = render(&cuboid(DVec3::new(4.0, 3.0, 0.1)), Paint::CLAY, &params).unwrap();
    assert!((covered(&image) - 0.64).abs() < 0.01, "{}", covered(&image));
    assert_eq!(image.pixels[0][3], 0);
    assert_eq!(image.pixels[45 * 120 + 60][3], 255);
}

#[test]
fn faces_differ_in_light_and_flat_ones_have_one() {
    let image = render(&cuboid(DVec3::ONE), Paint::CLAY, &PictureParams { margin: 0.05, ..transparent() }).unwrap();
    let at = |column: usize, row: usize| i32::from(image.pixels[row * 120 + column][0]);
    let (top, front) = (at(60, 14), at(45, 60));
    assert!(top > front + 10, "the top is lit by the sky: {top} against {front}");
    assert!((at(45, 50) - at(50, 65)).abs() < 6, "one face, one light");
}

#[test]
fn numbers_become_the_colours_of_the_map() {
    let body = cuboid(DVec3::ONE);
    let values = vec![7.0; 8];
    let params = PictureParams { colormap: Colormap::BlueRed, ..transparent() };
    for (range, red_wins) in [((0.0, 7.0), true), ((7.0, 14.0), false)] {
        let image = render(&body, Paint::Scalars { values: &values, range }, &params).unwrap();
        let [red, _, blue, _] = image.pixels[50 * 120 + 60];
        assert_eq!(red > blue, red_wins);
    }
    let colours = [[20, 200, 30]; 8];
    let image = render(&body, Paint::Colours(&colours), &params).unwrap();
    let [red, green, blue, _] = image.pixels[50 * 120 + 60];
    assert!(green > 2 * red && green > 2 * blue);
}

#[test]
fn the_same_pixels_come_from_one_thread_and_from_many() {
    let model = bar();
    let picture = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| contact_sheet(&model, &[0, 1], 2, 0.1, &small()).unwrap().to_png().unwrap())
    };
    let alone = picture(1);
    assert_eq!(alone, picture(2));
    assert_eq!(alone, picture(7));
}

#[test]
fn a_mode_is_drawn_deformed_beside_the_outline_at_rest() {
    let model = bar();
    let view = Some(View { azimuth: 0.0, elevation: 0.0, field_of_view: 0.02 });
    let image = render_mode(&model, 0, 0.2, &PictureParams { view, ..transparent() }).unwrap();
    // The ends go up by a fifth of the diagonal, the middle down by half of that: the body leaves the ends of its
    // outline, where only the line is left.
    let column_of = |x: usize| (0..90).map(move |row| row * 120 + x);
    let opaque = |x: usize| column_of(x).filter(|&i| image.pixels[i][3] == 255).map(|i| i / 120).collect::<Vec<_>>();
    let line = |x: usize| column_of(x).filter(|&i| (1..255).contains(&image.pixels[i][3])).count();
    let (end, middle) = (opaque(14), opaque(60));
    assert!(end.iter().max() < middle.iter().min(), "ends above the middle: {end:?} and {middle:?}");
    assert!(line(14) >= 2 && line(60) >= 2, "the outline at rest is beside the body");
}

#[test]
fn a_body_without_extent_or_numbers_is_refused() {
    let model = bar();
    assert_eq!(render_mode(&model, 2, 0.1, &small()).unwrap_err(), PictureError::NoSuchMode { mode: 2, modes: 2 });
    assert_eq!(render(&TriMesh::default(), Paint::CLAY, &small()).unwrap_err(), PictureError::Empty);
    let point = TriMesh::new(vec![DVec3::ONE; 3], vec![[0, 1, 2]]).unwrap();
    assert_eq!(render(&point, Paint::CLAY, &small()).unwrap_err(), PictureError::Empty);
    let error = render(&model.surface, Paint::Colours(&[[0; 3]]), &small()).unwrap_err();
    assert!(matches!(error, PictureError::PaintCount { found: 1, .. }));
    for (width, height, supersampling) in
        [(0, 9, 2), (9, 9, 0), (usize::MAX, 2, 2), (1 << 20, 1 << 20, 1), (9, 9, usize::MAX)]
    {
        let params = PictureParams { width, height, supersampling, ..small() };
        let error = render(&model.surface, Paint::CLAY, &params).unwrap_err();
        assert_eq!(error, PictureError::Size { width, height, supersampling });
    }
    let mut broken = model.surface.clone();
    broken.positions[5].y = f64::NAN;
    let error = render(&broken, Paint::CLAY, &small()).unwrap_err();
    assert!(matches!(error, PictureError::BadVertex { vertex: 5, .. }));
}

#[test]
fn a_flat_triangle_and_numbers_that_are_none_are_still_drawn() {
    let triangle = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2], [0, 1, 1]]).unwrap();
    let values = [f64::NAN, 1.0, f64::INFINITY];
    let image = render(&triangle, Paint::Scalars { values: &values, range: (0.0, 0.0) }, &transparent()).unwrap();
    assert!(covered(&image) > 0.1);
}
