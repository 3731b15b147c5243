/** @file The trace that the page exports, in a reader of the field: speedscope, served from this machine. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { expect, test } from "./fixtures";

const READER = join("node_modules", "speedscope", "dist", "release");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

test("speedscope reads the trace: decisions, and the kernels of both plans with their times", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  const kernels = play.region("Kernels");
  await kernels.getByRole("button", { name: "Export…" }).click();
  const coming = page.waitForEvent("download");
  await kernels.getByRole("button", { name: /^Trace for Perfetto/ }).click();
  const trace = await readFile(await (await coming).path(), "utf8");

  const server = createServer((request, response) => {
    const path = new URL(request.url!, "http://localhost").pathname;
    const body = path === "/trace.json" ? Promise.resolve(trace) : readFile(join(READER, normalize(path)));
    void body.then(
      (text) =>
        response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(text),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  const base = `http://localhost:${(server.address() as AddressInfo).port}`;
  const reader = await page.context().newPage();
  await reader.goto(`${base}/index.html#profileURL=${encodeURIComponent(`${base}/trace.json`)}&view=sandwich`);
  // A profile for each row of the trace, with what takes time in it.
  const rows: readonly (readonly [name: string, parts: readonly string[]])[] = [
    ["phases", ["parse", "passes", "codegen"]],
    ["decisions", ["Merge producers into consumers"]],
    ["naive plan", ["add_kernel", "relu_kernel", "log_kernel"]],
    ["fused plan", ["add_relu_log"]],
  ];
  for (const [i, [name, parts]] of rows.entries()) {
    if (i > 0) await reader.keyboard.press("n");
    await expect(reader.getByText(new RegExp(`${name}.*\\(${i + 1}/4\\)`))).toBeVisible();
    for (const part of parts) await expect(reader.getByText(part).first()).toBeVisible();
  }
  server.closeAllConnections();
  server.close();
});
