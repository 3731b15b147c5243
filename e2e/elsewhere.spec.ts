/** @file The page where no server of its own is: one file on a disk, and a folder of somebody else's site. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { pageServer } from "../scripts/page-server.mjs";
import { expect, test } from "./fixtures";

let folder = "";
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "elsewhere-"));
});
test.afterAll(() => rmSync(folder, { recursive: true }));

test("one file, opened from a disk: plans, runs, teaches and shares", async ({ page, play }) => {
  execFileSync("npx", ["vite", "build", "--mode", "single", "--outDir", folder, "--logLevel", "warn"]);
  await play.open(`${pathToFileURL(join(folder, "fusion-playground.html")).href}?example=log-relu`);
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[64, 64]\n\ny = exp(relu(x)) + 1\n");
  await expect(play.node(/^exp y/)).toBeVisible();
  await play.run.click();
  await expect(play.region("Measured")).toContainText("Same result", { timeout: 120_000 });
  await page
    .getByRole("banner")
    .getByRole("button", { name: /^Share/ })
    .click();
  const share = page.getByRole("dialog", { name: "Share" });
  await expect(share).toContainText("the link opens on this computer only");
  const link = await share.getByRole("textbox", { name: "Link" }).inputValue();
  expect(link).toMatch(/^file:\/\/.*fusion-playground\.html#/);
  await page.goto("about:blank");
  await page.goto(link);
  await expect(play.node(/^exp y/)).toBeVisible();
  await page.goto(`${pathToFileURL(join(folder, "fusion-playground.html")).href}#lesson=memory-is-the-cost/1`);
  await expect(page.getByRole("heading", { name: "Memory is the cost" })).toBeVisible();
});

test("below any path of a site", async ({ page, play }) => {
  mkdirSync(join(folder, "a"));
  symlinkSync(resolve("dist"), join(folder, "a", "b"));
  const server = pageServer(() => folder);
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  const base = `http://localhost:${(server.address() as AddressInfo).port}/a/b/`;
  await play.open(`${base}?example=log-relu`);
  await expect(play.node(/^log y/)).toBeVisible();
  await page
    .getByRole("banner")
    .getByRole("button", { name: /^Share/ })
    .click();
  const field = page.getByRole("dialog", { name: "Share" }).getByRole("textbox", { name: "Link" });
  await expect(field).toHaveValue(new RegExp(`^${base}#`));
  server.closeAllConnections();
  server.close();
});
