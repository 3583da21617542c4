/**
 * Where files come from: the server of `carom view`, or the page itself if it was exported.
 * The rest of the page knows names and bytes only.
 */
import { Failure } from "./failure";

export interface Side {
  label: string;
  /** Segments that the checkpoint counts; null where there is no checkpoint to read. */
  segments?: number | null;
  complete?: boolean;
  problem?: string | null;
}

export interface List {
  kind: "run" | "object";
  /** Whether strikes are answered. */
  live: boolean;
  sides: Side[];
  /** Names, beginning with the number of their side, and their bytes. */
  files: Record<string, number>;
}

export interface Source {
  list(): Promise<List>;
  read(name: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** Files of one side, by the name that they have in its folder. */
export class Folder {
  constructor(
    private readonly source: Source,
    private readonly all: List,
    readonly number: number,
  ) {}

  get side(): Side {
    return this.all.sides[this.number]!;
  }

  has(name: string): boolean {
    return `${this.number}/${name}` in this.all.files;
  }

  size(name: string): number {
    return this.all.files[`${this.number}/${name}`] ?? 0;
  }

  /** Names under a folder, in order. */
  under(folder: string): string[] {
    const prefix = `${this.number}/${folder}/`;
    const names = Object.keys(this.all.files).filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes("/"));
    return names.map((name) => name.slice(`${this.number}/`.length)).sort();
  }

  read(name: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.source.read(`${this.number}/${name}`);
  }

  async json(name: string): Promise<unknown> {
    const text = new TextDecoder().decode(await this.read(name));
    try {
      return JSON.parse(text);
    } catch (error) {
      throw Failure.truncated(name, error instanceof Error ? error.message : "it is no JSON");
    }
  }
}

/** The files that were written into this page, or those of the server that sent it. */
export function openSource(page: Document): Source {
  const data = page.querySelector<HTMLTemplateElement>("#data");
  const inside = data?.content.querySelectorAll<HTMLScriptElement>("script[data-name]") ?? [];
  return inside.length > 0 ? new PageSource(inside) : new ServerSource();
}

class ServerSource implements Source {
  async list(): Promise<List> {
    return (await this.get("/list.json")).json() as Promise<List>;
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer>> {
    const path = name.split("/").map(encodeURIComponent).join("/");
    return new Uint8Array(await (await this.get(`/data/${path}`)).arrayBuffer());
  }

  private async get(path: string): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(path);
    } catch {
      throw new Failure("The server is gone", `${path} was not answered.`, "Start `carom view` again and load the page anew.");
    }
    if (!response.ok) {
      const reason = (await response.text()).trim();
      if (reason.includes(" is damaged: ")) throw Failure.truncated(path, reason);
      throw new Failure("The server refused", `${path}: ${reason}`, "Load the page anew; the folder may have changed.");
    }
    return response;
  }
}

class PageSource implements Source {
  private readonly elements = new Map<string, HTMLScriptElement>();

  constructor(elements: Iterable<HTMLScriptElement>) {
    for (const element of elements) this.elements.set(element.dataset["name"] ?? "", element);
  }

  async list(): Promise<List> {
    return JSON.parse(new TextDecoder().decode(await this.read("list.json"))) as List;
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer>> {
    const element = this.elements.get(name);
    if (!element) throw new Failure("Something is missing", `${name} is not in this page.`, "Export the page anew.");
    const packed = Uint8Array.from(atob(element.textContent ?? ""), (digit) => digit.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }
}
