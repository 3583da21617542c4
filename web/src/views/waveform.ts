/** A sound as it is seen: its waveform above its spectrogram, with a time cursor. */
import { colourOf } from "../model/colours";
import { spectrogram } from "../model/spectrum";
import { element } from "./dom";
import { prepare, theme } from "./plot";

/** Decibels from the brightest to the darkest. */
const RANGE = 70;
const GAP = 4;

export class Waveform {
  readonly canvas = element("canvas", "waveform");
  private readonly picture = document.createElement("canvas");
  private samples: ArrayLike<number> = [];
  private rate = 44100;
  private drawnFor = "";

  constructor(label: string) {
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
  }

  get seconds(): number {
    return this.samples.length / this.rate;
  }

  show(samples: ArrayLike<number>, rate: number): void {
    this.samples = samples;
    this.rate = rate;
    this.drawnFor = "";
    this.draw();
  }

  draw(time?: number, end = this.seconds): void {
    const ready = prepare(this.canvas);
    if (!ready || this.samples.length === 0) return;
    const { pen, width, height } = ready;
    const key = `${width} ${height} ${end} ${theme("--text")}`;
    if (key !== this.drawnFor) {
      this.drawnFor = key;
      this.paint(Math.round(width), Math.round(height), end);
    }
    pen.drawImage(this.picture, 0, 0, width, height);
    if (time === undefined) return;
    pen.fillStyle = theme("--text");
    pen.fillRect((time / (end || 1)) * width - 0.75, 0, 1.5, height);
  }

  private paint(width: number, height: number, end: number): void {
    Object.assign(this.picture, { width, height });
    const pen = this.picture.getContext("2d")!;
    const wave = Math.round(0.42 * height);
    const shown = Math.max(1, Math.round((width * this.seconds) / Math.max(end, 1e-9)));
    let peak = 1e-30;
    for (let i = 0; i < this.samples.length; i++) peak = Math.max(peak, Math.abs(this.samples[i]!));
    pen.fillStyle = theme("--accent");
    for (let x = 0; x < Math.min(shown, width); x++) {
      const from = Math.floor((x / shown) * this.samples.length);
      const to = Math.max(Math.floor(((x + 1) / shown) * this.samples.length), from + 1);
      let [low, high] = [0, 0];
      for (let i = from; i < to; i++) {
        low = Math.min(low, this.samples[i] ?? 0);
        high = Math.max(high, this.samples[i] ?? 0);
      }
      const top = (wave / 2) * (1 - high / peak);
      pen.fillRect(x, top, 1, Math.max((wave / 2) * (1 - low / peak) - top, 1));
    }
    const rows = height - wave - GAP;
    const columns = Math.min(shown, width);
    if (rows < 1) return;
    const part = this.samples.length * Math.min(1, width / shown);
    const levels = spectrogram(Array.prototype.slice.call(this.samples, 0, Math.ceil(part)), this.rate, columns, rows, Math.min(16000, this.rate / 2));
    const image = pen.createImageData(columns, rows);
    for (let x = 0; x < columns; x++) {
      for (let row = 0; row < rows; row++) {
        const rgb = colourOf("viridis", 1 + levels[x * rows + row]! / RANGE);
        const at = 4 * ((rows - 1 - row) * columns + x);
        for (let k = 0; k < 3; k++) image.data[at + k] = 255 * rgb[k]!;
        image.data[at + 3] = 255;
      }
    }
    pen.putImageData(image, 0, wave + GAP);
  }
}
