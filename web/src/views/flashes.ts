/** Contacts flash where they happen, larger for harder ones, and fade. They are seen through bodies. */
import * as THREE from "three";
import type { Contact, Contacts } from "../model/contacts";

/** So many at a time at most; the hardest are shown. */
const MOST = 400;

export class Flashes {
  readonly points: THREE.Points;
  private shown: { contact: Contact; size: number; strength: number }[] = [];
  private readonly geometry = new THREE.BufferGeometry();
  private readonly material: THREE.ShaderMaterial;

  constructor(private readonly contacts: Contacts) {
    this.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * MOST), 3));
    this.geometry.setAttribute("look", new THREE.BufferAttribute(new Float32Array(2 * MOST), 2));
    this.material = new THREE.ShaderMaterial({
      transparent: true,
      depthTest: false,
      depthWrite: false,
      uniforms: { colour: { value: new THREE.Color("#ff5a1f") }, pixels: { value: Math.min(window.devicePixelRatio, 2) } },
      vertexShader: `
        attribute vec2 look; // size in pixels, strength
        uniform float pixels;
        varying float strength;
        void main() {
          strength = look.y;
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_PointSize = look.x * pixels;
        }`,
      fragmentShader: `
        uniform vec3 colour;
        varying float strength;
        void main() {
          float r = 2.0 * length(gl_PointCoord - 0.5);
          if (r > 1.0) discard;
          float core = smoothstep(0.42, 0.30, r);
          float ring = smoothstep(0.72, 0.84, r) * smoothstep(1.0, 0.9, r);
          gl_FragColor = vec4(mix(colour, vec3(1.0, 0.93, 0.7), core * 0.5), strength * max(core, max(0.7 * ring, 0.06)));
          #include <colorspace_fragment>
        }`,
    });
    this.points = new THREE.Points(this.geometry, this.material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 10;
  }

  /** Shows what touched in the interval that ends now; older contacts are fainter. */
  show(from: number, to: number): void {
    const position = this.geometry.getAttribute("position");
    const look = this.geometry.getAttribute("look");
    const contacts = this.contacts.within(from, to, MOST).map((index) => this.contacts.at(index));
    // Where two bodies touch at many points at once, each point is fainter: the blow is one.
    const key = ({ first, second, time }: Contact) => `${first} ${second} ${time}`;
    const points = new Map<string, number>();
    for (const contact of contacts) points.set(key(contact), (points.get(key(contact)) ?? 0) + 1);
    this.shown = contacts.map((contact) => {
      const age = (to - contact.time) / Math.max(to - from, 1e-12);
      const share = 1 / Math.sqrt(points.get(key(contact))!);
      const strength = (contact.isNew ? 0.9 * (1 - age) ** 2 + 0.1 : 0.35) * Math.max(share, 0.3);
      return { contact, size: this.size(contact.impulse) * Math.max(share, 0.3), strength };
    });
    this.shown.forEach(({ contact, size, strength }, i) => {
      position.setXYZ(i, ...contact.point);
      look.setXY(i, Math.max(size, 6), strength);
    });
    this.geometry.setDrawRange(0, this.shown.length);
    position.needsUpdate = true;
    look.needsUpdate = true;
  }

  /** The flash nearest to a place of the page, with its distance in pixels. */
  near(project: (point: THREE.Vector3) => { x: number; y: number } | undefined, x: number, y: number): Contact | undefined {
    let best: { contact: Contact; distance: number } | undefined;
    for (const { contact, size } of this.shown) {
      const seen = project(new THREE.Vector3(...contact.point));
      if (!seen) continue;
      const distance = Math.hypot(seen.x - x, seen.y - y);
      if (distance <= Math.max(10, size / 2) && (!best || distance < best.distance)) best = { contact, distance };
    }
    return best?.contact;
  }

  private size(impulse: number): number {
    return 6 + 26 * Math.sqrt(impulse / (this.contacts.hardest || 1));
  }
}
