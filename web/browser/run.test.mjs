/** The page of a run in a real browser: it plays, is scrubbed and coloured, tells numbers, and says what is wrong with a file. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { folder, launch, open, pause, run, view } from "./harness.mjs";

let browser;
let where;
const servers = [];

before(async () => {
  browser = await launch();
  where = folder();
  run(where, "run", "cradle", "--no-plots", "--no-gltf");
  run(where, "run", "cradle", "--no-plots", "--no-gltf", "--set", "body.ball-1.restitution=0.2", "--out", "dull");
});

after(async () => {
  await browser?.close();
  for (const server of servers) server.end();
});

async function shown(...words) {
  const server = await view(where, ...words);
  servers.push(server);
  return server.address;
}

async function loaded(address, ...more) {
  const page = await open(browser, address, ...more);
  await page.waitForSelector("[data-loaded]");
  await pause(page, 200);
  return page;
}

/** Colours on the stage at places given as shares of its width and height. */
async function pixels(page, places) {
  await pause(page, 250);
  return page.evaluate((places) => {
    const stage = document.querySelector(".stage > canvas");
    const copy = document.createElement("canvas");
    Object.assign(copy, { width: stage.width, height: stage.height });
    const pen = copy.getContext("2d");
    pen.drawImage(stage, 0, 0);
    return places.map(([x, y]) => [...pen.getImageData(x * (copy.width - 1), y * (copy.height - 1), 1, 1).data.slice(0, 3)]);
  }, places);
}

const GRID = Array.from({ length: 900 }, (_, i) => [((i % 30) + 0.5) / 30, (Math.floor(i / 30) + 0.5) / 30]);
const CORNERS = [[0.01, 0.01], [0.99, 0.01], [0.01, 0.99], [0.99, 0.99]];
const changed = (a, b) => a.filter((colour, i) => colour.some((channel, k) => Math.abs(channel - b[i][k]) > 24)).length;

async function scrub(page, share) {
  await page.locator(".line").evaluate((line, share) => {
    line.value = share;
    line.dispatchEvent(new Event("input"));
  }, share);
}

test("a run plays, is scrubbed, stepped and coloured, and pixels change where they must", async () => {
  const page = await loaded(await shown("cradle"));
  const start = await pixels(page, GRID);
  await scrub(page, 0.11);
  const later = await pixels(page, GRID);
  assert.ok(changed(start, later) > 8, "balls have moved");
  assert.match(await page.textContent(".clock"), /^0\.44 s/);

  const corners = await pixels(page, CORNERS);
  await page.selectOption("[data-role=colour-by]", "speed");
  assert.ok(changed(later, await pixels(page, GRID)) > 8, "balls have another colour");
  assert.equal(changed(corners, await pixels(page, CORNERS)), 0, "the background has the same");

  await page.focus(".stage > canvas");
  const clock = () => page.textContent(".clock");
  const before = await clock();
  await page.keyboard.press("ArrowRight");
  await pause(page, 100);
  assert.notEqual(await clock(), before, "one frame on");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Home");
  await pause(page, 100);
  assert.match(await clock(), /^0\.00 s/);

  for (let i = 0; i < 9; i++) await page.keyboard.press("[");
  assert.equal(await page.inputValue(".speed"), "0.001", "a thousandth of the speed");
  const now = () => page.evaluate(() => performance.now());
  const begun = await now();
  await page.keyboard.press(" ");
  await pause(page, 700);
  await page.keyboard.press(" ");
  const slow = Number.parseFloat(await clock());
  const passed = ((await now()) - begun) / 1000;
  assert.ok(slow > 0 && slow < 0.001 * passed + 0.001, `${slow} s have passed in ${passed} s`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the ledger has a cursor that follows the clock, and moves it", async () => {
  const page = await loaded(await shown("cradle"));
  const plot = page.locator(".plot");
  const before = await plot.screenshot();
  await scrub(page, 0.5);
  await pause(page, 200);
  assert.ok(!before.equals(await plot.screenshot()));
  const box = await plot.boundingBox();
  await page.mouse.click(box.x + box.width - 2, box.y + 40);
  await pause(page, 200);
  assert.ok(Number.parseFloat(await page.textContent(".clock")) > 3.9);
  assert.match(await page.textContent(".legend"), /motion.*J/);
  await page.close();
});

test("a contact tells its numbers, a body its name", async () => {
  const page = await loaded(await shown("cradle"));
  const impact = JSON.parse(run(where, "inspect", "cradle", "--json")).hardest_impacts[0];
  await scrub(page, (impact.time + 0.01) / 4);
  await pause(page, 300);
  const box = await page.locator(".stage > canvas").boundingBox();
  const found = new Set();
  for (let x = 0.05; x < 0.95; x += 0.01) {
    for (const y of [0.45, 0.5, 0.55, 0.6]) {
      await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
      if (await page.isVisible(".tip")) found.add((await page.textContent(".tip")).replace(/[\d.]+/g, "#"));
    }
  }
  const all = [...found].join("\n");
  assert.match(all, /impulse # \w?N s.*approach.*restitution/);
  assert.match(all, /ball-#/);
  await page.close();
});

test("a body is followed", async () => {
  const page = await loaded(await shown("cradle"));
  await page.selectOption("[data-role=follow]", "0");
  await scrub(page, 0);
  const middle = [[0.5, 0.5]];
  const [here] = await pixels(page, middle);
  await scrub(page, 0.1);
  const [there] = await pixels(page, middle);
  const [corner] = await pixels(page, [[0.01, 0.01]]);
  assert.deepEqual(here, there, "the ball stays in the middle");
  assert.notDeepEqual(here, corner);
  await page.close();
});

test("two runs stand side by side under one clock", async () => {
  const page = await loaded(await shown("cradle", "dull"));
  assert.deepEqual(await page.locator(".labels span").allTextContents(), ["cradle", "dull"]);
  assert.equal(await page.locator(".plot").count(), 2);
  await scrub(page, 0.3);
  const left = GRID.map(([x, y]) => [x / 2, y]);
  const right = GRID.map(([x, y]) => [(1 + x) / 2, y]);
  assert.ok(changed(await pixels(page, left), await pixels(page, right)) > 2, "they differ");
  await scrub(page, 0);
  assert.ok(changed(await pixels(page, left), await pixels(page, right)) <= 2, "they began alike");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("an exported page opens from disk and needs nobody", async () => {
  run(where, "view", "cradle", "--export", "cradle.html");
  const page = await browser.newPage();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(pathToFileURL(join(where, "cradle.html")).href);
  await page.waitForSelector("[data-loaded]");
  await scrub(page, 0.11);
  assert.ok(new Set((await pixels(page, GRID)).map(String)).size > 3, "there is something to see");
  assert.equal(asked.filter((url) => /^(https?|wss?):/.test(url)).length, 0, "nothing was asked of a network");
  await page.close();
});

test("light and dark are as the system says, and can be switched", async () => {
  const address = await shown("cradle");
  const brightness = async (page) => (await pixels(page, [[0.01, 0.01]]))[0][0];
  const page = await loaded(address, undefined, { colorScheme: "dark" });
  assert.ok((await brightness(page)) < 60);
  await page.click("[aria-label^=Light]");
  assert.ok((await brightness(page)) > 200);
  await page.close();
});

test("on a phone everything fits across, and touch works", async () => {
  const page = await loaded(await shown("cradle"), { width: 390, height: 780 }, { hasTouch: true });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(wide, 390);
  await page.tap(".play");
  await pause(page, 300);
  assert.equal(await page.getAttribute(".play", "data-sign"), "pause");
  await page.close();
});

test("a recording that loses bytes while it is shown says which file", async () => {
  cpSync(join(where, "cradle"), join(where, "short"), { recursive: true });
  const address = await shown("short");
  truncateSync(join(where, "short/motion/000000.arrow"), 5000);
  const page = await open(browser, address);
  const alert = page.locator("[role=alert]");
  await alert.waitFor();
  assert.match(await alert.textContent(), /damaged.*motion\/000000\.arrow.*--intact/s);
  await page.close();
});

test("a recording of a later version says so", async () => {
  cpSync(join(where, "cradle"), join(where, "later"), { recursive: true });
  const address = await shown("later");
  const manifest = join(where, "later/run.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/"version": "1\.\d+"/, '"version": "2.0"'));
  const page = await open(browser, address);
  await page.locator("[role=alert]").waitFor();
  assert.match(await page.textContent("[role=alert]"), /newer Carom.*version 2\.0/s);
  await page.close();
});

test("the page, served or exported, does nothing that its policy forbids", async () => {
  run(where, "view", "cradle", "--export", "kept.html");
  for (const address of [await shown("cradle"), pathToFileURL(join(where, "kept.html")).href]) {
    const page = await loaded(address);
    await page.click(".play");
    await pause(page, 300);
    assert.deepEqual(page.problems, [], address);
    const refused = await page.evaluate(async () => {
      const violated = new Promise((found) => addEventListener("securitypolicyviolation", (e) => found(e.violatedDirective)));
      const script = document.createElement("script");
      script.textContent = "window.foreign = true";
      document.head.append(script);
      return [await violated, window.foreign];
    });
    assert.deepEqual(refused, ["script-src-elem", undefined], address);
    await page.close();
  }
});

test("a browser without WebGL is told what to do", async () => {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest);
    };
  });
  const page = await context.newPage();
  await page.goto(await shown("cradle"));
  await page.locator("[role=alert]").waitFor();
  assert.match(await page.textContent("[role=alert]"), /shows no 3D.*hardware acceleration/s);
  await context.close();
});
