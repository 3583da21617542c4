/** What touched: contacts with an impulse, in the order of time. Those that only might have touched are passed over. */
import { Failure } from "../data/failure";
import type { Segment } from "../data/table";

export interface Contact {
  time: number;
  first: number;
  second: number;
  point: [number, number, number];
  normal: [number, number, number];
  /** N s, along the normal. */
  impulse: number;
  /** m/s. */
  approach: number;
  restitution: number;
  isNew: boolean;
}

const COLUMNS = ["x", "y", "z", "nx", "ny", "nz", "normal_impulse", "approach_speed", "restitution"] as const;

export class Contacts {
  /** Times of all contacts, ascending, s. */
  readonly times: number[] = [];
  private readonly bodies: number[] = [];
  private readonly numbers: number[] = [];
  private readonly fresh: boolean[] = [];
  /** The greatest impulse so far, N s. */
  hardest = 0;

  constructor(
    private readonly step: number,
    private readonly bodyCount: number,
  ) {}

  add(segment: Segment, file: string): void {
    const steps = segment.wholes("step");
    const first = segment.numbers("first");
    const second = segment.numbers("second");
    const isNew = segment.numbers("is_new") as unknown as ArrayLike<boolean>;
    const start = segment.has("start") ? segment.numbers("start") : undefined;
    const columns = COLUMNS.map((name) => segment.numbers(name));
    for (let row = 0; row < segment.rows; row++) {
      const impulse = columns[6]![row]!;
      if (!(impulse > 0)) continue;
      if (first[row]! >= this.bodyCount || second[row]! >= this.bodyCount) {
        throw Failure.truncated(file, `row ${row} names bodies ${first[row]} and ${second[row]} of ${this.bodyCount}`);
      }
      const time = start ? start[row]! : steps[row]! * this.step;
      // Asynchronous steps may overlap a little; the order of times is what the flashes rely on.
      this.times.push(Math.max(time, this.times[this.times.length - 1] ?? 0));
      this.bodies.push(first[row]!, second[row]!);
      for (const column of columns) this.numbers.push(column[row]!);
      this.fresh.push(Boolean(isNew[row]));
      if (impulse > this.hardest) this.hardest = impulse;
    }
  }

  get count(): number {
    return this.times.length;
  }

  at(index: number): Contact {
    const n = (k: number) => this.numbers[COLUMNS.length * index + k]!;
    return {
      time: this.times[index]!,
      first: this.bodies[2 * index]!,
      second: this.bodies[2 * index + 1]!,
      point: [n(0), n(1), n(2)],
      normal: [n(3), n(4), n(5)],
      impulse: n(6),
      approach: n(7),
      restitution: n(8),
      isNew: this.fresh[index]!,
    };
  }

  /** The first contact that is not before a time. */
  firstFrom(time: number): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Contacts that began in an interval and those that go on at its end, hardest first. */
  within(from: number, to: number, most: number): number[] {
    const [begin, now, end] = [from, to - 1.25 * this.step, to].map((time) => this.firstFrom(time)) as [number, number, number];
    const found: number[] = [];
    for (let i = begin; i < end; i++) if (i >= now || this.fresh[i]) found.push(i);
    const impulse = (i: number) => this.numbers[COLUMNS.length * i + 6]!;
    found.sort((a, b) => impulse(b) - impulse(a));
    return found.slice(0, most);
  }
}
