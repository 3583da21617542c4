/** What can go wrong, as the user should read it: a title, what happened, and what to do. */
export class Failure extends Error {
  constructor(
    readonly title: string,
    message: string,
    readonly remedy: string,
  ) {
    super(message);
    this.name = "Failure";
  }

  static truncated(file: string, problem: string): Failure {
    return new Failure(
      "This recording is damaged",
      `${file}: ${problem}`,
      "`carom view --intact` shows what comes before the damage. `carom run SCENE --out OTHER` records the scene anew.",
    );
  }

  static version(file: string, found: string): Failure {
    return new Failure(
      "This file needs a newer Carom",
      `${file} has format version ${found}, but this page reads version 1.`,
      "Open it with the `carom view` that belongs to the program that wrote it.",
    );
  }

  static notCarom(file: string, problem: string): Failure {
    return new Failure("This is not a file of Carom", `${file}: ${problem}`, "Give `carom view` a run folder or a .carom file.");
  }

  static noWebGl(): Failure {
    return new Failure(
      "This browser shows no 3D",
      "WebGL 2 is switched off or missing.",
      "Switch hardware acceleration on, update the browser, or try another one. `carom run SCENE --pictures` draws without it.",
    );
  }

  static of(error: unknown): Failure {
    if (error instanceof Failure) return error;
    const message = error instanceof Error ? error.message : String(error);
    return new Failure("Something went wrong", message, "If it happens again, please report it with what you did.");
  }
}

/** Files of version 1.x are read; later major versions are refused. */
export function checkVersion(file: string, version: unknown): void {
  const major = Number.parseInt(String(version), 10);
  if (major === 1) return;
  if (Number.isFinite(major) && major > 1) throw Failure.version(file, String(version));
  throw Failure.notCarom(file, `its version is '${String(version)}', expected 1.0`);
}
