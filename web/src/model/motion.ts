/**
 * Where bodies are at any time: frames as they come in, positions and rotations between them.
 * Positions are interpolated linearly, rotations along the shorter arc: what is between frames is not recorded.
 */
import { Failure } from "../data/failure";
import type { Segment } from "../data/table";

/** Numbers per body and frame: x y z, qx qy qz qw, speed. */
const STRIDE = 8;

export class Motion {
  /** Times of frames, s. */
  readonly times: number[] = [];
  private readonly frames: Float32Array[] = [];
  /** The greatest speed so far, m/s. */
  fastest = 0;

  constructor(readonly bodies: number) {}

  /** Frames of a segment: all bodies in every frame, in order. */
  add(segment: Segment, file: string): void {
    const { bodies } = this;
    if (bodies === 0 || segment.rows % bodies !== 0) {
      throw Failure.truncated(file, `it has ${segment.rows} rows, which are no whole frames of ${bodies} bodies`);
    }
    const time = segment.numbers("time");
    const body = segment.numbers("body");
    const pose = ["x", "y", "z", "qx", "qy", "qz", "qw"].map((name) => segment.numbers(name));
    const [vx, vy, vz] = ["vx", "vy", "vz"].map((name) => segment.numbers(name)) as [ArrayLike<number>, ArrayLike<number>, ArrayLike<number>];
    for (let begin = 0; begin < segment.rows; begin += bodies) {
      const frame = new Float32Array(STRIDE * bodies);
      for (let b = 0, row = begin; b < bodies; b++, row++) {
        if (body[row] !== b) throw Failure.truncated(file, `row ${row} is of body ${body[row]}, expected ${b}`);
        for (let k = 0; k < 7; k++) frame[STRIDE * b + k] = pose[k]![row]!;
        const speed = Math.hypot(vx[row]!, vy[row]!, vz[row]!);
        frame[STRIDE * b + 7] = speed;
        if (speed > this.fastest) this.fastest = speed;
      }
      this.frames.push(frame);
      this.times.push(time[begin]!);
    }
  }

  get frameCount(): number {
    return this.frames.length;
  }

  /** The last time that is known, s. */
  get end(): number {
    return this.times.length > 0 ? this.times[this.times.length - 1]! : 0;
  }

  /** The last frame that is not after a time. */
  frameAt(time: number): number {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  /** All poses at a time: x y z, qx qy qz qw, speed for each body. */
  sample(time: number, out: Float32Array): void {
    const first = this.frameAt(time);
    const a = this.frames[first];
    if (!a) return;
    const b = this.frames[first + 1];
    const from = this.times[first]!;
    const share = b ? Math.min(Math.max((time - from) / (this.times[first + 1]! - from), 0), 1) : 0;
    if (!b || share === 0) {
      out.set(a);
      return;
    }
    for (let i = 0; i < out.length; i += STRIDE) {
      let dot = 0;
      for (let k = 3; k < 7; k++) dot += a[i + k]! * b[i + k]!;
      const turn = dot < 0 ? -share : share;
      let norm = 0;
      for (let k = 0; k < 3; k++) out[i + k] = a[i + k]! + share * (b[i + k]! - a[i + k]!);
      for (let k = 3; k < 7; k++) {
        const value = (1 - share) * a[i + k]! + turn * b[i + k]!;
        out[i + k] = value;
        norm += value * value;
      }
      norm = Math.sqrt(norm) || 1;
      for (let k = 3; k < 7; k++) out[i + k]! /= norm;
      out[i + 7] = a[i + 7]! + share * (b[i + 7]! - a[i + 7]!);
    }
  }

  /** Room for what `sample` gives. */
  room(): Float32Array {
    return new Float32Array(STRIDE * this.bodies);
  }

  /** Calls with the position of every body in some of the frames. */
  visit(mostFrames: number, see: (body: number, x: number, y: number, z: number) => void): void {
    const step = Math.max(1, Math.ceil(this.frames.length / mostFrames));
    for (let f = 0; f < this.frames.length; f += step) {
      const frame = this.frames[f]!;
      for (let b = 0; b < this.bodies; b++) see(b, frame[STRIDE * b]!, frame[STRIDE * b + 1]!, frame[STRIDE * b + 2]!);
    }
  }
}

export { STRIDE as POSE_STRIDE };
