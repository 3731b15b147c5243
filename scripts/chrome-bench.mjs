/**
 * @file Presses Run on the built bench page in a browser and prints its table as Markdown. Needs `npm run build:bench`, and
 * on the machine that measures Node and playwright-core only.
 *
 *   node scripts/chrome-bench.mjs [--divide N] [--json FILE] [program …]
 *
 * CHROME is the browser and CHROME_FLAGS its flags (scripts/chrome.mjs). Programs are named as in the table.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openBrowser, serveFolder } from "./chrome.mjs";

/** ms that the whole table may take. */
const PATIENCE = 1_800_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { divide: { type: "string" }, json: { type: "string" } },
});

const site = await serveFolder("dist-bench", "bench.html");
const browser = await openBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("pageerror", (error) => console.error(error.message));
  // What is copied stays with the page: a clipboard may be refused.
  await page.addInitScript(() => {
    navigator.clipboard.writeText = async (text) => {
      globalThis.copied = text;
    };
  });
  const only = new URLSearchParams(positionals.map((name) => ["only", name]));
  await page.goto(`${site.address}?${only}`);
  const status = page.locator("#status");
  await page.waitForFunction(() => document.querySelector("#status").textContent !== "");
  if (values.divide) await page.locator("select[name=divide]").selectOption(values.divide);
  await page.locator("#start button").click();
  await page.waitForFunction(() => !document.querySelector("#start button").disabled, null, { timeout: PATIENCE });
  if ((await status.textContent()) !== "Done") throw new Error(await status.textContent());
  const copied = async (form) => {
    await page.locator(`[data-copy="${form}"]`).click();
    return page.evaluate(() => globalThis.copied);
  };
  console.log(await copied("markdown"));
  if (values.json) writeFileSync(values.json, await copied("json"));
} finally {
  await browser.close();
  site.close();
}
