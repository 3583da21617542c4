/** The sound of a run, in step with the clock: waveform, spectrogram, and stems that can be muted one by one. */
import type { Wave } from "../data/wav";
import type { Clock } from "../model/clock";
import { button, element, setSign } from "./dom";
import { Waveform } from "./waveform";

/** Slower than this nothing is heard: it would be a rumble. */
const SLOWEST = 1 / 20;
/** Seconds by which sound and picture may differ. */
const SLACK = 0.08;

interface Track {
  wave: Wave;
  gain: GainNode;
  buffer: AudioBuffer;
}

export class Soundtrack {
  readonly root = element("section", "sound");
  private readonly waveform: Waveform;
  private readonly context = new AudioContext();
  private readonly tracks: Track[] = [];
  private sources: AudioBufferSourceNode[] = [];
  /** When the sound began, and at which time of the run. */
  private begun: { at: number; time: number; speed: number } | undefined;
  private readonly master = this.context.createGain();
  private readonly mute = button("sound", "Sound on or off (m)", () => this.setLoud(!this.loud));
  private loud = true;

  /** With stems these are played, each on its own; else the mix. */
  constructor(
    title: string,
    mix: Wave,
    stems: [string, Wave][],
    private readonly clock: Clock,
  ) {
    this.waveform = new Waveform("Waveform and spectrogram of the run");
    this.master.connect(this.context.destination);
    const heading = element("div", "heading");
    heading.append(element("h2", "", title), this.mute);
    this.root.append(heading, this.waveform.canvas);
    const list = element("div", "stems");
    for (const [name, wave] of stems.length > 0 ? stems : [["", mix] as [string, Wave]]) {
      const gain = this.context.createGain();
      gain.connect(this.master);
      this.tracks.push({ wave, gain, buffer: this.bufferOf(wave) });
      if (name) list.append(stem("stem", name, (heard) => (gain.gain.value = heard ? 1 : 0)));
    }
    if (stems.length > 1) this.root.append(stem("every", "all", (heard) => hearAll(list, heard)));
    if (stems.length > 0) this.root.append(list);
    this.waveform.show(mono(mix), mix.rate);
    this.waveform.canvas.addEventListener("pointerdown", ({ offsetX }) => clock.seek((offsetX / this.waveform.canvas.clientWidth) * clock.end));
    clock.addEventListener("seek", () => this.stop());
    clock.addEventListener("state", () => this.stop());
  }

  get isLoud(): boolean {
    return this.loud;
  }

  setLoud(loud: boolean): void {
    this.loud = loud;
    setSign(this.mute, loud ? "sound" : "mute");
    this.mute.setAttribute("aria-pressed", String(loud));
    this.master.gain.value = loud ? 1 : 0;
  }

  /** Called at every picture: keeps the sound in step. */
  follow(): void {
    const { clock } = this;
    this.waveform.draw(clock.time, clock.end);
    if (!clock.playing || clock.speed < SLOWEST) return this.stop();
    const heard = this.begun && this.begun.time + (this.context.currentTime - this.begun.at) * this.begun.speed;
    if (heard === undefined || Math.abs(heard - clock.time) > SLACK * Math.max(clock.speed, 1)) this.start();
  }

  private start(): void {
    this.stop();
    void this.context.resume();
    const { time, speed } = this.clock;
    this.begun = { at: this.context.currentTime, time, speed };
    for (const { buffer, gain } of this.tracks) {
      if (time >= buffer.duration) continue;
      const source = this.context.createBufferSource();
      source.buffer = buffer;
      source.playbackRate.value = speed;
      source.connect(gain);
      source.start(0, time);
      this.sources.push(source);
    }
    this.root.dataset["playing"] = String(this.sources.length);
  }

  private stop(): void {
    for (const source of this.sources) source.stop();
    this.sources = [];
    this.begun = undefined;
    this.root.dataset["playing"] = "0";
  }

  private bufferOf({ rate, channels }: Wave): AudioBuffer {
    const buffer = this.context.createBuffer(channels.length, Math.max(channels[0]!.length, 1), rate);
    channels.forEach((samples, i) => buffer.copyToChannel(samples, i));
    return buffer;
  }
}

/** A switch for what is heard. */
function stem(kind: string, name: string, hear: (heard: boolean) => void): HTMLElement {
  const label = element("label", kind);
  const box = element("input");
  box.type = "checkbox";
  box.checked = true;
  box.addEventListener("change", () => hear(box.checked));
  label.append(box, element("span", "", name));
  return label;
}

/** Sets all switches of a list. */
function hearAll(list: HTMLElement, heard: boolean): void {
  for (const box of list.querySelectorAll("input")) {
    box.checked = heard;
    box.dispatchEvent(new Event("change"));
  }
}

/** The mean of all channels. */
function mono({ channels }: Wave): Float32Array {
  return channels[0]!.map((_, i) => channels.reduce((sum, channel) => sum + channel[i]!, 0) / channels.length);
}
