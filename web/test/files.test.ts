import { tableFromArrays, tableToIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { checkVersion, Failure } from "../src/data/failure";
import { readObject } from "../src/data/object";
import { readPly } from "../src/data/ply";
import { Segment } from "../src/data/table";
import { readWav } from "../src/data/wav";
import { ply, safetensors, STRING } from "./make";

describe("a surface", () => {
  const bytes = ply([[0, 0, 0], [1, 0, 0], [0, 2, 0]], [[0, 1, 2]], [0.75]);

  it("is read with the numbers of its faces", () => {
    const surface = readPly("a.ply", bytes);
    expect([...surface.positions]).toEqual([0, 0, 0, 1, 0, 0, 0, 2, 0]);
    expect([...surface.triangles]).toEqual([0, 1, 2]);
    expect([...surface.faceNumbers["restitution"]!]).toEqual([0.75]);
  });

  it("that lost its end, or names vertices that are not there, is refused with its name", () => {
    for (let length = 0; length < bytes.length; length += 7) {
      expect(() => readPly("a.ply", bytes.subarray(0, length))).toThrow(/a\.ply/);
    }
    expect(() => readPly("a.ply", ply([[0, 0, 0]], [[0, 0, 7]], [0]))).toThrow(/vertex 7 of 1/);
  });
});

describe("a segment", () => {
  const bytes = tableToIPC(tableFromArrays({ step: BigUint64Array.of(3n, 4n), x: Float64Array.of(0.5, -2) }), "file");

  it("gives columns by name", () => {
    const segment = Segment.read("motion/000000.arrow", bytes);
    expect([...segment.wholes("step")]).toEqual([3, 4]);
    expect(Array.from(segment.numbers("x"))).toEqual([0.5, -2]);
    expect(segment.has("start")).toBe(false);
    expect(() => segment.numbers("y")).toThrow(/no column 'y'/);
  });

  it("is refused at every length but its own", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(() => Segment.read("motion/000000.arrow", bytes.subarray(0, length))).toThrow(Failure);
    }
  });
});

describe("an object", () => {
  it("has its surface, material and modes", () => {
    const object = readObject("string.carom", STRING);
    expect(object.name).toBe("string");
    expect(object.material.damping.alpha).toBe(2);
    expect([...object.frequencies]).toEqual([440, 880]);
    expect(object.mass).toBe(0.5);
  });

  it("that is damaged, of another kind or of a later version is refused with the reason", () => {
    for (let length = 0; length < STRING.length; length += 11) {
      expect(() => readObject("string.carom", STRING.subarray(0, length))).toThrow(Failure);
    }
    const { header, data } = safetensors.parts(STRING);
    const changed = (metadata: Record<string, string>) => safetensors.join({ ...header, __metadata__: { ...header["__metadata__"], ...metadata } }, data);
    expect(() => readObject("x", changed({ format: "other" }))).toThrow(/format is 'other'/);
    expect(() => readObject("x", changed({ version: "2.0" }))).toThrow(/format version 2.0/);
  });
});

describe("a sound", () => {
  const head = (kind: number, bits: number, channels: number, data: number[]): Uint8Array => {
    const bytes = new Uint8Array(44 + data.length);
    const view = new DataView(bytes.buffer);
    const put = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
    put(0, "RIFF");
    view.setUint32(4, 36 + data.length, true);
    put(8, "WAVEfmt ");
    view.setUint32(16, 16, true);
    view.setUint16(20, kind, true);
    view.setUint16(22, channels, true);
    view.setUint32(24, 44100, true);
    view.setUint16(34, bits, true);
    put(36, "data");
    view.setUint32(40, data.length, true);
    bytes.set(data, 44);
    return bytes;
  };

  it("is read from every kind of sample, channel by channel", () => {
    const of = (kind: number, bits: number, data: number[]) => readWav("a.wav", head(kind, bits, 2, data)).channels.map((channel) => [...channel]);
    expect(of(1, 16, [0, 0x40, 0, 0x80])).toEqual([[0.5], [-1]]);
    expect(of(1, 24, [0, 0, 0x40, 0, 0, 0x80])).toEqual([[0.5], [-1]]);
    expect(of(1, 32, [0, 0, 0, 0x40, 0, 0, 0, 0x80])).toEqual([[0.5], [-1]]);
    expect(of(3, 32, [0, 0, 0, 0x3f, 0, 0, 0x80, 0xbf])).toEqual([[0.5], [-1]]);
    expect(readWav("a.wav", head(1, 16, 1, [0, 0])).rate).toBe(44100);
  });

  it("that lost its end or is of another kind is refused", () => {
    const whole = head(1, 16, 1, [1, 2, 3, 4]);
    for (let length = 0; length < whole.length; length++) expect(() => readWav("a.wav", whole.subarray(0, length))).toThrow(Failure);
    expect(() => readWav("a.wav", head(2, 4, 1, [0]))).toThrow(/kind 2 with 4 bits/);
  });
});

it("versions are refused from the next major one on", () => {
  for (const good of ["1.0", "1.7"]) expect(() => checkVersion("f", good)).not.toThrow();
  for (const bad of ["2.0", "0.9", "", undefined]) expect(() => checkVersion("f", bad)).toThrow(Failure);
});
