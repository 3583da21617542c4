use std::collections::{BTreeMap, HashSet};
use std::f64::consts::PI;
use std::sync::OnceLock;

use glam::{DVec3, IVec3};
use proptest::prelude::*;
use rayon::prelude::*;

use super::*;
use crate::{Profile, Solid};

fn with(name: &str, set: &[(&str, f64)]) -> Result<Shape, ShapeError> {
    named(name, &set.iter().map(|&(key, value)| (key.to_string(), value)).collect())
}

fn default(name: &str) -> Shape {
    with(name, &[]).unwrap()
}

/// A body sampled on a lattice of cells of one size: its volume and centre to second order, and the cells whose middle is inside.
struct Cells {
    size: f64,
    volume: f64,
    centre: DVec3,
    inside: HashSet<IVec3>,
}

impl Cells {
    fn of(shape: &Shape, size: f64) -> Cells {
        let solid = shape.build().unwrap();
        let bounds = solid.bounds().padded(size);
        let across = (bounds.size().max_element() / size).ceil() as i32;
        let mut cells = Cells { size, volume: 0.0, centre: DVec3::ZERO, inside: HashSet::new() };
        cells.add(&*solid, bounds.min, IVec3::ZERO, (across as u32).next_power_of_two() as i32);
        cells.centre /= cells.volume;
        cells
    }

    /// Adds the block of `span`³ cells at `corner`, whole where the distance says that the surface is far.
    fn add(&mut self, solid: &dyn Solid, origin: DVec3, corner: IVec3, span: i32) {
        let size = self.size;
        let middle = origin + size * (corner.as_dvec3() + 0.5 * f64::from(span));
        let distance = solid.signed_distance(middle);
        let reach = 0.5 * 3_f64.sqrt() * size * f64::from(span);
        if distance > reach {
            return;
        }
        if span > 1 && distance > -reach {
            for octant in 0..8 {
                let step = IVec3::new(octant & 1, octant >> 1 & 1, octant >> 2) * (span / 2);
                self.add(solid, origin, corner + step, span / 2);
            }
            return;
        }
        // A cell that the surface cuts counts by how deep its middle lies.
        let share = if span == 1 { (0.5 - distance / size).clamp(0.0, 1.0) } else { 1.0 };
        let volume = share * (size * f64::from(span)).powi(3);
        self.volume += volume;
        self.centre += volume * middle;
        if distance < 0.0 {
            let range = 0..span;
            for x in range.clone() {
                for y in range.clone() {
                    self.inside.extend(range.clone().map(|z| corner + IVec3::new(x, y, z)));
                }
            }
        }
    }

    fn pieces(&self) -> usize {
        let mut unseen = self.inside.clone();
        let mut pieces = 0;
        for start in &self.inside {
            if !unseen.remove(start) {
                continue;
            }
            pieces += 1;
            let mut front = vec![*start];
            while let Some(cell) = front.pop() {
                for step in [IVec3::X, IVec3::Y, IVec3::Z] {
                    front.extend([cell + step, cell - step].into_iter().filter(|next| unseen.remove(next)));
                }
            }
        }
        pieces
    }
}

/// The cells of a shape with its defaults: at least two across every wall, and some ten thousand in all.
fn cells_of(shape: &NamedShape) -> &'static Cells {
    static CELLS: OnceLock<BTreeMap<&str, Cells>> = OnceLock::new();
    let sampled = |shape: &NamedShape| {
        let walls = shape.parameters.iter().filter(|p| p.unit == "m" && p.default > 0.0 && p.name != "sag");
        let mut size = 0.5 * walls.map(|p| p.default).fold(f64::MAX, f64::min);
        loop {
            let cells = Cells::of(&default(shape.name), size);
            if cells.inside.len() > 40_000 {
                return cells;
            }
            size *= 0.5;
        }
    };
    &CELLS.get_or_init(|| catalogue().par_iter().map(|shape| (shape.name, sampled(shape))).collect())[shape.name]
}

fn density(material: &str) -> f64 {
    match material {
        "steel" => 7850.0,
        "ceramic" => 2700.0,
        "wood" => 750.0,
        "mdf" => 615.0,
        "polystyrene" => 1050.0,
        "brass" => 8500.0,
        "stone" => 2700.0,
        "bounce-steel" => 2000.0,
        other => panic!("no density for {other}"),
    }
}

#[test]
fn every_shape_is_one_piece_of_plausible_mass() {
    let kilograms: BTreeMap<&str, [f64; 2]> = [
        ("rod", [0.11, 0.13]),
        ("bar", [0.15, 0.16]),
        ("cube", [0.97, 0.99]),
        ("ball", [0.51, 0.52]),
        ("disc", [0.48, 0.5]),
        ("pipe", [0.55, 0.58]),
        ("ring", [0.19, 0.2]),
        ("spring", [0.08, 0.1]),
        ("slab", [1.5, 1.7]),
        ("trefoil", [0.25, 0.4]),
        ("bowl", [0.25, 0.5]),
        ("cup", [0.15, 0.3]),
        ("mug", [0.25, 0.45]),
        ("plate", [0.3, 0.8]),
        ("pot", [4.0, 6.0]),
        ("candlestick", [0.7, 0.9]),
        ("bell", [0.6, 1.5]),
        ("ruler", [0.07, 0.075]),
        ("tuning-fork", [0.03, 0.06]),
        ("hammer", [0.8, 1.3]),
        ("wrench", [0.12, 0.25]),
        ("french-curve", [0.02, 0.06]),
        ("baseball-bat", [0.8, 1.1]),
        ("bowling-pin", [1.4, 1.7]),
        ("hockey-stick", [0.6, 1.0]),
        ("puck", [0.115, 0.175]),
        ("marble-track", [0.28, 0.31]),
        ("table", [20.0, 35.0]),
        ("scaffold", [200.0, 320.0]),
        ("letter-b", [0.2, 0.4]),
        ("letter-o", [0.15, 0.4]),
        ("letter-u", [0.15, 0.4]),
        ("letter-n", [0.15, 0.4]),
        ("letter-c", [0.15, 0.4]),
        ("letter-e", [0.15, 0.4]),
    ]
    .into();
    for shape in catalogue() {
        let cells = cells_of(shape);
        let mass = density(shape.material) * cells.volume;
        let [least, most] = kilograms[shape.name];
        assert!((least..=most).contains(&mass), "{} weighs {mass} kg", shape.name);
        assert_eq!(cells.pieces(), 1, "{} falls apart", shape.name);
    }
    assert_eq!(kilograms.len(), catalogue().len());
}

/// Area, and distance of the centroid from the y axis, of an outline less its holes.
fn area_and_centroid(profile: &Profile) -> (f64, f64) {
    let of = |points: &[[f64; 2]]| {
        let edges = (0..points.len()).map(|i| (points[i], points[(i + 1) % points.len()]));
        let (area, first) = edges.fold((0.0, 0.0), |(area, first), (p, q)| {
            let cross = 0.5 * (p[0] * q[1] - q[0] * p[1]);
            (area + cross, first + cross * (p[0] + q[0]) / 3.0)
        });
        (area.abs(), first.abs())
    };
    let holes = profile.holes.iter().map(|hole| of(hole)).fold((0.0, 0.0), |s, h| (s.0 + h.0, s.1 + h.1));
    let (area, first) = of(&profile.outline);
    (area - holes.0, (first - holes.1) / (area - holes.0))
}

/// Volume by a formula: of primitives, of prisms, and by Pappus's theorem of bodies of revolution.
fn exact_volume(shape: &Shape) -> Option<f64> {
    Some(match shape {
        Shape::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
        Shape::Box { size, rounding: 0.0 } => size.iter().product(),
        Shape::Cylinder { radius, height } => PI * radius.powi(2) * height,
        Shape::Capsule { radius, height } => PI * radius.powi(2) * (height - 2.0 / 3.0 * radius),
        Shape::Torus { major, minor } => 2.0 * PI * PI * major * minor * minor,
        Shape::Extrude { profile, depth } => area_and_centroid(profile).0 * depth,
        Shape::Revolve { profile } => {
            let (area, centroid) = area_and_centroid(profile);
            2.0 * PI * centroid * area
        }
        Shape::Transform { of, scale: 1.0, .. } => exact_volume(of)?,
        _ => return None,
    })
}

#[test]
fn fields_enclose_the_volume_that_formulas_give() {
    let checked = catalogue().iter().filter_map(|shape| Some((shape, exact_volume(&default(shape.name))?)));
    let errors: Vec<(&str, f64)> =
        checked.map(|(shape, exact)| (shape.name, cells_of(shape).volume / exact - 1.0)).collect();
    assert!(errors.len() >= 23, "only {} shapes have a formula", errors.len());
    assert!(errors.iter().all(|(_, error)| error.abs() < 5e-3), "{errors:?}");
}

#[test]
fn sampled_curves_have_the_volume_of_the_smooth_bodies() {
    let near = |name: &str, exact: f64| {
        let volume = exact_volume(&default(name)).unwrap();
        assert!((volume / exact - 1.0).abs() < 2e-3, "{name}: {volume}, not {exact}");
    };
    let (height, stroke, depth) = (0.1, 0.02, 0.03);
    near("letter-o", PI * (0.042 * 0.05 - 0.022 * 0.03) * depth);
    near("letter-c", 0.75 * PI * (0.05_f64.powi(2) - 0.03_f64.powi(2)) * depth);
    near("letter-u", (2.0 * stroke * (height - 0.037) + 0.5 * PI * (0.037_f64.powi(2) - 0.017_f64.powi(2))) * depth);
    near("letter-e", (height * stroke + 2.0 * 0.042 * stroke + 0.036 * stroke) * depth);
    // A sector of a ring: its middle line times the thickness.
    let radius: f64 = (0.15 * 0.15 + 0.006 * 0.006) / (2.0 * 0.006);
    near("slab", 2.0 * radius * (0.15 / radius).asin() * 0.02 * 0.1);
    near("pipe", PI * (0.02_f64.powi(2) - 0.018_f64.powi(2)) * 0.3);
}

#[test]
fn the_bowling_pin_balances_where_the_rules_want_it() {
    let pin = catalogue().iter().find(|shape| shape.name == "bowling-pin").unwrap();
    let inches = cells_of(pin).centre.y / 0.0254;
    assert!((5.0 + 40.0 / 64.0..=5.0 + 60.0 / 64.0).contains(&inches), "centre of mass at {inches} inches");
}

#[test]
fn the_fork_is_tuned_to_a4_by_the_formula_of_its_description() {
    let fork = catalogue().iter().find(|shape| shape.name == "tuning-fork").unwrap();
    let of = |name: &str| fork.parameters.iter().find(|p| p.name == name).unwrap().default;
    let (thickness, length) = (of("thickness"), of("length") + 0.44 * of("thickness"));
    let pitch = 1.875104_f64.powi(2) / (2.0 * PI) * (2e11_f64 / 7850.0 / 12.0).sqrt() * thickness / length.powi(2);
    assert!((pitch / 440.0 - 1.0).abs() < 0.003, "{pitch} Hz");
}

#[test]
fn surfaces_enclose_the_volume_of_the_field_in_one_piece() {
    // One of each kind of tree: difference, union, smooth union, intersection, knot, outline with holes.
    let edges = [
        ("mug", 0.002),
        ("tuning-fork", 0.001),
        ("hockey-stick", 0.005),
        ("spring", 0.0008),
        ("trefoil", 0.0015),
        ("letter-b", 0.0025),
    ];
    for (name, edge) in edges {
        let shape = catalogue().iter().find(|shape| shape.name == name).unwrap();
        let surface = default(name).surface(edge).unwrap();
        let ratio = surface.volume() / cells_of(shape).volume;
        assert!((ratio - 1.0).abs() < 0.025, "the surface of {name} holds {ratio} of its volume");
        let mut group: Vec<usize> = (0..surface.positions.len()).collect();
        fn root(group: &mut [usize], mut i: usize) -> usize {
            while group[i] != i {
                group[i] = group[group[i]];
                i = group[i];
            }
            i
        }
        for t in &surface.triangles {
            for (i, j) in [(t[0], t[1]), (t[1], t[2])] {
                let (i, j) = (root(&mut group, i as usize), root(&mut group, j as usize));
                group[i] = j;
            }
        }
        let roots: HashSet<usize> =
            surface.triangles.iter().map(|t| t[0] as usize).map(|i| root(&mut group, i)).collect();
        assert_eq!(roots.len(), 1, "the surface of {name} has {} parts", roots.len());
    }
}

#[test]
fn every_body_has_a_watertight_surface_of_some_thousand_triangles_by_default() {
    for shape in catalogue() {
        let name = shape.name;
        let surface = default(name).body(name, None).unwrap().surface;
        // The wide wall of the pot is thinner than the triangles that 60,000 would leave it; thin walls come first.
        let most = if name == "pot" { 150_000 } else { 60_000 };
        let count = surface.triangles.len();
        assert!((2_000..most).contains(&count), "{name} has {count} triangles");
        let edges = surface.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let directed: HashSet<(u32, u32)> = edges.collect();
        assert_eq!(directed.len(), 3 * count, "two triangles of {name} run through an edge the same way");
        assert!(directed.iter().all(|&(a, b)| directed.contains(&(b, a))), "{name} has a hole");
        // 60,000 triangles spread over the length of a contoured wire or tube leave it a dozen sides.
        let cut_off = match name {
            "spring" => 0.026,
            "scaffold" => 0.04,
            _ => 0.015,
        };
        let ratio = surface.volume() / cells_of(shape).volume;
        assert!((ratio - 1.0).abs() < cut_off, "the surface of {name} holds {ratio} of its volume");
    }
}

#[test]
fn walls_are_as_thick_as_their_parameters_say() {
    for (name, thickness) in [("mug", 0.004), ("plate", 0.004), ("bar", 0.01), ("ball", 0.05)] {
        let surface = default(name).body(name, None).unwrap().surface;
        let found = crate::wall_thickness(&surface, &crate::Bvh::new(&surface), 2000).unwrap();
        assert!((found.median / thickness - 1.0).abs() < 0.05, "{name}: {found:?}");
    }
}

#[test]
fn bodies_are_as_large_as_their_parameters_say() {
    let sizes: [(&str, [f64; 3]); 9] = [
        ("mug", [0.114, 0.095, 0.08]),
        ("pot", [0.36, 0.19, 0.27]),
        ("bowl", [0.15, 0.06, 0.15]),
        ("plate", [0.26, 0.024, 0.26]),
        ("wrench", [0.2, 0.0391, 0.006]),
        ("french-curve", [0.25, 0.0757, 0.003]),
        ("bowling-pin", [4.766 * 0.0254, 0.381, 4.766 * 0.0254]),
        ("table", [1.2, 0.75, 0.8]),
        ("letter-b", [0.072, 0.1, 0.03]),
    ];
    for (name, size) in sizes {
        let shape = catalogue().iter().find(|shape| shape.name == name).unwrap();
        let Cells { inside, size: cell, .. } = cells_of(shape);
        let low = inside.iter().fold(IVec3::MAX, |low, &c| low.min(c));
        let high = inside.iter().fold(IVec3::MIN, |high, &c| high.max(c));
        let found = *cell * (high - low + 1).as_dvec3();
        assert!((found - DVec3::from(size)).abs().max_element() <= 2.0 * *cell, "{name} measures {found}");
    }
}

#[test]
fn the_mug_is_round_and_empty_inside_and_a_finger_fits_through_its_handle() {
    let (radius, wall, bottom, height) = (0.04, 0.004, 0.006, 0.095);
    let mug = default("mug").build().unwrap();
    for y in [0.3, 0.5, 0.7, 0.8, 0.9].map(|share| share * height) {
        for degrees in (0..360).step_by(5) {
            let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
            let outwards = DVec3::new(cos, 0.0, sin);
            let on_wall = (radius - wall) * outwards + y * DVec3::Y;
            assert!(mug.signed_distance(on_wall).abs() < 1e-3 * radius);
            assert!(mug.signed_distance(on_wall - 1e-4 * outwards) > 0.0);
        }
    }
    assert!(mug.signed_distance((bottom + 1e-5) * DVec3::Y) > 0.0);
    assert!(mug.signed_distance((bottom - 1e-5) * DVec3::Y) < 0.0);
    assert!(mug.signed_distance(DVec3::new(radius + 0.012, 0.55 * height, 0.0)) > 0.008);
    assert!(mug.signed_distance(DVec3::new(radius + 0.034, 0.575 * height, 0.0)).abs() < 2e-3);
}

/// Points that fill the unit cube evenly (the additive recurrence of irrational steps).
fn scattered() -> impl Iterator<Item = DVec3> {
    (0..400).map(|i| (f64::from(i) * DVec3::new(0.8191725134, 0.6710436067, 0.5497004779)).fract())
}

#[test]
fn symmetric_shapes_are_symmetric() {
    let mirrors: [(&str, &[DVec3]); 10] = [
        ("mug", &[DVec3::new(1.0, 1.0, -1.0)]),
        ("pot", &[DVec3::new(1.0, 1.0, -1.0), DVec3::new(-1.0, 1.0, 1.0)]),
        ("table", &[DVec3::new(1.0, 1.0, -1.0), DVec3::new(-1.0, 1.0, 1.0)]),
        // Half turns: about x for the coil, about z for the wrench, about y for the scaffold, whose braces cross.
        ("spring", &[DVec3::new(1.0, -1.0, -1.0)]),
        ("wrench", &[DVec3::new(-1.0, -1.0, 1.0), DVec3::new(1.0, 1.0, -1.0)]),
        ("scaffold", &[DVec3::new(-1.0, 1.0, -1.0)]),
        ("tuning-fork", &[DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, 1.0, -1.0)]),
        ("letter-o", &[DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, -1.0, 1.0)]),
        ("letter-n", &[DVec3::new(-1.0, -1.0, 1.0)]),
        ("hammer", &[DVec3::new(1.0, 1.0, -1.0)]),
    ];
    for (name, signs) in mirrors {
        let solid = default(name).build().unwrap();
        let bounds = solid.bounds();
        for (share, &sign) in scattered().flat_map(|share| signs.iter().map(move |sign| (share, sign))) {
            let p = bounds.min + share * bounds.size();
            let difference = solid.signed_distance(p) - solid.signed_distance(sign * p);
            assert!(difference.abs() < 1e-9 * bounds.size().max_element(), "{name} at {p}: {difference}");
        }
    }
}

#[test]
fn a_spring_stands_on_a_flat_that_goes_most_of_the_way_round_and_its_turns_do_not_touch() {
    let spring = default("spring").build().unwrap();
    let (bottom, top) = (spring.bounds().min.y, spring.bounds().max.y);
    let place = |degree: u32, y: f64| {
        let (sin, cos) = f64::from(degree).to_radians().sin_cos();
        DVec3::new(0.02 * cos, y, 0.02 * sin)
    };
    let ground = (0..360).filter(|&degree| spring.signed_distance(place(degree, bottom + 1e-4)) < 0.0).count();
    assert!((290..320).contains(&ground), "flat for {ground}°");
    for degree in (0..360).step_by(10) {
        // Gaps in a line through the wire: between two turns of the eight there are at least 0.2 wires.
        let inside: Vec<bool> = (0..=1000)
            .map(|i| spring.signed_distance(place(degree, bottom + (top - bottom) * f64::from(i) / 1e3)) < 0.0)
            .collect();
        let turns: Vec<&[bool]> = inside.chunk_by(|a, b| a == b).collect();
        let solid = turns.iter().filter(|run| run[0]).count();
        assert!((7..=9).contains(&solid), "{solid} turns at {degree}°");
        let gap = turns[1..turns.len() - 1].iter().filter(|run| !run[0]).map(|run| run.len()).min().unwrap();
        assert!(
            gap as f64 * (top - bottom) / 1e3 > 0.2 * 0.004,
            "turns come as near as {gap} of 1,000 parts at {degree}°"
        );
    }
}

#[test]
fn the_trefoil_looks_the_same_after_a_third_of_a_turn() {
    let knot = default("trefoil").build().unwrap();
    let third = glam::DMat3::from_rotation_z(2.0 * PI / 3.0);
    for p in scattered().map(|share| 0.1 * (share - 0.5)) {
        assert!((knot.signed_distance(p) - knot.signed_distance(third * p)).abs() < 1e-12);
    }
}

#[test]
fn names_and_parameters_get_the_nearest_suggestion() {
    let message = |name: &str, set: &[(&str, f64)]| with(name, set).unwrap_err().to_string();
    assert_eq!(message("tunning-fork", &[]), "no shape is called 'tunning-fork'; did you mean 'tuning-fork'?");
    assert_eq!(message("zzzzzzzz", &[]), "no shape is called 'zzzzzzzz'");
    assert_eq!(message("mug", &[("hieght", 0.1)]), "mug: no parameter is called 'hieght'; did you mean 'height'?");
    assert_eq!(message("rod", &[("colour", 1.0)]), "rod: no parameter is called 'colour'; it has length, diameter");
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    for shape in catalogue() {
        for parameter in shape.parameters {
            for value in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
                let problem = with(shape.name, &[(parameter.name, value)]).unwrap_err().to_string();
                assert!(problem.starts_with(shape.name) && problem.contains(parameter.name), "{problem}");
            }
        }
    }
}

#[test]
fn combinations_that_make_no_body_are_refused_with_what_was_expected() {
    type Settings = &'static [(&'static str, f64)];
    let cases: [(&str, Settings, &str); 12] = [
        ("rod", &[("length", 0.01), ("diameter", 0.02)], "length"),
        ("bar", &[("rounding", 0.01)], "rounding"),
        ("pipe", &[("wall", 0.02)], "wall"),
        ("ring", &[("wire", 0.2)], "wire"),
        ("spring", &[("pitch", 0.004)], "pitch"),
        ("slab", &[("sag", 0.3)], "sag"),
        ("trefoil", &[("wire", 0.05)], "wire"),
        ("mug", &[("wall", 0.05)], "wall"),
        ("cup", &[("base", 0.1)], "base"),
        ("wrench", &[("jaw", 0.05)], "length"),
        ("table", &[("leg", 0.5)], "leg"),
        ("letter-e", &[("stroke", 0.04)], "stroke"),
    ];
    for (name, set, blamed) in cases {
        let problem = with(name, set).unwrap_err().to_string();
        assert!(problem.starts_with(&format!("{name}: {blamed} = ")) && problem.contains("expected"), "{problem}");
    }
}

#[test]
fn the_guide_tells_of_every_shape_and_parameter() {
    let guide = include_str!("../../../../docs/shapes.md");
    for NamedShape { name, description, material, parameters, .. } in catalogue() {
        let section = guide.split(&format!("### {name}\n")).nth(1).unwrap_or_else(|| panic!("the guide lacks {name}"));
        let section = section.split("\n##").next().unwrap_or_default();
        assert!(section.contains(&format!("![{name}](pictures/shapes/{name}.png)")), "{name} has no picture");
        assert!(section.contains(description), "the guide describes {name} otherwise");
        assert!(section.contains(&format!("Material: {material}.")), "{name} is of {material}");
        for p in *parameters {
            let default = format!("{} {}", (1e7 * p.default).round() / 1e7, p.unit);
            let row = format!("| `{}` | {} | {} |", p.name, default.trim_end(), p.description);
            assert!(section.contains(&row), "the guide's table of {name} lacks the row\n{row}");
        }
    }
}

#[test]
fn the_examples_of_the_guide_build() {
    let guide = include_str!("../../../../docs/shapes.md");
    let examples: Vec<&str> = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 3);
    for example in examples {
        let shape = Shape::from_toml(example).unwrap_or_else(|problem| panic!("{example}\n{problem}"));
        assert!(Cells::of(&shape, 0.001).volume > 0.0, "{example}");
    }
}

#[test]
fn every_parameter_can_be_a_fifth_smaller_or_larger() {
    for shape in catalogue() {
        for parameter in shape.parameters {
            for factor in [0.8, 1.2] {
                let tree = with(shape.name, &[(parameter.name, factor * parameter.default)]).unwrap();
                tree.build().unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn all_parameters_can_vary_together_by_a_fifth(
        index in 0..catalogue().len(),
        factors in prop::collection::vec(0.8..1.2, 7),
    ) {
        let shape = &catalogue()[index];
        let set = shape.parameters.iter().zip(&factors).map(|(p, factor)| (p.name.to_string(), factor * p.default));
        let built = named(shape.name, &set.collect()).and_then(|tree| tree.build());
        prop_assert!(built.is_ok(), "{}: {}", shape.name, built.err().unwrap());
    }

    #[test]
    fn a_shape_with_all_lengths_scaled_is_the_shape_scaled(
        index in 0..catalogue().len(),
        scale in 0.01..100.0_f64,
        at in prop::array::uniform3(0.0..1.0),
    ) {
        let shape = &catalogue()[index];
        let lengths = shape.parameters.iter().filter(|p| p.unit == "m");
        let set = lengths.map(|p| (p.name.to_string(), scale * p.default)).collect();
        let (small, large) = (default(shape.name).build().unwrap(), named(shape.name, &set).unwrap().build().unwrap());
        let bounds = small.bounds();
        let p = bounds.min + DVec3::from(at) * bounds.size();
        let (expected, found): (f64, f64) = (scale * small.signed_distance(p), large.signed_distance(scale * p));
        let tolerance = 1e-9 * scale * bounds.size().max_element();
        prop_assert!((expected - found).abs() < tolerance, "{}: {expected}, not {found}", shape.name);
    }
}
