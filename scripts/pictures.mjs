/** @file Takes the pictures of the first screen in docs/pictures: 1440 and 390 px wide, light and dark. Build first. */
import { spawn } from "node:child_process";
import { chromium } from "@playwright/test";
import { findBrowser } from "./ensure-browser.mjs";

const PORT = 4420;
const FOLDER = "docs/pictures";
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

const server = spawn("npx", ["vite", "preview", "--host", "127.0.0.1", "--port", String(PORT), "--strictPort"], {
  stdio: "ignore",
  detached: true,
});
const address = `http://127.0.0.1:${PORT}/`;

/** Resolves once the server answers; fails after ten seconds. */
async function answers() {
  for (let tries = 0; tries < 50; tries++) {
    const reply = await fetch(address).catch(() => null);
    if (reply?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`No answer at ${address}. Run npx vite build first.`);
}

async function take(browser, size, colorScheme) {
  const context = await browser.newContext({
    viewport: size,
    colorScheme,
    reducedMotion: "reduce",
    hasTouch: size.width < 600,
    serviceWorkers: "block",
  });
  const page = await context.newPage();
  await page.goto(address);
  // At rest: the card is open and the list of examples has its counts.
  await page.getByRole("article").first().waitFor();
  if (size.width > 1000)
    await page
      .getByRole("img", { name: /full-size transfers become/ })
      .nth(4)
      .waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(1500);
  const path = `${FOLDER}/first-${size.width}-${colorScheme}.png`;
  await page.screenshot({ path });
  console.log(path);
  await context.close();
}

try {
  await answers();
  const found = await findBrowser();
  const browser = await chromium.launch({
    ...(found && !found.own ? { executablePath: found.path } : { channel: "chromium" }),
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  for (const size of sizes) for (const scheme of ["light", "dark"]) await take(browser, size, scheme);
  await browser.close();
} finally {
  if (server.pid !== undefined) process.kill(-server.pid);
}
