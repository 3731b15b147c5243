/** @file Finds a Chromium for the browser tests, or gets one. Never skips silently. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const systemPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Playwright's own browser if its file is there. */
async function playwrightsOwn() {
  const { chromium } = await import("@playwright/test");
  const path = chromium.executablePath();
  return path && existsSync(path) ? path : null;
}

/**
 * Where a browser is: `{ path, own }`, `own` when it is Playwright's. Null when there is none.
 * Order: CHROMIUM_PATH, Playwright's own, a system Chromium or Chrome.
 */
export async function findBrowser() {
  const asked = process.env.CHROMIUM_PATH;
  if (asked) {
    if (!existsSync(asked)) throw new Error(`CHROMIUM_PATH is ${asked}, and no file is there.`);
    return { path: asked, own: false };
  }
  const own = await playwrightsOwn();
  if (own) return { path: own, own: true };
  const system = systemPaths.find((path) => existsSync(path));
  return system ? { path: system, own: false } : null;
}

const tryRun = (command, args) => {
  console.error(`$ ${command} ${args.join(" ")}`);
  return spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" });
};

const isRoot = () => process.getuid?.() === 0;

/** Finds a browser, or installs one: Playwright's, else Debian's when we are root there. Null when nothing worked. */
export async function ensureBrowser() {
  const found = await findBrowser();
  if (found) return found;
  tryRun("npx", ["playwright", "install", "chromium"]);
  const installed = await findBrowser();
  if (installed) return installed;
  if (isRoot() && existsSync("/etc/debian_version")) {
    tryRun("apt-get", ["update"]);
    tryRun("apt-get", ["install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"]);
  }
  return findBrowser();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = await ensureBrowser();
  if (!found) {
    console.error(`No Chromium or Chrome was found, and none could be installed. Do one of these, then try again:
  npx playwright install --with-deps chromium
  sudo apt-get install chromium fonts-dejavu-core
  export CHROMIUM_PATH=/path/to/chrome`);
    process.exit(1);
  }
  let version = "";
  try {
    version = execFileSync(found.path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // Some Windows builds print no version; the path says enough.
  }
  console.log(`browser: ${found.path}${version ? ` (${version})` : ""}`);
}
