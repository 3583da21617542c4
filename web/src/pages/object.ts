/** The page of an object: its bounce map, its modes, and what a click does: a strike, and the sound of a tap there. */
import * as THREE from "three";
import { readObject, type MapInfo, type ObjectData } from "../data/object";
import { readPly, type Surface } from "../data/ply";
import type { Folder, List } from "../data/source";
import { COLORMAPS, gradient, type Colormap } from "../model/colours";
import { duration, ringing, synthesize, tapPartials, UNCHANGED, type Change, type Partial, type Place } from "../model/tap";
import { digits, quantity } from "../model/text";
import { choice, element, slider } from "../views/dom";
import { theme } from "../views/plot";
import { Solid } from "../views/solid";
import { Speaker } from "../views/speaker";
import { CORNER, cornersOf, Stage } from "../views/stage";
import { Waveform } from "../views/waveform";
import { makeFrame, switchTheme, type Frame } from "./frame";
import { helpOf } from "./help";
import { StrikeView } from "./strike";

const RATE = 48000;
/** Swings of the mode that is shown, per second. */
const SWINGS = 0.8;

export class ObjectPage {
  private readonly frame: Frame;
  private readonly stage: Stage;
  private readonly solid: Solid;
  private readonly speaker = new Speaker();
  private readonly strike: StrikeView;
  private readonly waveform = new Waveform("The sound of the tap: waveform and spectrogram");
  private readonly rows: HTMLButtonElement[] = [];
  private readonly scale = element("div", "scale");
  private readonly ray = new THREE.Raycaster();
  private colours: Colormap = "viridis";
  private mode: number | undefined;
  private exaggeration = 0.06;
  private change: Change = { ...UNCHANGED };
  private tapped: Place | undefined;

  static async open(folder: Folder, list: List): Promise<ObjectPage> {
    const object = readObject("object.carom", await folder.read("object.carom"));
    const map = folder.has("map.ply") ? readPly("map.ply", await folder.read("map.ply")) : undefined;
    const info = folder.has("map.json") ? ((await folder.json("map.json")) as MapInfo) : undefined;
    return new ObjectPage(object, map, info, list.live);
  }

  private constructor(
    private readonly object: ObjectData,
    map: Surface | undefined,
    private readonly info: MapInfo | undefined,
    live: boolean,
  ) {
    const { material, mass, frequencies } = object;
    const about = `${material.name}, ${quantity(1000 * mass, "g")}, ${frequencies.length} modes${object.held ? ", held" : ""}. Click it to strike it.`;
    this.frame = makeFrame(object.name, about, () => this.repaint());
    this.stage = new Stage(this.frame.canvas, 1);
    this.solid = new Solid(object, map);
    this.strike = new StrikeView(live);
    this.stage.scenes[0]!.add(this.solid.root);
    this.fillPanel();
    this.listen();
  }

  get root(): HTMLElement {
    return this.frame.root;
  }

  start(): void {
    this.stage.frame(cornersOf(this.solid.bounds), CORNER);
    this.solid.paintMap(this.colours);
    this.solid.showMap();
    this.repaint();
    const tick = (now: number) => {
      if (this.mode !== undefined) {
        this.solid.bendBy(this.exaggeration * this.solid.size * Math.sin((2 * Math.PI * SWINGS * now) / 1000));
        this.stage.touch();
      }
      this.stage.draw();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.frame.root.dataset["loaded"] = "true";
  }

  private repaint(): void {
    this.stage.setBackground(theme("--stage"));
    this.waveform.draw();
    this.strike.draw();
    this.stage.touch();
  }

  private fillPanel(): void {
    const { panel } = this.frame;
    panel.append(this.lookSection(), this.strikeSection(), this.modesSection(), this.materialSection(), helpOf("object"));
    this.showScale();
  }

  private lookSection(): HTMLElement {
    const section = element("section");
    const colours = choice<Colormap>("Colours", COLORMAPS.filter((map) => map !== "blue-red").map((map) => [map, map]), this.colours, (map) => {
      this.colours = map;
      this.solid.paintMap(map);
      this.showMode(this.mode);
      this.showScale();
    });
    colours.select.dataset["role"] = "colours";
    section.append(element("h2", "", this.info ? "Bounciness" : "Look"), this.scale);
    if (this.info) {
      const list = element("dl", "numbers");
      const fact = (name: string, value: string) => list.append(element("dt", "", name), element("dd", "", value));
      fact("average", this.info.average.toFixed(3));
      fact("least, greatest", `${this.info.min.toFixed(3)}, ${this.info.max.toFixed(3)}`);
      fact("samples", this.info.samples.toLocaleString("en"));
      section.append(list);
    }
    section.append(colours.root);
    return section;
  }

  /** The legend, with the distribution of the map above it. */
  private showScale(): void {
    const bar = element("i");
    bar.style.background = gradient(this.colours);
    this.scale.replaceChildren();
    if (this.info && this.mode === undefined) {
      const most = Math.max(...this.info.distribution);
      const bars = element("div", "bars");
      for (const share of this.info.distribution) {
        const column = element("b");
        column.style.height = `${(100 * share) / most}%`;
        bars.append(column);
      }
      this.scale.append(bars);
    }
    const [low, high] = this.mode === undefined ? ["0 dead", "1 lively"] : ["still", "moves most"];
    this.scale.hidden = this.mode === undefined && !this.info;
    this.scale.append(bar, element("span", "", low), element("span", "", high));
  }

  private strikeSection(): HTMLElement {
    const section = element("section", "strike");
    section.append(element("h2", "", "Strike"), this.strike.root);
    this.waveform.canvas.hidden = true;
    this.frame.stage.append(this.waveform.canvas);
    return section;
  }

  private modesSection(): HTMLElement {
    const section = element("section", "modes");
    const list = element("div", "rows");
    this.object.frequencies.forEach((_, mode) => {
      const row = element("button", "row");
      row.type = "button";
      row.dataset["mode"] = String(mode);
      row.addEventListener("click", () => {
        this.showMode(this.mode === mode ? undefined : mode);
        if (this.mode !== undefined) this.hearMode();
      });
      this.rows.push(row);
      list.append(row);
    });
    this.labelRows();
    const bend = slider("Exaggeration", { min: 0, max: 0.2, step: 0.005, value: this.exaggeration }, (x) => `${Math.round(100 * x)} % of the size`, (x) => (this.exaggeration = x));
    section.append(element("h2", "", `Modes`), bend.root, list);
    return section;
  }

  private labelRows(): void {
    this.rows.forEach((row, mode) => {
      const { frequency, decay } = ringing(this.object.frequencies[mode]!, this.object.material, this.change);
      row.replaceChildren(element("span", "", String(mode + 1)), element("span", "", quantity(frequency, "Hz")), element("span", "", decay > 0 ? quantity(1 / decay, "s") : "–"));
      row.title = `Mode ${mode + 1}: see and hear it; it falls to 1/e in ${decay > 0 ? quantity(1 / decay, "s") : "no time"}`;
      row.setAttribute("aria-pressed", String(this.mode === mode));
    });
  }

  private materialSection(): HTMLElement {
    const section = element("section", "material");
    const { material } = this.object;
    const reset: (() => void)[] = [];
    const add = (label: string, key: keyof Change, words: (factor: number) => string) => {
      const made = slider(label, { min: -2, max: 2, step: 0.01, value: 0 }, (x) => words(10 ** x), (x) => {
        this.change = { ...this.change, [key]: 10 ** x };
        this.labelRows();
      });
      made.input.dataset["role"] = key;
      made.input.addEventListener("change", () => this.hearTap());
      reset.push(() => {
        made.input.value = "0";
        made.input.dispatchEvent(new Event("input"));
      });
      section.append(made.root);
    };
    section.append(element("h2", "", "Material"));
    add("Stiffness", "stiffness", (x) => quantity(x * material.young, "Pa"));
    add("Density", "density", (x) => `${digits(x * material.density)} kg/m³`);
    add("Damping α", "alpha", (x) => `${digits(x * material.damping.alpha)} 1/s`);
    add("Damping β", "beta", (x) => quantity(x * material.damping.beta, "s"));
    const again = element("button", "", `As baked: ${material.name}`);
    again.type = "button";
    again.addEventListener("click", () => {
      for (const back of reset) back();
      this.hearTap();
    });
    section.append(again, element("p", "note", "Changes pitch and ringing of taps and modes. Bounciness stays as baked."));
    return section;
  }

  private showMode(mode: number | undefined): void {
    this.mode = mode;
    if (mode === undefined) this.solid.showMap();
    else this.solid.showMode(mode, this.colours);
    this.labelRows();
    this.showScale();
    this.stage.touch();
    this.frame.root.dataset["mode"] = mode === undefined ? "" : String(mode);
    if (mode !== undefined) this.rows[mode]!.scrollIntoView({ block: "nearest" });
  }

  private hearMode(): void {
    if (this.mode === undefined) return;
    const { frequency, decay } = ringing(this.object.frequencies[this.mode]!, this.object.material, this.change);
    const partials = [{ frequency, decay, amplitude: 1 }];
    this.hear(partials);
  }

  private hearTap(): void {
    if (!this.tapped) return;
    const partials = tapPartials(this.object, this.tapped, this.change);
    this.hear(partials);
  }

  private hear(partials: Partial[]): void {
    const samples = synthesize(partials, duration(partials, 1e-3), RATE);
    this.waveform.canvas.hidden = false;
    this.waveform.show(samples.subarray(0, Math.ceil(duration(partials, 0.05) * RATE)), RATE);
    this.speaker.play(samples, RATE);
  }

  private strikeAt(x: number, y: number): void {
    this.ray.setFromCamera(this.stage.locate(x, y).place, this.stage.camera);
    const hit = this.solid.pick(this.ray);
    if (!hit) return;
    this.showMode(undefined);
    this.solid.mark(hit.point);
    this.frame.root.dataset["tapped"] = hit.point.toArray().join(",");
    this.stage.touch();
    this.tapped = hit.place;
    this.hearTap();
    void this.strike.show(hit.place, hit.point, hit.restitution);
  }

  private listen(): void {
    const { canvas } = this.frame;
    let pressed: { x: number; y: number } | undefined;
    canvas.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => (pressed = { x, y }));
    canvas.addEventListener("pointerup", ({ clientX: x, clientY: y }) => {
      // A drag turns the camera; only a click strikes.
      if (pressed && Math.hypot(x - pressed.x, y - pressed.y) < 4) this.strikeAt(x, y);
      pressed = undefined;
    });
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.repaint()).observe(canvas);
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || ["SELECT", "INPUT"].includes(target.tagName)) return;
    const last = this.object.frequencies.length - 1;
    const actions: Record<string, () => void> = {
      ArrowDown: () => this.showMode(Math.min((this.mode ?? -1) + 1, last)),
      ArrowUp: () => this.showMode(Math.max((this.mode ?? 1) - 1, 0)),
      " ": () => (this.mode === undefined ? this.hearTap() : this.hearMode()),
      Escape: () => this.showMode(undefined),
      h: () => this.stage.goHome(),
      d: () => switchTheme(() => this.repaint()),
      p: () => this.frame.root.classList.toggle("wide"),
    };
    const action = actions[event.key];
    if (!action || (event.key === " " && target.tagName === "BUTTON")) return;
    event.preventDefault();
    action();
  }
}

