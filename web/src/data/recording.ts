/** A run folder: `run.json` and surfaces at once, then segments one after the other, so that playing begins early. */
import { Contacts } from "../model/contacts";
import { Ledger } from "../model/ledger";
import { Motion } from "../model/motion";
import { Vibration } from "../model/vibration";
import { checkVersion, Failure } from "./failure";
import { readPly, type Surface } from "./ply";
import { readObject, type ObjectData } from "./object";
import type { Folder } from "./source";
import { Segment } from "./table";
import { readWav, type Wave } from "./wav";

export type Vector = [number, number, number];

export interface Body {
  name: string;
  colour: Vector;
  look: { surface: { surface: number; offset: Vector } } | { half_space: { normal: Vector } };
  /** The object that it vibrates as, or whose bounce map it has. */
  object?: string;
}

export interface RunInfo {
  name: string;
  about: string;
  dimension: 2 | 3;
  step: number;
  fps: number;
  contacts: boolean;
  surfaces: string[];
  bodies: Body[];
}

export class Recording {
  /** What is wrong with the rest, if something is: what came before can be played. */
  failure: Failure | undefined;
  complete = false;
  readonly vibration = new Vibration();

  private constructor(
    readonly folder: Folder,
    readonly info: RunInfo,
    readonly surfaces: Surface[],
    readonly motion: Motion,
    readonly contacts: Contacts,
    readonly ledger: Ledger,
    /** Bounce maps of bodies that have one, painted on their surface, by the number of the body. */
    readonly maps: Map<number, Surface>,
    /** Objects of bodies that vibrate. */
    readonly objects: Map<number, ObjectData>,
  ) {}

  static async open(folder: Folder): Promise<Recording> {
    const info = readInfo(await folder.json("run.json"));
    const surfaces = await Promise.all(info.surfaces.map(async (name) => readPly(name, await folder.read(name))));
    const motion = new Motion(info.bodies.length);
    const contacts = new Contacts(info.step, info.bodies.length);
    return new Recording(folder, info, surfaces, motion, contacts, new Ledger(), await readMaps(folder, info), await readObjects(folder, info));
  }

  /** The sound of the run, if it was made: the mix, and stems by name. */
  async sound(): Promise<{ mix: Wave; stems: [string, Wave][] } | undefined> {
    if (!this.folder.has("sound/mix.wav")) return undefined;
    const read = async (name: string) => readWav(name, await this.folder.read(name));
    const stem = async (name: string): Promise<[string, Wave]> => [name.slice("sound/stems/".length, -".wav".length), await read(name)];
    return { mix: await read("sound/mix.wav"), stems: await Promise.all(this.folder.under("sound/stems").map(stem)) };
  }

  /** Loads segments in order; `progress` hears of each. A damaged segment ends it. */
  async load(progress: (share: number) => void): Promise<void> {
    const count = Math.min(this.folder.side.segments ?? Infinity, this.folder.under("motion").length);
    if (this.folder.side.segments != null && count < this.folder.side.segments) {
      this.failure = Failure.truncated(`motion/${String(count).padStart(6, "0")}.arrow`, "it is missing");
    }
    try {
      for (let i = 0; i < count; i++) {
        const name = (table: string) => `${table}/${String(i).padStart(6, "0")}.arrow`;
        const segment = async (table: string) => Segment.read(name(table), await this.folder.read(name(table)));
        this.motion.add(await segment("motion"), name("motion"));
        this.ledger.add(await segment("ledger"));
        if (this.folder.has(name("contacts"))) this.contacts.add(await segment("contacts"), name("contacts"));
        if (this.folder.has(name("vibration"))) this.vibration.add(await segment("vibration"));
        progress((i + 1) / count);
      }
    } catch (error) {
      this.failure = Failure.of(error);
    }
    this.complete = !this.failure;
    progress(1);
  }
}

/** What each file of a folder is for: read once, shared by the bodies that name it. */
async function byBody<T>(names: Map<number, string>, read: (name: string) => Promise<T>): Promise<Map<number, T>> {
  const files = new Map<string, Promise<T>>();
  const found = new Map<number, T>();
  for (const [body, name] of names) {
    if (!files.has(name)) files.set(name, read(name));
    found.set(body, await files.get(name)!);
  }
  return found;
}

async function readMaps(folder: Folder, { bodies }: RunInfo): Promise<Map<number, Surface>> {
  if (!folder.has("maps.json")) return new Map();
  const files = (await folder.json("maps.json")) as Record<string, string>;
  const names = new Map(bodies.flatMap(({ name }, body) => (files[name] ? [[body, files[name]] as const] : [])));
  return byBody(names, async (name) => readPly(name, await folder.read(name)));
}

async function readObjects(folder: Folder, { bodies }: RunInfo): Promise<Map<number, ObjectData>> {
  if (folder.under("vibration").length === 0) return new Map();
  const names = new Map(bodies.flatMap(({ object }, body) => (object && folder.has(object) ? [[body, object] as const] : [])));
  return byBody(names, async (name) => readObject(name, await folder.read(name)));
}

function readInfo(value: unknown): RunInfo {
  const info = value as RunInfo & { format?: string; version?: string };
  if (info?.format !== "carom-recording") throw Failure.notCarom("run.json", `its format is '${info?.format}'`);
  checkVersion("run.json", info.version);
  if (!(info.step > 0) || !(info.fps > 0) || !Array.isArray(info.bodies) || !Array.isArray(info.surfaces)) {
    throw Failure.truncated("run.json", "step, fps, bodies or surfaces are missing");
  }
  for (const body of info.bodies) {
    const known = "half_space" in body.look || ("surface" in body.look && body.look.surface.surface < info.surfaces.length);
    if (!known) throw Failure.truncated("run.json", `body '${body.name}' has a surface that is not there`);
  }
  return info;
}
