/** Sounds in WAV files: PCM of 16, 24 or 32 bits, or floats; any number of channels. */
import { Failure } from "./failure";

export interface Wave {
  rate: number;
  /** Samples of each channel; full scale is 1. */
  channels: Float32Array<ArrayBuffer>[];
}

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

export function readWav(file: string, bytes: Uint8Array): Wave {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || text(0) !== "RIFF" || text(8) !== "WAVE") throw Failure.notCarom(file, "it is no WAV file");
  let format: { kind: number; channels: number; rate: number; bits: number } | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const [name, size] = [text(at), view.getUint32(at + 4, true)];
    const begin = at + 8;
    if (name === "fmt " && begin + 16 <= bytes.length) {
      let kind = view.getUint16(begin, true);
      if (kind === EXTENSIBLE && size >= 26) kind = view.getUint16(begin + 24, true);
      format = { kind, channels: view.getUint16(begin + 2, true), rate: view.getUint32(begin + 4, true), bits: view.getUint16(begin + 14, true) };
    } else if (name === "data" && format) {
      if (begin + size > bytes.length) throw Failure.truncated(file, `it has ${bytes.length - begin} bytes of sound, expected ${size}`);
      return { rate: format.rate, channels: readSamples(file, view, begin, size, format) };
    }
    at = begin + size + (size % 2);
  }
  throw Failure.truncated(file, "it holds no sound");
}

function readSamples(file: string, view: DataView, begin: number, size: number, { kind, channels, bits }: { kind: number; channels: number; bits: number }): Float32Array<ArrayBuffer>[] {
  const reader =
    kind === FLOAT && bits === 32
      ? (at: number) => view.getFloat32(at, true)
      : kind === PCM && bits === 16
        ? (at: number) => view.getInt16(at, true) / 0x8000
        : kind === PCM && bits === 24
          ? (at: number) => (view.getUint16(at, true) | (view.getInt8(at + 2) << 16)) / 0x800000
          : kind === PCM && bits === 32
            ? (at: number) => view.getInt32(at, true) / 0x80000000
            : undefined;
  if (!reader || channels === 0) throw Failure.notCarom(file, `its samples are of kind ${kind} with ${bits} bits`);
  const width = bits / 8;
  const frames = Math.floor(size / (width * channels));
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames);
    for (let i = 0; i < frames; i++) samples[i] = reader(begin + (i * channels + channel) * width);
    return samples;
  });
}
