/** @file Serves a folder with a built page and its policy: what `npm start` does, and what the tests of updates do twice. */
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { embedHeaders, securityHeaders } from "./csp.mjs";

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

/** The file that a request's path means, or null: never one outside `root`. */
function fileOf(root, url) {
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

function answer(root, request, response) {
  const file = request.method === "GET" || request.method === "HEAD" ? fileOf(root, request.url ?? "/") : null;
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

/** A server, not listening yet, for the built page in the folder that `folder` answers for each request. */
export const pageServer = (folder) => createServer((request, response) => answer(folder(), request, response));
