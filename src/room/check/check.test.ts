import { describe, expect, test } from "vitest";
import type { LaptopCheck, LaptopFacts } from "../../state";
import { factsOf, type NavigatorLike } from "../../state/laptop-check";
import { decodeHandIn, encodeHandIn, STANDINGS, type HandIn } from "../hand-in";
import { fixes, fixFor, forLaptop } from "./fixes";
import { factsIn, handInLine, laptopResult, standingOf, verdictWords } from "./verdict";

const page = { isSecureContext: true, crossOriginIsolated: true, origin: "https://example.org" };

const AGENTS: readonly (readonly [NavigatorLike, string])[] = [
  [
    {
      userAgent:
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
      userAgentData: {
        platform: "Linux",
        brands: [
          { brand: "Chromium", version: "142" },
          { brand: "Google Chrome", version: "142" },
        ],
      },
    },
    "Chrome 142 Linux",
  ],
  [
    {
      userAgent:
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
    },
    "Edge 141 Windows",
  ],
  [
    { userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0" },
    "Firefox 145 Windows",
  ],
  [
    { userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15" },
    "Safari 26 macOS",
  ],
  [
    {
      userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15",
      maxTouchPoints: 5,
    },
    "Safari 26 iOS",
  ],
  [
    { userAgent: "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36" },
    "Chrome 140 Android",
  ],
  [
    { userAgent: "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/139.0.0.0 Safari/537.36" },
    "Chrome 139 ChromeOS",
  ],
  [{ userAgent: "Lynx/2.9" }, "an unknown browser null unknown"],
];

test.each(AGENTS)("browser and system of %o", async (navigator, said) => {
  const { browser, version, system } = await factsOf(navigator, page);
  expect(`${browser} ${version} ${system}`).toBe(said);
});

const facts = async (browser: string, system: LaptopFacts["system"]): Promise<LaptopFacts> => ({
  ...(await factsOf({ userAgent: "" }, page)),
  browser,
  system,
});

const without = (code: "no-webgpu" | "no-adapter" | "insecure-origin", of: LaptopFacts): LaptopCheck => ({
  status: "done",
  text: "",
  facts: of,
  device: null,
  problem: { code, text: "Why." },
  bench: null,
});

const BROWSERS = ["Chrome", "Edge", "Chromium", "Brave", "Opera", "Firefox", "Safari", "an unknown browser"];
const SYSTEMS = ["Windows", "macOS", "Linux", "ChromeOS", "Android", "iOS", "unknown"] as const;

describe("a laptop that is not ready", () => {
  test("has a verdict and something to do, whatever its browser and system", async () => {
    const missing: string[] = [];
    for (const browser of BROWSERS)
      for (const system of SYSTEMS)
        for (const standing of STANDINGS.filter((each) => each !== "ready")) {
          // Browsers of iOS are Safari inside, whatever they are called.
          const found = fixFor(standing, await facts(browser, system));
          if (!found && !(system === "iOS" && browser !== "Safari")) missing.push(`${browser} ${system} ${standing}`);
        }
    expect(missing).toEqual([]);
  });

  test.each(["no-webgpu", "no-adapter", "insecure-origin"] as const)(
    "%s: nothing is claimed to be known",
    async (code) => {
      const check = without(code, await facts("Chrome", "Linux"));
      expect(standingOf(check)).toBe(code);
      expect(verdictWords(check).tone).toBe("no");
      expect(factsIn(check).filter(({ tone }) => tone === "unknown").length).toBe(4);
      expect(laptopResult(check)).toMatchObject({ standing: code, adapter: null, roofs: null });
    },
  );

  test("fixes name the browser's own pages and this page's address", () => {
    for (const { steps, why, still = "" } of fixes)
      for (const text of [...steps, why, still])
        expect(forLaptop(text, { browser: "Edge", origin: "http://10.0.0.2" })).not.toMatch(/[{}]|chrome:\/\//);
  });
});

const handIn: HandIn = {
  name: "Ada",
  when: 1_800_000_000_000,
  laptop: {
    standing: "ready",
    browser: "Chrome 142",
    system: "Linux",
    adapter: "nvidia lovelace",
    features: ["shader-f16"],
    roofs: { bandwidth: 690e9, launchMicros: 6.8 },
  },
  times: [{ title: "log(relu(x + b))", naive: 191, fused: 80 }],
  course: new Map([["normalise", { furthest: 3, answers: { 1: true, 2: false }, done: [4], best: null }]]),
};

describe("what is handed in", () => {
  test("comes back as it went", async () => {
    const link = await encodeHandIn(handIn);
    expect(link.ok && (await decodeHandIn(`https://example.org/${link.value}`))).toEqual({ ok: true, value: handIn });
  });

  test("says itself in one line", () => {
    expect(handInLine(handIn)).toBe(
      "Ada · ready · Chrome 142, Linux · nvidia lovelace · shader-f16 · 690 GB/s · 191 µs → 80 µs · predictions 1 of 2 right · 1 task solved",
    );
  });

  test.each([
    ["#f1=abc", /something else/],
    ["#board=a", /damaged/],
    ["#board=////", /damaged/],
    ["#board=q1YqUbIyNNJRKlGyMqoFAA", /damaged|something else/],
    [`#board=${"A".repeat(40_000)}`, /characters/],
  ])("is refused with a reason: %.20s", async (text, why) => {
    const read = await decodeHandIn(text);
    expect(read.ok ? "" : read.text).toMatch(why);
  });
});
