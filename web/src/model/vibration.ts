/**
 * How bodies vibrate: coordinates of modes, frame by frame, q in √kg·m. Modes swing much faster than frames come, so nothing
 * is interpolated: what is shown is the frame that was recorded last.
 */
import type { ObjectData } from "../data/object";
import type { Segment } from "../data/table";

export class Vibration {
  /** Times of frames in which something vibrates. */
  readonly times: number[] = [];
  /** Where the rows of each frame begin. */
  private readonly begin: number[] = [];
  private readonly rows: { body: number; mode: number; q: number }[] = [];

  add(segment: Segment): void {
    const [time, q] = [segment.numbers("time"), segment.numbers("q")];
    const [body, mode] = [segment.numbers("body"), segment.numbers("mode")];
    for (let row = 0; row < segment.rows; row++) {
      if (this.times.length === 0 || time[row]! > this.times[this.times.length - 1]!) {
        this.times.push(time[row]!);
        this.begin.push(this.rows.length);
      }
      this.rows.push({ body: body[row]!, mode: mode[row]!, q: q[row]! });
    }
  }

  /** Displacement of every vertex of a body in a frame, in its own axes, m; the greatest length of them is given back. */
  displace(body: number, { shapes, frequencies }: ObjectData, frame: number, out: Float32Array): number {
    out.fill(0);
    if (frame < 0) return 0;
    for (let row = this.begin[frame]!; row < (this.begin[frame + 1] ?? this.rows.length); row++) {
      const { body: other, mode, q } = this.rows[row]!;
      if (other !== body || mode >= frequencies.length) continue;
      const from = mode * out.length;
      for (let i = 0; i < out.length; i++) out[i]! += q * shapes[from + i]!;
    }
    let most = 0;
    for (let i = 0; i < out.length; i += 3) most = Math.max(most, Math.hypot(out[i]!, out[i + 1]!, out[i + 2]!));
    return most;
  }

  /** The frame that is seen at a time, given when the last frame of the motion was; -1 if nothing vibrates. */
  frameAt(time: number, frameTime: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= time + 1e-9) low = middle + 1;
      else high = middle;
    }
    // What no longer vibrates has no rows in later frames.
    return low > 0 && this.times[low - 1]! >= frameTime - 1e-9 ? low - 1 : -1;
  }
}
