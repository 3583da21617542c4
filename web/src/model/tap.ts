/**
 * The sound of a tap, from the modes: the velocity of the struck point along the inward normal after an impulse of 1 N s,
 * v(t) = Σ a² d/dt [exp(−dt) sin(ω_d t)/ω_d] with a = φ(p)·n and d = (α + βω²)/2. The same as `carom sound --tap --dry`, but
 * for φ, which is interpolated on the triangle here and read in the cells there.
 */
import type { Material, ObjectData } from "../data/object";

export interface Partial {
  /** Hz, of the damped oscillation. */
  frequency: number;
  /** 1/s. */
  decay: number;
  /** m/s per N s. */
  amplitude: number;
}

/** A point of a surface: a triangle, and weights of its corners. */
export interface Place {
  triangle: number;
  weights: [number, number, number];
}

/** How far a material differs from the one that was baked: factors of stiffness, density and damping. */
export interface Change {
  stiffness: number;
  density: number;
  alpha: number;
  beta: number;
}

export const UNCHANGED: Change = { stiffness: 1, density: 1, alpha: 1, beta: 1 };

/** Frequency and decay of a mode. Modes keep their form: ω goes as √(E/ρ) while Poisson's ratio stays. */
export function ringing(frequency: number, { damping }: Material, change: Change): { frequency: number; decay: number } {
  const omega = 2 * Math.PI * frequency * Math.sqrt(change.stiffness / change.density);
  const decay = 0.5 * (change.alpha * damping.alpha + change.beta * damping.beta * omega * omega);
  return { frequency: Math.sqrt(Math.max(omega * omega - decay * decay, 0)) / (2 * Math.PI), decay };
}

/** The outward normal of a triangle. */
export function normalOf({ surface }: ObjectData, triangle: number): [number, number, number] {
  const corner = (k: number) => {
    const v = 3 * surface.triangles[3 * triangle + k]!;
    return [surface.positions[v]!, surface.positions[v + 1]!, surface.positions[v + 2]!] as const;
  };
  const [a, b, c] = [corner(0), corner(1), corner(2)];
  const u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]] as const;
  const w = [c[0] - a[0], c[1] - a[1], c[2] - a[2]] as const;
  const n: [number, number, number] = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
  const length = Math.hypot(...n) || 1;
  return [n[0] / length, n[1] / length, n[2] / length];
}

/** What rings when a body is tapped at a place. */
export function tapPartials(object: ObjectData, place: Place, change: Change = UNCHANGED): Partial[] {
  const normal = normalOf(object, place.triangle);
  const vertices = object.surface.positions.length / 3;
  return Array.from(object.frequencies, (baked, mode) => {
    let a = 0;
    for (let k = 0; k < 3; k++) {
      const at = 3 * (mode * vertices + object.surface.triangles[3 * place.triangle + k]!);
      for (let axis = 0; axis < 3; axis++) a += place.weights[k]! * object.shapes[at + axis]! * normal[axis]!;
    }
    // Mode shapes are 1/√kg: a denser body of the same form moves less.
    return { ...ringing(baked, object.material, change), amplitude: (a * a) / change.density };
  });
}

/** Samples of ringing partials, m/s. What a rate cannot carry is left out. */
export function synthesize(partials: Partial[], seconds: number, rate: number): Float32Array<ArrayBuffer> {
  const sum = new Float64Array(Math.ceil(seconds * rate));
  for (const { frequency, decay, amplitude } of partials) {
    const omega = 2 * Math.PI * frequency;
    if (amplitude === 0 || frequency <= 0 || frequency >= rate / 2) continue;
    // exp(−dt)(cos ωt − d/ω sin ωt), turned on from sample to sample.
    const shrink = Math.exp(-decay / rate);
    const [c, s] = [shrink * Math.cos(omega / rate), shrink * Math.sin(omega / rate)];
    let [re, im] = [amplitude, 0];
    for (let i = 0; i < sum.length; i++) {
      sum[i]! += re - (decay / omega) * im;
      [re, im] = [c * re - s * im, s * re + c * im];
    }
  }
  return Float32Array.from(sum);
}

/** How long it takes until every partial has fallen to this share of the loudest, between a tenth of a second and four. */
export function duration(partials: Partial[], share: number): number {
  const loudest = Math.max(...partials.map(({ amplitude }) => amplitude), 1e-300);
  const ends = partials.map(({ amplitude, decay }) => Math.log(Math.max(amplitude / (share * loudest), 1)) / Math.max(decay, 1e-9));
  return Math.min(Math.max(...ends, 0.1), 4);
}
