/** What a run may have besides: sound that plays in step, vibrations that bend bodies, bounce maps that colour them. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, launch, open, pause, run, view } from "./harness.mjs";

const RATE = 8000;
let browser;
let where;
const servers = [];

before(async () => {
  browser = await launch();
  where = folder();
});

after(async () => {
  await browser?.close();
  for (const server of servers) server.end();
});

async function loaded(...words) {
  const server = await view(where, ...words);
  servers.push(server);
  const page = await open(browser, server.address);
  await page.waitForSelector("[data-loaded]");
  await pause(page, 300);
  return page;
}

/** A tone of some seconds as 16-bit PCM. */
function wav(frequency, seconds) {
  const samples = Math.round(RATE * seconds);
  const bytes = Buffer.alloc(44 + 2 * samples);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + 2 * samples, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(2 * RATE, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(2 * samples, 40);
  for (let i = 0; i < samples; i++) bytes.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * frequency * i) / RATE)), 44 + 2 * i);
  return bytes;
}

test("sound plays in step with the run, stems are switched one by one, and very slow motion is silent", async () => {
  run(where, "run", "cradle", "--no-plots", "--no-gltf");
  mkdirSync(join(where, "cradle/sound/stems"), { recursive: true });
  writeFileSync(join(where, "cradle/sound/mix.wav"), wav(440, 4));
  for (const [name, frequency] of [["ball-1", 440], ["ball-5", 660]]) {
    writeFileSync(join(where, `cradle/sound/stems/${name}.wav`), wav(frequency, 4));
  }
  const page = await loaded("cradle");
  assert.deepEqual(await page.locator(".stem").allTextContents(), ["ball-1", "ball-5"]);
  const playing = () => page.getAttribute(".sound", "data-playing");
  await page.click(".play");
  await pause(page, 500);
  assert.equal(await playing(), "2", "both stems play");
  await page.uncheck(".stem >> nth=0 >> input");
  assert.equal(await page.locator(".stem input:checked").count(), 1);
  await page.uncheck(".every input");
  assert.equal(await page.locator(".stem input:checked").count(), 0);
  await page.selectOption(".speed", "0.001");
  await pause(page, 300);
  assert.equal(await playing(), "0");
  const picture = await page.locator(".sound .waveform").screenshot();
  await page.locator(".line").evaluate((line) => {
    line.value = 0.7;
    line.dispatchEvent(new Event("input"));
  });
  await pause(page, 300);
  assert.ok(!picture.equals(await page.locator(".sound .waveform").screenshot()), "the cursor has moved");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a body that vibrates is bent as much as the slider says, and coloured by it", async () => {
  const scene = [
    `[scene]\nname = "fall"\nduration = 0.2\n[response]\nfamily = "flexible"`,
    `[[body]]\nname = "floor"\nshape = { shape = "half-space" }`,
    `[[body]]\nname = "bar"\nshape = "bar"\nmaterial = "steel"\nvibration = { modes = 4 }`,
    `position = [0, 0.006, 0]\nvelocity = [0, -0.5, 0]`,
  ];
  writeFileSync(join(where, "fall.toml"), scene.join("\n"));
  run(where, "run", "fall.toml", "--out", "fall", "--no-plots", "--no-gltf");

  const page = await loaded("fall");
  // It has struck the floor and rings.
  await page.locator(".line").evaluate((line) => {
    line.value = 0.165;
    line.dispatchEvent(new Event("input"));
  });
  const stage = page.locator(".stage > canvas");
  const seen = async () => {
    await pause(page, 300);
    return stage.screenshot();
  };
  const plain = await seen();
  await page.selectOption("[data-role=colour-by]", "vibration");
  const coloured = await seen();
  assert.ok(!plain.equals(coloured), "coloured by how far each point moves");
  await page.locator("[data-role=exaggeration]").evaluate((input) => {
    input.value = 3;
    input.dispatchEvent(new Event("input"));
  });
  assert.ok(!coloured.equals(await seen()), "bent a thousand times as far");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("bodies with a bounce map are coloured by it", async () => {
  writeFileSync(
    join(where, "bounce.toml"),
    `[scene]\nname = "bounce"\nduration = 0.1\n[[body]]\nname = "bar"\nshape = "bar"\nmaterial = "steel"\nrestitution = "map"\nmodes = 6\ncolour = [0.5, 0.5, 0.5]\n`,
  );
  run(where, "run", "bounce.toml", "--out", "bounce", "--no-plots", "--no-gltf");
  const page = await loaded("bounce");
  const stage = page.locator(".stage > canvas");
  const before = await stage.screenshot();
  await page.selectOption("[data-role=colour-by]", "bounciness");
  await pause(page, 300);
  assert.ok(!before.equals(await stage.screenshot()));
  assert.match(await page.textContent(".scale"), /0 dead1 lively/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("walls between the camera and what happens hide nothing", async () => {
  const walls = [["right", [-1, 0, 0], [0.3, 0, 0]], ["left", [1, 0, 0], [-0.3, 0, 0]], ["front", [0, 0, -1], [0, 0, 0.3]]];
  const lines = walls.map(([name, normal, place]) => `[[body]]\nname = "${name}"\nshape = { shape = "half-space", normal = [${normal}] }\nposition = [${place}]\n`);
  writeFileSync(
    join(where, "box.toml"),
    `[scene]\nname = "box"\nduration = 0.05\n[[body]]\nname = "ball"\nshape = { shape = "sphere", radius = 0.1 }\nmass = 1\nposition = [0, 0.1, 0]\ncolour = "#e02020"\n${lines.join("")}`,
  );
  run(where, "run", "box.toml", "--out", "box", "--no-plots", "--no-gltf");
  const page = await loaded("box");
  const [red, green, blue] = await page.evaluate(() => {
    const stage = document.querySelector(".stage > canvas");
    const copy = document.createElement("canvas");
    Object.assign(copy, { width: stage.width, height: stage.height });
    const pen = copy.getContext("2d");
    pen.drawImage(stage, 0, 0);
    return [...pen.getImageData(stage.width / 2, stage.height / 2, 1, 1).data];
  });
  assert.ok(red > 2 * green && red > 2 * blue, `in the middle is ${[red, green, blue]}, not the ball`);
  assert.deepEqual(page.problems, []);
  await page.close();
});
