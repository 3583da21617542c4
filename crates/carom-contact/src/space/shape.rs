//! What bodies look like.

use std::f64::consts::{PI, TAU};
use std::fmt;
use std::sync::{Arc, OnceLock};

use carom_shape::{MassProperties, Solid, TriMesh};
use glam::{DMat3, DVec3};

use super::Pose;
use super::hull::Hull;
use super::solid::SolidBody;
use crate::{Bounds, ContactError, Pose as _};

/// What a body looks like. Cheap to clone: what is large is shared.
///
/// ```
/// # use carom_contact::space::Shape;
/// # use glam::DVec3;
/// let bar = Shape::cuboid(DVec3::new(0.4, 0.1, 0.1))?;
/// let mass = bar.mass_properties(1000.0).unwrap();
/// assert!((mass.mass - 4.0).abs() < 1e-12);
/// assert!(Shape::sphere(-1.0).is_err());
/// # Ok::<(), carom_contact::ContactError>(())
/// ```
#[derive(Clone)]
pub struct Shape {
    pub(super) kind: Kind,
    /// Where the origin of `kind` is in the body.
    centre: DVec3,
    /// The largest distance of a point from the body's origin.
    radius: f64,
}

/// Kinds of shapes, each about its own origin.
#[derive(Clone)]
pub(super) enum Kind {
    Sphere {
        radius: f64,
    },
    Cuboid {
        half: DVec3,
        hull: Arc<Hull>,
    },
    Hull(Arc<Hull>),
    /// Solid, about the y axis.
    Cylinder {
        radius: f64,
        half: f64,
        triangles: Arc<OnceLock<SolidBody>>,
    },
    /// All on the far side of a flat border through the origin, `normal` out of it.
    HalfSpace {
        normal: DVec3,
    },
    /// All outside of an infinite cylinder about `axis`.
    Drum {
        radius: f64,
        axis: DVec3,
    },
    Solid(Arc<SolidBody>),
}

impl Shape {
    /// A ball.
    pub fn sphere(radius: f64) -> Result<Shape, ContactError> {
        let radius = positive("sphere", "the radius", radius)?;
        Ok(Shape::new(Kind::Sphere { radius }, DVec3::ZERO))
    }

    /// A box with edges along the axes.
    pub fn cuboid(size: DVec3) -> Result<Shape, ContactError> {
        for (quantity, value) in
            ["the size along x", "the size along y", "the size along z"].into_iter().zip(size.to_array())
        {
            positive("box", quantity, value)?;
        }
        let half = 0.5 * size;
        let volume = size.element_product();
        let hull = Hull::cuboid(half).ok_or(ContactError::NoVolume { shape: "box", volume })?;
        Ok(Shape::new(Kind::Cuboid { half, hull: Arc::new(hull) }, DVec3::ZERO))
    }

    /// The convex hull of points. Points within it are welcome.
    pub fn hull(points: &[DVec3]) -> Result<Shape, ContactError> {
        Ok(Shape::new(Kind::Hull(Arc::new(Hull::around(points)?)), DVec3::ZERO))
    }

    /// A solid cylinder about the y axis.
    pub fn cylinder(radius: f64, height: f64) -> Result<Shape, ContactError> {
        let radius = positive("cylinder", "the radius", radius)?;
        let half = 0.5 * positive("cylinder", "the height", height)?;
        Ok(Shape::new(Kind::Cylinder { radius, half, triangles: Arc::default() }, DVec3::ZERO))
    }

    /// Everything below a plane through the origin whose normal points out: a floor, a wall.
    pub fn half_space(normal: DVec3) -> Result<Shape, ContactError> {
        let normal = direction("half-space", "normal", normal)?;
        Ok(Shape::new(Kind::HalfSpace { normal }, DVec3::ZERO))
    }

    /// Everything outside of an infinite circular cylinder about an axis through the origin: bodies tumble in it.
    pub fn drum(radius: f64, axis: DVec3) -> Result<Shape, ContactError> {
        let radius = positive("drum", "the radius", radius)?;
        let axis = direction("drum", "axis", axis)?;
        Ok(Shape::new(Kind::Drum { radius, axis }, DVec3::ZERO))
    }

    /// Any body: its surface, and a field that knows the inside. [`carom_shape::Body`] has both.
    pub fn solid(surface: &TriMesh, field: Arc<dyn Solid>) -> Result<Shape, ContactError> {
        Ok(Shape::new(Kind::Solid(Arc::new(SolidBody::new(surface, field)?)), DVec3::ZERO))
    }

    fn new(kind: Kind, centre: DVec3) -> Shape {
        let radius = match &kind {
            Kind::Sphere { radius } => centre.length() + radius,
            Kind::Cuboid { half, .. } => (centre.abs() + *half).length(),
            Kind::Hull(hull) => farthest(&hull.vertices, centre),
            Kind::Cylinder { radius, half, .. } => (centre.x.hypot(centre.z) + radius).hypot(centre.y.abs() + half),
            Kind::HalfSpace { .. } | Kind::Drum { .. } => f64::INFINITY,
            Kind::Solid(body) => farthest(&body.surface.positions, centre),
        };
        Shape { kind, centre, radius }
    }

    /// The same, elsewhere in its body: every point moves `by` this. The body's origin has to be its centre of mass, so a shape
    /// whose centre is elsewhere is shifted by minus that.
    pub fn shifted(&self, by: DVec3) -> Shape {
        Shape::new(self.kind.clone(), self.centre + by)
    }

    /// Mass, centre and inertia at a uniform density; `None` for what has no end.
    pub fn mass_properties(&self, density: f64) -> Option<MassProperties> {
        let about_centre = |mass: f64, moments: DVec3| {
            Some(MassProperties { mass, centre: self.centre, inertia: DMat3::from_diagonal(mass * moments) })
        };
        match &self.kind {
            Kind::Sphere { radius } => {
                about_centre(density * 4.0 / 3.0 * PI * radius.powi(3), DVec3::splat(0.4 * radius * radius))
            }
            Kind::Cuboid { half, .. } => {
                let square = *half * *half;
                about_centre(
                    density * 8.0 * half.element_product(),
                    (DVec3::splat(square.element_sum()) - square) / 3.0,
                )
            }
            Kind::Cylinder { radius, half, .. } => {
                let (across, along) = (radius * radius, half * half);
                let tumble = across / 4.0 + along / 3.0;
                about_centre(density * TAU * across * half, DVec3::new(tumble, across / 2.0, tumble))
            }
            Kind::Hull(_) | Kind::Solid(_) => {
                self.surface().map(|surface| MassProperties::of_surface(&surface, density))
            }
            Kind::HalfSpace { .. } | Kind::Drum { .. } => None,
        }
    }

    /// The surface in triangles, for pictures; `None` for what has no end.
    pub fn surface(&self) -> Option<TriMesh> {
        let mut surface = match &self.kind {
            Kind::Sphere { radius } => {
                let steps = 24;
                let rings: Vec<(f64, f64)> = (1..steps)
                    .map(|k| libm::sincos(PI * k as f64 / steps as f64))
                    .map(|(sine, cosine)| (radius * sine, radius * cosine))
                    .collect();
                revolved(&rings, [*radius, -*radius])
            }
            Kind::Cylinder { radius, half, .. } => cylinder_surface(*radius, *half),
            Kind::Cuboid { hull, .. } | Kind::Hull(hull) => hull.surface(),
            Kind::Solid(body) => body.surface.clone(),
            Kind::HalfSpace { .. } | Kind::Drum { .. } => return None,
        };
        surface.positions.iter_mut().for_each(|p| *p += self.centre);
        Some(surface)
    }

    /// Whether it is a ball about its origin.
    #[inline]
    pub(super) fn is_ball(&self) -> bool {
        matches!(self.kind, Kind::Sphere { .. }) && self.centre == DVec3::ZERO
    }

    /// The largest distance of a point of the shape from the body's origin.
    #[inline]
    pub(super) fn radius(&self) -> f64 {
        self.radius
    }

    /// Where the origin of the kind is when the body is at `pose`.
    #[inline]
    pub(super) fn frame(&self, pose: &Pose) -> Pose {
        if self.centre == DVec3::ZERO { *pose } else { pose.at(pose.point(self.centre)) }
    }

    /// A box around the shape.
    pub(super) fn bounds(&self, pose: &Pose) -> Bounds<DVec3> {
        let frame = self.frame(pose);
        let around = |centre: DVec3, reach: DVec3| Bounds { min: centre - reach, max: centre + reach };
        let turned = |half: DVec3| {
            frame.axes().x_axis.abs() * half.x + frame.axes().y_axis.abs() * half.y + frame.axes().z_axis.abs() * half.z
        };
        match &self.kind {
            Kind::Sphere { radius } => around(frame.position, DVec3::splat(*radius)),
            Kind::Cuboid { half, .. } => around(frame.position, turned(*half)),
            Kind::Hull(hull) => {
                let points = hull.vertices.iter().map(|&v| frame.turn(v));
                let (min, max) =
                    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| (min.min(p), max.max(p)));
                Bounds { min: frame.position + min, max: frame.position + max }
            }
            Kind::Cylinder { radius, half, .. } => {
                let axis = frame.axes().y_axis;
                let across = (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
                around(frame.position, axis.abs() * *half + across * *radius)
            }
            Kind::HalfSpace { normal } => half_space_bounds(frame.position, frame.turn(*normal)),
            Kind::Drum { .. } => Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY },
            Kind::Solid(body) => {
                let local = body.bounds();
                around(frame.point(local.centre()), turned(0.5 * local.size()))
            }
        }
    }
}

impl Kind {
    /// The surface as triangles for bodies of any form to touch; `None` for spheres, which need none, and what has no end.
    pub(super) fn triangles(&self) -> Option<&SolidBody> {
        match self {
            Kind::Cuboid { hull, .. } | Kind::Hull(hull) => Some(hull.triangles()),
            Kind::Cylinder { triangles, radius, half } => {
                Some(triangles.get_or_init(|| SolidBody::closed(cylinder_surface(*radius, *half))))
            }
            Kind::Solid(body) => Some(body),
            Kind::Sphere { .. } | Kind::HalfSpace { .. } | Kind::Drum { .. } => None,
        }
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Sphere { radius } => write!(f, "Sphere(radius {radius})")?,
            Kind::Cuboid { half, .. } => write!(f, "Box(size {})", *half * 2.0)?,
            Kind::Hull(hull) => write!(f, "Hull({} corners, {} faces)", hull.vertices.len(), hull.faces.len())?,
            Kind::Cylinder { radius, half, .. } => write!(f, "Cylinder(radius {radius}, height {})", 2.0 * half)?,
            Kind::HalfSpace { normal } => write!(f, "HalfSpace(normal {normal})")?,
            Kind::Drum { radius, axis } => write!(f, "Drum(radius {radius}, axis {axis})")?,
            Kind::Solid(body) => write!(f, "Solid({} triangles)", body.surface.triangles.len())?,
        }
        if self.centre == DVec3::ZERO { Ok(()) } else { write!(f, " at {}", self.centre) }
    }
}

/// Unbounded, but for the side that it keeps free if its border is level or upright.
fn half_space_bounds(origin: DVec3, normal: DVec3) -> Bounds<DVec3> {
    let mut bounds = Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
    for k in 0..3 {
        if normal[k] == 1.0 {
            bounds.max[k] = origin[k];
        } else if normal[k] == -1.0 {
            bounds.min[k] = origin[k];
        }
    }
    bounds
}

fn farthest(points: &[DVec3], centre: DVec3) -> f64 {
    points.iter().fold(0.0, |radius, &p| (p + centre).length().max(radius))
}

fn positive(shape: &'static str, quantity: &'static str, value: f64) -> Result<f64, ContactError> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(ContactError::BadSize { shape, quantity, value }) }
}

fn direction(shape: &'static str, quantity: &'static str, value: DVec3) -> Result<DVec3, ContactError> {
    let length = value.length();
    value.try_normalize().filter(|_| length.is_finite()).ok_or(ContactError::BadDirection { shape, quantity, length })
}

fn cylinder_surface(radius: f64, half: f64) -> TriMesh {
    revolved(&[(radius, half), (radius, -half)], [half, -half])
}

/// A surface of revolution about y: rings of (radius, height) from top to bottom, closed by points on the axis.
fn revolved(rings: &[(f64, f64)], [top, bottom]: [f64; 2]) -> TriMesh {
    const SIDES: u32 = 48;
    let mut positions = vec![DVec3::Y * top, DVec3::Y * bottom];
    let mut triangles = Vec::new();
    for &(radius, height) in rings {
        positions.extend((0..SIDES).map(|k| {
            let (sine, cosine) = libm::sincos(TAU * f64::from(k) / f64::from(SIDES));
            DVec3::new(radius * sine, height, radius * cosine)
        }));
    }
    let at = |ring: usize, k: u32| 2 + ring as u32 * SIDES + k % SIDES;
    for k in 0..SIDES {
        triangles.push([0, at(0, k), at(0, k + 1)]);
        triangles.push([1, at(rings.len() - 1, k + 1), at(rings.len() - 1, k)]);
        for ring in 1..rings.len() {
            triangles.push([at(ring - 1, k), at(ring, k), at(ring, k + 1)]);
            triangles.push([at(ring - 1, k), at(ring, k + 1), at(ring - 1, k + 1)]);
        }
    }
    TriMesh { positions, triangles }
}
