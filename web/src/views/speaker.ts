/** Plays sounds that the page made. Whoever wants to look at them listens for `carom:sound` on the document. */
export class Speaker {
  private context: AudioContext | undefined;
  private playing: AudioBufferSourceNode | undefined;

  /** Plays samples at the loudness of the loudest that is comfortable. */
  play(samples: Float32Array<ArrayBuffer>, rate: number): void {
    document.dispatchEvent(new CustomEvent("carom:sound", { detail: { samples, rate } }));
    this.context ??= new AudioContext();
    void this.context.resume();
    let peak = 0;
    for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
    if (peak === 0) return;
    const buffer = this.context.createBuffer(1, samples.length, rate);
    buffer.copyToChannel(samples.map((sample) => (0.5 * sample) / peak), 0);
    this.stop();
    this.playing = this.context.createBufferSource();
    this.playing.buffer = buffer;
    this.playing.connect(this.context.destination);
    this.playing.start();
  }

  stop(): void {
    this.playing?.stop();
    this.playing = undefined;
  }
}
