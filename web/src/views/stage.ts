/**
 * The stage: one canvas, one camera that orbits, and one scene per side, drawn beside each other.
 * Nothing is drawn unless something changed.
 */
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Failure } from "../data/failure";

/** From where a scene is first seen. */
export interface Viewpoint {
  /** Radians around the vertical, from the front to the right. */
  azimuth: number;
  elevation: number;
  /** Radians, vertically. */
  fieldOfView: number;
}

export const FRONT: Viewpoint = { azimuth: 0, elevation: 0.07, fieldOfView: 0.25 };
export const CORNER: Viewpoint = { azimuth: 0.6, elevation: 0.36, fieldOfView: 0.5 };

export class Stage {
  readonly camera = new THREE.PerspectiveCamera();
  readonly controls: OrbitControls;
  readonly scenes: THREE.Scene[] = [];
  private readonly renderer: THREE.WebGLRenderer;
  private readonly lights: THREE.DirectionalLight[] = [];
  private readonly home = { position: new THREE.Vector3(), target: new THREE.Vector3() };
  private stale = true;

  constructor(
    readonly canvas: HTMLCanvasElement,
    sides: number,
  ) {
    this.renderer = makeRenderer(canvas);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setScissorTest(true);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    for (let i = 0; i < sides; i++) {
      const scene = new THREE.Scene();
      const sun = new THREE.DirectionalLight(0xffffff, 2.2);
      sun.castShadow = true;
      sun.shadow.mapSize.set(2048, 2048);
      sun.shadow.radius = 3;
      scene.add(new THREE.HemisphereLight(0xffffff, 0x8f8a85, 1.5), sun, sun.target);
      this.scenes.push(scene);
      this.lights.push(sun);
    }
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.touch());
    new ResizeObserver(() => this.touch()).observe(canvas);
  }

  /** Something changed: draw at the next opportunity. */
  touch(): void {
    this.stale = true;
  }

  setBackground(colour: string): void {
    for (const scene of this.scenes) scene.background = new THREE.Color(colour);
    this.touch();
  }

  /** Shadows are worth their time for some bodies, not for thousands. */
  setShadows(on: boolean): void {
    for (const light of this.lights) light.castShadow = on;
  }

  /** Stands so that all points are seen, as large as may be, and lights them. */
  frame(points: THREE.Vector3[], from: Viewpoint): void {
    const box = new THREE.Box3().setFromPoints(points);
    const reach = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-6);
    const backwards = new THREE.Vector3(
      Math.sin(from.azimuth) * Math.cos(from.elevation),
      Math.sin(from.elevation),
      Math.cos(from.azimuth) * Math.cos(from.elevation),
    );
    this.camera.fov = THREE.MathUtils.radToDeg(from.fieldOfView);
    this.camera.aspect = this.aspect();
    const { centre, distance } = placeToSee(points, backwards, from.fieldOfView, this.camera.aspect);
    this.camera.near = Math.max(distance - 60 * reach, distance / 300);
    this.camera.far = distance + 60 * reach;
    this.camera.position.copy(centre).addScaledVector(backwards, distance);
    this.controls.target.copy(centre);
    this.controls.minDistance = 0.05 * reach;
    this.controls.maxDistance = 20 * distance;
    this.controls.update();
    this.home.position.copy(this.camera.position);
    this.home.target.copy(centre);
    for (const light of this.lights) {
      light.position.copy(centre).add(new THREE.Vector3(-0.5, 1.6, 0.9).multiplyScalar(2 * reach));
      light.target.position.copy(centre);
      const shadow = light.shadow.camera;
      Object.assign(shadow, { left: -1.3 * reach, right: 1.3 * reach, top: 1.3 * reach, bottom: -1.3 * reach, near: 0.1 * reach, far: 8 * reach });
      shadow.updateProjectionMatrix();
      light.shadow.normalBias = 0.004 * reach;
    }
    this.touch();
  }

  /** Back to where the camera first stood. */
  goHome(): void {
    this.camera.position.copy(this.home.position);
    this.controls.target.copy(this.home.target);
    this.controls.update();
    this.touch();
  }

  /** Moves camera and target together. */
  carry(by: THREE.Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
    this.touch();
  }

  /** Draws if something changed; tells whether it did. */
  draw(): boolean {
    if (!this.stale) return false;
    this.stale = false;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return false;
    const size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== width || size.y !== height) this.renderer.setSize(width, height, false);
    this.camera.aspect = this.aspect();
    this.camera.updateProjectionMatrix();
    const share = width / this.scenes.length;
    this.scenes.forEach((scene, i) => {
      this.renderer.setViewport(i * share, 0, share, height);
      this.renderer.setScissor(i * share, 0, share, height);
      this.renderer.render(scene, this.camera);
    });
    return true;
  }

  /** The side under a place of the page, and where that is there in [−1, 1]². */
  locate(x: number, y: number): { side: number; place: THREE.Vector2 } {
    const box = this.canvas.getBoundingClientRect();
    const share = box.width / this.scenes.length;
    const side = Math.min(Math.max(Math.floor((x - box.left) / share), 0), this.scenes.length - 1);
    const across = (x - box.left - side * share) / share;
    return { side, place: new THREE.Vector2(2 * across - 1, 1 - (2 * (y - box.top)) / box.height) };
  }

  /** Where a point of a side is on the page; none if it is behind the camera. */
  project(side: number, point: THREE.Vector3): { x: number; y: number } | undefined {
    const box = this.canvas.getBoundingClientRect();
    const share = box.width / this.scenes.length;
    const seen = point.clone().project(this.camera);
    if (seen.z > 1) return undefined;
    return { x: box.left + (side + (seen.x + 1) / 2) * share, y: box.top + ((1 - seen.y) / 2) * box.height };
  }

  private aspect(): number {
    return this.canvas.clientWidth / this.scenes.length / Math.max(this.canvas.clientHeight, 1) || 1;
  }
}

function makeRenderer(canvas: HTMLCanvasElement): THREE.WebGLRenderer {
  // Asked first, because three.js fills the console before it fails.
  if (!document.createElement("canvas").getContext("webgl2")) throw Failure.noWebGl();
  try {
    return new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  } catch {
    throw Failure.noWebGl();
  }
}

/** What a camera must look at, and from how far, to see every point in the middle of its picture. */
export function placeToSee(points: THREE.Vector3[], backwards: THREE.Vector3, fieldOfView: number, aspect: number): { centre: THREE.Vector3; distance: number } {
  const right = new THREE.Vector3(0, 1, 0).cross(backwards).normalize();
  const up = backwards.clone().cross(right);
  const centre = new THREE.Box3().setFromPoints(points).getCenter(new THREE.Vector3());
  for (const axis of [right, up]) {
    const along = points.map((point) => point.dot(axis));
    const middle = along.reduce((a, b) => Math.min(a, b), Infinity) / 2 + along.reduce((a, b) => Math.max(a, b), -Infinity) / 2;
    centre.addScaledVector(axis, middle - centre.dot(axis));
  }
  const tangent = Math.tan(fieldOfView / 2) * 0.9;
  let distance = 0;
  for (const point of points) {
    const place = point.clone().sub(centre);
    const need = Math.max(Math.abs(place.dot(right)) / (tangent * aspect), Math.abs(place.dot(up)) / tangent);
    distance = Math.max(distance, need + place.dot(backwards));
  }
  return { centre, distance };
}

/** The corners of a box. */
export function cornersOf({ min, max }: THREE.Box3): THREE.Vector3[] {
  return Array.from({ length: 8 }, (_, i) => new THREE.Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}
