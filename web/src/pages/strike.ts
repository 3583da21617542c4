/** What a strike at a point gave: its numbers, and how the gap closed and opened again in micro-collisions. */
import type * as THREE from "three";
import type { Place } from "../model/tap";
import { quantity } from "../model/text";
import { element } from "../views/dom";
import { prepare, theme } from "../views/plot";

interface Strike {
  restitution: number;
  contact_time: number;
  micro_collisions: number;
  modal_energy: number;
  energy_before: number;
  timed_out: boolean;
  series: { time: number[]; gap: number[]; impulse_share: number[] };
}

export class StrikeView {
  readonly root = element("div");
  private readonly numbers = element("dl", "numbers");
  private readonly canvas = element("canvas", "course");
  private strike: Strike | undefined;
  private latest = 0;

  /** `live` is whether there is a server that strikes; else the map's own number is told. */
  constructor(private readonly live: boolean) {
    this.canvas.hidden = true;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Gap and impulse during the strike");
    this.root.append(element("p", "note", "Click a point of the body."), this.numbers, this.canvas);
  }

  async show(place: Place, point: THREE.Vector3, baked: number | undefined): Promise<void> {
    const turn = ++this.latest;
    this.root.querySelector(".note")?.remove();
    const facts: [string, string][] = [["point", `${point.toArray().map((x) => (1000 * x).toFixed(1)).join(", ")} mm`]];
    if (baked !== undefined) facts.push(["restitution in the map", baked.toFixed(3)]);
    this.tell(facts);
    if (!this.live) return;
    const answer = await fetch(`/strike?triangle=${place.triangle}&u=${place.weights[0]}&v=${place.weights[1]}`);
    // Only the latest click counts.
    if (turn !== this.latest) return;
    if (!answer.ok) return this.tell([...facts, ["strike", (await answer.text()).trim()]]);
    this.strike = (await answer.json()) as Strike;
    const { restitution, contact_time, micro_collisions, modal_energy, energy_before } = this.strike;
    facts.push(["restitution struck now", restitution.toFixed(4)]);
    facts.push(["contact time", quantity(contact_time, "s")]);
    facts.push(["micro-collisions", String(micro_collisions)]);
    facts.push(["left as vibration", `${((100 * modal_energy) / energy_before).toFixed(1)} %`]);
    this.tell(facts);
    this.canvas.hidden = false;
    this.draw();
  }

  /** The gap as a line above the impulse so far. */
  draw(): void {
    if (!this.strike) return;
    const ready = prepare(this.canvas);
    if (!ready) return;
    const { pen, width, height } = ready;
    const { time, gap, impulse_share } = this.strike.series;
    const end = time[time.length - 1] || 1;
    const middle = 0.55 * height;
    const across = (t: number) => (t / end) * width;
    const most = Math.max(...gap.map(Math.abs)) || 1;
    pen.fillStyle = theme("--line");
    pen.fillRect(0, middle - 0.5, width, 1);
    const line = (colour: string, y: (i: number) => number) => {
      pen.beginPath();
      time.forEach((t, i) => pen.lineTo(across(t), y(i)));
      pen.strokeStyle = colour;
      pen.lineWidth = 1.5;
      pen.stroke();
    };
    line(theme("--accent"), (i) => middle - (gap[i]! / most) * (middle - 16));
    line(theme("--flash"), (i) => height - 16 - impulse_share[i]! * (height - 20 - middle));
    pen.fillStyle = theme("--accent");
    pen.fillText(`gap, up to ${quantity(most, "m")}`, 0, 10);
    pen.fillStyle = theme("--flash");
    pen.fillText("impulse so far", 0, middle + 14);
    pen.fillStyle = theme("--muted");
    pen.textAlign = "right";
    pen.fillText(quantity(end, "s"), width, height - 3);
    pen.textAlign = "left";
  }

  private tell(facts: [string, string][]): void {
    this.numbers.replaceChildren(...facts.flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)]));
  }
}
