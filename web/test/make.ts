/** Small files as Carom writes them, for tests. */
export function ply(positions: number[][], triangles: number[][], restitution: number[]): Uint8Array {
  const head =
    `ply\nformat binary_little_endian 1.0\ncomment test\nelement vertex ${positions.length}\nproperty double x\nproperty double y\n` +
    `property double z\nproperty uchar red\nelement face ${triangles.length}\nproperty list uchar uint vertex_indices\n` +
    "property float restitution\nend_header\n";
  const bytes = new Uint8Array(head.length + positions.length * 25 + triangles.length * 17);
  bytes.set(new TextEncoder().encode(head));
  const view = new DataView(bytes.buffer);
  let at = head.length;
  for (const position of positions) {
    for (const x of position) view.setFloat64((at += 8) - 8, x, true);
    view.setUint8(at++, 255);
  }
  triangles.forEach((triangle, i) => {
    view.setUint8(at++, 3);
    for (const vertex of triangle) view.setUint32((at += 4) - 4, vertex, true);
    view.setFloat32((at += 4) - 4, restitution[i]!, true);
  });
  return bytes;
}

type Header = Record<string, Record<string, unknown>>;

export const safetensors = {
  join(header: Header, data: Uint8Array): Uint8Array {
    const text = new TextEncoder().encode(JSON.stringify(header));
    const bytes = new Uint8Array(8 + text.length + data.length);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
    bytes.set(text, 8);
    bytes.set(data, 8 + text.length);
    return bytes;
  },
  parts(bytes: Uint8Array): { header: Header; data: Uint8Array } {
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    return { header: JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as Header, data: bytes.subarray(8 + length) };
  },
  make(tensors: Record<string, { dtype: string; shape: number[]; data: ArrayBufferView }>, metadata: Record<string, string>): Uint8Array {
    const header: Header = { __metadata__: metadata };
    const pieces: Uint8Array[] = [];
    let at = 0;
    for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
      const piece = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      header[name] = { dtype, shape, data_offsets: [at, (at += piece.length)] };
      pieces.push(piece);
    }
    const all = new Uint8Array(at);
    let place = 0;
    for (const piece of pieces) {
      all.set(piece, place);
      place += piece.length;
    }
    return safetensors.join(header, all);
  },
};

/** One triangle across z that moves along z in two modes, twice as far in the second. */
export const STRING = safetensors.make(
  {
    "surface.positions": { dtype: "F64", shape: [3, 3], data: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0) },
    "surface.triangles": { dtype: "U32", shape: [1, 3], data: Uint32Array.of(0, 1, 2) },
    "mass.mass": { dtype: "F64", shape: [1], data: Float64Array.of(0.5) },
    "mass.centre": { dtype: "F64", shape: [3], data: Float64Array.of(0, 0, 0) },
    "modes.frequencies": { dtype: "F64", shape: [2], data: Float64Array.of(440, 880) },
    "modes.shapes": { dtype: "F32", shape: [2, 3, 3], data: Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0, 2, 0, 0, 2) },
  },
  {
    format: "carom",
    version: "1.0",
    name: "string",
    held: "false",
    material: JSON.stringify({ name: "gut", density: 1000, young: 1e9, poisson: 0.3, damping: { alpha: 2, beta: 1e-7 } }),
  },
);
