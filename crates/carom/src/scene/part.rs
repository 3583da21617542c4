//! The form of a body, built: what others collide with, how its mass is spread, what is seen of it, how bouncy it is.

use std::sync::Arc;

use carom_contact::{ContactError, Geometry, Plane, Space, plane, space};
use carom_object::Object;
use carom_shape::{Bvh, MassProperties, MeshSolid, Shape, Solid, TriMesh};
use carom_world::{DistantResponse, MappedBounciness, VibratingSurface};
use glam::{DMat3, DVec2, DVec3};

use super::build::Bakery;
use super::fields::Turn;
use super::look::{circle, ring, slab};
use super::plan::{BodyPlan, Bounce, Collision, Form};
use crate::SourceKind;

/// A form, built. Everything is about the centre of mass, except for what is seen.
pub(super) struct Part<G: Geometry> {
    pub shape: Arc<G::Shape>,
    /// Mass and inertia at a density of one; none for what has no end.
    pub bulk: Option<(f64, G::Inertia)>,
    /// Where the centre of mass is, from the shape's own origin.
    pub centre: DVec3,
    pub seen: Seen,
    pub map: Option<Arc<MappedBounciness>>,
    pub distant: Option<DistantResponse>,
    pub vibration: Option<Arc<VibratingSurface>>,
    /// Whose modes these are.
    pub object: Option<Arc<Object>>,
    /// What was found odd on the way.
    pub warnings: Vec<String>,
}

/// What is seen of a form, in its own axes and about its own origin.
pub(super) enum Seen {
    Surface(TriMesh),
    Half { normal: DVec3 },
}

/// What a scene has to know about a space.
pub(super) trait SceneSpace: Geometry {
    fn part(body: &BodyPlan, bakery: &Bakery) -> Result<Part<Self>, String>;
    fn pose(position: DVec3, turn: Turn) -> Self::Pose;
    fn spin(spin: DVec3) -> Self::Spin;
    /// From the numbers of a scene.
    fn inertia(numbers: &[f64]) -> Self::Inertia;
    fn scaled(inertia: Self::Inertia, factor: f64) -> Self::Inertia;
}

fn refused(error: ContactError) -> String {
    error.to_string()
}

impl SceneSpace for Plane {
    fn part(body: &BodyPlan, _: &Bakery) -> Result<Part<Plane>, String> {
        let flat = |points: &[DVec3]| points.iter().map(|p| p.truncate()).collect::<Vec<DVec2>>();
        let (shape, seen) = match &body.form {
            Form::Disc { radius } => (plane::Shape::disc(*radius), surface_of(&circle(*radius))),
            Form::Rectangle { size } => {
                let corner = |x: f64, y: f64| 0.5 * *size * DVec3::new(x, y, 0.0);
                let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
                (plane::Shape::rectangle(size.truncate()), surface_of(&corners))
            }
            Form::Polygon { points } => (plane::Shape::polygon(&flat(points)), surface_of(&counterclockwise(points))),
            Form::Half { normal } => {
                (plane::Shape::half_plane(normal.truncate()), Seen::Half { normal: normal.normalize_or(DVec3::Y) })
            }
            Form::Drum { radius, .. } => {
                (plane::Shape::drum(*radius), Seen::Surface(ring(*radius, DVec3::Z, 0.1 * radius)))
            }
            Form::Source { .. } | Form::Object { .. } => return Err("has no shape of the plane".into()),
        };
        let shape = shape.map_err(refused)?;
        let (bulk, centre) = match shape.mass_properties(1.0) {
            Some((mass, centre, inertia)) => (Some((mass, inertia)), centre),
            None => (None, DVec2::ZERO),
        };
        let shape = Arc::new(shape.shifted(-centre));
        let distant = distant_of(body, None)?;
        let (vibration, object, warnings) = (None, None, Vec::new());
        Ok(Part { shape, bulk, centre: centre.extend(0.0), seen, map: None, distant, vibration, object, warnings })
    }

    fn pose(position: DVec3, turn: Turn) -> plane::Pose {
        plane::Pose::new(position.truncate(), turn.angle)
    }

    fn spin(spin: DVec3) -> f64 {
        spin.z
    }

    fn inertia(numbers: &[f64]) -> f64 {
        numbers.first().copied().unwrap_or_default()
    }

    fn scaled(inertia: f64, factor: f64) -> f64 {
        inertia * factor
    }
}

/// A body of the plane in a picture: a slab a tenth as thick as it is wide.
fn surface_of(corners: &[DVec3]) -> Seen {
    let far = corners.iter().map(|p| p.length()).fold(0.0, f64::max);
    Seen::Surface(slab(corners, 0.2 * far))
}

fn counterclockwise(points: &[DVec3]) -> Vec<DVec3> {
    let area: f64 =
        points.iter().zip(points.iter().cycle().skip(1)).map(|(a, b)| a.truncate().perp_dot(b.truncate())).sum();
    let mut points = points.to_vec();
    if area < 0.0 {
        points.reverse();
    }
    points
}

/// A body of space before it is shifted to its centre of mass.
struct Raw {
    shape: space::Shape,
    /// At a density of one.
    mass: MassProperties,
    surface: TriMesh,
    warnings: Vec<String>,
}

impl SceneSpace for Space {
    fn part(body: &BodyPlan, bakery: &Bakery) -> Result<Part<Space>, String> {
        let endless = |shape: Result<space::Shape, ContactError>, seen: Seen| {
            let shape = Arc::new(shape.map_err(refused)?);
            let (distant, centre) = (distant_of(body, None)?, DVec3::ZERO);
            let (vibration, object, warnings) = (None, None, Vec::new());
            Ok(Part { shape, bulk: None, centre, seen, map: None, distant, vibration, object, warnings })
        };
        let vibrating = match &body.form {
            Form::Object { object } => Some(object.clone()),
            _ => bakery.vibrating(body)?,
        };
        let (raw, object) = match &body.form {
            Form::Half { normal } => {
                let seen = Seen::Half { normal: normal.normalize_or(DVec3::Y) };
                return endless(space::Shape::half_space(*normal), seen);
            }
            Form::Drum { radius, axis } => {
                let seen = Seen::Surface(ring(*radius, *axis, 2.0 * radius));
                return endless(space::Shape::drum(*radius, *axis), seen);
            }
            Form::Object { object } => (of_object(object, body.collision)?, Some(object.clone())),
            Form::Source { source, import, edge } => {
                let object = bakery.baked(body)?;
                let raw = match (primitive(&source.kind), body.collision) {
                    (Some(shape), Collision::Exact) => of_primitive(shape.map_err(refused)?)?,
                    _ => {
                        let made = source.body(import, *edge).map_err(|error| error.to_string())?;
                        let warnings = made.warnings.iter().map(ToString::to_string).collect();
                        let mass = MassProperties::of_surface(&made.surface, 1.0);
                        let shape = collision_shape(&made.surface, made.solid, body.collision)?;
                        Raw { shape, mass, surface: made.surface, warnings }
                    }
                };
                (raw, object)
            }
            Form::Disc { .. } | Form::Rectangle { .. } | Form::Polygon { .. } => {
                return Err("has no shape of space".into());
            }
        };
        // Modes do not push on rigid motion only if both have their mass from one integration.
        let from =
            object.as_ref().or(vibrating.as_ref().filter(|_| body.distant.is_some() || body.vibration.is_some()));
        let mass = from.map_or(raw.mass, |object| per_density(object));
        if !(mass.mass > 0.0 && mass.mass.is_finite()) {
            return Err(format!("encloses no volume ({} m³), so that it has no mass", mass.mass));
        }
        let map = match (object, body.bounce) {
            (Some(object), Bounce::Map { attenuation, interpolation, .. }) => {
                let surface = &object.modal.surface;
                let bounce = object.bounce.as_ref().ok_or("has no bounce map: it is held, or has no modes")?;
                let lookup = bounce.lookup(surface).map_err(|error| error.to_string())?.attenuated(attenuation);
                Some(Arc::new(MappedBounciness {
                    lookup,
                    hierarchy: Bvh::new(surface),
                    offset: -mass.centre,
                    interpolation,
                }))
            }
            _ => None,
        };
        Ok(Part {
            shape: Arc::new(raw.shape.shifted(-mass.centre)),
            bulk: Some((mass.mass, mass.inertia)),
            centre: mass.centre,
            seen: Seen::Surface(raw.surface),
            map,
            distant: distant_of(body, vibrating.as_deref())?,
            vibration: body.vibration.as_ref().and_then(|vibration| vibration.build(vibrating.as_deref())),
            object: vibrating.filter(|_| body.vibration.is_some()),
            warnings: raw.warnings,
        })
    }

    fn pose(position: DVec3, turn: Turn) -> space::Pose {
        space::Pose::new(position, turn.rotation)
    }

    fn spin(spin: DVec3) -> DVec3 {
        spin
    }

    fn inertia(numbers: &[f64]) -> DMat3 {
        let at = |i: usize| numbers.get(i).copied().unwrap_or_default();
        let [xx, yy, zz, xy, xz, yz] = std::array::from_fn(at);
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
    }

    fn scaled(inertia: DMat3, factor: f64) -> DMat3 {
        inertia * factor
    }
}

/// How a body passes blows on.
fn distant_of(body: &BodyPlan, object: Option<&Object>) -> Result<Option<DistantResponse>, String> {
    body.distant.as_ref().map_or(Ok(None), |distant| distant.build(object))
}

/// The convex bodies that detection knows by their own formulas.
fn primitive(kind: &SourceKind) -> Option<Result<space::Shape, ContactError>> {
    match kind {
        SourceKind::Shape(Shape::Sphere { radius }) => Some(space::Shape::sphere(*radius)),
        SourceKind::Shape(Shape::Box { size, rounding: 0.0 }) => Some(space::Shape::cuboid(DVec3::from(*size))),
        SourceKind::Shape(Shape::Cylinder { radius, height }) => Some(space::Shape::cylinder(*radius, *height)),
        _ => None,
    }
}

fn of_primitive(shape: space::Shape) -> Result<Raw, String> {
    let (mass, surface) = (shape.mass_properties(1.0), shape.surface());
    let (mass, surface) = mass.zip(surface).ok_or("has no end")?;
    Ok(Raw { shape, mass, surface, warnings: Vec::new() })
}

fn of_object(object: &Object, collision: Collision) -> Result<Raw, String> {
    let surface = object.modal.surface.clone();
    let field = Arc::new(MeshSolid::new(&surface));
    let shape = collision_shape(&surface, field, collision)?;
    Ok(Raw { shape, mass: per_density(object), surface, warnings: object.provenance.warnings.clone() })
}

fn per_density(object: &Object) -> MassProperties {
    object.modal.mass.scaled(1.0 / object.modal.material.density)
}

fn collision_shape(surface: &TriMesh, field: Arc<dyn Solid>, collision: Collision) -> Result<space::Shape, String> {
    let bounds = surface.bounds();
    let centre = bounds.centre();
    let shape = match collision {
        Collision::Exact => space::Shape::solid(surface, field),
        Collision::Hull => space::Shape::hull(&surface.positions),
        Collision::Box => space::Shape::cuboid(bounds.max - bounds.min).map(|shape| shape.shifted(centre)),
        Collision::Sphere => {
            let radius = surface.positions.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
            space::Shape::sphere(radius).map(|shape| shape.shifted(centre))
        }
    };
    shape.map_err(refused)
}
