"""Linear elasticity on ten-node tetrahedra with numpy: the matrices K and M, and the lowest modes by scipy.

Written independently of Carom's own elements and cells, so that agreement means something. Nodes are ordered as in
Gmsh: four corners, then the middles of 01, 12, 02, 03, 23, 13.
"""

import resource
import time

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

EDGES = [(0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3)]


def orbit(weight, *barycentric):
    """All distinct permutations of a barycentric point, each with the same weight."""
    import itertools

    return [(weight, p) for p in sorted(set(itertools.permutations(barycentric)))]


A = (5 - 5**0.5) / 20
DEGREE_2 = orbit(1 / 4, A, A, A, 1 - 3 * A)
DEGREE_5 = (
    orbit(0.11268792571801585, *[0.3108859192633006] * 3, 1 - 3 * 0.3108859192633006)
    + orbit(0.07349304311636195, *[0.09273525031089123] * 3, 1 - 3 * 0.09273525031089123)
    + orbit(0.04254602077708147, *[0.04550370412564965] * 2, *[0.5 - 0.04550370412564965] * 2)
)


def shape_functions(b):
    """Values (10) and derivatives by x, y, z of the reference tetrahedron (10 × 3) at a barycentric point."""
    grad_b = np.array([[-1.0, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    values = [b[i] * (2 * b[i] - 1) for i in range(4)] + [4 * b[i] * b[j] for i, j in EDGES]
    grads = [(4 * b[i] - 1) * grad_b[i] for i in range(4)]
    grads += [4 * (b[i] * grad_b[j] + b[j] * grad_b[i]) for i, j in EDGES]
    return np.array(values), np.array(grads)


def assemble(nodes, tets, young, poisson, density, chunk=4000):
    """Sparse stiffness and consistent mass matrix, unknown 3 * node + axis; also the volume."""
    lam = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    mu = young / (2 * (1 + poisson))
    unknowns = 3 * len(nodes)
    stiffness = sparse.csr_matrix((unknowns, unknowns))
    scalar_mass = sparse.csr_matrix((len(nodes), len(nodes)))
    volume = 0.0
    for start in range(0, len(tets), chunk):
        t = tets[start : start + chunk]
        x = nodes[t]
        k = np.zeros((len(t), 10, 3, 10, 3))
        for weight, point in DEGREE_2:
            _, reference = shape_functions(point)
            jacobian = np.einsum("eai,aj->eij", x, reference)
            det = np.linalg.det(jacobian)
            if det.min() <= 0:
                raise SystemExit(f"element {start + int(det.argmin())} is inverted")
            g = np.einsum("aj,eji->eai", reference, np.linalg.inv(jacobian))
            w = weight * det / 6
            gw = g * w[:, None, None]
            k += lam * np.einsum("eai,ebj->eaibj", gw, g, optimize=True)
            k += mu * np.einsum("eaj,ebi->eaibj", gw, g, optimize=True)
            dots = mu * np.einsum("eai,ebi->eab", gw, g, optimize=True)
            for axis in range(3):
                k[:, :, axis, :, axis] += dots
        m = np.zeros((len(t), 10, 10))
        for weight, point in DEGREE_5:
            values, reference = shape_functions(point)
            det = np.linalg.det(np.einsum("eai,aj->eij", x, reference))
            m += density * (weight * det / 6)[:, None, None] * np.outer(values, values)
        volume += m.sum() / density
        dof = (3 * t[:, :, None] + np.arange(3)).reshape(len(t), 30).astype(np.int32)
        rows, cols = np.repeat(dof, 30, axis=1).ravel(), np.tile(dof, (1, 30)).ravel()
        stiffness = stiffness + sparse.csr_matrix((k.ravel(), (rows, cols)), shape=stiffness.shape)
        rows, cols = np.repeat(t, 10, axis=1).ravel(), np.tile(t, (1, 10)).ravel()
        scalar_mass = scalar_mass + sparse.csr_matrix((m.ravel(), (rows, cols)), shape=scalar_mass.shape)
    mass = sparse.kron(scalar_mass, sparse.identity(3), format="csr")
    return (stiffness + stiffness.T) * 0.5, mass, volume


def factorize(matrix, solver, ordering=None):
    """A function that solves with the matrix: SuperLU as eigsh itself would, the same told of the symmetry, or MKL
    Pardiso where installed."""
    if solver == "pardiso":
        import pypardiso

        pardiso = pypardiso.PyPardisoSolver(mtype=2)
        upper = sparse.triu(matrix, format="csr")
        upper.sort_indices()
        pardiso.factorize(upper)

        def solve(b):
            # The matrix type has no transposes and needs no new factorization: call the solve phase alone.
            pardiso.set_phase(33)
            return pardiso._call_pardiso(upper, np.asfortranarray(b.reshape(len(b), -1))).ravel()

        return solve
    if solver == "superlu-symmetric":
        # Diagonal pivots and an order for the pattern of A + Aᵀ: the least fill that SuperLU can do.
        symmetric = {"SymmetricMode": True}
        return linalg.splu(matrix.tocsc(), "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric).solve
    return linalg.splu(matrix.tocsc(), permc_spec=ordering).solve


def lowest_modes(stiffness, mass, count, shift, solver="superlu", ordering=None):
    """The `count` lowest eigenvalues of K x = λ M x by shift-invert Lanczos; times in seconds."""
    start = time.perf_counter()
    solve = factorize(stiffness - shift * mass, solver, ordering)
    factored = time.perf_counter()
    inverse = linalg.LinearOperator(stiffness.shape, matvec=solve, dtype=float)
    eigenvalues, vectors = linalg.eigsh(stiffness, k=count, M=mass, sigma=shift, which="LM", OPinv=inverse)
    done = time.perf_counter()
    order = np.argsort(eigenvalues)
    eigenvalues, vectors = eigenvalues[order], vectors[:, order]
    force = stiffness @ vectors
    residual = np.linalg.norm(force - (mass @ vectors) * eigenvalues, axis=0)
    # Rigid motions have no elastic force to compare with.
    elastic = eigenvalues > 1e-6 * eigenvalues[-1]
    worst = (residual[elastic] / np.linalg.norm(force[:, elastic], axis=0)).max(initial=0.0)
    return eigenvalues, {
        "seconds_factor": factored - start,
        "seconds_eigen": done - factored,
        "seconds_total": done - start,
        "worst_relative_residual": float(worst),
    }


def peak_memory_bytes():
    """The largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
