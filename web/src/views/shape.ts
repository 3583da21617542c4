/** Surfaces as the stage draws them: creased normals, and simpler forms where thousands of round bodies are shown. */
import * as THREE from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { Surface } from "../data/ply";

/** Edges sharper than this stay sharp, radians. */
const CREASE = Math.PI / 6;
/** More copies than this of a round body are drawn with few triangles. */
const MANY = 3000;

export function geometryOf(surface: Surface, offset: readonly number[], copies: number): THREE.BufferGeometry {
  const round = copies > MANY ? roundness(surface) : undefined;
  const geometry = round ? simple(round) : creased(surface);
  return geometry.translate(offset[0]!, offset[1]!, offset[2]!);
}

/** The surface with normals that are smooth within faces and sharp at edges. Corners of triangle t are vertices 3t to 3t + 2. */
export function creased(surface: Surface): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(surface.positions, 3));
  geometry.setIndex(new THREE.BufferAttribute(surface.triangles, 1));
  return toCreasedNormals(geometry, CREASE);
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
