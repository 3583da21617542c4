//! Coulomb's law as `carom_solve::coulomb` solves it.

use carom_solve::coulomb::{
    Constraint, ConstraintLaw, ContactMatrix, CoulombError, CoulombMethod, CoulombParams, CoulombProblem,
    CoulombReport, CoulombSolver, IslandMethod, MatrixProblem,
};
use carom_solve::{BlockColumns, Columns};
use proptest::prelude::*;

/// A problem of rigid bodies in 3D.
#[derive(Debug, Clone, Default)]
struct Heap {
    columns: BlockColumns<6>,
    constraints: Vec<Constraint>,
    free: Vec<f64>,
    /// Velocities before impulses, scaled by the square roots of masses, body by body.
    motion: Vec<f64>,
}

/// A rigid body: mass, moment of inertia (of a ball), centre.
#[derive(Debug, Clone, Copy)]
struct Body {
    mass: f64,
    inertia: f64,
    center: [f64; 3],
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

/// Normal and two tangents.
fn frame(normal: [f64; 3]) -> [[f64; 3]; 3] {
    let n = unit(normal);
    let helper = if n[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let t = unit(cross(n, helper));
    [n, t, cross(n, t)]
}

impl Heap {
    fn row(body: &Body, point: [f64; 3], direction: [f64; 3], sign: f64) -> [f64; 6] {
        let arm = std::array::from_fn(|k| point[k] - body.center[k]);
        let turn = cross(arm, direction);
        let (linear, angular) = (sign / body.mass.sqrt(), sign / body.inertia.sqrt());
        std::array::from_fn(|k| if k < 3 { linear * direction[k] } else { angular * turn[k - 3] })
    }

    /// Contact between body `a` and body `b`, or the ground if there is none.
    fn contact(
        &mut self,
        bodies: &[Body],
        a: usize,
        b: Option<usize>,
        point: [f64; 3],
        normal: [f64; 3],
        friction: f64,
    ) {
        let first = self.columns.len();
        for direction in frame(normal) {
            let row = Self::row(&bodies[a], point, direction, 1.0);
            match b {
                Some(b) => {
                    let other = Self::row(&bodies[b], point, direction, -1.0);
                    self.columns.push([(a as u32, row), (b as u32, other)]);
                }
                None => self.columns.push_single(a as u32, row),
            }
        }
        self.constraints.push(Constraint::contact(first, 3, friction));
    }

    /// Sets the free velocities from velocities of bodies.
    fn set_motion(&mut self, bodies: &[Body], velocities: &[[f64; 6]]) {
        self.motion = bodies
            .iter()
            .zip(velocities)
            .flat_map(|(body, v)| {
                (0..6).map(|k| v[k] * if k < 3 { body.mass.sqrt() } else { body.inertia.sqrt() }).collect::<Vec<_>>()
            })
            .collect();
        self.free = (0..self.columns.len()).map(|row| self.columns.dot(row, &self.motion)).collect();
    }

    fn solve(&self, params: &CoulombParams) -> (Vec<f64>, CoulombReport) {
        let mut impulses = vec![0.0; self.free.len()];
        let report = CoulombSolver::default().solve(&self.problem(), params, &mut impulses).unwrap();
        (impulses, report)
    }

    fn problem(&self) -> CoulombProblem<'_, BlockColumns<6>> {
        CoulombProblem { columns: &self.columns, constraints: &self.constraints, free: &self.free, softness: &[] }
    }

    fn velocities(&self, impulses: &[f64]) -> Vec<f64> {
        let mut motion = self.motion.clone();
        impulses.iter().enumerate().for_each(|(row, &impulse)| self.columns.add_scaled(row, impulse, &mut motion));
        (0..self.columns.len()).map(|row| self.columns.dot(row, &motion)).collect()
    }

    fn energy(&self, impulses: &[f64]) -> f64 {
        let mut motion = self.motion.clone();
        impulses.iter().enumerate().for_each(|(row, &impulse)| self.columns.add_scaled(row, impulse, &mut motion));
        0.5 * motion.iter().map(|x| x * x).sum::<f64>()
    }

    /// The largest violation of Coulomb's law with preloads, relative to the largest impulse and the largest free velocity, by its words: a
    /// contact that presses does not move apart, one within the bound sticks, one that slips has the whole bound against its slip.
    fn violation(&self, impulses: &[f64]) -> f64 {
        let u = self.velocities(impulses);
        let largest = |numbers: &[f64]| numbers.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let (force, speed) = (largest(impulses), largest(&self.free));
        let mut worst = 0.0f64;
        for (contact, (r, u)) in impulses.as_chunks::<3>().0.iter().zip(u.as_chunks::<3>().0).enumerate() {
            let bound = self.friction(contact) * (self.constraints[contact].preload + r[0]);
            let (pull, slip) = (r[1].hypot(r[2]), u[1].hypot(u[2]));
            worst = worst.max(-r[0] / force).max(-u[0] / speed).max((r[0] / force).min(u[0] / speed));
            worst = worst.max((pull - bound) / force).max(((bound - pull) / force).min(slip / speed));
            let across = (r[1] * u[2] - r[2] * u[1]).abs().max(r[1] * u[1] + r[2] * u[2]);
            worst = worst.max(across / (force * speed));
        }
        worst
    }

    fn friction(&self, contact: usize) -> f64 {
        match self.constraints[contact].law {
            ConstraintLaw::Contact { static_friction, .. } => static_friction,
            ConstraintLaw::Bilateral => unreachable!(),
        }
    }
}

/// A box-shaped block of 1 kg that rests on n × n points of the ground.
fn plate(side: usize, friction: f64, velocity: [f64; 6]) -> Heap {
    let bodies = [Body { mass: 1.0, inertia: 0.02, center: [0.0, 0.05, 0.0] }];
    let mut heap = Heap { columns: BlockColumns::new(1), ..Heap::default() };
    for i in 0..side {
        for j in 0..side {
            let at = |k: usize| 0.2 * (k as f64 / (side - 1) as f64 - 0.5);
            heap.contact(&bodies, 0, None, [at(i), 0.0, at(j)], [0.0, 1.0, 0.0], friction);
        }
    }
    heap.set_motion(&bodies, &[velocity]);
    heap
}

#[test]
fn a_plate_on_eight_points_slides_as_one_point_mass_does() {
    // z is up in this problem: eight points on a circle, v = (0.05, 0, −0.01), μ = 0.5.
    let bodies = [Body { mass: 1.0, inertia: 0.1, center: [0.0; 3] }];
    let mut heap = Heap { columns: BlockColumns::new(1), ..Heap::default() };
    for k in 0..8 {
        let angle = k as f64 * std::f64::consts::FRAC_PI_4;
        heap.contact(&bodies, 0, None, [angle.cos(), angle.sin(), 0.0], [0.0, 0.0, 1.0], 0.5);
    }
    heap.set_motion(&bodies, &[[0.05, 0.0, -0.01, 0.0, 0.0, 0.0]]);
    let (impulses, report) = heap.solve(&CoulombParams::default());
    assert!(report.converged && report.residual < 1e-12, "{report:?}");
    let normal: f64 = impulses.iter().step_by(3).sum();
    assert!((normal - 0.01).abs() < 1e-14);
    for contact in 0..8 {
        let slip = heap.velocities(&impulses)[3 * contact + 1].hypot(heap.velocities(&impulses)[3 * contact + 2]);
        assert!((slip - 0.045).abs() < 1e-14, "friction takes μ of the normal impulse from the slip: {slip}");
        assert!((impulses[3 * contact] - 0.01 / 8.0).abs() < 1e-12, "the least impulses are equal");
    }
}

#[test]
fn stopping_does_not_depend_on_the_direction() {
    let mut least = f64::INFINITY;
    let mut most = 0.0f64;
    for k in 0..24 {
        let angle = k as f64 * std::f64::consts::PI / 12.0;
        let heap = plate(3, 0.4, [angle.cos(), -0.1, angle.sin(), 0.0, 0.0, 0.0]);
        let (impulses, report) = heap.solve(&CoulombParams::default());
        assert!(report.converged);
        let u = heap.velocities(&impulses);
        let speed = u[1].hypot(u[2]);
        (least, most) = (least.min(speed), most.max(speed));
    }
    // The lever arm of friction at the bottom turns into load on the leading edge, which changes nothing about the speed.
    assert!(most - least < 1e-12, "{least} to {most}");
}

#[test]
fn impulses_of_a_symmetric_plate_are_symmetric_and_the_least_ones() {
    let heap = plate(4, 0.6, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    let (least, report) = heap.solve(&CoulombParams::default());
    assert!(report.converged && report.least_norm_islands == 1, "{report:?}");
    for contact in 0..16 {
        assert!((least[3 * contact] - 1.0 / 16.0).abs() < 1e-10);
        assert!(least[3 * contact + 1].hypot(least[3 * contact + 2]) < 1e-10);
    }
    let any = heap.solve(&CoulombParams { least_norm: false, ..CoulombParams::default() }).0;
    let square = |r: &[f64]| r.iter().map(|x| x * x).sum::<f64>();
    assert!(square(&least) <= square(&any) * (1.0 + 1e-12));
}

#[test]
fn contacts_in_another_order_give_the_same_bits() {
    let (bodies, heap) = pile(7, 30, 0.5, 1.0);
    let reference = heap.solve(&CoulombParams::default()).0;
    let count = heap.constraints.len();
    let shuffled: Vec<usize> = (0..count).map(|k| (k * 17 + 5) % count).collect();
    assert_eq!(shuffled.iter().collect::<std::collections::BTreeSet<_>>().len(), count, "a permutation");
    let mut other = Heap { columns: BlockColumns::new(bodies.len()), ..Heap::default() };
    for &contact in &shuffled {
        let first = other.columns.len();
        for row in 0..3 {
            let blocks = heap.columns.blocks_of(3 * contact + row);
            let rows = heap.columns.rows(3 * contact + row);
            other.columns.push_rows([(blocks[0], rows[0]), (blocks[1], rows[1])]);
            other.free.push(heap.free[3 * contact + row]);
        }
        let key = heap.constraints[contact].key;
        other.constraints.push(Constraint { key, ..Constraint::contact(first, 3, 0.5) });
    }
    let permuted = other.solve(&CoulombParams::default()).0;
    for (place, &contact) in shuffled.iter().enumerate() {
        for row in 0..3 {
            assert_eq!(permuted[3 * place + row].to_bits(), reference[3 * contact + row].to_bits());
        }
    }
}

#[test]
fn a_contact_sticks_up_to_its_static_and_slides_with_its_kinetic_coefficient() {
    let sweeps = CoulombParams { method: CoulombMethod::GaussSeidel, max_sweeps: 100_000, ..CoulombParams::default() };
    let cases = [(0.59, false), (0.61, true)].into_iter().flat_map(|case| {
        [CoulombParams::default(), CoulombParams { tolerance: 1e-13, ..sweeps }].map(|params| (case, params))
    });
    for ((pull, slides), params) in cases {
        let mut heap = plate(2, 0.6, [pull, -1.0, 0.0, 0.0, 0.0, 0.0]);
        for constraint in &mut heap.constraints {
            constraint.law = ConstraintLaw::Contact { static_friction: 0.6, kinetic_friction: 0.4 };
        }
        // Arms are low enough that the plate does not tip.
        let (impulses, report) = heap.solve(&params);
        assert!(report.converged, "{report:?}");
        let u = heap.velocities(&impulses);
        let speed = u[1].hypot(u[2]);
        if slides {
            assert!(speed > 0.05, "it slides: {speed}");
            for contact in impulses.as_chunks::<3>().0 {
                assert!((contact[1].hypot(contact[2]) - 0.4 * contact[0]).abs() < 1e-12);
            }
        } else {
            assert!(speed < 1e-12, "it sticks: {speed}");
        }
    }
}

#[test]
fn friction_relies_on_a_preload_besides_the_normal_impulse() {
    // A body of 2 kg leaves the floor at 1 m/s and slides at 3 m/s. A normal impulse of 1.5 N s has acted; μ = 0.4.
    let mut columns = BlockColumns::<3>::new(1);
    let scale = 1.0 / 2f64.sqrt();
    for row in [[0.0, scale, 0.0], [scale, 0.0, 0.0], [0.0, 0.0, scale]] {
        columns.push_single(0, row);
    }
    let constraints = [Constraint { preload: 1.5, ..Constraint::contact(0, 3, 0.4) }];
    for (normal, expected) in [(1.0, 0.0), (-1.0, 2.0)] {
        for method in [CoulombMethod::Exact, CoulombMethod::GaussSeidel] {
            let free = [normal, 3.0 * 0.6, 3.0 * 0.8];
            let problem = CoulombProblem { columns: &columns, constraints: &constraints, free: &free, softness: &[] };
            let params = CoulombParams { method, ..CoulombParams::default() };
            let mut r = [0.0; 3];
            let report = CoulombSolver::default().solve(&problem, &params, &mut r).unwrap();
            assert!(report.converged, "{report:?}");
            let bound = 0.4 * (1.5 + expected);
            assert!((r[0] - expected).abs() < 1e-14, "{r:?}");
            assert!((r[1] + 0.6 * bound).abs() < 1e-14 && (r[2] + 0.8 * bound).abs() < 1e-14, "{r:?}");
        }
    }
}

#[test]
fn heaps_with_preloads_obey_coulombs_law_and_gain_no_energy() {
    for seed in 0..60 {
        let friction = [0.1, 0.2, 0.4, 1.0][seed as usize % 4];
        let (_, mut heap) = pile(seed, 2 + seed as usize % 12, friction, 2.0);
        for (contact, constraint) in heap.constraints.iter_mut().enumerate() {
            constraint.preload = (0.3 * random(seed * 100 + contact as u64)).max(0.0);
        }
        let (impulses, report) = heap.solve(&CoulombParams::default());
        assert!(report.converged || friction == 1.0, "seed {seed}: {report:?}");
        assert!(report.residual < if report.converged { 1e-12 } else { 0.1 }, "seed {seed}: {report:?}");
        if !report.converged {
            continue;
        }
        assert!(heap.violation(&impulses) < 1e-9, "seed {seed}: {:e}", heap.violation(&impulses));
        assert!(heap.energy(&impulses) <= heap.energy(&vec![0.0; impulses.len()]) * (1.0 + 1e-12), "seed {seed}");
    }
}

#[test]
fn joints_hold_beside_contacts_with_friction() {
    // Two bodies, joined at a point by three bilateral rows, one of them on the ground.
    let bodies = [
        Body { mass: 1.0, inertia: 0.1, center: [0.0, 0.5, 0.0] },
        Body { mass: 3.0, inertia: 0.2, center: [1.0, 0.5, 0.0] },
    ];
    let mut heap = Heap { columns: BlockColumns::new(2), ..Heap::default() };
    for x in [-0.3, 0.3] {
        for z in [-0.3, 0.3] {
            heap.contact(&bodies, 0, None, [x, 0.0, z], [0.0, 1.0, 0.0], 0.3);
        }
    }
    let first = heap.columns.len();
    for direction in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        let rows = [(0u32, 1.0), (1u32, -1.0)]
            .map(|(body, sign)| (body, Heap::row(&bodies[body as usize], [0.5, 0.5, 0.0], direction, sign)));
        heap.columns.push(rows);
    }
    heap.constraints.push(Constraint::bilateral(first, 3));
    heap.set_motion(&bodies, &[[2.0, -1.0, 0.3, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0, 1.0, 0.0]]);
    let (impulses, report) = heap.solve(&CoulombParams::default());
    assert!(report.converged && report.residual < 1e-12, "{report:?}");
    let u = heap.velocities(&impulses);
    assert!(u[first..].iter().all(|rate| rate.abs() < 1e-12), "the joint holds: {:?}", &u[first..]);
    assert!(u[..first].iter().step_by(3).all(|rate| *rate > -1e-12), "nothing penetrates");
    assert!(heap.energy(&impulses) <= heap.energy(&vec![0.0; impulses.len()]));
}

#[test]
fn contacts_in_2d_are_those_in_3d_with_one_tangent() {
    // The same sliding disc: two contacts of a body in a corner.
    let mut flat = BlockColumns::<3>::new(1);
    let mut solid = BlockColumns::<3>::new(1);
    for (normal, tangent) in [([0.0, 1.0, 1.0], [1.0, 0.0, -1.0]), ([1.0, 0.0, 0.5], [0.0, 1.0, 2.0])] {
        flat.push_single(0, normal);
        flat.push_single(0, tangent);
        solid.push_single(0, normal);
        solid.push_single(0, tangent);
        solid.push_single(0, [0.0; 3]);
    }
    let constraints = |rows: usize| [Constraint::contact(0, rows, 0.3), Constraint::contact(rows, rows, 0.3)];
    let mut solver = CoulombSolver::default();
    let (mut in_2d, mut in_3d) = ([0.0; 4], [0.0; 6]);
    let free = [-1.0, 0.5, -0.3, 0.8];
    let problem = CoulombProblem { columns: &flat, constraints: &constraints(2), free: &free, softness: &[] };
    let report = solver.solve(&problem, &CoulombParams::default(), &mut in_2d).unwrap();
    assert!(report.converged);
    let free = [-1.0, 0.5, 0.0, -0.3, 0.8, 0.0];
    let problem = CoulombProblem { columns: &solid, constraints: &constraints(3), free: &free, softness: &[] };
    assert!(solver.solve(&problem, &CoulombParams::default(), &mut in_3d).unwrap().converged);
    for (a, b) in [(0, 0), (1, 1), (2, 3), (3, 4)] {
        assert!((in_2d[a] - in_3d[b]).abs() < 1e-12, "{in_2d:?} {in_3d:?}");
    }
}

#[test]
fn an_explicit_matrix_gives_the_impulses_of_the_bodies() {
    let (_, heap) = pile(3, 20, 0.4, 1.0);
    let rows = heap.columns.len();
    let entries: Vec<(usize, usize, f64)> = (0..rows)
        .flat_map(|i| (0..rows).map(move |j| (i, j)))
        .map(|(i, j)| (i, j, heap.columns.product(i, j)))
        .filter(|entry| entry.2 != 0.0)
        .collect();
    let matrix = ContactMatrix::new(rows, &entries, &heap.constraints).unwrap();
    let problem = MatrixProblem { matrix: &matrix, constraints: &heap.constraints, free: &heap.free };
    let mut impulses = vec![0.0; rows];
    let report = CoulombSolver::default().solve_matrix(&problem, &CoulombParams::default(), &mut impulses).unwrap();
    assert!(report.converged && report.residual < 1e-12, "{report:?}");
    let (expected, _) = heap.solve(&CoulombParams::default());
    let scale = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    for (a, b) in impulses.iter().zip(&expected) {
        assert!((a - b).abs() < 1e-8 * scale, "{a} {b}");
    }
}

#[test]
fn velocities_do_not_depend_on_the_start() {
    let (_, heap) = pile(11, 25, 0.5, 1.0);
    let (cold, _) = heap.solve(&CoulombParams::default());
    let expected = heap.velocities(&cold);
    for seed in 0..5 {
        let mut impulses: Vec<f64> = (0..cold.len()).map(|k| random(seed * 1000 + k as u64).abs()).collect();
        let params = CoulombParams { warm_start: true, ..CoulombParams::default() };
        let report = CoulombSolver::default().solve(&heap.problem(), &params, &mut impulses).unwrap();
        assert!(report.converged);
        for (a, b) in heap.velocities(&impulses).iter().zip(&expected) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        let scale = cold.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (a, b) in impulses.iter().zip(&cold) {
            assert!((a - b).abs() < 1e-7 * scale, "the least impulses are unique: {a} {b}");
        }
    }
}

#[test]
fn a_warm_start_that_is_a_solution_takes_no_iterations() {
    let heap = ball_pile(4, 0.5);
    let (cold, first) = heap.solve(&CoulombParams::default());
    assert!(first.converged && first.iterations() > 0);
    let mut impulses = cold.clone();
    let params = CoulombParams { warm_start: true, ..CoulombParams::default() };
    let report = CoulombSolver::default().solve(&heap.problem(), &params, &mut impulses).unwrap();
    assert!(report.converged && report.iterations() <= 1, "{report:?}");
    for (a, b) in heap.velocities(&impulses).iter().zip(&heap.velocities(&cold)) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn where_coulombs_law_has_several_solutions_a_warm_start_selects_the_same_one() {
    // Four corners share the load of a plate that slides and spins in many ways, and friction follows the load.
    let heap = plate(2, 0.5, [1.0, -0.2, 0.3, 0.1, 2.0, -0.2]);
    let (cold, report) = heap.solve(&CoulombParams::default());
    assert!(report.converged, "{report:?}");
    let expected = heap.velocities(&cold);
    // Load moved from one diagonal to the other, and impulses that Newton's method brings to another solution.
    for share in [-0.03, 0.02, 0.04] {
        let mut impulses = cold.clone();
        for (contact, r) in impulses.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let factor = 1.0 + if contact == 0 || contact == 3 { share } else { -share } / r[0].max(1e-3);
            r.iter_mut().for_each(|x| *x *= factor);
        }
        let params = CoulombParams { warm_start: true, ..CoulombParams::default() };
        let report = CoulombSolver::default().solve(&heap.problem(), &params, &mut impulses).unwrap();
        assert!(report.converged, "{report:?}");
        for (a, b) in heap.velocities(&impulses).iter().zip(&expected) {
            assert!((a - b).abs() < 1e-10, "share {share}: {a} {b}");
        }
    }
}

#[test]
fn mirror_images_have_mirrored_velocities() {
    let mut worst = 0.0f64;
    for seed in 0..200 {
        let number = |k: u64| random(seed * 10 + k);
        let v = [number(0), -0.1, number(1), 0.1 * number(2), 2.0 * number(3), 0.1 * number(4)];
        let image = [v[0], v[1], -v[2], -v[3], -v[4], v[5]];
        let after = |v: [f64; 6]| {
            let heap = plate(2, 0.4, v);
            let (impulses, report) = heap.solve(&CoulombParams::default());
            assert!(report.converged, "seed {seed}: {report:?}");
            let mut motion = heap.motion.clone();
            impulses.iter().enumerate().for_each(|(row, &impulse)| heap.columns.add_scaled(row, impulse, &mut motion));
            motion
        };
        let (a, b) = (after(v), after(image));
        for (k, sign) in [1.0, 1.0, -1.0, -1.0, -1.0, 1.0].into_iter().enumerate() {
            worst = worst.max((a[k] - sign * b[k]).abs());
        }
    }
    assert!(worst < 5e-11, "{worst:e}");
}

#[test]
fn gauss_seidel_reports_how_far_it_got() {
    let (_, heap) = pile(5, 12, 0.5, 1.0);
    let few = CoulombParams { method: CoulombMethod::GaussSeidel, max_sweeps: 10, ..CoulombParams::default() };
    let (_, report) = heap.solve(&few);
    assert!(!report.converged && report.residual > 1e-12 && report.unsolved_islands > 0, "{report:?}");
    assert_eq!(report.method, IslandMethod::GaussSeidel);
    let more = CoulombParams { max_sweeps: 50_000, tolerance: 1e-6, ..few };
    let (impulses, report) = heap.solve(&more);
    assert!(report.converged && report.scaled_residual <= 1e-6, "{report:?}");
    let exact = heap.velocities(&heap.solve(&CoulombParams::default()).0);
    for (a, b) in heap.velocities(&impulses).iter().zip(&exact) {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
}

/// n × n × n balls of 1 kg, each on four of the layer below, which is shifted by half a spacing; those at the walls touch these.
fn ball_pile(n: usize, friction: f64) -> Heap {
    let number = |x: usize, y: usize, z: usize| (y * n + z) * n + x;
    let at = |k: usize, odd: usize| k as f64 + 0.5 * odd as f64;
    let mut bodies = Vec::new();
    for k in 0..n * n * n {
        let (y, z, x) = (k / (n * n), k / n % n, k % n);
        bodies.push(Body { mass: 1.0, inertia: 0.1, center: [at(x, y % 2), 0.5f64.sqrt() * y as f64, at(z, y % 2)] });
    }
    let mut heap = Heap { columns: BlockColumns::new(bodies.len()), ..Heap::default() };
    for k in 0..bodies.len() {
        let (y, z, x) = (k / (n * n), k / n % n, k % n);
        let center = bodies[k].center;
        let jitter = |i: usize| 0.05 * random(8 * k as u64 + i as u64);
        if y == 0 {
            heap.contact(&bodies, k, None, [center[0], -0.5, center[2]], [jitter(0), 1.0, jitter(1)], friction);
            continue;
        }
        for (j, (dx, dz)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
            let (below_x, below_z) = ((x + dx + y % 2).checked_sub(1), (z + dz + y % 2).checked_sub(1));
            let below = below_x.zip(below_z).filter(|&(x, z)| x < n && z < n).map(|(x, z)| number(x, y - 1, z));
            let normal = [0.5 - dx as f64 + jitter(2 * j), 0.5f64.sqrt(), 0.5 - dz as f64 + jitter(2 * j + 1)];
            let n = unit(normal);
            heap.contact(&bodies, k, below, std::array::from_fn(|i| center[i] - 0.5 * n[i]), normal, friction);
        }
    }
    let velocities: Vec<[f64; 6]> = (0..bodies.len())
        .map(|k| {
            std::array::from_fn(|i| 0.001 * random(100_000 + 6 * k as u64 + i as u64) - if i == 1 { 0.01 } else { 0.0 })
        })
        .collect();
    heap.set_motion(&bodies, &velocities);
    heap
}

#[test]
fn sweeps_reach_a_residual_of_1e_8_on_piles() {
    // Without acceleration six layers take more than six hundred sweeps.
    let heap = ball_pile(6, 0.5);
    let params = CoulombParams {
        method: CoulombMethod::GaussSeidel,
        tolerance: 1e-8,
        max_sweeps: 400,
        ..CoulombParams::default()
    };
    let (impulses, report) = heap.solve(&params);
    assert!(report.converged && report.scaled_residual <= 1e-8, "{report:?}");
    assert!(heap.violation(&impulses) < 1e-6, "{:e}", heap.violation(&impulses));
}

#[test]
fn sweeps_agree_with_the_exact_method_on_joints_soft_rows_and_smooth_contacts() {
    for seed in 0..12 {
        let (bodies, mut heap) = pile(seed, 6, 0.4, 1.0);
        for (contact, constraint) in heap.constraints.iter_mut().enumerate() {
            match contact % 4 {
                0 => *constraint = Constraint::contact(3 * contact, 1, 0.0),
                1 => *constraint = Constraint::contact(3 * contact, 2, 0.3),
                _ => {}
            }
        }
        let first = heap.columns.len();
        for direction in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let rows = [(0u32, 1.0), (5u32, -1.0)]
                .map(|(body, sign)| (body, Heap::row(&bodies[body as usize], [0.1, 1.5, 0.0], direction, sign)));
            heap.columns.push(rows);
            heap.free.push(heap.columns.dot(heap.columns.len() - 1, &heap.motion));
        }
        heap.constraints.push(Constraint::bilateral(first, 3));
        let softness: Vec<f64> = (0..heap.free.len()).map(|row| 0.2 + 0.1 * random(row as u64)).collect();
        let problem = CoulombProblem { softness: &softness, ..heap.problem() };
        let (mut exact, mut swept) = (vec![0.0; softness.len()], vec![0.0; softness.len()]);
        let mut solver = CoulombSolver::default();
        assert!(solver.solve(&problem, &CoulombParams::default(), &mut exact).unwrap().converged);
        let params = CoulombParams {
            method: CoulombMethod::GaussSeidel,
            tolerance: 1e-12,
            max_sweeps: 20_000,
            ..CoulombParams::default()
        };
        let report = solver.solve(&problem, &params, &mut swept).unwrap();
        assert!(report.converged, "seed {seed}: {report:?}");
        let size = exact.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (a, b) in swept.iter().zip(&exact) {
            assert!((a - b).abs() < 1e-9 * size, "seed {seed}: {a} {b}");
        }
    }
}

#[test]
fn a_fixed_number_of_sweeps_is_made_and_measured_at_its_end() {
    let (_, heap) = pile(5, 12, 0.5, 1.0);
    let fixed = CoulombParams {
        method: CoulombMethod::GaussSeidel,
        tolerance: 0.0,
        max_sweeps: 7,
        sweeps_per_check: 0,
        ..CoulombParams::default()
    };
    let (impulses, report) = heap.solve(&fixed);
    assert_eq!((report.sweeps, report.converged), (7, false));
    // The residual by its definition, in the caller's units.
    let u = heap.velocities(&impulses);
    let mut sum = 0.0;
    for (contact, (r, u)) in impulses.as_chunks::<3>().0.iter().zip(u.as_chunks::<3>().0).enumerate() {
        let friction = heap.friction(contact);
        let z = [r[0] - u[0] - friction * u[1].hypot(u[2]), r[1] - u[1], r[2] - u[2]];
        let slip = z[1].hypot(z[2]);
        let normal = (z[0] + friction * slip) / (1.0 + friction * friction);
        let projected = match (slip <= friction * z[0], friction * slip <= -z[0]) {
            (true, _) => z,
            (_, true) => [0.0; 3],
            _ => [normal, friction * normal * z[1] / slip, friction * normal * z[2] / slip],
        };
        sum += (0..3).map(|k| (r[k] - projected[k]).powi(2)).sum::<f64>();
    }
    let residual = (sum / heap.free.iter().map(|x| x * x).sum::<f64>()).sqrt();
    assert!((residual - report.residual).abs() < 1e-9 * residual, "{residual} {}", report.residual);
    // A warm start goes on from there.
    let mut more = impulses.clone();
    let again = CoulombParams { warm_start: true, ..fixed };
    let better = CoulombSolver::default().solve(&heap.problem(), &again, &mut more).unwrap();
    assert!(better.residual < report.residual);
}

#[test]
fn a_problem_without_contacts_or_motion_has_no_impulses() {
    let empty = Heap { columns: BlockColumns::new(1), ..Heap::default() };
    let (_, report) = empty.solve(&CoulombParams::default());
    assert!(report.converged && report.islands == 0 && report.residual == 0.0);
    let still = plate(2, 0.5, [0.0; 6]);
    let (impulses, report) = still.solve(&CoulombParams::default());
    assert!(report.converged && impulses.iter().all(|x| *x == 0.0));
}

#[test]
fn a_press_is_reported_and_left_with_the_least_violation() {
    // A body between two walls that both move towards it: no impulse can stop both.
    let mut columns = BlockColumns::<3>::new(1);
    columns.push_single(0, [1.0, 0.0, 0.0]);
    columns.push_single(0, [-1.0, 0.0, 0.0]);
    let constraints = [Constraint::contact(0, 1, 0.0), Constraint::contact(1, 1, 0.0)];
    let problem = CoulombProblem { columns: &columns, constraints: &constraints, free: &[-1.0, -1.0], softness: &[] };
    let mut impulses = [0.0; 2];
    let report = CoulombSolver::default().solve(&problem, &CoulombParams::default(), &mut impulses).unwrap();
    assert!(!report.converged && report.unsolved_islands == 1 && report.residual > 0.1, "{report:?}");
    assert_eq!(report.relaxed_islands, 1);
    assert!(impulses.iter().all(|impulse| impulse.abs() < 1e-6), "the least impulses: {impulses:?}");
    let left = impulses[0] - impulses[1];
    assert!(left.abs() < 1e-6, "both walls are violated alike: {left}");
}

#[test]
fn bad_input_is_refused_by_its_row_and_number() {
    let solve = |heap: &Heap| {
        let mut impulses = vec![0.0; heap.columns.len()];
        CoulombSolver::default().solve(&heap.problem(), &CoulombParams::default(), &mut impulses)
    };
    let good = plate(2, 0.5, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    for value in [-0.1, f64::NAN, f64::INFINITY] {
        let mut heap = good.clone();
        heap.constraints[2] = Constraint::contact(6, 3, value);
        let error = solve(&heap).unwrap_err();
        assert!(matches!(error, CoulombError::Friction { constraint: 2, .. }), "{error}");
    }
    for value in [-0.1, f64::NAN, f64::INFINITY] {
        let mut heap = good.clone();
        heap.constraints[3].preload = value;
        let error = solve(&heap).unwrap_err();
        assert!(matches!(error, CoulombError::Preload { constraint: 3, .. }), "{error}");
    }
    let mut heap = good.clone();
    heap.constraints[1].law = ConstraintLaw::Contact { static_friction: 0.1, kinetic_friction: 0.2 };
    assert!(matches!(solve(&heap).unwrap_err(), CoulombError::KineticAboveStatic { constraint: 1, .. }));
    let mut heap = good.clone();
    heap.free[4] = f64::NAN;
    assert!(matches!(solve(&heap).unwrap_err(), CoulombError::NotFinite { row: 4, .. }));
    let mut heap = good.clone();
    heap.free.pop();
    assert!(matches!(solve(&heap).unwrap_err(), CoulombError::Length { expected: 12, .. }));
    let mut heap = good.clone();
    heap.constraints[3].count = 4;
    assert!(matches!(solve(&heap).unwrap_err(), CoulombError::Rows { constraint: 3, .. }));
    // A contact of two fixed bodies has rows of zeros.
    let mut heap = good.clone();
    (0..3).for_each(|_| heap.columns.push_single(0, [0.0; 6]));
    heap.free.extend([-1.0, 0.0, 0.0]);
    heap.constraints.push(Constraint::contact(12, 3, 0.5));
    assert!(matches!(solve(&heap).unwrap_err(), CoulombError::Immovable { constraint: 4 }));
}

#[test]
fn bad_matrices_are_refused() {
    let constraints = [Constraint::contact(0, 3, 0.5)];
    let solve = |entries: &[(usize, usize, f64)]| {
        let matrix = ContactMatrix::new(3, entries, &constraints)?;
        let problem = MatrixProblem { matrix: &matrix, constraints: &constraints, free: &[-1.0, 0.0, 0.0] };
        CoulombSolver::default().solve_matrix(&problem, &CoulombParams::default(), &mut [0.0; 3])
    };
    assert!(solve(&[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]).unwrap().converged);
    let error = solve(&[(0, 0, 1.0), (1, 1, 1.0), (2, 2, -1.0)]).unwrap_err();
    assert!(matches!(error, CoulombError::Indefinite { row: 2, .. }), "{error}");
    let error = solve(&[(0, 0, 1.0), (0, 1, 3.0), (1, 1, 1.0), (2, 2, 1.0)]).unwrap_err();
    assert!(matches!(error, CoulombError::Indefinite { row: 1, .. }), "{error}");
    assert!(matches!(solve(&[(0, 3, 1.0)]).unwrap_err(), CoulombError::Entry { column: 3, .. }));
    assert!(matches!(solve(&[(0, 0, f64::NAN)]).unwrap_err(), CoulombError::NotFinite { row: 0, .. }));
    assert!(matches!(solve(&[]).unwrap_err(), CoulombError::Immovable { constraint: 0 }));
}

#[test]
fn lists_of_the_wrong_length_and_impossible_numbers_are_refused() {
    let good = plate(2, 0.5, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    let solve = |heap: &Heap, softness: &[f64], impulses: usize| {
        let problem = CoulombProblem { softness, ..heap.problem() };
        CoulombSolver::default().solve(&problem, &CoulombParams::default(), &mut vec![0.0; impulses])
    };
    assert!(solve(&good, &[0.0; 12], 12).unwrap().converged);
    let length = |error: CoulombError| matches!(error, CoulombError::Length { expected: 12, .. });
    assert!(length(solve(&good, &[0.0; 11], 12).unwrap_err()));
    assert!(length(solve(&good, &[], 13).unwrap_err()));
    for value in [f64::NAN, f64::INFINITY, -1e-3] {
        let mut softness = [0.0; 12];
        softness[7] = value;
        let error = solve(&good, &softness, 12).unwrap_err();
        let named = format!("compliance of row 7 is {value}");
        assert!(error.to_string().contains(&named), "{error}");
    }
    // A mass of zero, or one that is not a number, in rows that are scaled by 1/√m.
    for mass in [0.0, -1.0, f64::NAN] {
        let bodies = [Body { mass, inertia: 1.0, center: [0.0; 3] }];
        let mut heap = good.clone();
        heap.contact(&bodies, 0, None, [0.0; 3], [0.0, 1.0, 0.0], 0.5);
        heap.free.extend([-1.0, 0.0, 0.0]);
        let error = solve(&heap, &[], 15).unwrap_err();
        assert!(matches!(error, CoulombError::NotFinite { row: 12, .. }), "{error}");
    }
    let mut heap = good.clone();
    heap.constraints[2].count = 0;
    assert!(matches!(solve(&heap, &[], 12).unwrap_err(), CoulombError::Rows { constraint: 2, count: 0, .. }));
    let mut heap = good.clone();
    heap.constraints[2].rows[1] = usize::MAX;
    assert!(matches!(solve(&heap, &[], 12).unwrap_err(), CoulombError::Rows { constraint: 2, .. }));
    let nothing = Heap::default();
    assert!(solve(&nothing, &[], 0).unwrap().converged, "no bodies at all");
    // Sweeps refuse what the exact method refuses.
    let params = CoulombParams { method: CoulombMethod::GaussSeidel, ..CoulombParams::default() };
    let mut heap = good.clone();
    heap.free[4] = f64::INFINITY;
    let error = CoulombSolver::default().solve(&heap.problem(), &params, &mut [0.0; 12]).unwrap_err();
    assert!(matches!(error, CoulombError::NotFinite { row: 4, .. }), "{error}");
}

#[test]
fn matrices_of_other_sizes_or_constraints_are_refused() {
    let identity: Vec<(usize, usize, f64)> = (0..6).map(|k| (k, k, 1.0)).collect();
    let constraints = [Constraint::contact(0, 3, 0.5), Constraint::contact(3, 3, 0.5)];
    let matrix = ContactMatrix::new(6, &identity, &constraints).unwrap();
    let solve = |constraints: &[Constraint], free: &[f64], impulses: usize| {
        let problem = MatrixProblem { matrix: &matrix, constraints, free };
        CoulombSolver::default().solve_matrix(&problem, &CoulombParams::default(), &mut vec![0.0; impulses])
    };
    let free = [-1.0, 0.5, 0.0, -1.0, 0.0, 0.5];
    assert!(solve(&constraints, &free, 6).unwrap().converged);
    assert!(matches!(solve(&constraints, &free[..5], 6).unwrap_err(), CoulombError::Length { expected: 6, .. }));
    assert!(matches!(solve(&constraints, &free, 7).unwrap_err(), CoulombError::Length { expected: 6, found: 7, .. }));
    assert!(matches!(solve(&constraints[..1], &free, 6).unwrap_err(), CoulombError::Length { expected: 2, .. }));
    let others = [constraints[0], Constraint::contact(3, 2, 0.5)];
    assert!(matches!(solve(&others, &free, 6).unwrap_err(), CoulombError::OtherRows { constraint: 1 }));
    let rough = [constraints[0], Constraint::contact(3, 3, -0.5)];
    let error = solve(&rough, &free, 6).unwrap_err();
    assert!(matches!(error, CoulombError::Friction { constraint: 1, value: -0.5 }), "{error}");
    let endless = [-1.0, 0.5, 0.0, -1.0, f64::NEG_INFINITY, 0.5];
    assert!(matches!(solve(&constraints, &endless, 6).unwrap_err(), CoulombError::NotFinite { row: 4, .. }));

    let twice = [Constraint::contact(0, 3, 0.5), Constraint::contact(2, 3, 0.5)];
    assert!(matches!(
        ContactMatrix::new(6, &identity, &twice).unwrap_err(),
        CoulombError::RowTwice { constraint: 1, row: 2 }
    ));
    assert!(matches!(
        ContactMatrix::new(6, &identity, &constraints[..1]).unwrap_err(),
        CoulombError::Length { found: 3, expected: 6, .. }
    ));
    assert!(matches!(
        ContactMatrix::new(3, &identity, &constraints).unwrap_err(),
        CoulombError::Rows { constraint: 1, rows: 3, .. }
    ));
    assert!(matches!(
        ContactMatrix::new(6, &[(0, 0, 1.0), (1, 2, f64::INFINITY)], &constraints).unwrap_err(),
        CoulombError::NotFinite { row: 1, .. }
    ));
    let empty = ContactMatrix::new(0, &[], &[]).unwrap();
    let problem = MatrixProblem { matrix: &empty, constraints: &[], free: &[] };
    let report = CoulombSolver::default().solve_matrix(&problem, &CoulombParams::default(), &mut []).unwrap();
    assert!(report.converged && report.islands == 0);
}

/// A square plate of 1 kg that slides and spins on n × n points, the middles of equal squares: place and angle after a time.
fn sampled_plate(n: usize, friction: f64, time: f64, steps: usize) -> [f64; 3] {
    let (half, height, inertia, gravity) = (0.2, 0.05, 0.0267, 9.81);
    let mut velocity = [1.0, 0.0, 0.3, 0.0, 8.0, 0.0];
    let (mut place, mut angle, h) = ([0.0; 2], 0.0f64, time / steps as f64);
    let mut solver = CoulombSolver::default();
    let mut impulses = vec![0.0; 3 * n * n];
    for _ in 0..steps {
        let bodies = [Body { mass: 1.0, inertia, center: [0.0, height, 0.0] }];
        let mut heap = Heap { columns: BlockColumns::new(1), ..Heap::default() };
        let (sin, cos) = angle.sin_cos();
        for k in 0..n * n {
            let [a, b] = [k % n, k / n].map(|i| half * ((2 * i + 1) as f64 / n as f64 - 1.0));
            heap.contact(&bodies, 0, None, [cos * a + sin * b, 0.0, cos * b - sin * a], [0.0, 1.0, 0.0], friction);
        }
        let mut free = velocity;
        free[1] -= h * gravity;
        heap.set_motion(&bodies, &[free]);
        let params = CoulombParams { warm_start: true, ..CoulombParams::default() };
        let report = solver.solve(&heap.problem(), &params, &mut impulses).unwrap();
        assert!(report.converged, "{report:?}");
        let mut motion = heap.motion.clone();
        impulses.iter().enumerate().for_each(|(row, &impulse)| heap.columns.add_scaled(row, impulse, &mut motion));
        velocity = std::array::from_fn(|k| motion[k] / if k < 3 { 1.0 } else { inertia.sqrt() });
        place[0] += h * velocity[0];
        place[1] += h * velocity[2];
        angle += h * velocity[4];
    }
    [place[0], place[1], angle]
}

/// The same plate with friction distributed over its face, apart from the solver: the pressure is linear and balances the moment of friction about the
/// centre, integrals by 100 × 100 points, time by Runge and Kutta.
fn distributed_plate(friction: f64, time: f64) -> [f64; 3] {
    let (half, height, inertia, gravity) = (0.2, 0.05, 0.0267, 9.81);
    let points = 100;
    let acceleration = |angle: f64, [vx, vz, spin]: [f64; 3]| -> [f64; 3] {
        let (sin, cos) = angle.sin_cos();
        // Pressure (1 + b·c) times the mean one, with Σ N c = −height F.
        let (mut b, mut sum) = ([0.0; 2], [0.0; 3]);
        for _ in 0..20 {
            sum = [0.0; 3];
            for k in 0..points * points {
                let [p, q] = [k % points, k / points].map(|i| half * ((2 * i + 1) as f64 / points as f64 - 1.0));
                let (x, z) = (cos * p + sin * q, cos * q - sin * p);
                let slip = [vx + spin * z, vz - spin * x];
                let size = slip[0].hypot(slip[1]).max(1e-300);
                let share = friction * gravity * (1.0 + b[0] * x + b[1] * z) / (points * points) as f64 / size;
                let force = [-share * slip[0], -share * slip[1]];
                sum[0] += force[0];
                sum[1] += force[1];
                sum[2] += z * force[0] - x * force[1];
            }
            let spread = gravity * half * half / 3.0;
            let next = [-height * sum[0] / spread, -height * sum[1] / spread];
            let change = (next[0] - b[0]).abs() + (next[1] - b[1]).abs();
            b = next;
            if change < 1e-10 {
                break;
            }
        }
        [sum[0], sum[1], sum[2] / inertia]
    };
    let steps = 100;
    let h = time / steps as f64;
    // Place, angle, velocity, spin.
    let mut state = [0.0, 0.0, 0.0, 1.0, 0.3, 8.0];
    let rate = |s: [f64; 6]| {
        let a = acceleration(s[2], [s[3], s[4], s[5]]);
        [s[3], s[4], s[5], a[0], a[1], a[2]]
    };
    let moved = |s: [f64; 6], d: [f64; 6], h: f64| std::array::from_fn::<f64, 6, _>(|k| s[k] + h * d[k]);
    for _ in 0..steps {
        let first = rate(state);
        let second = rate(moved(state, first, 0.5 * h));
        let third = rate(moved(state, second, 0.5 * h));
        let fourth = rate(moved(state, third, h));
        state = std::array::from_fn(|k| state[k] + h / 6.0 * (first[k] + 2.0 * (second[k] + third[k]) + fourth[k]));
    }
    [state[0], state[1], state[2]]
}

#[test]
fn a_plate_on_more_and_more_points_converges_to_distributed_friction() {
    let (friction, time) = (0.4, 0.15);
    let reference = distributed_plate(friction, time);
    let error = |n: usize| -> f64 {
        // Steps of h leave an error in proportion to h: twice the finer result less the coarser one.
        let [fine, coarse] = [400, 200].map(|steps| sampled_plate(n, friction, time, steps));
        let far: [f64; 3] = std::array::from_fn(|k| 2.0 * fine[k] - coarse[k] - reference[k]);
        far[0].hypot(far[1]).max(0.2 * far[2].abs())
    };
    let errors = [2, 4, 8].map(error);
    let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    assert!(orders.iter().all(|order| *order > 1.5), "errors {errors:?}, orders {orders:?}");
    assert!(errors[2] < 5e-4, "{errors:?}");
}

/// A number between −1 and 1 that looks random (SplitMix64).
fn random(seed: u64) -> f64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Bodies above each other, each on some of those below it or on the ground, with redundant contacts. Masses span `decades`.
fn pile(seed: u64, count: usize, friction: f64, decades: f64) -> (Vec<Body>, Heap) {
    let number = |k: usize| random(seed.wrapping_mul(7919).wrapping_add(k as u64));
    let mut bodies = Vec::new();
    for k in 0..count {
        let mass = 10f64.powf(decades * number(10 * k) * 0.5);
        let center = [2.0 * number(10 * k + 1), 0.5 + 0.4 * k as f64, 2.0 * number(10 * k + 2)];
        bodies.push(Body { mass, inertia: 0.02 * mass, center });
    }
    let mut heap = Heap { columns: BlockColumns::new(count), ..Heap::default() };
    for k in 0..count {
        for j in 0..4 {
            let offset: [f64; 3] = std::array::from_fn(|i| 0.3 * number(1000 + 40 * k + 3 * j + i));
            let point = [bodies[k].center[0] + offset[0], bodies[k].center[1] - 0.3, bodies[k].center[2] + offset[2]];
            let normal = [0.2 * number(2000 + 9 * k), 1.0, 0.2 * number(2001 + 9 * k)];
            let below = if k == 0 || j == 3 { None } else { Some((k - 1).saturating_sub((j + seed as usize) % 3)) };
            heap.contact(&bodies, k, below.filter(|&b| b != k), point, normal, friction);
        }
    }
    let velocities: Vec<[f64; 6]> = (0..count)
        .map(|k| std::array::from_fn(|i| if i == 1 { -0.1 } else { 0.0 } + 0.05 * number(5000 + 6 * k + i)))
        .collect();
    heap.set_motion(&bodies, &velocities);
    (bodies, heap)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn heaps_obey_coulombs_law_and_gain_no_energy(
        seed in 0u64..100_000,
        count in 1usize..18,
        friction in prop_oneof![Just(0.0), 0.01f64..1.0, 1.0f64..10.0],
        decades in 0.0f64..6.0,
    ) {
        let (_, heap) = pile(seed, count, friction, decades);
        let (impulses, report) = heap.solve(&CoulombParams::default());
        // Coulomb's law itself may have no solution where friction is large, and some heaps of masses over five decades are not solved; then the report
        // says so.
        prop_assert!(report.converged || friction > 1.0 || decades > 4.0, "{report:?}");
        prop_assert!(report.converged == (report.unsolved_islands == 0));
        if report.converged {
            prop_assert!(report.scaled_residual <= 1e-12, "{report:?}");
            let before = heap.energy(&vec![0.0; impulses.len()]);
            prop_assert!(heap.energy(&impulses) <= before * (1.0 + 1e-12));
            let scale = impulses.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            for (contact, r) in impulses.as_chunks::<3>().0.iter().enumerate() {
                let beyond = r[1].hypot(r[2]) - heap.friction(contact) * r[0];
                prop_assert!(beyond <= 1e-10 * scale, "contact {contact} is outside of its cone by {beyond}");
            }
            let u = heap.velocities(&impulses);
            prop_assert!(u.iter().step_by(3).all(|rate| *rate > -1e-9));
            prop_assert!(heap.violation(&impulses) < 1e-8, "{:e}", heap.violation(&impulses));
        }
    }
}

#[test]
fn contacts_with_and_without_friction_are_solved_together() {
    for seed in 0..40 {
        let (_, mut heap) = pile(seed, 6, 0.7, 1.0);
        for (contact, constraint) in heap.constraints.iter_mut().enumerate() {
            match contact % 3 {
                0 => *constraint = Constraint::contact(3 * contact, 1, 0.0),
                1 => *constraint = Constraint::contact(3 * contact, 3, 0.0),
                _ => {}
            }
        }
        let (impulses, report) = heap.solve(&CoulombParams::default());
        assert!(report.converged, "seed {seed}: {report:?}");
        let smooth = impulses.as_chunks::<3>().0.iter().enumerate().filter(|(contact, _)| contact % 3 < 2);
        assert!(smooth.into_iter().all(|(_, r)| r[1] == 0.0 && r[2] == 0.0));
    }
}

#[test]
fn numbers_whose_squares_overflow_are_refused_by_row() {
    let constraints = [Constraint::contact(0, 3, 0.5)];
    let identity = |size: f64| [(0, 0, size), (1, 1, size), (2, 2, size)];
    let matrix = ContactMatrix::new(3, &identity(1.0), &constraints).unwrap();
    for (value, is_refused) in [(1e99, false), (-1e160, true), (f64::MAX, true)] {
        let problem = MatrixProblem { matrix: &matrix, constraints: &constraints, free: &[-1.0, value, 0.0] };
        let mut impulses = [0.0; 3];
        let outcome = CoulombSolver::default().solve_matrix(&problem, &CoulombParams::default(), &mut impulses);
        match outcome {
            Ok(report) => assert!(!is_refused && report.converged && report.residual <= 1e-12, "{report:?}"),
            Err(error) => assert!(is_refused && error.to_string().contains("row 1"), "{error}"),
        }
    }
    let error = ContactMatrix::new(3, &identity(1e308), &constraints).unwrap_err();
    assert!(matches!(error, CoulombError::TooLarge { row: 0, .. }), "{error}");
}

#[test]
fn least_impulses_are_found_on_the_border_of_the_cones() {
    // A ball of radius one and 1 kg sticks in a wedge whose faces are 0.4 rad steep: two mirrored contacts, one impulse that presses the faces apart. The least
    // impulses have r_T = r_N: they lie on the border, and r_N = ½ / (sin a + cos a) carries the unit weight.
    let (sin, cos) = 0.4f64.sin_cos();
    let turn = 0.1f64.sqrt().recip();
    let mut columns = BlockColumns::<6>::new(1);
    for side in [1.0, -1.0] {
        columns.push_single(0, [side * cos, sin, 0.0, 0.0, 0.0, 0.0]);
        columns.push_single(0, [-side * sin, cos, 0.0, 0.0, 0.0, -side * turn]);
        columns.push_single(0, [0.0, 0.0, 1.0, -sin * turn, side * cos * turn, 0.0]);
    }
    let constraints = [Constraint::contact(0, 3, 1.0), Constraint::contact(3, 3, 1.0)];
    let free = [-sin, -cos, 0.0, -sin, -cos, 0.0];
    let problem = CoulombProblem { columns: &columns, constraints: &constraints, free: &free, softness: &[] };
    let mut impulses = [0.0; 6];
    let report = CoulombSolver::default().solve(&problem, &CoulombParams::default(), &mut impulses).unwrap();
    assert!(report.converged && report.residual <= 1e-12, "{report:?}");
    let expected = 0.5 / (sin + cos);
    for contact in impulses.as_chunks::<3>().0 {
        assert!((contact[0] - expected).abs() < 1e-10 && (contact[1] - expected).abs() < 1e-10, "{contact:?}");
        assert!(contact[2].abs() < 1e-10, "{contact:?}");
    }
}
