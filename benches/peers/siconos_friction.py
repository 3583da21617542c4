"""Solves a friction problem with the solvers of Siconos (Debian's python3-siconos, run by Debian's own python3).

    /usr/bin/python3 siconos_friction.py problem.json

Prints a line `RESULT {...}` for each solver and form: W dense or in sparse blocks, and for problems in body form the global one, which has the mass
matrix and not W. With it come milliseconds of the solver alone and the residual |r - P(r - u~)| / |q|.
"""
import json
import os

# One core, as Carom has.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import signal
import sys
import tempfile
import time

import numpy as np
import siconos.numerics as sn

TOLERANCE = 1e-8
SOLVERS = ["NSGS", "NSN_AC", "PROX", "ADMM"]
# Solvers of M v = f + H r, u = H'v + w. Those with WR make W on the way, as part of their time.
GLOBAL_SOLVERS = ["NSGS", "NSN_AC", "ADMM", "IPM", "NSGS_WR", "NSN_AC_WR", "PROX_WR", "ADMM_WR"]
# What a solver may take on a problem.
MOST_SECONDS = 20
# The fastest of so many runs counts, as long as they take less than this together.
MOST_RUNS = 100
REPEAT_SECONDS = 0.3


def dense(a):
    matrix = np.zeros(a["shape"])
    np.add.at(matrix, (a["rows"], a["cols"]), a["values"])
    return matrix


def load(path):
    problem = json.load(open(path))
    contacts, mu = problem["contacts"], np.array(problem["mu"], dtype=float)
    if problem.get("dimension", 3) != 3:
        raise SystemExit("only problems in 3D")
    if "M" in problem:
        mass, directions = dense(problem["M"]), dense(problem["H"])
        inverse = np.linalg.solve(mass, directions)
        matrix = directions.T @ inverse
        free = inverse.T @ np.array(problem["f"]) + np.array(problem["w"])
    else:
        matrix = np.zeros((3 * contacts, 3 * contacts))
        np.add.at(matrix, (problem["rows"], problem["cols"]), problem["values"])
        free = np.array(problem["q"])
    return contacts, (matrix + matrix.T) / 2, free, mu


def residual(matrix, free, mu, impulses):
    u, r = (matrix @ impulses + free).reshape(-1, 3), impulses.reshape(-1, 3)
    z = r - np.column_stack([u[:, 0] + mu * np.linalg.norm(u[:, 1:], axis=1), u[:, 1:]])
    slip = np.linalg.norm(z[:, 1:], axis=1)
    projected = np.zeros_like(z)
    inside = slip <= mu * z[:, 0]
    border = ~inside & (mu * slip > -z[:, 0])
    projected[inside] = z[inside]
    normal = (z[border, 0] + mu[border] * slip[border]) / (1 + mu[border] ** 2)
    projected[border, 0] = normal
    projected[border, 1:] = (mu[border] * normal / slip[border])[:, None] * z[border, 1:]
    return np.linalg.norm(r - projected) / np.linalg.norm(free)


def as_sparse_blocks(contacts, matrix, free, mu):
    """The problem in Siconos' own file format with blocks of 3 x 3, read back by Siconos."""
    blocks = matrix.reshape(contacts, 3, contacts, 3).transpose(0, 2, 1, 3)
    filled = np.abs(blocks).max(axis=(2, 3)) > 0
    np.fill_diagonal(filled, True)
    rows = [np.nonzero(filled[k])[0] for k in range(contacts)]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = np.concatenate(rows)
    ends = [str(3 * (k + 1)) for k in range(contacts)]
    lines = ["3", str(contacts), "1", str(3 * contacts), str(3 * contacts), str(len(columns)), str(contacts), str(contacts)]
    lines += ["\t".join(ends), "\t".join(ends), str(contacts + 1), str(len(columns))]
    lines += ["\t".join(map(str, starts)), "\t".join(map(str, columns))]
    number = 0
    for row in range(contacts):
        for column in rows[row]:
            lines.append(str(number))
            number += 1
            # Siconos stores blocks column by column.
            lines += [repr(float(value)) for value in blocks[row, column].T.ravel()]
    lines += [" ".join(repr(float(value)) for value in free), " ".join(repr(float(value)) for value in mu), "0"]
    with tempfile.NamedTemporaryFile("w", suffix=".dat") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        return sn.frictionContact_new_from_filename(file.name)


def solve(path, contacts, matrix, free, mu, form, name):
    if form == "global":
        problem, options, driver = as_global(path, contacts, mu, name)
    else:
        if form == "dense":
            problem = sn.FrictionContactProblem(3, contacts, matrix, free, mu)
        else:
            problem = as_sparse_blocks(contacts, matrix, free, mu)
        options = sn.SolverOptions(getattr(sn, f"SICONOS_FRICTION_3D_{name}"))
        driver = sn.fc3d_driver
    options.dparam[sn.SICONOS_DPARAM_TOL] = TOLERANCE
    seconds, total = float("inf"), 0.0
    for _ in range(MOST_RUNS):
        impulses, velocities = np.zeros(3 * contacts), np.zeros(3 * contacts)
        begin = time.perf_counter()
        driver(problem, impulses, velocities, options)
        elapsed = time.perf_counter() - begin
        seconds, total = min(seconds, elapsed), total + elapsed
        if total > REPEAT_SECONDS:
            break
    reached = float(residual(matrix, free, mu, impulses))
    # Some solvers diverge; JSON has no infinity.
    reached = reached if reached < 1e300 else 1e300
    result = {"solver": name, "form": form, "milliseconds": 1e3 * seconds, "residual": reached}
    print("\nRESULT " + json.dumps(result), flush=True)


def as_global(path, contacts, mu, name):
    """The body form for gfc3d_driver, which also returns the velocities of bodies."""
    given = json.load(open(path))
    problem = sn.GlobalFrictionContactProblem()
    problem.dimension, problem.numberOfContacts = 3, contacts
    problem.M, problem.H = dense(given["M"]), dense(given["H"])
    problem.q, problem.b, problem.mu = np.array(given["f"], dtype=float), np.array(given["w"], dtype=float), mu
    options = sn.SolverOptions(getattr(sn, f"SICONOS_GLOBAL_FRICTION_3D_{name}"))

    def driver(problem, impulses, velocities, options):
        sn.gfc3d_driver(problem, impulses, velocities, np.zeros(len(given["f"])), options)

    return problem, options, driver


def main():
    path = sys.argv[1]
    contacts, matrix, free, mu = load(path)
    forms = [("dense", SOLVERS), ("sparse-block", SOLVERS)]
    if "M" in json.load(open(path)):
        forms.append(("global", GLOBAL_SOLVERS))
    for form, names in forms:
        for name in names:
            # A process for each: some solvers end the program by an assertion, some do not end.
            child = os.fork()
            if child == 0:
                try:
                    signal.alarm(MOST_SECONDS)
                    solve(path, contacts, matrix, free, mu, form, name)
                finally:
                    os._exit(0)
            os.waitpid(child, 0)


main()
