/** @file SVG as PNG, drawn by a browser: the same letters and lines as on the page. */
import { findBrowser } from "./ensure-browser.mjs";

/** Opens a browser for pictures; `draw(svg)` answers a PNG with `scale` pixels for each px, `close` ends it. */
export async function openPixels(scale = 2) {
  const found = await findBrowser();
  if (!found) throw new Error("there is no Chromium or Chrome to draw it; an .svg needs none");
  const { chromium } = await import("@playwright/test");
  const browser = await chromium.launch({
    ...(found.own ? { channel: "chromium" } : { executablePath: found.path }),
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  const page = await browser.newPage({ deviceScaleFactor: scale, javaScriptEnabled: false });
  return {
    async draw(svg) {
      await page.setContent(`<!doctype html><style>body{margin:0}svg{display:block}</style>${svg}`);
      return page.locator("svg").first().screenshot();
    },
    close: () => browser.close(),
  };
}

/** One SVG as a PNG. */
export async function pixelsOf(svg) {
  const pixels = await openPixels();
  try {
    return await pixels.draw(svg);
  } finally {
    await pixels.close();
  }
}
