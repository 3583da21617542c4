//! Sweeps of a problem of a known size take no memory.

use carom_solve::BlockColumns;
use carom_solve::coulomb::{Constraint, CoulombMethod, CoulombParams, CoulombProblem, CoulombSolver};
use carom_testing::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn sweeps_take_no_memory_once_they_are_warm() {
    // A tower of twenty bodies on two contacts each.
    let mut columns = BlockColumns::<3>::new(20);
    let mut constraints = Vec::new();
    let mut free = Vec::new();
    for body in 0..20u32 {
        for arm in [-0.5, 0.5] {
            constraints.push(Constraint { key: u64::from(100 - body), ..Constraint::contact(free.len(), 2, 0.4) });
            for row in [[0.0, 1.0, arm], [1.0, 0.0, 0.2]] {
                match body.checked_sub(1) {
                    Some(below) => columns.push([(body, row), (below, row.map(|x| -x))]),
                    None => columns.push_single(body, row),
                }
                free.push(if body == 0 { -0.1 * row[1] } else { 0.0 } + 0.01 * row[0]);
            }
        }
    }
    let problem = CoulombProblem { columns: &columns, constraints: &constraints, free: &free, softness: &[] };
    let mut solver = CoulombSolver::default();
    let mut impulses = vec![0.0; free.len()];
    for (sweeps, warm_start) in [(10, true), (100, false)] {
        let method = CoulombMethod::GaussSeidel;
        let params =
            CoulombParams { method, max_sweeps: sweeps, warm_start, tolerance: 0.0, ..CoulombParams::default() };
        solver.solve(&problem, &params, &mut impulses).unwrap();
        let before = allocations();
        let report = solver.solve(&problem, &params, &mut impulses).unwrap();
        assert_eq!((report.sweeps, allocations() - before), (sweeps, 0));
    }
}
