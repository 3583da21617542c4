/**
 * Surfaces in PLY as Carom writes them: binary, little-endian, triangles; what else vertices and
 * faces have is kept by name.
 */
import { Failure } from "./failure";

export interface Surface {
  /** x, y, z of each vertex. */
  positions: Float32Array<ArrayBuffer>;
  triangles: Uint32Array<ArrayBuffer>;
  /** Other numbers of the triangles. */
  faceNumbers: Record<string, Float32Array<ArrayBuffer>>;
}

const SIZES: Record<string, number> = { char: 1, uchar: 1, short: 2, ushort: 2, int: 4, uint: 4, float: 4, double: 8 };

type Property = { name: string; type: string };
type Element = { count: number; properties: Property[] };

export function readPly(file: string, bytes: Uint8Array): Surface {
  const end = "end_header\n";
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 8192));
  const stop = head.indexOf(end);
  if (!head.startsWith("ply\n") || stop < 0) throw Failure.truncated(file, "it has no PLY header");
  const { vertices, faces } = readHeader(file, head.slice(0, stop));
  const begin = stop + end.length;
  const vertexBytes = sizeOf(vertices.properties);
  // A count of one byte, three corners, then the rest.
  const faceBytes = 13 + sizeOf(faces.properties);
  const facesBegin = begin + vertices.count * vertexBytes;
  const expected = facesBegin + faces.count * faceBytes;
  if (!(bytes.length >= expected)) throw Failure.truncated(file, `it has ${bytes.length} bytes of ${expected}`);

  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const column = ({ properties, count }: Element, name: string, from: number, stride: number, put: (i: number, value: number) => void) => {
    const place = properties.findIndex((property) => property.name === name);
    if (place < 0) throw Failure.notCarom(file, `it has no '${name}'`);
    const read = reader(view, properties[place]!.type);
    const first = from + sizeOf(properties.slice(0, place));
    for (let i = 0; i < count; i++) put(i, read(first + i * stride));
  };
  const positions = new Float32Array(3 * vertices.count);
  ["x", "y", "z"].forEach((name, axis) => column(vertices, name, begin, vertexBytes, (i, value) => (positions[3 * i + axis] = value)));
  const faceNumbers: Surface["faceNumbers"] = {};
  for (const { name } of faces.properties) {
    const numbers = (faceNumbers[name] = new Float32Array(faces.count));
    column(faces, name, facesBegin + 13, faceBytes, (i, value) => (numbers[i] = value));
  }
  const triangles = new Uint32Array(3 * faces.count);
  for (let i = 0, at = facesBegin; i < faces.count; i++, at += faceBytes) {
    if (view.getUint8(at) !== 3) throw Failure.notCarom(file, `face ${i} is no triangle`);
    for (let k = 0; k < 3; k++) {
      const vertex = view.getUint32(at + 1 + 4 * k, true);
      if (vertex >= vertices.count) throw Failure.truncated(file, `face ${i} names vertex ${vertex} of ${vertices.count}`);
      triangles[3 * i + k] = vertex;
    }
  }
  return { positions, triangles, faceNumbers };
}

function readHeader(file: string, head: string): { vertices: Element; faces: Element } {
  const [vertices, faces]: [Element, Element] = [{ count: 0, properties: [] }, { count: 0, properties: [] }];
  let element: Element | undefined;
  for (const line of head.split("\n")) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "format" && words[1] !== "binary_little_endian") throw Failure.notCarom(file, `its format is ${words[1]}`);
    if (words[0] === "element") {
      element = words[1] === "vertex" ? vertices : words[1] === "face" ? faces : undefined;
      if (!element) throw Failure.notCarom(file, `it has elements called '${words[1]}'`);
      element.count = Number(words[2]);
    } else if (words[0] === "property" && words[1] === "list") {
      const corners = element === faces && faces.properties.length === 0 && words[2] === "uchar" && SIZES[words[3] ?? ""] === 4;
      if (!corners) throw Failure.notCarom(file, `'${line}' is no list of corners`);
    } else if (words[0] === "property") {
      if (!(words[1]! in SIZES)) throw Failure.notCarom(file, `'${line}' is of no known type`);
      element?.properties.push({ type: words[1]!, name: words[2] ?? "" });
    }
  }
  return { vertices, faces };
}

function sizeOf(properties: Property[]): number {
  return properties.reduce((sum, { type }) => sum + SIZES[type]!, 0);
}

function reader(view: DataView, type: string): (at: number) => number {
  switch (type) {
    case "double":
      return (at) => view.getFloat64(at, true);
    case "float":
      return (at) => view.getFloat32(at, true);
    case "int":
      return (at) => view.getInt32(at, true);
    case "uint":
      return (at) => view.getUint32(at, true);
    case "short":
      return (at) => view.getInt16(at, true);
    case "ushort":
      return (at) => view.getUint16(at, true);
    case "char":
      return (at) => view.getInt8(at);
    default:
      return (at) => view.getUint8(at);
  }
}
