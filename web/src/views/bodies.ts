/**
 * The bodies of a run: copies of one surface are drawn together, as instances, so that a hundred thousand discs cost one
 * call. Floors and walls without end are patches under all that happens.
 */
import * as THREE from "three";
import type { Surface } from "../data/ply";
import type { Recording, Vector } from "../data/recording";
import { colourOf, linear, linearTable, type Colormap } from "../model/colours";
import { POSE_STRIDE } from "../model/motion";
import { Flexible } from "./flexible";
import { creased, geometryOf, MANY, shadeLike } from "./shape";

export type ColourBy = "body" | "speed" | "bounciness" | "vibration";

interface Group {
  mesh: THREE.InstancedMesh;
  /** The same instances painted with their bounce map. */
  painted: THREE.InstancedMesh | undefined;
  /** The body of each instance. */
  bodies: number[];
}

export class Bodies {
  readonly root = new THREE.Group();
  readonly poses: Float32Array;
  private readonly groups: Group[] = [];
  /** The colour of each body in linear light. */
  private readonly own: Float32Array;
  private colouredBy: ColourBy | undefined;
  /** Bodies that vibrate. */
  readonly flexible: Flexible[] = [];
  private readonly patches: { body: number; mesh: THREE.Mesh }[] = [];
  /** From the centre of mass of each body to its farthest point. */
  private readonly reachOf: number[] = [];
  private readonly matrix = new THREE.Matrix4();
  private readonly position = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  /** The middle of what happens. */
  private readonly middle = new THREE.Vector3();
  private readonly one = new THREE.Vector3(1, 1, 1);

  constructor(private readonly recording: Recording) {
    this.poses = recording.motion.room();
    this.own = Float32Array.from(recording.info.bodies.flatMap(({ colour }) => colour.map((channel) => linear(channel / 255))));
    const groups = new Map<string, number[]>();
    recording.info.bodies.forEach((body, number) => {
      if (!("surface" in body.look)) return;
      const object = recording.objects.get(number);
      if (object) return this.addFlexible(new Flexible(number, object, body.look.surface.offset));
      // A body with a map is drawn apart from those of the same form without.
      const key = JSON.stringify([body.look.surface, recording.maps.has(number)]);
      const group = groups.get(key);
      if (group) group.push(number);
      else groups.set(key, [number]);
    });
    for (const [key, bodies] of groups) {
      const [{ surface, offset }] = JSON.parse(key) as [{ surface: number; offset: Vector }, boolean];
      const map = recording.maps.get(bodies[0]!);
      const painted = map && paintedGeometry(map, recording.surfaces[surface]!, offset);
      this.addGroup(geometryOf(recording.surfaces[surface]!, offset, bodies.length), painted, bodies);
    }
  }

  private addFlexible(flexible: Flexible): void {
    this.flexible.push(flexible);
    this.root.add(flexible.mesh);
    const sphere = new THREE.Sphere();
    new THREE.Box3().setFromObject(flexible.mesh).getBoundingSphere(sphere);
    this.reachOf[flexible.body] = sphere.center.length() + sphere.radius;
  }

  private addGroup(geometry: THREE.BufferGeometry, map: THREE.BufferGeometry | undefined, bodies: number[]): void {
    const mesh = instances(geometry, bodies.length, false);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    const painted = map && instances(map, bodies.length, true);
    if (painted) {
      painted.instanceMatrix = mesh.instanceMatrix;
      painted.visible = false;
      this.root.add(painted);
    }
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * bodies.length), 3);
    geometry.computeBoundingSphere();
    const sphere = geometry.boundingSphere!;
    for (const body of bodies) this.reachOf[body] = sphere.center.length() + sphere.radius;
    this.groups.push({ mesh, painted, bodies });
    this.root.add(mesh);
  }

  /** Points around bodies in frames spread over the run: what a camera has to see. What flies far away is not followed. */
  seen(): THREE.Vector3[] {
    const start = new THREE.Box3();
    const points: THREE.Vector3[] = [];
    const flat = this.recording.info.dimension === 2;
    // Of very many bodies some stand for all.
    const stride = Math.ceil(this.recording.info.bodies.length / 500);
    let frames = 0;
    this.recording.motion.visit(48, (body, x, y, z) => {
      if (body === 0) frames++;
      const reach = this.reachOf[body];
      if (reach === undefined || (body % stride !== 0 && frames > 1)) return;
      for (const [dx, dy, dz] of [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]] as const) {
        const point = new THREE.Vector3(x + dx * reach, y + dy * reach, flat ? z : z + dz * reach);
        if (frames === 1) start.expandByPoint(point);
        points.push(point);
      }
    });
    if (start.isEmpty()) return [new THREE.Vector3(-0.5, 0, -0.5), new THREE.Vector3(0.5, 1, 0.5)];
    start.expandByScalar(0.75 * start.getSize(new THREE.Vector3()).length());
    for (const point of points) point.clamp(start.min, start.max);
    return points;
  }

  /** Patches of floors and walls, as large as what happens. */
  layFloors(bounds: THREE.Box3, colour: string): void {
    for (const { mesh } of this.patches) this.root.remove(mesh);
    this.patches.length = 0;
    const half = 1.5 * bounds.getSize(new THREE.Vector3()).length();
    this.recording.info.bodies.forEach((body, number) => {
      if (!("half_space" in body.look)) return;
      const normal = new THREE.Vector3(...body.look.half_space.normal).normalize();
      const flat = this.recording.info.dimension === 2;
      const geometry = flat ? slab(half, bounds) : new THREE.CircleGeometry(half, 96);
      geometry.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(flat ? UP : AHEAD, normal));
      const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.95 });
      // A plane without end has no border: it fades into the distance. From behind it hides nothing, and walls stand back.
      if (!flat) Object.assign(material, { transparent: true, alphaMap: fading(), depthWrite: false, opacity: normal.y > 0.5 ? 1 : 0.35 });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.receiveShadow = true;
      this.root.add(mesh);
      this.patches.push({ body: number, mesh });
    });
    this.middle.copy(bounds.getCenter(new THREE.Vector3()));
  }

  /** Floors in the colours of the page. */
  paintFloors(colour: string): void {
    for (const { mesh } of this.patches) (mesh.material as THREE.MeshStandardMaterial).color.set(colour);
  }

  /** Moves everything to where it is at a time. */
  moveTo(time: number): void {
    this.recording.motion.sample(time, this.poses);
    for (const { mesh, bodies } of this.groups) {
      for (let i = 0; i < bodies.length; i++) {
        this.readPose(bodies[i]!);
        this.matrix.compose(this.position, this.turn, this.one).toArray(mesh.instanceMatrix.array, 16 * i);
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    for (const { body, mesh } of this.flexible) {
      this.readPose(body);
      mesh.position.copy(this.position);
      mesh.quaternion.copy(this.turn);
    }
    for (const { body, mesh } of this.patches) {
      this.readPose(body);
      mesh.quaternion.copy(this.turn);
      // The patch lies under the middle of what happens, wherever the plane's own point is.
      const normal = AHEAD.clone().set(...(this.recording.info.bodies[body]!.look as { half_space: { normal: Vector } }).half_space.normal);
      normal.applyQuaternion(this.turn);
      const height = this.middle.clone().sub(this.position).dot(normal);
      mesh.position.copy(this.middle).addScaledVector(normal, -height);
    }
  }

  /** Bends bodies that vibrate by so many times what they do; tells how far the farthest point moves, m. */
  vibrate(time: number, exaggeration: number): number {
    const { motion, vibration } = this.recording;
    const frameTime = motion.times[motion.frameAt(time)] ?? 0;
    const frame = vibration.frameAt(time, frameTime);
    let most = 0;
    for (const flexible of this.flexible) {
      const displace = (out: Float32Array) => vibration.displace(flexible.body, flexible.object, frame, out);
      most = Math.max(most, flexible.show(frame, displace, exaggeration));
    }
    return most;
  }

  /** Colours bodies by what they are, how fast they are, how bouncy at each point, or how far each point moves. */
  colour(by: ColourBy, map: Colormap, mostDisplaced: number): void {
    const scale = 255 / (this.recording.motion.fastest || 1);
    const table = by === "speed" ? linearTable(map) : this.own;
    const stepOf = (body: number) => Math.min(Math.floor(scale * this.poses[POSE_STRIDE * body + 7]!), 255);
    // Colours of bodies do not change by themselves: thousands of them are not written anew at every picture.
    const again = by === "speed" || by !== this.colouredBy;
    this.colouredBy = by;
    for (const { mesh, painted, bodies } of this.groups) {
      if (!again) break;
      mesh.visible = by !== "bounciness" || !painted;
      if (painted) painted.visible = !mesh.visible;
      const colours = mesh.instanceColor!.array;
      for (let i = 0; i < bodies.length; i++) {
        const at = 3 * (by === "speed" ? stepOf(bodies[i]!) : bodies[i]!);
        for (let k = 0; k < 3; k++) colours[3 * i + k] = by === "body" || by === "speed" ? table[at + k]! : PLAIN;
      }
      mesh.instanceColor!.needsUpdate = true;
    }
    for (const flexible of this.flexible) {
      const at = 3 * (by === "speed" ? stepOf(flexible.body) : flexible.body);
      const plain = by === "bounciness" ? [PLAIN, PLAIN, PLAIN] : [table[at]!, table[at + 1]!, table[at + 2]!];
      flexible.paint(by === "vibration" ? undefined : plain, map, mostDisplaced);
    }
  }

  /** Where a body is. */
  positionOf(body: number): THREE.Vector3 {
    const at = POSE_STRIDE * body;
    return new THREE.Vector3(this.poses[at], this.poses[at + 1], this.poses[at + 2]);
  }

  speedOf(body: number): number {
    return this.poses[POSE_STRIDE * body + 7]!;
  }

  /** The body that a ray meets first. */
  pick(ray: THREE.Raycaster): number | undefined {
    const hit = ray.intersectObjects([...this.groups, ...this.flexible].map(({ mesh }) => mesh), false)[0];
    if (hit?.instanceId === undefined) return this.flexible.find(({ mesh }) => mesh === hit?.object)?.body;
    return this.groups.find(({ mesh }) => mesh === hit.object)?.bodies[hit.instanceId];
  }

  private readPose(body: number): void {
    const at = POSE_STRIDE * body;
    this.position.fromArray(this.poses, at);
    this.turn.fromArray(this.poses, at + 3);
  }
}

/** Linear light of bodies that have nothing to show: grey. */
const PLAIN = 0.35;
const AHEAD = new THREE.Vector3(0, 0, 1);
const UP = new THREE.Vector3(0, 1, 0);

function instances(geometry: THREE.BufferGeometry, count: number, vertexColors: boolean): THREE.InstancedMesh {
  // Light on many bodies is counted corner by corner on the graphics card: dull bodies cost it a fraction.
  const dull = count > MANY;
  const look = { side: THREE.DoubleSide, vertexColors };
  const material = dull ? new THREE.MeshLambertMaterial(look) : new THREE.MeshStandardMaterial({ ...look, roughness: 0.55, metalness: 0.05 });
  const mesh = new THREE.InstancedMesh(geometry, material, count);
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  return mesh;
}

/** A surface coloured by its bounce map, shaded as the body is. */
function paintedGeometry(map: Surface, body: Surface, offset: Vector): THREE.BufferGeometry {
  const geometry = creased(map);
  shadeLike(geometry, creased(body));
  const restitution = map.faceNumbers["restitution"];
  const colours = new Float32Array(9 * (restitution?.length ?? 0));
  restitution?.forEach((value, face) => {
    const rgb = colourOf("viridis", value).map(linear);
    for (let k = 0; k < 3; k++) colours.set(rgb, 9 * face + 3 * k);
  });
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return geometry.translate(...offset);
}

/** The border of a half-plane: a thin bar whose upper side is the border. */
function slab(half: number, bounds: THREE.Box3): THREE.BufferGeometry {
  const thickness = 0.012 * bounds.getSize(new THREE.Vector3()).length();
  return new THREE.BoxGeometry(2 * half, thickness, 2 * thickness).translate(0, -thickness / 2, 0);
}

/** White in the middle, black at the border. */
function fading(): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const pen = canvas.getContext("2d")!;
  const shades = pen.createRadialGradient(128, 128, 0, 128, 128, 128);
  shades.addColorStop(0.35, "#fff");
  shades.addColorStop(1, "#000");
  pen.fillStyle = shades;
  pen.fillRect(0, 0, 256, 256);
  return new THREE.CanvasTexture(canvas);
}
