/** Surfaces as the stage draws them: creased normals, and simpler forms where thousands of round bodies are shown. */
import * as THREE from "three";
import type { Surface } from "../data/ply";

/** Edges sharper than this stay sharp, radians. */
const CREASE = Math.PI / 6;
/** More copies than this of a body are drawn plainly, and round ones with few triangles. */
export const MANY = 3000;

export function geometryOf(surface: Surface, offset: readonly number[], copies: number): THREE.BufferGeometry {
  const round = copies > MANY ? roundness(surface) : undefined;
  const geometry = round ? simple(round) : creased(surface);
  return geometry.translate(offset[0]!, offset[1]!, offset[2]!);
}

/** The surface with normals that are smooth within faces and sharp at edges. Corners of triangle t are vertices 3t to 3t + 2. */
export function creased({ positions, triangles }: Surface): THREE.BufferGeometry {
  const corners = new Float32Array(3 * triangles.length);
  triangles.forEach((vertex, i) => corners.set(positions.subarray(3 * vertex, 3 * vertex + 3), 3 * i));
  // Of length twice the area: larger triangles count more.
  const faces = new Float32Array(triangles.length);
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  for (let i = 0; i < corners.length; i += 9) {
    a.fromArray(corners, i);
    b.fromArray(corners, i + 3).sub(a);
    c.fromArray(corners, i + 6).sub(a);
    b.cross(c).toArray(faces, i / 3);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(cornerNormals(triangles, positions.length / 3, faces), 3));
  return geometry;
}

/** For each corner of a triangle the mean of the faces around its vertex that make no crease with the triangle. */
function cornerNormals(triangles: Uint32Array, vertices: number, faces: Float32Array): Float32Array<ArrayBuffer> {
  // Corners around each vertex, one vertex after the other.
  const begin = new Uint32Array(vertices + 1);
  for (const vertex of triangles) begin[vertex + 1]!++;
  for (let v = 0; v < vertices; v++) begin[v + 1]! += begin[v]!;
  const around = new Uint32Array(triangles.length);
  const filled = begin.slice();
  triangles.forEach((vertex, corner) => (around[filled[vertex]!++] = corner));

  const normals = new Float32Array(3 * triangles.length);
  const [own, other, sum] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  const least = Math.cos(CREASE);
  triangles.forEach((vertex, corner) => {
    own.fromArray(faces, 3 * Math.floor(corner / 3));
    const length = own.length();
    sum.set(0, 0, 0);
    for (let k = begin[vertex]!; k < begin[vertex + 1]!; k++) {
      other.fromArray(faces, 3 * Math.floor(around[k]! / 3));
      if (own.dot(other) >= least * length * other.length()) sum.add(other);
    }
    sum.normalize().toArray(normals, 3 * corner);
  });
  return normals;
}

/**
 * Gives a surface that was divided from another the normals of that one, so that it is shaded as the body is. Small triangles
 * come in the order of the triangles that they are part of.
 */
export function shadeLike(divided: THREE.BufferGeometry, whole: THREE.BufferGeometry): void {
  const [small, smallNormal] = [divided.getAttribute("position"), divided.getAttribute("normal")];
  const [large, largeNormal] = [whole.getAttribute("position"), whole.getAttribute("normal")];
  const corners = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()] as const;
  const [point, weights, normal] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  let parent = -1;
  const enter = (triangle: number) => corners.forEach((corner, k) => corner.fromBufferAttribute(large, 3 * triangle + k));
  /** Whether a point lies in the triangle that was entered, up to round-off. */
  const inside = (size: number): boolean => {
    if (!THREE.Triangle.getBarycoord(point, corners[0], corners[1], corners[2], weights)) return false;
    if (Math.min(weights.x, weights.y, weights.z) < -1e-3) return false;
    normal.set(0, 0, 0);
    corners.forEach((corner, k) => normal.addScaledVector(corner, weights.getComponent(k)));
    return normal.distanceTo(point) < 0.05 * size;
  };
  for (let t = 0; 3 * t < small.count; t++) {
    const place = (k: number) => new THREE.Vector3().fromBufferAttribute(small, 3 * t + k);
    const [a, b, c] = [place(0), place(1), place(2)];
    const size = a.distanceTo(b);
    point.copy(a).add(b).add(c).divideScalar(3);
    if (parent < 0 || !inside(size)) {
      let next = parent + 1;
      for (; 3 * next < large.count; next++) {
        enter(next);
        if (inside(size)) break;
      }
      // None is found for a triangle without area: it keeps its own normals.
      if (3 * next >= large.count) {
        if (parent >= 0) enter(parent);
        continue;
      }
      parent = next;
    }
    [a, b, c].forEach((corner, k) => {
      THREE.Triangle.getBarycoord(corner, corners[0], corners[1], corners[2], weights);
      normal.set(0, 0, 0);
      for (let i = 0; i < 3; i++) {
        const index = 3 * parent + i;
        const weight = weights.getComponent(i);
        normal.add(new THREE.Vector3().fromBufferAttribute(largeNormal, index).multiplyScalar(weight));
      }
      normal.normalize();
      smallNormal.setXYZ(3 * t + k, normal.x, normal.y, normal.z);
    });
  }
}

interface Round {
  kind: "ball" | "disc";
  radius: number;
  centre: THREE.Vector3;
}

/** What a surface is, if it is a ball, or a disc across z. */
export function roundness({ positions }: Surface): Round | undefined {
  const box = new THREE.Box3().setFromArray(positions);
  const centre = box.getCenter(new THREE.Vector3());
  const range = (reach: (x: number, y: number, z: number) => number) => {
    let [least, most] = [Infinity, 0];
    for (let i = 0; i < positions.length; i += 3) {
      const r = reach(positions[i]! - centre.x, positions[i + 1]! - centre.y, positions[i + 2]! - centre.z);
      least = Math.min(least, r);
      most = Math.max(most, r);
    }
    return { radius: most, even: least > 0.97 * most };
  };
  const ball = range(Math.hypot);
  if (ball.even) return { kind: "ball", radius: ball.radius, centre };
  const disc = range((x, y) => Math.hypot(x, y));
  return disc.even ? { kind: "disc", radius: disc.radius, centre } : undefined;
}

function simple({ kind, radius, centre }: Round): THREE.BufferGeometry {
  const geometry = kind === "ball" ? new THREE.IcosahedronGeometry(radius, 1) : new THREE.CircleGeometry(radius, 12);
  if (kind === "ball") {
    // Normals of the ball itself, so that few triangles look round.
    const position = geometry.getAttribute("position");
    geometry.setAttribute("normal", position.clone());
    geometry.normalizeNormals();
  }
  return geometry.translate(centre.x, centre.y, centre.z);
}
