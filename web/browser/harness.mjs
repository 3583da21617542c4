/**
 * What browser tests need: a browser that draws WebGL without a GPU, the real command, and folders with runs and objects.
 *
 * The browser is CAROM_CHROMIUM, else a chromium on the PATH, else the one that npm brought; if none starts, tests fail
 * and say what to install. They never skip.
 */
import { execFileSync, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium as playwright } from "playwright-core";

const here = fileURLToPath(new URL(".", import.meta.url));
const carom = process.env.CAROM_BIN ?? resolve(here, "../../target/release/carom");

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--autoplay-policy=no-user-gesture-required",
];

/** Milliseconds until a page that does not answer fails its test; long, since the machine may be slow and busy. */
const PATIENCE = 300_000;

function onPath(name) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    try {
      const path = join(folder, name);
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // not here
    }
  }
  return undefined;
}

async function browserPath() {
  if (process.env.CAROM_CHROMIUM) return process.env.CAROM_CHROMIUM;
  const found = ["chromium", "chromium-browser", "google-chrome"].map(onPath).find(Boolean);
  if (found) return found;
  const { default: packaged } = await import("@sparticuz/chromium");
  return packaged.executablePath();
}

export async function launch() {
  try {
    return await playwright.launch({ executablePath: await browserPath(), args: ARGUMENTS });
  } catch (error) {
    throw new Error(
      `no browser starts: ${error.message}\nInstall one with\n  sudo apt-get install chromium libnss3\nor name one: CAROM_CHROMIUM=/path/to/chromium make test`,
    );
  }
}

/** A folder of its own that goes away at the end; baked objects stay in the user's cache. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "carom-browser-"));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function run(where, ...words) {
  return execFileSync(carom, ["--quiet", ...words], { cwd: where, encoding: "utf8" });
}

/** The samples of a sound file of floating-point numbers, one channel. */
export function samplesOf(path) {
  const bytes = readFileSync(path);
  const data = bytes.indexOf("data", 12);
  const length = bytes.readUInt32LE(data + 4) / 4;
  return Float32Array.from({ length }, (_, i) => bytes.readFloatLE(data + 8 + 4 * i));
}

/** Starts `carom view` and gives its address, and how to end it. */
export async function view(where, ...words) {
  const server = spawn(carom, ["view", ...words, "--no-open"], { cwd: where, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const address = await new Promise((found, failed) => {
    const listen = (data) => {
      said += data;
      const match = said.match(/http:\/\/127\.0\.0\.1:\d+\//);
      if (match) found(match[0]);
    };
    server.stdout.on("data", listen);
    server.stderr.on("data", listen);
    server.on("exit", () => failed(new Error(`carom view ended: ${said}`)));
  });
  return { address, end: () => server.kill() };
}

/** A page that fails the test if a script of it fails. */
export async function open(browser, address, size = { width: 1100, height: 720 }, options = {}) {
  const page = await browser.newPage({ viewport: size, ...options });
  page.setDefaultTimeout(PATIENCE);
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  await page.goto(address);
  return page;
}

/** Waits some milliseconds, and until the page has drawn what came of them: a busy machine may draw late. */
export async function pause(page, milliseconds) {
  await page.waitForTimeout(milliseconds);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}
