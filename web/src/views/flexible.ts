/** A body that vibrates, bent as far as its modes say and as much more as the user wants to see. */
import * as THREE from "three";
import type { ObjectData } from "../data/object";
import { linearTable, type Colormap } from "../model/colours";
import { creased } from "./shape";

export class Flexible {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  /** Displacements of vertices, m. */
  readonly displacement: Float32Array;
  readonly size: number;
  private readonly rest: Float32Array;
  /** What is seen: the recorded frame, how much it is exaggerated, and the colours. Nothing is computed anew while it stays. */
  private frame = -2;
  private bent = 0;
  private painted = "";
  private most = 0;

  constructor(
    readonly body: number,
    readonly object: ObjectData,
    offset: readonly number[],
  ) {
    const geometry = creased(object.surface).translate(offset[0]!, offset[1]!, offset[2]!);
    const count = geometry.getAttribute("position").count;
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * count).fill(1), 3));
    this.mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.55, side: THREE.DoubleSide }));
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.rest = Float32Array.from(geometry.getAttribute("position").array);
    this.displacement = new Float32Array(object.surface.positions.length);
    this.size = new THREE.Box3().setFromArray(object.surface.positions).getSize(new THREE.Vector3()).length();
  }

  /** Shows a recorded frame, bent by so many times its displacement; tells how far the farthest point moves, m. */
  show(frame: number, displace: (out: Float32Array) => number, exaggeration: number): number {
    if (frame === this.frame && exaggeration === this.bent) return this.most;
    if (frame !== this.frame) this.most = displace(this.displacement);
    [this.frame, this.bent] = [frame, exaggeration];
    this.bend(exaggeration);
    return this.most;
  }

  private bend(exaggeration: number): void {
    const position = this.mesh.geometry.getAttribute("position");
    const array = position.array as Float32Array;
    this.object.surface.triangles.forEach((vertex, corner) => {
      for (let k = 0; k < 3; k++) array[3 * corner + k] = this.rest[3 * corner + k]! + exaggeration * this.displacement[3 * vertex + k]!;
    });
    position.needsUpdate = true;
  }

  /** One colour in linear light, or one for how far each point moves, as a share of the most that any point of the run does. */
  paint(plain: readonly number[] | undefined, map: Colormap, most: number): void {
    const what = plain ? plain.join() : [map, most, this.frame].join();
    if (what === this.painted) return;
    this.painted = what;
    const colour = this.mesh.geometry.getAttribute("color");
    const [u, table, scale] = [this.displacement, linearTable(map), 255 / (most || 1)];
    this.object.surface.triangles.forEach((vertex, corner) => {
      const at = 3 * vertex;
      const step = plain ? 0 : 3 * Math.min(Math.floor(scale * Math.hypot(u[at]!, u[at + 1]!, u[at + 2]!)), 255);
      const rgb = plain ?? table.subarray(step, step + 3);
      colour.setXYZ(corner, rgb[0]!, rgb[1]!, rgb[2]!);
    });
    colour.needsUpdate = true;
  }
}
