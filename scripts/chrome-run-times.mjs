/**
 * @file Presses Run on the built page in a browser, example by example, and prints as JSON when the first median, all
 * times and the verdict were on screen, with the phases of the run. Needs a build, Node and playwright-core only.
 *
 *   node scripts/chrome-run-times.mjs [--size L] [--again] [example …]
 *
 * CHROME is the browser and CHROME_FLAGS its flags (scripts/chrome.mjs). `--again` runs each example twice, the second time with everything warm.
 */
import { parseArgs } from "node:util";
import { openBrowser, serveFolder } from "./chrome.mjs";

const EXAMPLES = ["log-relu", "softmax", "layer-norm-gelu", "matmul-bias-relu", "attention", "dense-backward"];
/** ms that a run may take. */
const PATIENCE = 120_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { size: { type: "string", default: "L" }, again: { type: "boolean", default: false } },
});

/** In the page: presses Run, answers its question with the first offer, and notes when things are on screen. */
async function pressRun(patience) {
  performance.clearMarks();
  const run = [...document.querySelectorAll("button")].find((button) => /^Run\b/.test(button.textContent.trim()));
  const begin = performance.now();
  const seen = {};
  const note = (name) => (seen[name] ??= Math.round(performance.now() - begin));
  run.click();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const asked = [...document.querySelectorAll(".score-action")].find((button) =>
      /^(Run|Allow)/.test(button.textContent),
    );
    if (asked) {
      seen.asked = asked.closest(".score-status")?.textContent ?? asked.textContent;
      asked.click();
    }
    const results = document.querySelector(".measured-results:not(.old)");
    if (results?.querySelector('canvas[aria-label^="Median time"]')) note("firstMedian");
    const running = [...document.querySelectorAll("button")].some((button) => button.textContent.startsWith("Cancel"));
    if (!running && seen.firstMedian !== undefined) note("times");
    const verdict = document.querySelector(".measured-verdict");
    if (!running && results && verdict) {
      note("verdict");
      seen.text = verdict.textContent.trim();
      break;
    }
    const failed = document.querySelector('.measured-message[data-failed="true"]');
    if ((!running && failed) || performance.now() - begin > patience) {
      seen.failed = failed?.textContent ?? "no verdict in time";
      break;
    }
  }
  const marks = performance.getEntriesByType("mark").filter(({ name }) => name.startsWith("run: "));
  seen.phases = marks.map(({ name, startTime }) => [name.slice(5), Math.round(startTime - begin)]);
  seen.medians = document.querySelector('canvas[aria-label^="Median time"]')?.getAttribute("aria-label") ?? null;
  return seen;
}

const site = await serveFolder("dist");
const browser = await openBrowser();
try {
  for (const example of positionals.length > 0 ? positionals : EXAMPLES) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    // Panels that fold away are open, so that their charts are drawn.
    await page.addInitScript(() => {
      const stored = JSON.parse(localStorage.getItem("fusion-playground.preferences") ?? "{}");
      localStorage.setItem(
        "fusion-playground.preferences",
        JSON.stringify({ ...stored, toured: true, memoryMiB: 16384 }),
      );
    });
    await page.goto(`${site.address}?example=${example}`);
    await page.waitForSelector(".react-flow__node", { timeout: 60_000 });
    const size = page.locator(`fieldset.sizes label:has-text("${values.size}") input`);
    if (await size.count()) {
      await size.check({ force: true });
      await page.waitForTimeout(1500);
    }
    for (let turn = 0; turn < (values.again ? 2 : 1); turn++) {
      const seen = await page.evaluate(pressRun, PATIENCE);
      const device = await page.evaluate(() => document.querySelector(".measured-device")?.textContent ?? null);
      console.log(JSON.stringify({ example, size: values.size, turn, device, ...seen }));
    }
    await context.close();
  }
} finally {
  await browser.close();
  site.close();
}
