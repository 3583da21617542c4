//! Bodies that are held somewhere: feet of a table, the end of a ruler under a hand.
//!
//! The held part of the surface is tied to its place by very stiff springs, spread over its area: K gains
//! κ ∫ N_i N_j dA. Unknowns at the nodes could not be fixed instead, because the surface cuts through the cells.

use std::fmt;
use std::str::FromStr;

use carom_object::Material;
use carom_shape::TriMesh;
use glam::DVec3;

use crate::ModalError;
use crate::assembly::Matrices;
use crate::block::Block;
use crate::cells::CellMesh;

/// Stiffness of the springs, in units of Young's modulus per cell. Far stiffer than the body over one cell, so that
/// frequencies are low by about one part in this number, yet far from the round-off of the factorization.
const GRIP: f64 = 1e4;

/// Where a body is held.
///
/// ```
/// # use carom_modal::Place;
/// let clamp: Place = "x < 0.001".parse().unwrap();
/// assert!(clamp.contains([0.0, 5.0, 0.0].into()));
/// let foot: Place = "ball 0.4 0 0.4 0.05".parse().unwrap();
/// assert_eq!(foot.to_string(), "ball 0.4 0 0.4 0.05");
/// assert!("q < 1".parse::<Place>().unwrap_err().contains("q < 1"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// Everything on one side of a coordinate plane: `y < 0.02`, `x > 0.3`.
    Side {
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// Whether the side with larger coordinates is meant.
        above: bool,
        /// Where the plane is, in metres.
        at: f64,
    },
    /// Everything in a ball: `ball x y z radius`.
    Ball {
        /// Its centre.
        centre: DVec3,
        /// Its radius.
        radius: f64,
    },
}

impl Place {
    /// Whether a point belongs to it.
    pub fn contains(&self, p: DVec3) -> bool {
        match *self {
            Place::Side { axis, above, at } => (p[axis] > at) == above,
            Place::Ball { centre, radius } => p.distance_squared(centre) <= radius * radius,
        }
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let refuse =
            || format!("cannot read the place '{text}'; expected 'y < 0.02', 'x > 0.3' or 'ball x y z radius'");
        let number = |s: &str| s.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(refuse);
        if let Some(rest) = text.trim().strip_prefix("ball") {
            let numbers =
                rest.split([' ', ',']).filter(|s| !s.is_empty()).map(number).collect::<Result<Vec<_>, _>>()?;
            let [x, y, z, radius] = numbers[..] else { return Err(refuse()) };
            return Ok(Place::Ball { centre: DVec3::new(x, y, z), radius });
        }
        let (name, above, at) = match (text.split_once('<'), text.split_once('>')) {
            (Some((name, at)), None) => (name, false, at),
            (None, Some((name, at))) => (name, true, at),
            _ => return Err(refuse()),
        };
        let axis = ["x", "y", "z"].iter().position(|n| *n == name.trim()).ok_or_else(refuse)?;
        Ok(Place::Side { axis, above, at: number(at)? })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Side { axis, above, at } => {
                write!(f, "{} {} {at}", ["x", "y", "z"][*axis], if *above { '>' } else { '<' })
            }
            Place::Ball { centre, radius } => write!(f, "ball {} {} {} {radius}", centre.x, centre.y, centre.z),
        }
    }
}

/// Adds the springs of all places to the stiffness.
pub fn hold(
    matrices: &mut Matrices,
    mesh: &CellMesh,
    surface: &TriMesh,
    material: &Material,
    places: &[Place],
) -> Result<(), ModalError> {
    let cells = mesh.field(&Block::default());
    let edge = cells.grid.longest_edge();
    let finest = edge / 4.0;
    let stiffness = GRIP * material.young / edge;
    let mut held = vec![false; places.len()];
    for triangle in 0..surface.triangles.len() {
        let normal = surface.area_vector(triangle).normalize_or_zero();
        let [a, b, c] = surface.corners(triangle);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let divisions = (longest / finest).ceil().clamp(1.0, 4096.0) as usize;
        let area = surface.area_vector(triangle).length() / (divisions * divisions) as f64;
        for point in subtriangle_centres(a, b, c, divisions) {
            let Some(place) = places.iter().position(|p| p.contains(point)) else { continue };
            let Some(found) = cells.locate(point, normal) else { continue };
            held[place] = true;
            add_spring(matrices, &mesh.influence(&found), stiffness * area);
        }
    }
    match held.iter().position(|h| !h) {
        Some(nowhere) => Err(ModalError::HeldNowhere { place: places[nowhere].to_string() }),
        None => Ok(()),
    }
}

fn add_spring(matrices: &mut Matrices, influence: &[(u32, f64)], stiffness: f64) {
    for &(column, weight) in influence {
        for &(row, other) in influence.iter().filter(|(row, _)| *row >= column) {
            let at = matrices.slot(row, column);
            for axis in 0..3 {
                matrices.stiffness[at][4 * axis] += stiffness * weight * other;
            }
        }
    }
}

/// Centres of the `divisions`² equal triangles that a triangle divides into.
fn subtriangle_centres(a: DVec3, b: DVec3, c: DVec3, divisions: usize) -> impl Iterator<Item = DVec3> {
    let step = 1.0 / divisions as f64;
    let point = move |u: f64, v: f64| a + (b - a) * (u * step) + (c - a) * (v * step);
    (0..divisions).flat_map(move |i| {
        (0..divisions - i).flat_map(move |j| {
            let (u, v) = (i as f64, j as f64);
            let upright = point(u + 1.0 / 3.0, v + 1.0 / 3.0);
            let inverted = (i + j + 1 < divisions).then(|| point(u + 2.0 / 3.0, v + 2.0 / 3.0));
            std::iter::once(upright).chain(inverted)
        })
    })
}
