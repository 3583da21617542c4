/** A `.carom` file: surface, mass, modes, material. The bounce map comes painted on a finer surface, beside it. */
import { checkVersion, Failure } from "./failure";
import type { Surface } from "./ply";
import { Tensors } from "./safetensors";

export interface Material {
  name: string;
  density: number;
  young: number;
  poisson: number;
  damping: { alpha: number; beta: number };
}

export interface ObjectData {
  name: string;
  held: boolean;
  material: Material;
  /** kg. */
  mass: number;
  centre: [number, number, number];
  surface: Surface;
  /** Hz, ascending. */
  frequencies: Float64Array;
  /** Displacement of every vertex in every mode, 1/√kg: mode, vertex, axis. */
  shapes: Float32Array;
}

export function readObject(file: string, bytes: Uint8Array): ObjectData {
  const tensors = Tensors.read(file, bytes);
  const { metadata } = tensors;
  if (metadata["format"] !== "carom") throw Failure.notCarom(file, `its format is '${metadata["format"] ?? "unknown"}'`);
  checkVersion(file, metadata["version"]);
  const vertices = tensors.shape("surface.positions")[0]!;
  const frequencies = Float64Array.from(tensors.numbers("modes.frequencies"));
  const shapes = Float32Array.from(tensors.numbers("modes.shapes"));
  const triangles = Uint32Array.from(tensors.numbers("surface.triangles"));
  if (shapes.length !== 3 * vertices * frequencies.length) throw Failure.truncated(file, "mode shapes do not fit the surface");
  if (triangles.some((vertex) => vertex >= vertices)) throw Failure.truncated(file, "a triangle names a vertex that is not there");
  const positions = Float32Array.from(tensors.numbers("surface.positions"));
  const [x, y, z] = tensors.numbers("mass.centre");
  return {
    name: metadata["name"] ?? "object",
    held: metadata["held"] === "true",
    material: JSON.parse(metadata["material"] ?? "{}") as Material,
    mass: tensors.numbers("mass.mass")[0]!,
    centre: [x!, y!, z!],
    surface: { positions, triangles, faceNumbers: {} },
    frequencies,
    shapes,
  };
}

/** What the server tells about a bounce map. */
export interface MapInfo {
  average: number;
  min: number;
  max: number;
  samples: number;
  /** Shares of the surface in equal steps from 0 to 1. */
  distribution: number[];
}
