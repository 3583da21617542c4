/** Where the energy is and where it went, frame by frame, and how that is stacked. */
import type { Segment } from "../data/table";

/** What there is, then what was taken: bands from below to above, with words for people. */
export const BANDS = [
  { column: "kinetic", label: "motion", colour: "#0072b2" },
  { column: "potential", label: "height", colour: "#56b4e9" },
  { column: "elastic", label: "springs", colour: "#44aa99" },
  { column: "vibrational", label: "vibration", colour: "#009e73" },
  { column: "restitution", label: "lost in impacts", colour: "#d55e00" },
  { column: "friction", label: "friction", colour: "#e69f00" },
  { column: "damping", label: "damping", colour: "#cc79a7" },
  { column: "jam", label: "jams", colour: "#8c6d31" },
  { column: "stabilization", label: "stabilization", colour: "#7f7f7f" },
  { column: "integrator", label: "integrator", colour: "#b0b0b0" },
] as const;

export interface Band {
  label: string;
  colour: string;
  /** Lower and upper border at each frame, J. */
  from: number[];
  to: number[];
}

export class Ledger {
  readonly times: number[] = [];
  private readonly columns = new Map<string, number[]>(BANDS.map(({ column }) => [column, []]));

  add(segment: Segment): void {
    const time = segment.numbers("time");
    for (let row = 0; row < segment.rows; row++) this.times.push(time[row]!);
    for (const [name, values] of this.columns) {
      const column = segment.has(name) ? segment.numbers(name) : undefined;
      for (let row = 0; row < segment.rows; row++) values.push(column ? column[row]! : 0);
    }
  }

  /** A column at a frame, J. */
  value(column: string, frame: number): number {
    return this.columns.get(column)?.[frame] ?? 0;
  }

  /**
   * Bands that lie on each other: positive ones upwards from zero, negative ones downwards. Height is counted from the lowest
   * that it ever is, as only differences of it mean something. Bands that are nowhere seen are left out.
   */
  stacked(): Band[] {
    const frames = this.times.length;
    const up = new Array<number>(frames).fill(0);
    const down = new Array<number>(frames).fill(0);
    const lowest = this.columns.get("potential")!.reduce((low, x) => Math.min(low, x), Infinity);
    const bands = BANDS.map(({ column, label, colour }): Band => {
      const values = this.columns.get(column)!;
      const from: number[] = [];
      const to: number[] = [];
      for (let i = 0; i < frames; i++) {
        const value = column === "potential" ? values[i]! - lowest : values[i]!;
        const side = value >= 0 ? up : down;
        from.push(side[i]!);
        side[i] = side[i]! + value;
        to.push(side[i]!);
      }
      return { label, colour, from, to };
    });
    const total = Math.max(...up, 0) - Math.min(...down, 0);
    return bands.filter(({ from, to }) => to.some((x, i) => Math.abs(x - from[i]!) > 1e-3 * total));
  }
}
