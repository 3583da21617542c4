/** The safetensors container: a JSON header that says where each tensor lies, then the numbers. */
import { Failure } from "./failure";

interface Entry {
  dtype: "F64" | "F32" | "U32" | "U8";
  shape: number[];
  data_offsets: [number, number];
}

const WIDTH = { F64: 8, F32: 4, U32: 4, U8: 1 } as const;

export class Tensors {
  private constructor(
    private readonly file: string,
    private readonly data: Uint8Array,
    private readonly entries: Record<string, Entry>,
    readonly metadata: Record<string, string>,
  ) {}

  static read(file: string, bytes: Uint8Array): Tensors {
    if (bytes.length < 8) throw Failure.truncated(file, `it has ${bytes.length} bytes, which is no header`);
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    if (8 + length > bytes.length) throw Failure.truncated(file, "it ends within its header");
    let header: Record<string, unknown>;
    try {
      header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as Record<string, unknown>;
    } catch {
      throw Failure.truncated(file, "its header is no JSON");
    }
    const { __metadata__: metadata, ...entries } = header;
    return new Tensors(file, bytes.subarray(8 + length), entries as Record<string, Entry>, (metadata ?? {}) as Record<string, string>);
  }

  has(name: string): boolean {
    return name in this.entries;
  }

  shape(name: string): number[] {
    return this.entry(name).shape;
  }

  numbers(name: string): Float64Array<ArrayBuffer> | Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer> {
    const { dtype, shape, data_offsets } = this.entry(name);
    const [begin, end] = data_offsets;
    const count = shape.reduce((product, size) => product * size, 1);
    if (!(dtype in WIDTH) || end - begin !== count * WIDTH[dtype] || end > this.data.length) {
      throw Failure.truncated(this.file, `tensor '${name}' does not have the bytes of ${dtype} [${shape.join(", ")}]`);
    }
    // A copy, as tensors need not begin where their numbers may.
    const bytes = this.data.slice(begin, end).buffer as ArrayBuffer;
    switch (dtype) {
      case "F64":
        return new Float64Array(bytes);
      case "F32":
        return new Float32Array(bytes);
      case "U32":
        return new Uint32Array(bytes);
      default:
        return new Uint8Array(bytes);
    }
  }

  private entry(name: string): Entry {
    const entry = this.entries[name];
    if (!entry) throw Failure.truncated(this.file, `it has no tensor '${name}'`);
    return entry;
  }
}
