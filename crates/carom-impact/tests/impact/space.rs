//! Bodies in space: a cube on its face, friction of a sphere, joints. Velocities are (v, ω).

use crate::random::Random;
use carom_impact::{Contact, ImpactFriction, ImpactParams, ImpactSystem, InverseMass, Joint, Tangent, WORLD, resolve};

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The velocity of a point along a direction, as a row over (v, ω).
fn row(direction: [f64; 3], arm: [f64; 3]) -> [f64; 6] {
    let turn = cross(arm, direction);
    [direction[0], direction[1], direction[2], turn[0], turn[1], turn[2]]
}

const UP: [f64; 3] = [0.0, 1.0, 0.0];

fn ground(key: u64, arm: [f64; 3], restitution: f64, friction: f64) -> Contact<[f64; 6]> {
    Contact { key, bodies: [0, WORLD], normal: [row(UP, arm), [0.0; 6]], restitution, friction }
}

fn tangents(contact: u32, arm: [f64; 3]) -> [Tangent<[f64; 6]>; 2] {
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|t| Tangent { contact, rows: [row(t, arm), [0.0; 6]] })
}

#[test]
fn a_cube_dropped_flat_rebounds_with_no_spin_at_all() {
    let corners = [[0.5, -0.5, 0.5], [0.5, -0.5, -0.5], [-0.5, -0.5, 0.5], [-0.5, -0.5, -0.5]];
    let bodies = [InverseMass::Diagonal([1.0, 1.0, 1.0, 6.0, 6.0, 6.0])];
    for (restitution, friction) in [(1.0, 0.0), (0.5, 0.0), (0.8, 0.5)] {
        let contacts: Vec<_> =
            corners.iter().enumerate().map(|(key, &arm)| ground(key as u64, arm, restitution, friction)).collect();
        let tangents: Vec<_> = corners.iter().enumerate().flat_map(|(i, &arm)| tangents(i as u32, arm)).collect();
        let system = ImpactSystem { bodies: &bodies, contacts: &contacts, tangents: &tangents, ..Default::default() };
        let mut velocities = [[0.0, -3.0, 0.0, 0.0, 0.0, 0.0]];
        let params = ImpactParams { least_norm: true, ..ImpactParams::default() };
        let impact = resolve(&system, &mut velocities, &params).unwrap();
        assert!((velocities[0][1] - 3.0 * restitution).abs() < 1e-14, "{velocities:?}");
        assert!(velocities[0][3..].iter().all(|spin| spin.abs() < 1e-14), "{velocities:?}");
        for impulse in impact.normal {
            assert!((impulse - 0.75 * (1.0 + restitution)).abs() < 1e-11, "{impulse}");
        }
    }
}

#[test]
fn a_sphere_rubs_against_its_slip_whatever_the_tangents() {
    let radius = 0.2;
    let arm = [0.0, -radius, 0.0];
    let inertia = 0.4 * radius * radius;
    let bodies = [InverseMass::Diagonal([1.0, 1.0, 1.0, 1.0 / inertia, 1.0 / inertia, 1.0 / inertia])];
    let contacts = [ground(0, arm, 1.0, 0.1)];
    for angle in [0.0f64, 0.4, 1.1] {
        let (sin, cos) = angle.sin_cos();
        let tangents =
            [[cos, 0.0, sin], [-sin, 0.0, cos]].map(|t| Tangent { contact: 0, rows: [row(t, arm), [0.0; 6]] });
        let system = ImpactSystem { bodies: &bodies, contacts: &contacts, tangents: &tangents, ..Default::default() };
        let mut velocities = [[3.0, -2.0, 4.0, 0.0, 0.0, 0.0]];
        resolve(&system, &mut velocities, &ImpactParams::default()).unwrap();
        // μλ = 0.4 against the direction (3, 4)/5.
        let expected = [3.0 - 0.24, 2.0, 4.0 - 0.32];
        for k in 0..3 {
            assert!((velocities[0][k] - expected[k]).abs() < 1e-13, "{velocities:?}");
        }
    }
}

#[test]
fn a_joint_holds_through_the_impact_and_costs_nothing() {
    // Two spheres on a rod that forces their distance; one of them strikes the ground.
    let bodies = [InverseMass::of_mass(1.0), InverseMass::of_mass(2.0)];
    let along = [0.6, 0.8, 0.0];
    let (g, minus) = (row(along, [0.0; 3]), row(along.map(|x: f64| -x), [0.0; 3]));
    let joints = [Joint { key: 0, bodies: [0, 1], rows: [g, minus] }];
    let contacts = [ground(0, [0.0; 3], 1.0, 0.0)];
    let system = ImpactSystem { bodies: &bodies, contacts: &contacts, joints: &joints, ..Default::default() };
    let mut velocities = [[0.0, -1.0, 0.0, 0.0, 0.0, 0.0]; 2];
    let impact = resolve(&system, &mut velocities, &ImpactParams::default()).unwrap();
    let speed_along = |v: &[f64; 6]| 0.6 * v[0] + 0.8 * v[1];
    assert!((speed_along(&velocities[0]) - speed_along(&velocities[1])).abs() < 1e-15);
    assert!((velocities[0][1] - 1.0).abs() < 1e-15);
    let energy = |v: &[f64; 6], mass: f64| 0.5 * mass * v.iter().map(|x| x * x).sum::<f64>();
    assert!((energy(&velocities[0], 1.0) + energy(&velocities[1], 2.0) - 1.5).abs() < 1e-15);
    assert!(impact.joints[0] != 0.0 && impact.ledger.restitution.abs() < 1e-14);
}

fn normalized(a: [f64; 3]) -> [f64; 3] {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

/// Random bodies in space, touching at random points with random normals that open when all move apart.
struct Cluster {
    masses: Vec<f64>,
    bodies: Vec<InverseMass<6>>,
    places: Vec<[f64; 3]>,
    contacts: Vec<Contact<[f64; 6]>>,
    tangents: Vec<Tangent<[f64; 6]>>,
    velocities: Vec<[f64; 6]>,
}

impl Cluster {
    fn new(random: &mut Random) -> Cluster {
        let count = 2 + random.below(8);
        let mut vector = |size: f64| [0; 3].map(|_| random.between(-size, size));
        let places: Vec<_> = (0..count).map(|_| vector(1.0)).collect();
        let velocities = (0..count).map(|_| [vector(1.0), vector(2.0)].as_flattened().try_into().unwrap()).collect();
        let axes: Vec<_> = (0..count).map(|_| normalized(vector(1.0))).collect();
        let masses: Vec<f64> = (0..count).map(|_| 10f64.powf(random.between(-2.0, 2.0))).collect();
        // Slender bodies: the inverse inertia is large about the axis.
        let body = |(mass, axis): (&f64, &[f64; 3])| {
            let mut inverse = [[0.0; 6]; 6];
            for r in 0..3 {
                inverse[r][r] = 1.0 / mass;
                for c in 0..3 {
                    inverse[3 + r][3 + c] = (f64::from(r == c) * 3.0 + 7.0 * axis[r] * axis[c]) / mass;
                }
            }
            InverseMass::Full(inverse)
        };
        let bodies = masses.iter().zip(&axes).map(body).collect();
        let (mut contacts, mut tangents) = (Vec::new(), Vec::new());
        for key in 0..1 + random.below(3 * count) {
            let a = random.below(count);
            let b = (a + 1 + random.below(count - 1)) % count;
            let apart: [f64; 3] = std::array::from_fn(|k| places[b][k] - places[a][k]);
            let normal = normalized(apart);
            // One shared point, somewhere near the middle.
            let point: [f64; 3] = std::array::from_fn(|k| places[a][k] + 0.5 * apart[k] + random.between(-0.2, 0.2));
            let arm = |body: usize| std::array::from_fn(|k| point[k] - places[body][k]);
            let rows = |d: [f64; 3]| [row(d.map(|x: f64| -x), arm(a)), row(d, arm(b))];
            let friction = [0.0, 0.2, 1.0][random.below(3)];
            contacts.push(Contact {
                key: key as u64,
                bodies: [a as u32, b as u32],
                normal: rows(normal),
                restitution: [0.0, 0.6, 1.0][random.below(3)],
                friction,
            });
            let first = normalized(cross(normal, [0.3, -0.5, 0.8]));
            for t in [first, cross(normal, first)] {
                tangents.push(Tangent { contact: key as u32, rows: rows(t) });
            }
        }
        Cluster { masses, bodies, places, contacts, tangents, velocities }
    }

    /// M v of each body: the p with M⁻¹ p = v.
    fn momenta(&self, velocities: &[[f64; 6]]) -> Vec<[f64; 6]> {
        let momentum = |(body, v): (&InverseMass<6>, &[f64; 6])| {
            let InverseMass::Full(inverse) = body else { panic!("all bodies are full") };
            let mut p = [0.0; 6];
            // Gauss-Seidel converges for these well-conditioned blocks.
            for _ in 0..400 {
                for r in 0..6 {
                    let others: f64 = (0..6).filter(|&c| c != r).map(|c| inverse[r][c] * p[c]).sum();
                    p[r] = (v[r] - others) / inverse[r][r];
                }
            }
            p
        };
        self.bodies.iter().zip(velocities).map(momentum).collect()
    }

    fn energy(&self, velocities: &[[f64; 6]]) -> f64 {
        let momenta = self.momenta(velocities);
        momenta.iter().zip(velocities).map(|(p, v)| 0.5 * (0..6).map(|k| p[k] * v[k]).sum::<f64>()).sum()
    }

    fn total_momentum(&self, velocities: &[[f64; 6]]) -> [f64; 6] {
        let mut total = [0.0; 6];
        for (p, x) in self.momenta(velocities).iter().zip(&self.places) {
            let orbital = cross(*x, [p[0], p[1], p[2]]);
            (0..3).for_each(|k| total[k] += p[k]);
            (0..3).for_each(|k| total[3 + k] += p[3 + k] + orbital[k]);
        }
        total
    }
}

#[test]
fn friction_in_space_keeps_momentum_and_coulombs_law_and_loses_energy() {
    for seed in 0..600 {
        let cluster = Cluster::new(&mut Random(seed));
        let Cluster { bodies, contacts, tangents, .. } = &cluster;
        for friction in [
            ImpactFriction::MaximalDissipation { passes: 1 },
            ImpactFriction::MaximalDissipation { passes: 4 },
            ImpactFriction::Coulomb,
        ] {
            let system = ImpactSystem { bodies, contacts, tangents, ..Default::default() };
            let mut after = cluster.velocities.clone();
            let params = ImpactParams { friction, ..ImpactParams::default() };
            let impact = resolve(&system, &mut after, &params).unwrap();
            let (e0, e1) = (cluster.energy(&cluster.velocities), cluster.energy(&after));
            let ledger = impact.ledger;
            assert!(ledger.friction >= -1e-13 * e0 && ledger.restitution >= -1e-13 * e0, "seed {seed}: {ledger:?}");
            let balance = e0 - ledger.restitution - ledger.friction - ledger.jam - e1;
            assert!(balance.abs() <= 1e-11 * e0, "seed {seed}: {balance:e} of {e0}");
            let heaviest = cluster.masses.iter().fold(0.0f64, |m, x| m.max(*x));
            let (p0, p1) = (cluster.total_momentum(&cluster.velocities), cluster.total_momentum(&after));
            for k in 0..6 {
                assert!((p0[k] - p1[k]).abs() <= 1e-11 * heaviest, "seed {seed}: {p0:?} {p1:?}");
            }
            for (i, contact) in contacts.iter().enumerate() {
                let rub = impact.tangential[2 * i].hypot(impact.tangential[2 * i + 1]);
                assert!(rub <= contact.friction * impact.normal[i] * (1.0 + 1e-12), "seed {seed} contact {i}");
                let mut opening = 0.0;
                let mut square = 0.0;
                for side in 0..2 {
                    let body = contact.bodies[side] as usize;
                    opening += (0..6).map(|k| contact.normal[side][k] * after[body][k]).sum::<f64>();
                    square += 12.0 / cluster.masses[body];
                }
                assert!(opening >= -1e-11 * (square * e0).sqrt(), "seed {seed} contact {i}: {opening:e}");
            }
        }
    }
}
