"""What a user would do without Carom: mesh with Gmsh or TetGen, assemble quadratic tetrahedra, scipy's eigsh.

    gmsh_modes.py mug --size 0.004                    a mug from Gmsh's OpenCASCADE kernel, curved tetrahedra
    gmsh_modes.py surface bunny.obj --size 0.005      a triangle mesh: repaired, simplified, filled by TetGen
    gmsh_modes.py box --size 0.05                     a cube of edge 1, to check these scripts themselves

Prints one JSON object: seconds per stage, unknowns, volume and the elastic frequencies in Hz.
"""

import argparse
import json
import math
import sys
import time

import numpy as np

import elasticity


def mug(options):
    """A mug about the y axis, standing on y = 0, with a half-torus handle in the plane z = 0 on the side of +x.

    The handle's centre line is the half circle of radius R about (attach, height / 2, 0), x ≥ attach; its flat ends
    lie inside the wall.
    """
    import gmsh

    o = options
    occ = gmsh.model.occ
    outer = occ.addCylinder(0, 0, 0, 0, o.height, 0, o.radius)
    inner = occ.addCylinder(0, o.bottom, 0, 0, o.height, 0, o.radius - o.wall)
    body, _ = occ.cut([(3, outer)], [(3, inner)])
    attach = o.radius - o.wall / 2
    if o.handle_radius > 0:
        handle = occ.addTorus(0, 0, 0, o.handle_arc, o.handle_radius, angle=math.pi)
        occ.rotate([(3, handle)], 0, 0, 0, 0, 0, 1, -math.pi / 2)
        occ.translate([(3, handle)], attach, o.height / 2, 0)
        body, _ = occ.fuse(body, [(3, handle)])
        # Nothing of the handle reaches through the wall: its ends are flat and lie in the middle of the wall.
    occ.synchronize()
    if o.edge_size:
        finer_at_inner_edges(o)
    return gmsh_tetrahedra(o.size, o.edge_size)


def finer_at_inner_edges(o):
    """Small tetrahedra where the bottom meets the wall and where the handle does: stresses are singular there."""
    import gmsh

    near = []
    for dimension, curve in gmsh.model.getEntities(1):
        x0, y0, z0, x1, y1, z1 = gmsh.model.getBoundingBox(dimension, curve)
        inner_bottom = abs(y0 - o.bottom) < 1e-5 and abs(y1 - o.bottom) < 1e-5
        joint = x0 > 0.5 * o.radius and o.bottom < y0 and y1 < 0.99 * o.height and x1 < 1.1 * o.radius
        if inner_bottom or joint:
            near.append(curve)
    field = gmsh.model.mesh.field
    distance = field.add("Distance")
    field.setNumbers(distance, "CurvesList", near)
    field.setNumber(distance, "Sampling", 200)
    threshold = field.add("Threshold")
    numbers = {"InField": distance, "SizeMin": o.edge_size, "SizeMax": o.size, "DistMin": 2 * o.edge_size, "DistMax": 0.01}
    for name, value in numbers.items():
        field.setNumber(threshold, name, value)
    field.setAsBackgroundMesh(threshold)


def box(options):
    import gmsh

    gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()
    return gmsh_tetrahedra(options.size)


def gmsh_tetrahedra(size, least=None):
    """Curved ten-node tetrahedra of the current Gmsh model."""
    import gmsh

    gmsh.option.setNumber("Mesh.MeshSizeMax", size)
    gmsh.option.setNumber("Mesh.MeshSizeMin", least or size / 4)
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", 12)
    gmsh.option.setNumber("Mesh.HighOrderOptimize", 1)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(2)
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    _, corners = gmsh.model.mesh.getElementsByType(11)
    index = np.zeros(int(tags.max()) + 1, dtype=np.int64)
    index[tags.astype(np.int64)] = np.arange(len(tags))
    return coordinates.reshape(-1, 3), index[corners.astype(np.int64)].reshape(-1, 10)


def read_obj(path):
    """Positions and triangles; polygons become fans."""
    positions, triangles = [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                positions.append([float(w) for w in words[1:4]])
            elif words[:1] == ["f"]:
                corner = [int(w.split("/")[0]) - 1 for w in words[1:]]
                triangles += [[corner[0], b, c] for b, c in zip(corner[1:], corner[2:])]
    return np.array(positions), np.array(triangles, dtype=np.int32)


def surface(options):
    """Ten-node tetrahedra inside a triangle mesh, their boundary nodes on the mesh.

    Holes are closed by pymeshfix. TetGen keeps every triangle of the surface, so a scanned surface is first
    simplified (quadric errors), or the volume mesh could not be solved at all; the curved sides of the tetrahedra
    then win back the shape that simplification cut away.
    """
    import fast_simplification
    import tetgen

    points, faces = closed(*read_obj(options.file))
    simple = points, faces
    if len(faces) > options.triangles:
        simple = closed(*fast_simplification.simplify(points, faces, target_count=options.triangles))
    largest = options.size**3 / (6 * math.sqrt(2))
    generator = tetgen.TetGen(*simple)
    generated = generator.tetrahedralize(order=1, mindihedral=0, minratio=2.0, fixedvolume=True, maxvolume=largest)
    nodes, tets = quadratic(np.asarray(generated[0]), np.asarray(generated[1]).astype(np.int64))
    return snapped(nodes, tets, points[faces]), tets


def closed(points, faces):
    """The mesh as it is where every edge has two triangles, else repaired: repair also alters good meshes."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    if (np.unique(edges, axis=0, return_counts=True)[1] == 2).all():
        return points, faces
    import pymeshfix

    fix = pymeshfix.MeshFix(points, faces)
    fix.repair()
    return fix.points, fix.faces


def snapped(nodes, tets, triangles):
    """Moves boundary nodes to the nearest point of the triangles, except where that would turn an element over."""
    boundary = boundary_nodes(tets)
    target = nodes.copy()
    target[boundary] = closest_points(nodes[boundary], triangles)
    moved = np.zeros(len(nodes), dtype=bool)
    moved[boundary] = True
    rules = elasticity.DEGREE_2 + elasticity.DEGREE_5
    gradients = [elasticity.shape_functions(point)[1] for _, point in rules]
    straight = np.linalg.det(nodes[tets[:, 1:4]] - nodes[tets[:, :1]])
    while True:
        trial = np.where(moved[:, None], target, nodes)
        least = np.min([np.linalg.det(np.einsum("eai,aj->eij", trial[tets], g)) for g in gradients], axis=0)
        squashed = tets[least < 0.2 * straight].ravel()
        if not moved[squashed].any():
            return trial
        moved[squashed] = False


def boundary_nodes(tets):
    """Nodes of the faces that belong to one tetrahedron only."""
    faces = [(0, 1, 2, 4, 5, 6), (0, 1, 3, 4, 9, 7), (0, 2, 3, 6, 8, 7), (1, 2, 3, 5, 8, 9)]
    faces = np.concatenate([tets[:, list(f)] for f in faces])
    _, first, count = np.unique(np.sort(faces[:, :3], axis=1), axis=0, return_index=True, return_counts=True)
    return np.unique(faces[first[count == 1]])


def closest_points(points, triangles, candidates=24):
    """For each point the nearest point on the triangles whose centres are nearest."""
    from scipy.spatial import cKDTree

    _, near = cKDTree(triangles.mean(axis=1)).query(points, candidates)
    a, b, c = np.moveaxis(triangles[near], 2, 0)
    p = np.broadcast_to(points[:, None], a.shape)

    def on_segment(start, end):
        along = end - start
        t = np.einsum("pki,pki->pk", p - start, along) / np.maximum(np.einsum("pki,pki->pk", along, along), 1e-300)
        return start + np.clip(t, 0, 1)[..., None] * along

    normal = np.cross(b - a, c - a)
    square = np.maximum(np.einsum("pki,pki->pk", normal, normal), 1e-300)
    foot = p - (np.einsum("pki,pki->pk", p - a, normal) / square)[..., None] * normal
    inside = np.ones(near.shape, dtype=bool)
    for start, end in [(a, b), (b, c), (c, a)]:
        inside &= np.einsum("pki,pki->pk", np.cross(end - start, foot - start), normal) >= 0
    foot[~inside] = np.inf
    options = np.stack([foot, on_segment(a, b), on_segment(b, c), on_segment(c, a)], axis=2).reshape(len(points), -1, 3)
    best = np.linalg.norm(options - points[:, None], axis=2).argmin(axis=1)
    return options[np.arange(len(points)), best]


def quadratic(nodes, tets):
    """Adds a node in the middle of every edge."""
    pairs = np.sort(np.concatenate([tets[:, list(e)] for e in elasticity.EDGES]), axis=1)
    edges, inverse = np.unique(pairs, axis=0, return_inverse=True)
    middle = len(nodes) + inverse.reshape(6, len(tets)).T
    tets = np.hstack([tets, middle])
    nodes = np.vstack([nodes, nodes[edges].mean(axis=1)])
    x = nodes[tets[:, :4]]
    inverted = np.linalg.det(x[:, 1:] - x[:, :1]) < 0
    tets[inverted] = tets[inverted][:, [1, 0, 2, 3, 4, 6, 5, 9, 8, 7]]
    return nodes, tets


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("body", choices=["mug", "surface", "box"])
    parser.add_argument("file", nargs="?", help="OBJ file of a surface")
    parser.add_argument("--size", type=float, required=True, help="edge length of the tetrahedra, metres")
    parser.add_argument("--edge-size", type=float, help="mug: edge length where bottom and handle meet the wall")
    parser.add_argument("--triangles", type=int, default=10000, help="surface: simplify to this many triangles")
    parser.add_argument("--modes", type=int, default=50, help="elastic modes wanted")
    parser.add_argument("--young", type=float, default=200e9)
    parser.add_argument("--poisson", type=float, default=0.3)
    parser.add_argument("--density", type=float, default=7850.0)
    parser.add_argument("--radius", type=float, default=0.040, help="mug: outer radius")
    parser.add_argument("--height", type=float, default=0.095, help="mug: height")
    parser.add_argument("--wall", type=float, default=0.004, help="mug: thickness of the wall")
    parser.add_argument("--bottom", type=float, default=0.006, help="mug: thickness of the bottom")
    parser.add_argument("--handle-radius", type=float, default=0.005, help="mug: radius of the handle's tube; 0 for none")
    parser.add_argument("--handle-arc", type=float, default=0.027, help="mug: radius of the handle's centre line")
    parser.add_argument("--solver", choices=["superlu", "superlu-symmetric", "pardiso"], default="superlu")
    parser.add_argument("--ordering", choices=["COLAMD", "MMD_AT_PLUS_A"], help="SuperLU's; scipy's default if absent")
    options = parser.parse_args()
    if options.body == "surface" and not options.file:
        parser.error("surface needs a file")

    start = time.perf_counter()
    if options.body == "surface":
        nodes, tets = surface(options)
    else:
        import gmsh

        gmsh.initialize()
        gmsh.option.setNumber("General.Terminal", 0)
        nodes, tets = {"mug": mug, "box": box}[options.body](options)
        gmsh.finalize()
    used, tets = np.unique(tets, return_inverse=True)
    nodes, tets = nodes[used], tets.reshape(-1, 10)
    meshed = time.perf_counter()
    stiffness, mass, volume = elasticity.assemble(nodes, tets, options.young, options.poisson, options.density)
    assembled = time.perf_counter()
    extent = np.ptp(nodes, axis=0).max()
    shift = -((0.3 / extent) ** 2) * options.young / options.density
    print(f"{len(tets)} tetrahedra, {stiffness.shape[0]} unknowns, meshed in {meshed - start:.1f} s", file=sys.stderr)
    eigenvalues, times = elasticity.lowest_modes(
        stiffness, mass, options.modes + 6, shift, options.solver, options.ordering
    )
    frequencies = np.sqrt(np.maximum(eigenvalues, 0)) / (2 * math.pi)
    report = {
        "body": options.body,
        "parameters": {k: v for k, v in vars(options).items() if v is not None},
        "tetrahedra": len(tets),
        "nodes": len(nodes),
        "unknowns": stiffness.shape[0],
        "stored_entries": int(stiffness.nnz),
        "volume": float(volume),
        "seconds_mesh": meshed - start,
        "seconds_assembly": assembled - meshed,
        **times,
        "seconds_from_shape_to_modes": time.perf_counter() - start,
        "peak_memory_bytes": elasticity.peak_memory_bytes(),
        "rigid": frequencies[:6].tolist(),
        "frequencies": frequencies[6:].tolist(),
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
