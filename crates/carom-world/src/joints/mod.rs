//! Joints: what keeps bodies together, as rows of rates with errors in m and rad.
//!
//! Three measures make all kinds: the distance of two points; how far apart two points are along a direction; and the cosine of
//! two directions that stay at right angles, one fixed in each body. Every row is the exact gradient of its error, for any
//! error (for wires see [`Joint::rows`]). A hard joint turns tension into stiffness: a link of length l and inertia I under a
//! tension T swings at ω² = Tl/I, and steps are stable up to 2/ω. Softness and repair are those of *Distant*, Eq. 1 and 2: see
//! [`JointDefinition`] and [`response::constraints`](crate::response::constraints).

mod check;
mod wire;

use carom_contact::{Geometry, Pose, Vector};
use carom_impact::WORLD;
use glam::DVec3;

use crate::{Dynamics, JointDefinition, JointKind, JointRow, WorldError};
use wire::Wire;

/// A joint between bodies, or a body and the world.
///
/// ```
/// use carom_contact::{Plane, plane::Pose};
/// use carom_world::{Joint, JointDefinition, JointKind};
/// use glam::DVec2;
/// // A pendulum of 2 m, hung from the origin.
/// let definition = JointDefinition::<Plane> {
///     name: "rod".into(),
///     bodies: [Some("bob".into()), None],
///     kind: JointKind::Distance { anchors: [DVec2::new(2.0, 0.0), DVec2::ZERO] },
///     repair: 0.2,
///     compliance: 0.0,
///     collide: false,
/// };
/// let poses = [Pose::new(DVec2::new(2.0, 0.0), 0.0)];
/// let mut joint = Joint::new(&definition, 0, |name| (name == "bob").then_some(0), &poses)?;
/// let mut rows = Vec::new();
/// joint.rows(&poses, &mut rows);
/// assert_eq!(rows[0].rows[0], [1.0, 0.0, 0.0]);
/// assert_eq!(rows[0].error, 0.0);
/// # Ok::<(), carom_world::WorldError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Joint<G: Geometry> {
    name: String,
    number: u32,
    bodies: [u32; 2],
    hold: Hold<G::Vector>,
    repair: f64,
    compliance: f64,
    collide: bool,
}

/// What a joint keeps. Anchors and directions are in the axes of their bodies.
#[derive(Debug, Clone)]
enum Hold<V> {
    Distance {
        anchors: [V; 2],
        length: f64,
    },
    Frame {
        anchors: [V; 2],
        /// Directions of the second body along which the anchors coincide.
        across: Vec<V>,
        /// Pairs of directions that stay at right angles, one of each body.
        square: Vec<[V; 2]>,
    },
    Wire {
        wire: Wire<V>,
        /// Where the bead was last.
        parameter: f64,
    },
}

impl<G: Geometry> Joint<G> {
    /// Takes a joint as it is at the start: `place` gives the number of a body, by which `poses` is indexed. The `number` of
    /// the joint makes the keys of its rows.
    pub fn new<const W: usize>(
        definition: &JointDefinition<G>,
        number: u32,
        place: impl Fn(&str) -> Option<u32>,
        poses: &[G::Pose],
    ) -> Result<Joint<G>, WorldError>
    where
        G: Dynamics<W>,
    {
        let bodies = check::bodies(definition, place)?;
        check::numbers(definition)?;
        let pose = bodies.map(|body| pose_of::<G>(poses, body));
        let both = |point: G::Vector| [pose[0].local(point), pose[1].local(point)];
        let square = |pair: [G::Vector; 2]| [pose[0].turn_back(pair[0]), pose[1].turn_back(pair[1])];
        // Directions that are locked against turning: x to y, y to z, z to x, as far as the space has them.
        let locked: Vec<_> = match axes::<G>() {
            [x, y, None] => [x.zip(y)].into_iter().flatten().map(|(a, b)| square([a, b])).collect(),
            [x, y, z] => [x.zip(y), y.zip(z), z.zip(x)].into_iter().flatten().map(|(a, b)| square([a, b])).collect(),
        };
        let every = axes::<G>().into_iter().flatten().map(|axis| pose[1].turn_back(axis)).collect();
        let across_axis = |axis: G::Vector| G::tangents(axis * (1.0 / axis.length()));
        let hold = match &definition.kind {
            JointKind::Distance { anchors } => Hold::Distance {
                anchors: [pose[0].local(anchors[0]), pose[1].local(anchors[1])],
                length: (anchors[0] - anchors[1]).length(),
            },
            JointKind::Ball { anchor } => Hold::Frame { anchors: both(*anchor), across: every, square: Vec::new() },
            JointKind::Hinge { anchor, axis } => {
                let square = if G::Vector::DIMENSION == 2 {
                    Vec::new()
                } else {
                    let axis = *axis * (1.0 / axis.length());
                    across_axis(axis).map(|tangent| square([axis, tangent])).to_vec()
                };
                Hold::Frame { anchors: both(*anchor), across: every, square }
            }
            JointKind::Slider { anchor, axis } => {
                let across = across_axis(*axis).iter().take(G::TANGENTS).map(|&t| pose[1].turn_back(t)).collect();
                Hold::Frame { anchors: both(*anchor), across, square: locked }
            }
            JointKind::Fixed { anchor } => Hold::Frame { anchors: both(*anchor), across: every, square: locked },
            JointKind::Wire { points, closed } => {
                let wire = Wire::new(points.clone(), *closed);
                let parameter = wire.nearest_of_all(pose[0].position());
                Hold::Wire { wire, parameter }
            }
        };
        let JointDefinition { repair, compliance, collide, .. } = *definition;
        Ok(Joint { name: definition.name.clone(), number, bodies, hold, repair, compliance, collide })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bodies that it joins; [`WORLD`] for the world.
    pub fn bodies(&self) -> [u32; 2] {
        self.bodies
    }

    /// Whether the joined bodies collide with each other.
    pub fn collides(&self) -> bool {
        self.collide
    }

    /// Where a bead is along its wire: the one thing that a joint remembers, to be saved with the state.
    pub fn parameter(&self) -> Option<f64> {
        match self.hold {
            Hold::Wire { parameter, .. } => Some(parameter),
            _ => None,
        }
    }

    /// Puts a bead back where [`Joint::parameter`] said. Other joints ignore it.
    pub fn set_parameter(&mut self, saved: f64) {
        if let Hold::Wire { parameter, .. } = &mut self.hold {
            *parameter = saved;
        }
    }

    /// Adds the rows at these poses, with no bend yet; a bead's place on its wire is followed.
    ///
    /// Of a bead beside its wire in space, each row is the rate of its error up to a turn of the two errors into each other;
    /// the distance from the wire has the exact rate.
    pub fn rows<const W: usize>(&mut self, poses: &[G::Pose], rows: &mut Vec<JointRow<W>>)
    where
        G: Dynamics<W>,
    {
        if let Hold::Wire { wire, parameter } = &mut self.hold {
            *parameter = wire.nearest(pose_of::<G>(poses, self.bodies[0]).position(), *parameter);
        }
        let Joint { bodies, repair, compliance, .. } = *self;
        let mut key = u64::from(self.number) << 8;
        self.measure(poses, |error, pair| {
            rows.push(JointRow { key, bodies, rows: pair, error, bend: 0.0, repair, compliance });
            key += 1;
        });
    }

    /// Tells this joint's rows how the path bends: what is left of the errors `ahead`, where the bodies get in a step with
    /// their present velocities, when what the rows foresee is taken away.
    ///
    /// `rows` are those that [`Joint::rows`] added. With rates kept at −bend the step ends on the path up to the third order
    /// in the step, and motion under hard joints is of second order (SHAKE, with one Newton step).
    pub fn bend<const W: usize>(&self, ahead: &[G::Pose], velocities: &[[f64; W]], step: f64, rows: &mut [JointRow<W>])
    where
        G: Dynamics<W>,
    {
        let mut rows = rows.iter_mut();
        self.measure(ahead, |error, _| {
            if let Some(row) = rows.next() {
                row.bend = (error - row.error) / step - row.rate(velocities);
            }
        });
    }

    /// How many rows it has.
    pub fn row_count<const W: usize>(&self) -> usize
    where
        G: Dynamics<W>,
    {
        match &self.hold {
            Hold::Distance { .. } => 1,
            Hold::Frame { across, square, .. } => across.len() + square.len(),
            Hold::Wire { .. } => G::TANGENTS,
        }
    }

    /// Gives the error and the gradient of each row.
    fn measure<const W: usize>(&self, poses: &[G::Pose], mut give: impl FnMut(f64, [[f64; W]; 2]))
    where
        G: Dynamics<W>,
    {
        let pose = self.bodies.map(|body| pose_of::<G>(poses, body));
        let centre = pose.map(|pose| pose.position());
        let mut give = |error: f64, mut rows: [[f64; W]; 2]| {
            for side in 0..2 {
                if self.bodies[side] == WORLD {
                    rows[side] = [0.0; W];
                }
            }
            give(error, rows);
        };
        match &self.hold {
            Hold::Distance { anchors, length } => {
                let [a, b] = [pose[0].point(anchors[0]), pose[1].point(anchors[1])];
                let distance = (a - b).length();
                // Where the points have come together any direction parts them.
                let along = if distance > 0.0 { (a - b) * (1.0 / distance) } else { G::Vector::from_space(DVec3::X) };
                give(distance - length, [G::row(along, a - centre[0]), G::row(-along, b - centre[1])]);
            }
            Hold::Frame { anchors, across, square } => {
                let [a, b] = [pose[0].point(anchors[0]), pose[1].point(anchors[1])];
                // Directions turn with the second body, whose point at the first anchor therefore counts. Both impulses of a row
                // act at that point, so that even a joint that has come apart keeps the angular momentum.
                for &direction in across {
                    let along = pose[1].turn(direction);
                    give(along.dot(a - b), [G::row(along, a - centre[0]), G::row(-along, a - centre[1])]);
                }
                for pair in square {
                    let [p, q] = [pose[0].turn(pair[0]), pose[1].turn(pair[1])];
                    // The rate of p·q is (p × q)·(ω₁ − ω₂), and p × q is what a force q at the arm p turns by.
                    let (whole, straight) = (G::row(q, p), G::row(q, G::Vector::default()));
                    let turn: [f64; W] = std::array::from_fn(|k| whole[k] - straight[k]);
                    give(p.dot(q), [turn, turn.map(|x| -x)]);
                }
            }
            Hold::Wire { wire, parameter } => {
                let place = wire.place(wire.nearest(centre[0], *parameter));
                let along = place.slope * (1.0 / place.slope.length());
                for &across in G::tangents(along).iter().take(G::TANGENTS) {
                    give(across.dot(centre[0] - place.point), [G::row(across, G::Vector::default()), [0.0; W]]);
                }
            }
        }
    }
}

impl<const W: usize> JointRow<W> {
    /// How fast the error grows.
    pub fn rate(&self, velocities: &[[f64; W]]) -> f64 {
        let mut rate = 0.0;
        for side in 0..2 {
            if let Some(velocity) = velocities.get(self.bodies[side] as usize) {
                rate += (0..W).map(|k| self.rows[side][k] * velocity[k]).sum::<f64>();
            }
        }
        rate
    }
}

/// The world is a body that stays at the origin.
fn pose_of<G: Geometry>(poses: &[G::Pose], body: u32) -> G::Pose {
    if body == WORLD { G::Pose::default() } else { poses[body as usize] }
}

/// The axes of the space.
fn axes<G: Geometry>() -> [Option<G::Vector>; 3] {
    [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
        let axis = G::Vector::from_space(axis);
        (axis != G::Vector::default()).then_some(axis)
    })
}
