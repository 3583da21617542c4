/** Segments of a recording: Arrow files, whose columns are taken by name. */
import { tableFromIPC } from "apache-arrow";
import { Failure } from "./failure";

const MAGIC = "ARROW1";

export class Segment {
  private constructor(
    private readonly file: string,
    readonly rows: number,
    private readonly columns: Map<string, ArrayLike<number | bigint | boolean>>,
  ) {}

  static read(file: string, bytes: Uint8Array): Segment {
    // A file that lost its end would be read as a stream and seem complete: both ends must be there.
    const text = (from: number) => String.fromCharCode(...bytes.subarray(from, from + MAGIC.length));
    if (bytes.length < 2 * MAGIC.length || text(0) !== MAGIC) throw Failure.truncated(file, "it does not begin as an Arrow file");
    if (text(bytes.length - MAGIC.length) !== MAGIC) throw Failure.truncated(file, `it ends too early, after ${bytes.length} bytes`);
    try {
      const table = tableFromIPC(bytes);
      const columns = new Map(table.schema.fields.map((field) => [field.name, table.getChild(field.name)!.toArray() as ArrayLike<number>]));
      return new Segment(file, table.numRows, columns);
    } catch (error) {
      throw Failure.truncated(file, error instanceof Error ? error.message : "it cannot be read");
    }
  }

  has(name: string): boolean {
    return this.columns.has(name);
  }

  /** A column of real or small whole numbers. */
  numbers(name: string): ArrayLike<number> {
    return this.column(name) as ArrayLike<number>;
  }

  /** A column of 64-bit whole numbers; steps stay far below 2⁵³. */
  wholes(name: string): Float64Array {
    return Float64Array.from(this.column(name) as ArrayLike<bigint>, Number);
  }

  private column(name: string): ArrayLike<number | bigint | boolean> {
    const column = this.columns.get(name);
    if (!column) throw Failure.truncated(this.file, `it has no column '${name}'`);
    if (column.length !== this.rows) throw Failure.truncated(this.file, `column '${name}' has ${column.length} of ${this.rows} rows`);
    return column;
  }
}
