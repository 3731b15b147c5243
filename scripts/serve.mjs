/**
 * @file `npm start`: builds the page if its sources changed, serves it with its policy, prints and opens the address.
 * `npm start -- --port 8080 --no-open`
 */
import { spawn } from "node:child_process";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { embedHeaders, securityHeaders } from "./csp.mjs";
import { freshBuild } from "./fresh-build.mjs";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ttf": "font/ttf",
  ".woff2": "font/woff2",
  ".map": "application/json",
};

const root = resolve("dist");

/** The file that a request's path means, or null: never one outside `dist`. */
function fileOf(url) {
  let path;
  try {
    path = decodeURIComponent(new URL(url, "http://localhost").pathname);
  } catch {
    return null;
  }
  const file = normalize(join(root, path.endsWith("/") ? `${path}index.html` : path));
  if (!file.startsWith(root + sep) || !existsSync(file) || !statSync(file).isFile()) return null;
  return file;
}

function answer(request, response) {
  const file = request.method === "GET" || request.method === "HEAD" ? fileOf(request.url ?? "/") : null;
  if (!file) {
    response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8", ...securityHeaders });
    response.end("Not found.\n");
    return;
  }
  const hashed = file.includes(`${sep}assets${sep}`);
  const embedded = new URL(request.url ?? "/", "http://localhost").searchParams.has("embed");
  response.writeHead(200, {
    ...(embedded ? embedHeaders : securityHeaders),
    "Content-Type": types[extname(file)] ?? "application/octet-stream",
    "Content-Length": statSync(file).size,
    // Names in assets/ carry a hash of their contents; the others must be asked for again.
    "Cache-Control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
  });
  if (request.method === "HEAD") response.end();
  else createReadStream(file).pipe(response);
}

function open(address) {
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open", address]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", "", address]
        : ["xdg-open", address];
  // No desktop, no opener: the printed address is enough.
  spawn(command, args, { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}

const { values } = parseArgs({
  options: { port: { type: "string", default: "4173" }, open: { type: "boolean", default: true } },
  allowNegative: true,
});
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`--port ${values.port} is not a port: give a number up to 65535.`);
  process.exit(1);
}

console.log((await freshBuild()) ? "Built the page." : "The page is built already.");
const server = createServer(answer);
server.on("error", (error) => {
  console.error(
    error.code === "EADDRINUSE"
      ? `Port ${port} is taken, perhaps by a playground that runs already. Try: npm start -- --port ${port + 1}`
      : `The server could not start: ${error.message}`,
  );
  process.exit(1);
});
server.listen(port, "127.0.0.1", () => {
  const address = `http://localhost:${server.address().port}/`;
  console.log(`Fusion Playground: ${address}  (Ctrl C stops it)`);
  if (values.open && process.stdout.isTTY) open(address);
});
