/** @file The bench page, built and run small on the software adapter. Runs where the libraries of bench/ are installed. */
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import { preview } from "vite";
import { buildBenchPage, hasPeers } from "../scripts/bench-page.mjs";

test.skip(!hasPeers(), "npm run build:bench installs the other libraries");

test("every library answers alike, in turns, and the table can be copied", async ({ page, context }) => {
  test.setTimeout(600_000);
  await buildBenchPage();
  const server = await preview({ configFile: "bench/page/vite.config.ts", preview: { port: 0 } });
  try {
    const { port } = server.httpServer.address() as AddressInfo;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`http://localhost:${port}/bench.html?only=${encodeURIComponent("add, rms_norm")}`);
    await expect(page.getByLabel("Divide every extent by")).toHaveValue("16");
    await page.getByRole("button", { name: "Run" }).click();
    await expect(page.getByRole("status")).toHaveText("Done", { timeout: 500_000 });
    const row = page.getByRole("row", { name: /^add, rms_norm/ });
    await expect(row.getByRole("cell")).toHaveCount(5);
    for (const cell of await row.getByRole("cell").all()) await expect(cell).toHaveText(/^[\d.]+ \(\d+ %\)$/);
    await page.getByRole("button", { name: "Copy Markdown" }).click();
    await expect(page.getByRole("status")).toHaveText("Copied.");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain("| ms of one run | ours, naive | ours, fused | jax-js | TensorFlow.js | ONNX Runtime |");
    expect(copied).toMatch(/Clock: performance\.now\(\), in steps of [\d.]+ µs/);
  } finally {
    await server.close();
  }
});
