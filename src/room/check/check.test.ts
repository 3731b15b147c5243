import { describe, expect, test } from "vitest";
import type { LaptopCheck, LaptopFacts } from "../../state";
import { decodeHandIn, encodeHandIn, STANDINGS, type HandIn } from "../hand-in";
import { fixes, fixFor, forLaptop } from "./fixes";
import { factsIn, handInLine, laptopResult, standingOf, verdictWords } from "./verdict";

const facts = (browser: string, system: LaptopFacts["system"]): LaptopFacts => ({
  secure: true,
  isolated: true,
  origin: "https://example.org",
  browser,
  version: 142,
  system,
  webgpu: true,
  memoryGiB: 8,
  cores: 8,
  battery: null,
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
  test("has a verdict and something to do, whatever its browser and system", () => {
    const missing: string[] = [];
    for (const browser of BROWSERS)
      for (const system of SYSTEMS)
        for (const standing of STANDINGS.filter((each) => each !== "ready")) {
          // Browsers of iOS are Safari inside, whatever they are called.
          const found = fixFor(standing, facts(browser, system));
          if (!found && !(system === "iOS" && browser !== "Safari")) missing.push(`${browser} ${system} ${standing}`);
        }
    expect(missing).toEqual([]);
  });

  test.each(["no-webgpu", "no-adapter", "insecure-origin"] as const)(
    "%s: nothing is claimed to be known",
    async (code) => {
      const check = without(code, facts("Chrome", "Linux"));
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
  course: new Map([["normalise", { furthest: 3, answers: { 1: true, 2: false }, said: {}, done: [4], best: null }]]),
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
