/**
 * @file Counts frames while the built page moves (the first visit that plays itself, the race, kernels looked into), and
 * presses keys meanwhile: how long until the page hears one, and until it has drawn again. Prints JSON, a line a scene.
 *
 *   node scripts/frame-rates.mjs [--seconds 6] [--least 50] [--only race] [--dist dist]
 *
 * CHROME is the browser and CHROME_FLAGS its flags, separated by spaces. Without them: Playwright's or the system's
 * Chromium, with its software adapter. With `--least` its status is 1 where a scene has fewer frames a second.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { findBrowser } from "./ensure-browser.mjs";
import { pageServer } from "./page-server.mjs";

const SOFTWARE = [
  "--enable-unsafe-webgpu",
  "--enable-features=Vulkan",
  "--use-webgpu-adapter=swiftshader",
  "--no-sandbox",
];
/** ms between two presses of a key that does nothing. */
const BEAT = 150;
const PATIENCE = 120_000;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "6" },
    least: { type: "string" },
    only: { type: "string" },
    dist: { type: "string", default: "dist" },
  },
});
const millis = Number(values.seconds) * 1000;

const race = async (page) => {
  await page.getByRole("region", { name: "Steps" }).getByRole("button", { name: "Race" }).click();
  await page.getByRole("timer", { name: "Clock" }).waitFor();
};
const inside = async (page) => {
  await page.getByRole("region", { name: "Kernels" }).getByRole("button", { name: "Look inside" }).click();
  await page.getByText(/Moment \d+ of \d+/).waitFor({ timeout: PATIENCE });
};

/** What is opened, what is pressed before it moves, and what shows that it moves: its text changes. */
const SCENES = [
  { name: "first visit", address: "", begin: async () => {}, moves: '[aria-label="Steps"]' },
  { name: "race", address: "?example=log-relu", begin: race, moves: '[role="timer"]' },
  { name: "race of 9 kernels", address: "?example=llama-block", begin: race, moves: '[role="timer"]' },
  { name: "inside softmax", address: "?example=softmax", begin: inside, moves: ".inside-foot p" },
  { name: "inside matmul", address: "?example=matmul-bias-relu", begin: inside, moves: ".inside-foot p" },
  { name: "inside attention", address: "?example=attention", begin: inside, moves: ".inside-foot p" },
].filter(({ name }) => values.only === undefined || name.includes(values.only));

/** In the page: frames for so long, and what each press of a key had to wait for. */
function watch([time, moves]) {
  return new Promise((done) => {
    const frames = [];
    const heard = [];
    const drawn = [];
    const texts = new Set();
    addEventListener(
      "keydown",
      (event) => {
        heard.push(performance.now() - event.timeStamp);
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => drawn.push(performance.now() - event.timeStamp);
          channel.port2.postMessage(null);
        });
      },
      true,
    );
    const began = performance.now();
    const frame = (now) => {
      frames.push(now);
      texts.add(document.querySelector(moves)?.textContent);
      if (performance.now() - began < time) requestAnimationFrame(frame);
      else done({ frames, heard, drawn, states: texts.size });
    };
    requestAnimationFrame(frame);
  });
}

const sorted = (numbers) => numbers.toSorted((a, b) => a - b);
const part = (numbers, p) => Math.round((sorted(numbers)[Math.floor(p * (numbers.length - 1))] ?? 0) * 10) / 10;
const spread = (numbers) => ({ median: part(numbers, 0.5), p95: part(numbers, 0.95), most: part(numbers, 1) });

const server = pageServer(() => resolve(values.dist));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const browser = await chromium.launch(
  process.env.CHROME
    ? { executablePath: process.env.CHROME, args: (process.env.CHROME_FLAGS ?? "").split(" ").filter(Boolean) }
    : { executablePath: (await findBrowser()).path, args: SOFTWARE },
);
try {
  for (const { name, address, begin, moves } of SCENES) {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "no-preference",
    });
    const page = await context.newPage();
    await page.addInitScript((newcomer) => {
      if (newcomer) return;
      localStorage.setItem("fusion-playground.preferences", JSON.stringify({ toured: true, inspector: true }));
    }, address === "");
    await page.goto(`http://localhost:${server.address().port}/${address}`);
    await page.getByRole("region", { name: "Steps" }).waitFor({ timeout: PATIENCE });
    await begin(page);
    const watched = page.evaluate(watch, [millis, moves]);
    const until = Date.now() + millis - BEAT;
    while (Date.now() < until) {
      await page.keyboard.press("Shift");
      await new Promise((resting) => setTimeout(resting, BEAT));
    }
    const { frames, heard, drawn, states } = await watched;
    const gaps = frames.slice(1).map((at, i) => at - frames[i]);
    const perSecond = Math.round((10_000 * gaps.length) / (frames.at(-1) - frames[0])) / 10;
    const row = {
      scene: name,
      framesPerSecond: perSecond,
      frame: spread(gaps),
      longFrames: gaps.filter((gap) => gap > 50).length,
      keys: heard.length,
      untilHeard: spread(heard),
      untilDrawn: spread(drawn),
      states,
    };
    console.log(JSON.stringify(row));
    if (states < 2) console.error(`${name}: nothing moved`);
    if (states < 2 || perSecond < Number(values.least ?? 0)) process.exitCode = 1;
    await context.close();
  }
} finally {
  await browser.close();
  server.close();
}
