import { tableFromArrays, tableToIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { readObject } from "../src/data/object";
import { Segment } from "../src/data/table";
import { Clock } from "../src/model/clock";
import { colourOf } from "../src/model/colours";
import { Contacts } from "../src/model/contacts";
import { Ledger } from "../src/model/ledger";
import { Motion } from "../src/model/motion";
import { Vibration } from "../src/model/vibration";
import { brief, quantity, rate, seconds } from "../src/model/text";
import { STRING } from "./make";

function segment(columns: Record<string, Float64Array | Uint32Array | BigUint64Array | Uint8Array>): Segment {
  return Segment.read("test.arrow", tableToIPC(tableFromArrays(columns), "file"));
}

/** Two bodies in two frames: one moves by 2 along x, the other turns by a quarter around z. */
function motion(): Motion {
  const s = Math.SQRT1_2;
  const made = new Motion(2);
  made.add(
    segment({
      time: Float64Array.of(0, 0, 1, 1),
      body: Uint32Array.of(0, 1, 0, 1),
      x: Float64Array.of(0, 5, 2, 5),
      y: new Float64Array(4),
      z: new Float64Array(4),
      qx: new Float64Array(4),
      qy: new Float64Array(4),
      // The same turn with the other sign: the shorter arc is taken all the same.
      qz: Float64Array.of(0, 0, 0, -s),
      qw: Float64Array.of(1, 1, 1, -s),
      vx: Float64Array.of(3, 0, 3, 0),
      vy: Float64Array.of(4, 0, 4, 0),
      vz: new Float64Array(4),
    }),
    "motion",
  );
  return made;
}

describe("motion", () => {
  it("is interpolated between frames, rotations along the shorter arc", () => {
    const made = motion();
    const poses = made.room();
    made.sample(0.5, poses);
    expect(poses[0]).toBeCloseTo(1);
    expect(poses[7]).toBeCloseTo(5);
    expect(Math.abs(poses[8 + 5]!)).toBeCloseTo(Math.sin(Math.PI / 8), 6);
    expect(Math.abs(poses[8 + 6]!)).toBeCloseTo(Math.cos(Math.PI / 8), 6);
    expect(made.fastest).toBe(5);
  });

  it("stays at its ends outside of what is known", () => {
    const made = motion();
    const poses = made.room();
    made.sample(-1, poses);
    expect(poses[0]).toBe(0);
    made.sample(9, poses);
    expect(poses[0]).toBe(2);
    expect([made.frameAt(-1), made.frameAt(0.99), made.frameAt(1)]).toEqual([0, 0, 1]);
  });

  it("refuses frames that lack bodies or have them in another order", () => {
    const columns = (body: Uint32Array) =>
      segment(Object.fromEntries(["time", "x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz"].map((name) => [name, new Float64Array(body.length)]).concat([["body", body as never]])));
    expect(() => new Motion(2).add(columns(Uint32Array.of(0)), "m")).toThrow(/1 rows/);
    expect(() => new Motion(2).add(columns(Uint32Array.of(1, 0)), "m")).toThrow(/body 1, expected 0/);
  });
});

describe("contacts", () => {
  const rows = { impulse: [3, 0, 1, 2], isNew: [1, 1, 0, 1], step: [1n, 1n, 2n, 9n] };
  const contacts = new Contacts(0.1, 3);
  const zeros = Object.fromEntries(["x", "y", "z", "nx", "ny", "nz", "approach_speed", "restitution"].map((name) => [name, new Float64Array(4)]));
  contacts.add(
    segment({
      ...zeros,
      step: BigUint64Array.from(rows.step),
      first: Uint32Array.of(0, 0, 1, 1),
      second: Uint32Array.of(1, 1, 2, 2),
      is_new: Uint8Array.from(rows.isNew),
      normal_impulse: Float64Array.from(rows.impulse),
    }),
    "contacts",
  );

  it("are those with an impulse", () => {
    expect(contacts.count).toBe(3);
    expect(contacts.hardest).toBe(3);
    expect(contacts.at(2)).toMatchObject({ first: 1, second: 2, impulse: 2, isNew: true });
    expect(contacts.at(2).time).toBeCloseTo(0.9);
  });

  it("are shown when they begin, and while they last only as they happen", () => {
    expect(contacts.within(0, 0.21, 9)).toEqual([0, 1]);
    expect(contacts.within(0, 0.95, 9)).toEqual([0, 2]);
    expect(contacts.within(0, 0.95, 1)).toEqual([0]);
    expect(contacts.within(0.3, 0.8, 9)).toEqual([]);
  });
});

describe("vibration", () => {
  const vibration = new Vibration();
  vibration.add(
    segment({
      time: Float64Array.of(0.1, 0.1, 0.2),
      body: Uint32Array.of(1, 1, 1),
      mode: Uint32Array.of(0, 1, 1),
      q: Float64Array.of(0.5, -1, 2),
    }),
  );
  const object = readObject("string.carom", STRING);
  const displaced = (body: number, time: number, frame: number) => {
    const out = new Float32Array(9);
    return { most: vibration.displace(body, object, vibration.frameAt(time, frame), out), z: out[2] };
  };

  it("is the sum of mode shapes times their coordinates in the frame that was recorded last", () => {
    expect(displaced(1, 0.15, 0.1)).toEqual({ most: 1.5, z: -1.5 });
    expect(displaced(1, 0.2, 0.2)).toEqual({ most: 4, z: 4 });
  });

  it("is none before it begins, of other bodies, and in frames that have no rows", () => {
    expect(displaced(1, 0.05, 0)).toEqual({ most: 0, z: 0 });
    expect(displaced(0, 0.15, 0.1)).toEqual({ most: 0, z: 0 });
    expect(displaced(1, 0.35, 0.3)).toEqual({ most: 0, z: 0 });
  });
});

describe("the ledger", () => {
  const ledger = new Ledger();
  ledger.add(
    segment({
      time: Float64Array.of(0, 1),
      kinetic: Float64Array.of(0, 6),
      potential: Float64Array.of(-10, -18),
      elastic: Float64Array.of(0, 0),
      restitution: Float64Array.of(0, 3),
      friction: new Float64Array(2),
      damping: new Float64Array(2),
      jam: new Float64Array(2),
      stabilization: new Float64Array(2),
      integrator: Float64Array.of(0, -1),
    }),
  );
  const bands = ledger.stacked();

  it("stacks what there is and what was taken, with height counted from its lowest", () => {
    expect(bands.map(({ label }) => label)).toEqual(["motion", "height", "lost in impacts", "integrator"]);
    expect(bands[1]).toMatchObject({ from: [0, 6], to: [8, 6] });
  });

  it("reaches the same energy at every time: what was there at the start", () => {
    const total = (frame: number) => bands.reduce((sum, { from, to }) => sum + to[frame]! - from[frame]!, 0);
    expect(total(0)).toBeCloseTo(8);
    expect(total(1)).toBeCloseTo(8);
    expect(bands[3]).toMatchObject({ from: [9, 0].map((_, i) => (i === 0 ? 8 : 0)), to: [8, -1] });
  });
});

describe("the clock", () => {
  it("runs at its speed, waits while more is loading and stops at the end", () => {
    const clock = new Clock();
    clock.end = 1;
    clock.setSpeed(1 / 1000);
    clock.play();
    clock.advance(10, false);
    expect(clock.time).toBeCloseTo(0.01);
    clock.setSpeed(1);
    clock.advance(5, true);
    expect([clock.time, clock.playing]).toEqual([1, true]);
    clock.advance(0.1, false);
    expect([clock.time, clock.playing]).toEqual([1, false]);
    clock.play();
    expect(clock.time).toBe(0);
  });
});

it("numbers are said in the unit in which a person would say them", () => {
  expect(quantity(0.00123, "N s")).toBe("1.23 mN s");
  expect(quantity(-1500, "Hz")).toBe("-1.50 kHz");
  expect(quantity(0, "J")).toBe("0 J");
  expect([brief(0.6, "J"), brief(2, "J"), brief(100, "J"), brief(0, "J")]).toEqual(["600 mJ", "2 J", "100 J", "0 J"]);
  expect([rate(0.001), rate(2)]).toEqual(["1/1000", "2"]);
  expect(seconds(1.23456, 1e-5)).toBe("1.23456 s");
});

it("colours are those of Carom's pictures, and stay at their ends", () => {
  const bytes = (value: number) => colourOf("viridis", value).map((channel) => Math.round(255 * channel));
  expect(bytes(1)).toEqual([0xfd, 0xe7, 0x25]);
  expect(bytes(7)).toEqual(bytes(1));
  expect(bytes(Number.NaN)).toEqual([0x44, 0x01, 0x54]);
});
