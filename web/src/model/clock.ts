/** The time that is shown, and how it passes. All views and the sound follow this one clock. */
export class Clock extends EventTarget {
  time = 0;
  end = 0;
  playing = false;
  /** Simulated seconds per second. */
  speed = 1;

  /** Lets so many seconds pass for the user. At the end it waits while more is loading, else it stops. */
  advance(seconds: number, more: boolean): void {
    if (!this.playing) return;
    const next = this.time + seconds * this.speed;
    if (next >= this.end && !more) {
      this.time = this.end;
      this.pause();
    } else {
      this.time = Math.min(next, this.end);
    }
  }

  play(): void {
    if (this.time >= this.end) this.seek(0);
    this.playing = true;
    this.tell("state");
  }

  pause(): void {
    this.playing = false;
    this.tell("state");
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, 0), this.end);
    this.tell("seek");
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell("state");
  }

  private tell(what: "state" | "seek"): void {
    this.dispatchEvent(new Event(what));
  }
}
