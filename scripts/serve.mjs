/**
 * @file `npm start`: builds the page if its sources changed, serves it with its policy, prints and opens the address.
 * `npm start -- --port 8080 --no-open`
 */
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { freshBuild } from "./fresh-build.mjs";
import { pageServer } from "./page-server.mjs";

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
const root = resolve("dist");
const server = pageServer(() => root);
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
