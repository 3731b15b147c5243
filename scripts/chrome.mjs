/**
 * @file A built folder on a free port of this machine, and a browser that measures it. Needs Node and playwright-core only.
 * CHROME is the browser and CHROME_FLAGS its flags, separated by spaces. Without them: the system's Chromium, with its software adapter.
 */
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const SOFTWARE = [
  "--enable-unsafe-webgpu",
  "--enable-features=Vulkan",
  "--use-webgpu-adapter=swiftshader",
  "--no-sandbox",
];
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** Serves `folder`, whose page is `index`. */
export async function serveFolder(folder, index = "index.html") {
  const server = createServer(async ({ url }, response) => {
    const path = normalize(new URL(url, "http://localhost").pathname);
    try {
      const body = await readFile(join(folder, path === "/" ? index : path));
      response.writeHead(200, { "content-type": TYPES[extname(path) || ".html"] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://localhost:${server.address().port}/`, close: () => server.close() };
}

export const openBrowser = () =>
  chromium.launch(
    process.env.CHROME
      ? { executablePath: process.env.CHROME, args: (process.env.CHROME_FLAGS ?? "").split(" ").filter(Boolean) }
      : { executablePath: "/usr/bin/chromium", args: SOFTWARE },
  );
