/** Play, pause, step, slow motion, and the line of time with a mark for every impact. */
import type { Clock } from "../model/clock";
import type { Contacts } from "../model/contacts";
import { rate, seconds } from "../model/text";
import { button, element, setSign } from "./dom";
import { prepare, theme } from "./plot";

/** Simulated seconds per second that can be chosen. */
export const SPEEDS = [1 / 1000, 1 / 500, 1 / 200, 1 / 100, 1 / 50, 1 / 20, 1 / 10, 1 / 5, 1 / 2, 1, 2, 5];

export class Timeline {
  readonly root = element("footer", "timeline");
  private readonly play = button("play", "Play (space)", () => this.clock.toggle());
  private readonly line = element("input", "line");
  private readonly marks = element("canvas", "marks");
  private readonly clockText = element("output", "clock");
  private readonly speed = element("select", "speed");
  private drawnFor = "";

  constructor(
    private readonly clock: Clock,
    private readonly contacts: Contacts[],
    private readonly step: (frames: number) => void,
  ) {
    this.line.type = "range";
    this.line.min = "0";
    this.line.max = "1";
    this.line.step = "any";
    this.line.value = "0";
    this.line.setAttribute("aria-label", "Time");
    this.line.addEventListener("input", () => clock.seek(this.line.valueAsNumber * clock.end));
    this.speed.title = "Slow motion ([ and ])";
    this.speed.setAttribute("aria-label", "Speed");
    for (const value of SPEEDS) {
      const option = element("option", "", `${rate(value)}×`);
      option.value = String(value);
      this.speed.append(option);
    }
    this.speed.value = "1";
    this.speed.addEventListener("change", () => clock.setSpeed(Number(this.speed.value)));
    clock.addEventListener("state", () => this.tellState());
    const track = element("div", "track");
    track.append(this.marks, this.line);
    const back = button("back", "One frame back (←)", () => this.step(-1));
    const ahead = button("ahead", "One frame ahead (→)", () => this.step(1));
    this.play.classList.add("play");
    this.root.append(back, this.play, ahead, track, this.clockText, this.speed);
  }

  /** How much of the run is there; the rest is on its way. */
  setLoaded(share: number): void {
    this.root.style.setProperty("--loaded", `${100 * share}%`);
    this.root.classList.toggle("loading-more", share < 1);
  }

  /** The next slower or faster speed. */
  shift(by: number): void {
    const index = SPEEDS.indexOf(this.clock.speed) + by;
    if (index >= 0 && index < SPEEDS.length) this.clock.setSpeed(SPEEDS[index]!);
  }

  draw(): void {
    const { clock } = this;
    this.line.value = String(clock.time / (clock.end || 1));
    this.line.setAttribute("aria-valuetext", seconds(clock.time, 0.001));
    const text = `${seconds(clock.time, Math.min(clock.speed / 60, 0.01))} / ${seconds(clock.end, 0.01)}`;
    if (this.clockText.textContent !== text) this.clockText.textContent = text;
    this.drawMarks();
  }

  private tellState(): void {
    const { playing, speed } = this.clock;
    setSign(this.play, playing ? "pause" : "play");
    this.play.title = playing ? "Pause (space)" : "Play (space)";
    this.play.setAttribute("aria-label", this.play.title);
    this.speed.value = String(speed);
  }

  /** How hard bodies struck, over time. */
  private drawMarks(): void {
    const counts = this.contacts.map(({ count }) => count).join(" ");
    const key = `${this.marks.clientWidth} ${counts} ${this.clock.end} ${theme("--text")}`;
    if (key === this.drawnFor) return;
    const ready = prepare(this.marks);
    if (!ready) return;
    this.drawnFor = key;
    const { pen, width, height } = ready;
    const bins = new Float64Array(Math.ceil(width / 2));
    for (const contacts of this.contacts) {
      for (let i = 0; i < contacts.count; i++) {
        const contact = contacts.at(i);
        if (!contact.isNew) continue;
        const bin = Math.min(Math.floor((contact.time / (this.clock.end || 1)) * bins.length), bins.length - 1);
        bins[bin] = Math.max(bins[bin]!, Math.sqrt(contact.impulse / (contacts.hardest || 1)));
      }
    }
    pen.fillStyle = theme("--flash");
    bins.forEach((strength, i) => pen.fillRect(2 * i, height - strength * height, 1.5, strength * height));
  }
}
