/**
 * @file How long until a lesson can be read and answered: every question of the course opened by its link in a fresh
 * browser context, then from the step before by Next. Prints JSON, a line a question and a line of medians.
 *
 *   node scripts/lesson-times.mjs [--slow 1] [--only memory] [--most 1500] [--dist dist]
 *
 * Times are ms: from the address until the step's words are there, until its question takes an answer, and until its
 * numbers are filled in; from the press on Next likewise. `load` is the machine's at the end. CHROME is the browser and
 * CHROME_FLAGS its flags, separated by spaces. With `--most` its status is 1 where the median question takes longer.
 */
import { readdir, readFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { findBrowser } from "./ensure-browser.mjs";
import { readLesson } from "./lesson-files.mjs";
import { pageServer } from "./page-server.mjs";

const SOFTWARE = [
  "--enable-unsafe-webgpu",
  "--enable-features=Vulkan",
  "--use-webgpu-adapter=swiftshader",
  "--no-sandbox",
];
const PATIENCE = 120_000;

const { values } = parseArgs({
  options: {
    slow: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    most: { type: "string" },
    dist: { type: "string", default: "dist" },
  },
});

/** Ids of lessons, each with the numbers (from 1) of the steps that ask. */
async function questions() {
  const folder = new URL("../src/course/lessons/", import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.includes(values.only)).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const { id, steps } = readLesson(await readFile(new URL(file, folder), "utf8"), `lessons/${file}`);
      return { id, steps: steps.flatMap(({ ask }, i) => (ask ? [i + 1] : [])) };
    }),
  );
}

/** In the page: when step `step` could be read, answered, and had its numbers; ms since `from`. */
function watch([step, from]) {
  const shows = () => document.querySelector(`article.lesson[aria-label$=", step ${step}"]`);
  const stages = {
    read: () => shows(),
    answer: () => shows()?.querySelector("section.lesson-card :is(input:not([type=range]), button):enabled"),
    numbers: () => shows()?.querySelector("section.lesson-card") && !shows().textContent.includes("…"),
  };
  return new Promise((done) => {
    const found = {};
    const look = () => {
      for (const [name, is] of Object.entries(stages))
        if (!(name in found) && is()) found[name] = Math.round(performance.now() - from);
      if (Object.keys(found).length === Object.keys(stages).length) done(found);
      else requestAnimationFrame(look);
    };
    look();
  });
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];

const server = pageServer(() => resolve(values.dist));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const browser = await chromium.launch(
  process.env.CHROME
    ? { executablePath: process.env.CHROME, args: (process.env.CHROME_FLAGS ?? "").split(" ").filter(Boolean) }
    : { executablePath: (await findBrowser()).path, args: SOFTWARE },
);
const rows = [];
try {
  for (const { id, steps } of await questions())
    for (const step of steps) {
      const opened = async (at) => {
        const context = await browser.newContext({ viewport: { width: 1366, height: 768 } });
        context.setDefaultTimeout(PATIENCE);
        const page = await context.newPage();
        const session = await context.newCDPSession(page);
        await session.send("Emulation.setCPUThrottlingRate", { rate: Number(values.slow) });
        await page.goto(`http://localhost:${server.address().port}/#lesson=${id}/${at}`, { waitUntil: "commit" });
        return page;
      };
      const fresh = await opened(step);
      const link = await fresh.evaluate(watch, [step, 0]);
      await fresh.context().close();
      const row = { lesson: id, step, link };
      if (step > 1 && !steps.includes(step - 1)) {
        const page = await opened(step - 1);
        const next = page.getByRole("button", { name: "Next", exact: true });
        await next.waitFor();
        await page.getByRole("region", { name: "Steps" }).waitFor();
        await next.evaluate((button) => button.addEventListener("click", () => (window.pressed = performance.now())));
        await next.click();
        row.next = await page.evaluate(watch, [step, await page.evaluate(() => window.pressed)]);
        await page.context().close();
      }
      rows.push(row);
      console.log(JSON.stringify(row));
    }
} finally {
  await browser.close();
  server.close();
}
const of = (way, stage) => median(rows.flatMap((row) => (row[way] ? [row[way][stage]] : [])));
const stages = (way) => Object.fromEntries(["read", "answer", "numbers"].map((stage) => [stage, of(way, stage)]));
const slowest = Math.max(...rows.map(({ link }) => link.answer));
console.log(
  JSON.stringify({
    medians: { link: stages("link"), next: stages("next") },
    slowest,
    slow: Number(values.slow),
    load: loadavg().map((load) => Math.round(load * 10) / 10),
  }),
);
if (of("link", "answer") > Number(values.most ?? Infinity)) process.exitCode = 1;
