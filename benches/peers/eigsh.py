"""scipy's eigsh on matrices exported by Carom: the lowest modes of K x = λ M x by shift-invert.

    eigsh.py DIRECTORY --modes 50 [--threads 1] [--ordering MMD_AT_PLUS_A]

DIRECTORY holds K.mtx and M.mtx (Matrix Market, symmetric), or for each matrix the lower triangle by compressed
columns as raw little-endian arrays, which load at once: K.indptr.i64, K.indices.i64, K.values.f64, and the same for M.
Prints one JSON object: seconds to factorize and in total (loading not counted), peak memory, eigenvalues.
"""

import argparse
import json
import os
import pathlib
import sys


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--modes", type=int, default=50, help="elastic modes wanted; six rigid ones are added")
    parser.add_argument("--shift", type=float, help="negative; a small part of ‖K‖/‖M‖ if absent")
    parser.add_argument("--threads", type=int, help="for linear algebra; the machine's default if absent")
    parser.add_argument("--solver", choices=["superlu", "superlu-symmetric", "pardiso"], default="superlu")
    parser.add_argument("--ordering", choices=["COLAMD", "MMD_AT_PLUS_A"], help="SuperLU's; scipy's default if absent")
    return parser.parse_args()


def load(directory, name):
    """A symmetric matrix, both triangles."""
    import numpy as np
    import scipy.io
    import scipy.sparse as sparse

    starts = directory / f"{name}.indptr.i64"
    if not starts.exists():
        return scipy.io.mmread(directory / f"{name}.mtx").tocsc()
    indptr = np.fromfile(starts, dtype="<i8")
    indices = np.fromfile(directory / f"{name}.indices.i64", dtype="<i8")
    values = np.fromfile(directory / f"{name}.values.f64", dtype="<f8")
    size = len(indptr) - 1
    # SuperLU takes 32-bit indices only.
    lower = sparse.csc_matrix((values, indices.astype("i4"), indptr.astype("i4")), shape=(size, size))
    return (lower + sparse.tril(lower, -1).T).tocsc()


def main():
    options = arguments()
    if options.threads:
        # The libraries read these once, when they are loaded.
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ[variable] = str(options.threads)
    import elasticity

    stiffness, mass = load(options.directory, "K"), load(options.directory, "M")
    loaded = elasticity.peak_memory_bytes()
    shift = options.shift
    if shift is None:
        # The highest eigenvalue is near ‖K‖/‖M‖; the lowest elastic one lies many decades below.
        shift = -1e-7 * stiffness.diagonal().max() / mass.diagonal().max()
    if shift >= 0:
        sys.exit("the shift must be negative: a free body has no inverse at or above zero")
    eigenvalues, report = elasticity.lowest_modes(
        stiffness, mass, options.modes + 6, shift, options.solver, options.ordering
    )
    report["unknowns"] = stiffness.shape[0]
    report["stored_entries"] = int(stiffness.nnz)
    report["memory_after_loading_bytes"] = loaded
    report["peak_memory_bytes"] = elasticity.peak_memory_bytes()
    report["shift"] = shift
    report["eigenvalues"] = eigenvalues.tolist()
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
