/** An object on the stage: painted with its bounce map, or bent by one of its modes. */
import * as THREE from "three";
import type { ObjectData } from "../data/object";
import type { Surface } from "../data/ply";
import { colourOf, linear, type Colormap } from "../model/colours";
import type { Place } from "../model/tap";
import { creased, shadeLike } from "./shape";

export class Solid {
  readonly root = new THREE.Group();
  readonly bounds: THREE.Box3;
  private readonly body: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private readonly painted: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial> | undefined;
  private readonly rest: Float32Array;
  private readonly bend: Float32Array;
  private readonly marker: THREE.Mesh;

  constructor(
    private readonly object: ObjectData,
    private readonly map: Surface | undefined,
  ) {
    this.body = solid(creased(object.surface));
    this.rest = Float32Array.from(this.body.geometry.getAttribute("position").array);
    this.bend = new Float32Array(this.rest.length);
    this.bounds = new THREE.Box3().setFromArray(object.surface.positions);
    const size = this.bounds.getSize(new THREE.Vector3()).length();
    this.marker = new THREE.Mesh(new THREE.SphereGeometry(0.012 * size, 24, 16), new THREE.MeshBasicMaterial({ color: "#e8541a" }));
    this.marker.visible = false;
    this.root.add(this.body, this.marker);
    if (map) {
      this.painted = solid(creased(map));
      shadeLike(this.painted.geometry, this.body.geometry);
      this.root.add(this.painted);
    }
  }

  /** The size of the body, from corner to corner of its box, m. */
  get size(): number {
    return this.bounds.getSize(new THREE.Vector3()).length();
  }

  /** Colours the body by its bounce map, from 0 to 1. */
  paintMap(colours: Colormap): void {
    const values = this.map?.faceNumbers["restitution"];
    if (!this.painted || !values) return;
    paint(this.painted.geometry, (corner) => colourOf(colours, values[Math.floor(corner / 3)]!));
  }

  showMap(): void {
    this.body.visible = !this.painted;
    if (this.painted) this.painted.visible = true;
    else paint(this.body.geometry, () => [0.62, 0.64, 0.66]);
    this.bendBy(0);
  }

  /** Shows a mode, coloured by how far each point moves. */
  showMode(mode: number, colours: Colormap): void {
    const vertices = this.object.surface.positions.length / 3;
    const { triangles } = this.object.surface;
    let most = 0;
    for (let i = 0; i < triangles.length; i++) {
      const at = 3 * (mode * vertices + triangles[i]!);
      for (let k = 0; k < 3; k++) this.bend[3 * i + k] = this.object.shapes[at + k]!;
      most = Math.max(most, Math.hypot(this.bend[3 * i]!, this.bend[3 * i + 1]!, this.bend[3 * i + 2]!));
    }
    for (let i = 0; i < this.bend.length; i++) this.bend[i]! /= most || 1;
    paint(this.body.geometry, (i) => colourOf(colours, Math.hypot(this.bend[3 * i]!, this.bend[3 * i + 1]!, this.bend[3 * i + 2]!)));
    this.body.visible = true;
    if (this.painted) this.painted.visible = false;
    this.marker.visible = false;
  }

  /** Bends the body by the mode that is shown: its farthest point moves by so many metres. */
  bendBy(metres: number): void {
    const position = this.body.geometry.getAttribute("position");
    const array = position.array as Float32Array;
    for (let i = 0; i < array.length; i++) array[i] = this.rest[i]! + metres * this.bend[i]!;
    position.needsUpdate = true;
  }

  /** The place that a ray meets first, and what the map has there. */
  pick(ray: THREE.Raycaster): { place: Place; point: THREE.Vector3; restitution: number | undefined } | undefined {
    this.bendBy(0);
    const hit = ray.intersectObject(this.body, false)[0];
    if (!hit || hit.faceIndex == null) return undefined;
    const corner = (k: number) => new THREE.Vector3().fromArray(this.rest, 9 * hit.faceIndex! + 3 * k);
    const weights = new THREE.Vector3();
    THREE.Triangle.getBarycoord(hit.point, corner(0), corner(1), corner(2), weights);
    const painted = this.painted && ray.intersectObject(this.painted, false)[0];
    const restitution = painted?.faceIndex != null ? this.map?.faceNumbers["restitution"]?.[painted.faceIndex] : undefined;
    return { place: { triangle: hit.faceIndex, weights: [weights.x, weights.y, weights.z] }, point: hit.point, restitution };
  }

  mark(point: THREE.Vector3): void {
    this.marker.position.copy(point);
    this.marker.visible = true;
  }
}

function solid(geometry: THREE.BufferGeometry): THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial> {
  const count = geometry.getAttribute("position").count;
  geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * count).fill(0.6), 3));
  const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.6, metalness: 0, side: THREE.DoubleSide });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  // Bent or not, it is what the camera looks at.
  mesh.frustumCulled = false;
  return mesh;
}

/** Colours corners, given in sRGB. */
function paint(geometry: THREE.BufferGeometry, colour: (corner: number) => readonly number[]): void {
  const attribute = geometry.getAttribute("color");
  for (let i = 0; i < attribute.count; i++) {
    const [r, g, b] = colour(i);
    attribute.setXYZ(i, linear(r!), linear(g!), linear(b!));
  }
  attribute.needsUpdate = true;
}
