import { describe, expect, it } from "vitest";
import { readObject } from "../src/data/object";
import { magnitudes, spectrogram, strongest } from "../src/model/spectrum";
import { duration, ringing, synthesize, tapPartials, UNCHANGED, type Place } from "../src/model/tap";
import { STRING } from "./make";

const RATE = 48000;
const object = readObject("string.carom", STRING);
const middle: Place = { triangle: 0, weights: [1 / 3, 1 / 3, 1 / 3] };

describe("a tap", () => {
  it("rings with the object's modes, as strong as they move along the normal, squared", () => {
    const partials = tapPartials(object, middle);
    expect(partials[0]!.amplitude).toBeCloseTo(1, 6);
    expect(partials[1]!.amplitude).toBeCloseTo(4, 6);
    // d = (α + βω²)/2
    expect(partials[0]!.decay).toBeCloseTo((2 + 1e-7 * (2 * Math.PI * 440) ** 2) / 2, 9);
  });

  it("is the sum of d/dt [exp(−dt) sin(ωt)/ω] that its formula says", () => {
    const partials = tapPartials(object, middle);
    const samples = synthesize(partials, 0.2, RATE);
    for (const i of [0, 1, 17, 500, 9599]) {
      const t = i / RATE;
      const exact = partials.reduce((sum, { frequency, decay, amplitude }) => {
        const omega = 2 * Math.PI * frequency;
        return sum + amplitude * Math.exp(-decay * t) * (Math.cos(omega * t) - (decay / omega) * Math.sin(omega * t));
      }, 0);
      expect(samples[i]).toBeCloseTo(exact, 5);
    }
  });

  it("has the object's frequencies as its strongest partials, within 1 %", () => {
    const samples = synthesize(tapPartials(object, middle), 1, RATE);
    const [loudest, second] = strongest(samples, RATE, 2);
    expect(Math.abs(loudest! / 880 - 1)).toBeLessThan(0.01);
    expect(Math.abs(second! / 440 - 1)).toBeLessThan(0.01);
  });

  it("of four times the stiffness sounds an octave higher, of four times the density an octave lower and fainter", () => {
    expect(ringing(440, object.material, { ...UNCHANGED, stiffness: 4 }).frequency).toBeCloseTo(880, 1);
    expect(ringing(440, object.material, { ...UNCHANGED, density: 4 }).frequency).toBeCloseTo(220, 1);
    expect(tapPartials(object, middle, { ...UNCHANGED, density: 4 })[0]!.amplitude).toBeCloseTo(0.25, 6);
  });

  it("lasts until all that is heard of it has faded", () => {
    const partials = [{ frequency: 100, decay: 5, amplitude: 1 }, { frequency: 200, decay: 1, amplitude: 1e-6 }];
    expect(duration(partials, 1e-3)).toBeCloseTo(Math.log(1000) / 5, 9);
  });

  it("leaves out what the rate cannot carry", () => {
    expect(synthesize([{ frequency: 30000, decay: 1, amplitude: 1 }], 0.01, RATE).every((x) => x === 0)).toBe(true);
  });
});

describe("a spectrum", () => {
  const tone = Float32Array.from({ length: 8192 }, (_, i) => Math.sin((2 * Math.PI * 3000 * i) / RATE));

  it("keeps the energy of a signal (Parseval)", () => {
    const spectrum = magnitudes(tone, 0, 4096);
    const energy = spectrum.reduce((sum, x) => sum + 2 * x * x, 0) / 4096;
    const windowed = tone.slice(0, 4096).reduce((sum, x, i) => sum + (x * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / 4096))) ** 2, 0);
    expect(energy / windowed).toBeCloseTo(1, 6);
  });

  it("shows a tone in the row of its frequency at every time", () => {
    const levels = spectrogram(tone, RATE, 10, 24, 12000);
    for (let column = 0; column < 10; column++) {
      const rows = Array.from(levels.subarray(24 * column, 24 * column + 24));
      expect([5, 6]).toContain(rows.indexOf(Math.max(...rows)));
    }
  });
});
