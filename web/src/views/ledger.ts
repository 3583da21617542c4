/** The energy ledger as a stacked plot with a time cursor: dragging on it moves the clock. */
import type { Clock } from "../model/clock";
import type { Band, Ledger } from "../model/ledger";
import { brief, quantity } from "../model/text";
import { element } from "./dom";
import { prepare, theme, ticks } from "./plot";

const LEFT = 46;
const BOTTOM = 18;
const TOP = 6;

export class LedgerPlot {
  readonly root = element("section", "ledger");
  private readonly canvas = element("canvas", "plot");
  private readonly legend = element("ul", "legend");
  private readonly picture = document.createElement("canvas");
  private bands: Band[] = [];
  private drawnFor = "";

  constructor(
    title: string,
    private readonly ledger: Ledger,
    private readonly clock: Clock,
  ) {
    this.root.append(element("h2", "", title), this.canvas, this.legend);
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Energy over time, stacked");
    const seek = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      clock.seek(((event.clientX - box.left - LEFT) / (box.width - LEFT)) * clock.end);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(event);
    });
  }

  /** More of the ledger is there. */
  update(): void {
    this.bands = this.ledger.stacked();
    this.drawnFor = "";
    this.legend.replaceChildren(
      ...[...this.bands].reverse().map(({ label, colour }) => {
        const item = element("li");
        const swatch = element("i");
        swatch.style.background = colour;
        item.append(swatch, element("span", "", label), element("output"));
        return item;
      }),
    );
  }

  draw(): void {
    const ready = prepare(this.canvas);
    if (!ready || this.bands.length === 0) return;
    const { pen, width, height } = ready;
    const key = `${this.canvas.width} ${this.canvas.height} ${this.ledger.times.length} ${this.clock.end} ${theme("--text")}`;
    if (key !== this.drawnFor) {
      this.drawnFor = key;
      this.drawBands(width, height);
    }
    pen.drawImage(this.picture, 0, 0, width, height);
    const x = LEFT + (this.clock.time / (this.clock.end || 1)) * (width - LEFT);
    pen.fillStyle = theme("--text");
    pen.fillRect(Math.min(x, width - 1.5) - 0.5, TOP, 1.5, height - BOTTOM - TOP);
    this.tellNumbers();
  }

  private drawBands(width: number, height: number): void {
    this.picture.width = this.canvas.width;
    this.picture.height = this.canvas.height;
    const pen = this.picture.getContext("2d")!;
    pen.scale(this.canvas.width / width, this.canvas.height / height);
    pen.font = "11px system-ui, sans-serif";
    let [least, most] = [0, 0];
    for (const { to } of this.bands) for (const x of to) [least, most] = [Math.min(least, x), Math.max(most, x)];
    const end = this.clock.end || 1;
    const across = (time: number) => LEFT + (time / end) * (width - LEFT);
    const up = (energy: number) => height - BOTTOM - ((energy - least) / (most - least || 1)) * (height - BOTTOM - TOP);
    for (const { from, to, colour } of this.bands) {
      pen.beginPath();
      this.ledger.times.forEach((time, i) => pen.lineTo(across(time), up(to[i]!)));
      for (let i = this.ledger.times.length - 1; i >= 0; i--) pen.lineTo(across(this.ledger.times[i]!), up(from[i]!));
      pen.closePath();
      pen.fillStyle = colour;
      pen.fill();
    }
    pen.fillStyle = theme("--muted");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const tick of ticks(least, most, 4)) pen.fillText(brief(tick, "J"), LEFT - 6, Math.max(up(tick), 8));
    pen.textBaseline = "alphabetic";
    for (const tick of ticks(0, end, 5)) {
      pen.textAlign = across(tick) > width - 18 ? "right" : tick === 0 ? "left" : "center";
      pen.fillText(`${Number(tick.toPrecision(6))} s`, Math.min(across(tick), width), height - 3);
    }
  }

  private tellNumbers(): void {
    const { times } = this.ledger;
    let frame = times.findIndex((time) => time > this.clock.time);
    frame = (frame < 0 ? times.length : frame) - 1;
    const outputs = this.legend.querySelectorAll("output");
    [...this.bands].reverse().forEach(({ from, to }, i) => {
      const text = frame >= 0 ? quantity(to[frame]! - from[frame]!, "J") : "";
      if (outputs[i] && outputs[i].textContent !== text) outputs[i].textContent = text;
    });
  }
}
