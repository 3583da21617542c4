/** The page of an object in a real browser: a click strikes it, and what is heard are its frequencies. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { folder, launch, open, pause, run, samplesOf, view } from "./harness.mjs";

let browser;
let where;
let server;
let frequencies;

before(async () => {
  browser = await launch();
  where = folder();
  run(where, "bake", "bar", "--modes", "12", "--output", "bar.carom");
  frequencies = JSON.parse(run(where, "modes", "bar.carom", "--json")).frequencies;
  server = await view(where, "bar.carom");
});

after(async () => {
  await browser?.close();
  server?.end();
});

async function loaded(address = server.address) {
  const page = await open(browser, address);
  await page.evaluate(() => {
    window.heard = [];
    document.addEventListener("carom:sound", ({ detail }) => window.heard.push(detail));
  });
  await page.waitForSelector("[data-loaded]");
  await pause(page, 300);
  return page;
}

/** Clicks half-way down the stage, at this share of its width. */
async function strikeAt(page, across) {
  const box = await page.locator(".stage > canvas").first().boundingBox();
  await page.mouse.click(box.x + across * box.width, box.y + box.height / 2);
}

/** The strongest frequency of the last sound: bins of a plain Fourier sum, fine enough for 1 %. */
function loudest(page, from, to) {
  return page.evaluate(
    ([from, to]) => {
      const { samples, rate } = window.heard.at(-1);
      const length = Math.min(samples.length, 6000);
      let best = { power: 0, frequency: 0 };
      for (let frequency = from; frequency < to; frequency *= 1.004) {
        let [re, im] = [0, 0];
        for (let i = 0; i < length; i++) {
          const window = Math.sin((Math.PI * i) / length) ** 2;
          re += window * samples[i] * Math.cos((2 * Math.PI * frequency * i) / rate);
          im += window * samples[i] * Math.sin((2 * Math.PI * frequency * i) / rate);
        }
        const power = re * re + im * im;
        if (power > best.power) best = { power, frequency };
      }
      return best.frequency;
    },
    [from, to],
  );
}

test("a click strikes: restitution, contact time, micro-collisions, and the sound of the object's own frequencies", async () => {
  const page = await loaded();
  await strikeAt(page, 0.5);
  await page.waitForFunction(() => document.querySelector(".strike")?.textContent.includes("micro-collisions"));
  const text = await page.textContent(".strike");
  const [, baked, struck] = text.match(/in the map([\d.]+).*struck now([\d.]+)/);
  assert.ok(Math.abs(baked - struck) < 0.1, `map ${baked}, strike ${struck}`);
  assert.match(text, /contact time[\d.]+ µs/);
  const heard = await loudest(page, 300, 20000);
  const nearest = Math.min(...frequencies.map((frequency) => Math.abs(heard / frequency - 1)));
  assert.ok(nearest < 0.01, `${heard} Hz is none of ${frequencies}`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the sound of a tap is what `carom sound --tap --dry` writes for that point", async () => {
  const page = await loaded();
  const places = new Set();
  for (const across of [0.5, 0.53]) {
    await strikeAt(page, across);
    const tapped = await page.getAttribute("[data-tapped]", "data-tapped");
    places.add(tapped);
    const { samples, rate } = await page.evaluate(() => ({ ...window.heard.at(-1), samples: [...window.heard.at(-1).samples] }));
    const words = ["--tap", tapped, "--dry", "--up-to", rate / 2, "--rate", rate, "--bits", 32, "--seconds", samples.length / rate];
    run(where, "sound", "bar.carom", ...words.map(String), "--out", "tap.wav", "--force");
    const written = samplesOf(join(where, "tap.wav"));
    assert.equal(samples.length, written.length);
    // The page interpolates modes on the triangle, the command reads them in the cells: strengths differ by less than a per cent.
    const apart = (from, to) => Math.max(...samples.slice(from, to).map((sample, i) => Math.abs(sample - written[from + i]))) / written[0];
    assert.ok(apart(0, 1000) < 0.01, `${apart(0, 1000)} of the first sample apart`);
    // A hundred swings of the lowest mode later, a pitch off by 1e-5 or another decay would be seen.
    assert.ok(Math.max(...written.slice(5000, 6000)) > 0.1 * written[0], "it still rings");
    assert.ok(apart(5000, 6000) < 1e-3, `${apart(5000, 6000)} of the first sample apart after 5,000`);
  }
  assert.equal(places.size, 2, "two places were struck");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a mode is seen moving and heard at its frequency; a stiffer material is higher", async () => {
  const page = await loaded();
  await page.click("[data-mode='2']");
  const heard = await loudest(page, 300, 20000);
  assert.ok(Math.abs(heard / frequencies[2] - 1) < 0.01, `${heard} Hz instead of ${frequencies[2]} Hz`);
  const stage = page.locator(".stage > canvas").first();
  const first = await stage.screenshot();
  await pause(page, 350);
  assert.ok(!first.equals(await stage.screenshot()), "it swings");

  await strikeAt(page, 0.5);
  await page.locator("[data-role=stiffness]").evaluate((input) => {
    input.value = 2;
    input.dispatchEvent(new Event("input"));
    input.dispatchEvent(new Event("change"));
  });
  const higher = await loudest(page, 300, 20000);
  const nearest = Math.min(...frequencies.map((frequency) => Math.abs(higher / (10 * frequency) - 1)));
  assert.ok(nearest < 0.01, `${higher} Hz is none of ten times ${frequencies}`);
  await page.close();
});

test("an exported object shows its map and rings, and says what is baked", async () => {
  run(where, "view", "bar.carom", "--export", "bar.html");
  const page = await loaded(pathToFileURL(join(where, "bar.html")).href);
  await strikeAt(page, 0.5);
  const text = await page.textContent(".strike");
  assert.match(text, /restitution in the map0\.\d+/);
  assert.doesNotMatch(text, /struck now/);
  const heard = await loudest(page, 300, 20000);
  assert.ok(Math.min(...frequencies.map((frequency) => Math.abs(heard / frequency - 1))) < 0.01);
  assert.deepEqual(page.problems, []);
  await page.close();
});
