/**
 * @file What to do on a laptop that is not ready, for each fault, browser and system. Names of flags and the versions from which
 * WebGPU is on by itself: gpuweb's page "Implementation Status" (April 2026), MDN's browser-compat-data for `GPU`, and Chrome's
 * "WebGPU: Troubleshooting tips and fixes".
 */
import type { LaptopFacts } from "../../state";
import type { Standing } from "../hand-in";

type Family = "chrome" | "firefox" | "safari" | "other";

/** Browsers that are Chromium inside, with the name before their own pages' addresses. */
const SCHEMES: Readonly<Record<string, string>> = {
  Chrome: "chrome",
  Chromium: "chrome",
  Edge: "edge",
  Brave: "brave",
  Opera: "opera",
};

const familyOf = (browser: string): Family => {
  if (browser in SCHEMES) return "chrome";
  return browser === "Firefox" ? "firefox" : browser === "Safari" ? "safari" : "other";
};

export interface Fix {
  readonly title: string;
  readonly standings: readonly Standing[];
  readonly families: readonly Family[];
  /** Any system when absent. */
  readonly systems?: readonly LaptopFacts["system"][];
  readonly why: string;
  /** `{scheme}` is the browser's own, `{origin}` this page's; names and addresses stand in backticks. */
  readonly steps: readonly string[];
  /** To be typed into a terminal once. */
  readonly command?: string;
  readonly still?: string;
}

const RELAUNCH = "Choose Relaunch, come back, and check again.";
const ACCELERATION =
  "Open `{scheme}://settings/system` and switch on “Use graphics acceleration when available”, then relaunch.";

export const fixes: readonly Fix[] = [
  {
    title: "No adapter: Chrome on Linux",
    standings: ["no-adapter", "no-webgpu"],
    families: ["chrome"],
    systems: ["Linux"],
    why: "On Linux, Chrome uses WebGPU by itself from version 144 on Intel GPUs of the 12th generation and later, and from 147 on NVIDIA GPUs with driver 535.183.01 or later. For others there are flags.",
    steps: [
      "Open `{scheme}://flags/#enable-unsafe-webgpu` and choose Enabled.",
      "Open `{scheme}://flags/#enable-vulkan` and choose Enabled.",
      RELAUNCH,
    ],
    command:
      "google-chrome --enable-unsafe-webgpu --ozone-platform=x11 --use-angle=vulkan --enable-features=Vulkan,VulkanFromANGLE",
    still:
      "Still none? `vulkaninfo --summary` (package `vulkan-tools`) must name your GPU; else its driver is missing.",
  },
  {
    title: "No adapter: Chrome or Edge on Windows, macOS, ChromeOS",
    standings: ["no-adapter", "no-webgpu"],
    families: ["chrome"],
    systems: ["Windows", "macOS", "ChromeOS", "unknown"],
    why: "WebGPU is on by itself from version 113. It is missing when graphics acceleration is off, the browser is older, or the driver is on the browser's list of unsafe ones.",
    steps: [
      ACCELERATION,
      "Open `{scheme}://settings/help`: it updates the browser. Update the GPU's driver, too.",
      "Open `{scheme}://gpu`: the line WebGPU says why it is off.",
      "If the driver is blocked, or on Windows on ARM: open `{scheme}://flags/#enable-unsafe-webgpu`, choose Enabled, then Relaunch.",
    ],
    still: "A school's policy may forbid it: `{scheme}://policy` shows what is set for this laptop.",
  },
  {
    title: "No adapter: Chrome on Android",
    standings: ["no-adapter", "no-webgpu"],
    families: ["chrome"],
    systems: ["Android"],
    why: "WebGPU needs Chrome 121 and Android 12 or later, and a GPU that is on Chrome's list.",
    steps: [
      "Update Chrome and Android, then check again.",
      "Lessons and puzzles work without it: times stay predicted.",
    ],
  },
  {
    title: "Software adapter: times are the CPU's",
    standings: ["software"],
    families: ["chrome", "firefox", "safari", "other"],
    why: "The browser computes on the CPU what a GPU should. Counts, reasons and results are the same; times say nothing about a GPU.",
    steps: [
      ACCELERATION,
      "Install the driver of the GPU's maker; on Linux, `vulkaninfo --summary` must name the GPU and not only `llvmpipe`.",
      "In a virtual machine or on a remote desktop there is often no GPU to be had: use the machine itself.",
    ],
  },
  {
    title: "Firefox without WebGPU",
    standings: ["no-webgpu", "no-adapter"],
    families: ["firefox"],
    why: "Firefox has WebGPU on Windows from version 141, and on Macs with Apple silicon from 147 (from 145 on macOS 26).",
    steps: [
      "The short way: open this page in Chrome or Edge, which it is made for.",
      "Or update Firefox. Where it is still off, open `about:config`, set `dom.webgpu.enabled` to true, and restart.",
    ],
  },
  {
    title: "Safari without WebGPU",
    standings: ["no-webgpu", "no-adapter"],
    families: ["safari"],
    why: "Safari has WebGPU from version 26 on: macOS 26, iOS 26, iPadOS 26.",
    steps: [
      "Update the system, or open this page in Chrome on a Mac.",
      "With Safari 17 or 18 on a Mac: Settings › Advanced › “Show features for web developers”, then Settings › Feature Flags › WebGPU.",
    ],
  },
  {
    title: "Page opened over plain http",
    standings: ["insecure-origin"],
    families: ["chrome", "firefox", "safari", "other"],
    why: "Browsers offer WebGPU on https and on localhost only, and this page came from `{origin}`.",
    steps: [
      "Open the same page over https, or serve it from this laptop and open `http://localhost`.",
      "For one lesson in one room, in Chrome or Edge: open `{scheme}://flags/#unsafely-treat-insecure-origin-as-secure`, write `{origin}` into the field, choose Enabled, then Relaunch.",
      "Switch it off again afterwards: it makes that address as trusted as https.",
    ],
  },
  {
    title: "The bench did not run, or results differ",
    standings: ["failed"],
    families: ["chrome", "firefox", "safari", "other"],
    why: "The GPU answered, and then something went wrong in the driver or the browser.",
    steps: ["Restart the browser and check again.", "Update the GPU's driver and the browser."],
    still: "`{scheme}://gpu` lists the driver and what went wrong.",
  },
  {
    title: "Another browser",
    standings: ["no-webgpu", "no-adapter"],
    families: ["other"],
    why: "The page is made for Chrome and Edge.",
    steps: ["Open this page in a current Chrome or Edge."],
  },
];

/** The fix that this laptop needs; null when it needs none. */
export function fixFor(standing: Standing | null, { browser, system }: LaptopFacts): Fix | null {
  const family = familyOf(browser);
  return (
    fixes.find(
      ({ standings, families, systems }) =>
        standing !== null &&
        standings.includes(standing) &&
        families.includes(family) &&
        (systems === undefined || systems.includes(system)),
    ) ?? null
  );
}

/** A sentence of a fix with the browser's and the page's own addresses. */
export const forLaptop = (text: string, { browser, origin }: Pick<LaptopFacts, "browser" | "origin">): string =>
  text.replaceAll("{scheme}", SCHEMES[browser] ?? "chrome").replaceAll("{origin}", origin);
