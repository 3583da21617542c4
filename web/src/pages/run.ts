/** The page of a run, or of two side by side: one clock, one camera, one stage for each. */
import * as THREE from "three";
import { Recording } from "../data/recording";
import type { Folder, List } from "../data/source";
import { Clock } from "../model/clock";
import { gradient, type Colormap } from "../model/colours";
import type { Contact } from "../model/contacts";
import { brief, digits, quantity } from "../model/text";
import { Bodies, type ColourBy } from "../views/bodies";
import { choice, element, slider } from "../views/dom";
import { Flashes } from "../views/flashes";
import { LedgerPlot } from "../views/ledger";
import { theme } from "../views/plot";
import { Soundtrack } from "../views/soundtrack";
import { CORNER, FRONT, Stage } from "../views/stage";
import { Timeline } from "../views/timeline";
import { failureBar } from "./failure";
import { makeFrame, placeTip, switchTheme, type Frame } from "./frame";
import { helpOf } from "./help";

/** How long a contact is seen, in seconds of the user. */
const FLASH = 0.25;

interface Side {
  recording: Recording;
  bodies: Bodies;
  flashes: Flashes;
  plot: LedgerPlot;
}

export class RunPage {
  private readonly clock = new Clock();
  private readonly frame: Frame;
  private readonly stage: Stage;
  private readonly timeline: Timeline;
  private readonly sides: Side[];
  private readonly legend = element("div", "scale");
  private readonly follow = element("select");
  private readonly ray = new THREE.Raycaster();
  private colourBy: ColourBy = "body";
  private map: Colormap = "viridis";
  private loading = true;
  /** Times by which vibrations are shown larger than they are. */
  private exaggeration = 1;
  private followed: { side: number; body: number; at: THREE.Vector3 } | undefined;
  /** The farthest that any point was seen to vibrate, m. */
  private mostDisplaced = 0;
  private readonly tracks: Soundtrack[] = [];
  private stale = true;
  private pointer: { x: number; y: number } | undefined;

  static async open(folders: Folder[], list: List): Promise<RunPage> {
    const recordings = await Promise.all(folders.map((folder) => Recording.open(folder)));
    return new RunPage(recordings, list);
  }

  private constructor(recordings: Recording[], list: List) {
    const infos = recordings.map(({ info }) => info);
    const title = [...new Set(infos.map(({ name }) => name))].join(" beside ");
    this.frame = makeFrame(title, [...new Set(infos.map(({ about }) => about))].join(" "), () => this.repaint());
    this.stage = new Stage(this.frame.canvas, recordings.length);
    this.sides = recordings.map((recording, i) => {
      const bodies = new Bodies(recording);
      const flashes = new Flashes(recording.contacts);
      this.stage.scenes[i]!.add(bodies.root, flashes.points);
      const heading = recordings.length > 1 ? `Energy: ${list.sides[i]!.label}` : "Energy";
      return { recording, bodies, flashes, plot: new LedgerPlot(heading, recording.ledger, this.clock) };
    });
    this.timeline = new Timeline(this.clock, recordings.map(({ contacts }) => contacts), (frames) => this.stepBy(frames));
    this.frame.root.append(this.timeline.root);
    if (recordings.length > 1) this.frame.stage.append(this.labels(list));
    this.fillPanel();
    this.listen();
  }

  get root(): HTMLElement {
    return this.frame.root;
  }

  /** Loads what was recorded, and plays it as soon as there is something to see. */
  async start(): Promise<void> {
    let last = performance.now();
    const tick = (now: number) => {
      // A page that was hidden does not jump ahead.
      this.clock.advance(Math.min((now - last) / 1000, 0.1), this.loading);
      last = now;
      this.draw();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    const shares = this.sides.map(() => 0);
    const load = ({ recording }: Side, side: number) =>
      recording.load((share) => {
        shares[side] = share;
        this.timeline.setLoaded(Math.min(...shares));
        this.loaded();
      });
    await Promise.all(this.sides.map(load));
    this.loading = false;
    this.loaded();
    this.setUp();
    for (const { recording } of this.sides) {
      if (recording.failure && recording.motion.frameCount === 0) throw recording.failure;
      if (recording.failure) this.frame.root.prepend(failureBar(recording.failure));
    }
    await this.addSound();
    this.frame.root.dataset["loaded"] = "true";
  }

  private async addSound(): Promise<void> {
    for (const { recording, plot } of this.sides) {
      const sound = await recording.sound();
      if (!sound) continue;
      const title = this.sides.length > 1 ? `Sound: ${recording.folder.side.label}` : "Sound";
      const track = new Soundtrack(title, sound.mix, sound.stems, this.clock);
      // Two runs at once are a muddle: the first is heard until the user says otherwise.
      track.setLoud(this.tracks.length === 0);
      this.tracks.push(track);
      plot.root.before(track.root);
    }
    this.stale = true;
  }

  /** A segment came in. */
  private loaded(): void {
    const first = this.clock.end === 0;
    this.clock.end = Math.max(...this.sides.map(({ recording }) => recording.motion.end));
    for (const { plot } of this.sides) plot.update();
    if (first && this.clock.end > 0) this.setUp();
    this.stale = true;
  }

  /** Puts the camera where all that is known so far can be seen. */
  private setUp(): void {
    const points = this.sides.flatMap(({ bodies }) => bodies.seen());
    const box = new THREE.Box3().setFromPoints(points);
    for (const { bodies } of this.sides) bodies.layFloors(box, theme("--floor"));
    const flat = this.sides.every(({ recording }) => recording.info.dimension === 2);
    this.stage.frame(points, flat ? FRONT : CORNER);
    const most = Math.max(...this.sides.map(({ recording }) => recording.info.bodies.length));
    this.stage.setShadows(!flat && most <= 2000);
    this.repaint();
  }

  private repaint(): void {
    this.stage.setBackground(theme("--stage"));
    for (const { bodies } of this.sides) bodies.paintFloors(theme("--floor"));
    this.stale = true;
  }

  private draw(): void {
    if (this.clock.playing || this.stale) {
      this.stale = false;
      const window = Math.max(FLASH * this.clock.speed, 1.5 * this.sides[0]!.recording.info.step);
      for (const { bodies, flashes } of this.sides) {
        bodies.moveTo(this.clock.time);
        const most = bodies.vibrate(this.clock.time, this.exaggeration);
        if (most > this.mostDisplaced) {
          this.mostDisplaced = most;
          if (this.colourBy === "vibration") this.showLegend();
        }
        bodies.colour(this.colourBy, this.map, this.mostDisplaced);
        flashes.show(this.clock.time - window, this.clock.time + this.sides[0]!.recording.info.step / 2);
      }
      this.carryCamera();
      for (const { plot } of this.sides) plot.draw();
      this.timeline.draw();
      this.stage.touch();
    }
    this.stage.draw();
    for (const track of this.tracks) track.follow();
  }

  private carryCamera(): void {
    if (!this.followed) return;
    const { side, body, at } = this.followed;
    const now = this.sides[side]!.bodies.positionOf(body);
    this.stage.carry(now.clone().sub(at));
    this.followed.at = now;
  }

  private stepBy(frames: number): void {
    this.clock.pause();
    const { motion } = this.sides[0]!.recording;
    const now = motion.frameAt(this.clock.time + 1e-9);
    const next = Math.min(Math.max(now + frames, 0), motion.frameCount - 1);
    this.clock.seek(motion.times[next] ?? 0);
  }

  private fillPanel(): void {
    const { panel } = this.frame;
    const recordings = this.sides.map(({ recording }) => recording);
    const options: ColourBy[] = ["body", "speed"];
    if (recordings.some(({ maps }) => maps.size > 0)) options.push("bounciness");
    const vibrates = recordings.some(({ objects }) => objects.size > 0);
    if (vibrates) options.push("vibration");
    const colours = choice<ColourBy>("Colour by", options.map((by) => [by, by]), this.colourBy, (by) => {
      this.colourBy = by;
      this.showLegend();
    });
    colours.select.dataset["role"] = "colour-by";
    const bodies = this.sides[0]!.recording.info.bodies;
    const followLabel = element("label", "field", "Follow");
    this.follow.append(new Option("nothing", ""), ...bodies.slice(0, 500).map(({ name }, i) => new Option(name, String(i))));
    this.follow.dataset["role"] = "follow";
    this.follow.addEventListener("change", () => this.followBody(0, this.follow.value === "" ? undefined : Number(this.follow.value)));
    followLabel.append(this.follow);
    const look = element("section", "look");
    look.append(element("h2", "", "Look"), colours.root, this.legend, followLabel);
    if (vibrates) {
      const bend = slider("Vibration", { min: 0, max: 6, step: 0.1, value: 0 }, (x) => `${brief(10 ** x, "").trim()} ×`, (x) => {
        this.exaggeration = 10 ** x;
        this.stale = true;
      });
      bend.input.dataset["role"] = "exaggeration";
      look.append(bend.root);
    }
    panel.append(look, ...this.sides.map(({ plot }) => plot.root), this.facts(), helpOf("run"));
    this.showLegend();
  }

  private showLegend(): void {
    this.stale = true;
    this.legend.hidden = this.colourBy === "body";
    if (this.legend.hidden) return;
    const bar = element("i");
    bar.style.background = gradient(this.map);
    const fastest = Math.max(...this.sides.map(({ recording }) => recording.motion.fastest));
    const [low, high] = {
      body: ["", ""],
      speed: ["0", quantity(fastest, "m/s")],
      bounciness: ["0 dead", "1 lively"],
      vibration: ["still", this.mostDisplaced > 0 ? `moves by ${quantity(this.mostDisplaced, "m")}` : "moves most"],
    }[this.colourBy] as [string, string];
    this.legend.replaceChildren(bar, element("span", "", low), element("span", "", high));
  }

  private followBody(side: number, body: number | undefined): void {
    this.followed = body === undefined ? undefined : { side, body, at: this.sides[side]!.bodies.positionOf(body) };
    if (this.followed) this.stage.carry(this.followed.at.clone().sub(this.stage.controls.target));
    else this.stage.goHome();
    this.stale = true;
  }

  private facts(): HTMLElement {
    const section = element("section", "facts");
    section.append(element("h2", "", "Run"));
    for (const { recording } of this.sides) {
      const { info } = recording;
      const list = element("dl");
      const fact = (name: string, value: string) => list.append(element("dt", "", name), element("dd", "", value));
      fact("bodies", String(info.bodies.length));
      fact("time step", quantity(info.step, "s"));
      fact("frames", `${Number(info.fps.toPrecision(4))} per second`);
      section.append(list);
    }
    return section;
  }

  private labels(list: List): HTMLElement {
    const row = element("div", "labels");
    row.append(...list.sides.map(({ label }) => element("span", "", label)));
    return row;
  }

  private listen(): void {
    this.clock.addEventListener("seek", () => (this.stale = true));
    this.clock.addEventListener("state", () => (this.stale = true));
    const { canvas } = this.frame;
    new ResizeObserver(() => (this.stale = true)).observe(canvas);
    canvas.addEventListener("pointermove", ({ clientX: x, clientY: y, buttons }) => {
      this.pointer = { x, y };
      if (buttons === 0) this.hover();
      else this.frame.tip.hidden = true;
    });
    canvas.addEventListener("pointerleave", () => (this.frame.tip.hidden = true));
    canvas.addEventListener("dblclick", ({ clientX, clientY }) => {
      const { side, body } = this.bodyAt(clientX, clientY);
      this.follow.value = side === 0 && body !== undefined ? String(body) : "";
      this.followBody(side, body);
    });
    document.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || ["SELECT", "INPUT"].includes(target.tagName)) return;
    const actions: Record<string, () => void> = {
      " ": () => this.clock.toggle(),
      ArrowLeft: () => this.stepBy(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.stepBy(event.shiftKey ? 10 : 1),
      Home: () => this.clock.seek(0),
      End: () => this.clock.seek(this.clock.end),
      "[": () => this.timeline.shift(-1),
      "]": () => this.timeline.shift(1),
      m: () => this.switchSound(),
      h: () => this.stage.goHome(),
      d: () => switchTheme(() => this.repaint()),
      p: () => this.frame.root.classList.toggle("wide"),
    };
    const action = actions[event.key];
    if (!action || (event.key === " " && target.tagName === "BUTTON")) return;
    event.preventDefault();
    action();
  }

  /** The next of the runs is heard, and after the last none. */
  private switchSound(): void {
    const now = this.tracks.findIndex(({ isLoud }) => isLoud);
    this.tracks.forEach((track, i) => track.setLoud(i === now + 1));
  }

  private bodyAt(x: number, y: number): { side: number; body: number | undefined } {
    const { side, place } = this.stage.locate(x, y);
    this.ray.setFromCamera(place, this.stage.camera);
    return { side, body: this.sides[side]!.bodies.pick(this.ray) };
  }

  /** Tells about the contact or the body under the pointer. */
  private hover(): void {
    const { x, y } = this.pointer!;
    const { side } = this.stage.locate(x, y);
    const { flashes, bodies, recording } = this.sides[side]!;
    const contact = flashes.near((point) => this.stage.project(side, point), x, y);
    if (contact) return placeTip(this.frame.tip, x, y, wordsOf(contact, recording));
    // Bodies are searched one by one, which is too slow for very many while they move.
    const body = recording.info.bodies.length <= 5000 || !this.clock.playing ? this.bodyAt(x, y).body : undefined;
    if (body === undefined) {
      this.frame.tip.hidden = true;
      return;
    }
    placeTip(this.frame.tip, x, y, [recording.info.bodies[body]!.name, quantity(bodies.speedOf(body), "m/s")]);
  }
}

function wordsOf(contact: Contact, { info }: Recording): string[] {
  const name = (body: number) => info.bodies[body]!.name;
  return [
    `${name(contact.first)} and ${name(contact.second)}`,
    `impulse ${quantity(contact.impulse, "N s")}`,
    `approach ${quantity(contact.approach, "m/s")}`,
    `restitution ${digits(contact.restitution)}`,
    `at ${contact.time.toFixed(6)} s${contact.isNew ? "" : ", going on"}`,
  ];
}
