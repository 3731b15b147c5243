/** @file What this laptop can do: browser, WebGPU, adapter, clock, and a bench of about two seconds. */
import { defaultOptions } from "../../fusion";
import type { findExample } from "../../lessons";
import type { exampleDocument } from "../slices/document-slice";
import type * as running from "./running";
import type { SliceContext } from "../slices/slice-context";
import type { LaptopCheck, LaptopFacts } from "../slices/slice-states";

interface Brand {
  readonly brand: string;
  readonly version: string;
}

/** The parts of `navigator` that are read; those with `?` exist in some browsers only. */
export interface NavigatorLike {
  readonly userAgent: string;
  readonly userAgentData?: { readonly brands: readonly Brand[]; readonly platform: string };
  readonly maxTouchPoints?: number;
  readonly deviceMemory?: number;
  readonly hardwareConcurrency?: number;
  readonly gpu?: unknown;
  getBattery?(): Promise<{ readonly charging: boolean }>;
}

const BRANDS = [
  ["Microsoft Edge", "Edge"],
  ["Opera", "Opera"],
  ["Brave", "Brave"],
  ["Google Chrome", "Chrome"],
  ["Chromium", "Chromium"],
] as const;
/** Old names that a user agent may carry; the first that fits is meant. */
const AGENTS = [
  [/\bEdgA?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/\b(?:Chrome|CriOS)\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)[\d.]*(?: Mobile\/\w+)? Safari\//, "Safari"],
] as const;

function browserOf({ userAgent, userAgentData }: NavigatorLike): Pick<LaptopFacts, "browser" | "version"> {
  for (const [brand, browser] of BRANDS) {
    const found = userAgentData?.brands.find((each) => each.brand === brand);
    if (found) return { browser, version: Number.parseInt(found.version, 10) || null };
  }
  for (const [pattern, browser] of AGENTS) {
    const found = pattern.exec(userAgent);
    if (found) return { browser, version: Number(found[1]) };
  }
  return { browser: "an unknown browser", version: null };
}

const SYSTEMS = [
  [/Android/, "Android"],
  [/iPhone|iPad|iPod/, "iOS"],
  [/Windows/, "Windows"],
  [/CrOS|Chrome ?OS/, "ChromeOS"],
  [/mac ?OS/i, "macOS"],
  [/Linux|X11/, "Linux"],
] as const;

function systemOf({ userAgent, userAgentData, maxTouchPoints = 0 }: NavigatorLike): LaptopFacts["system"] {
  const told = userAgentData?.platform ? userAgentData.platform : userAgent;
  const found = SYSTEMS.find(([pattern]) => pattern.test(told))?.[1] ?? "unknown";
  // A tablet that asks for desktop pages calls itself a Mac; no Mac has a touch screen.
  return found === "macOS" && maxTouchPoints > 1 ? "iOS" : found;
}

/** What `navigator` and the page's own address tell. */
export async function factsOf(
  navigator: NavigatorLike,
  page: { readonly isSecureContext: boolean; readonly crossOriginIsolated: boolean; readonly origin: string },
): Promise<LaptopFacts> {
  const battery = await navigator.getBattery?.().catch(() => null);
  return {
    secure: page.isSecureContext,
    isolated: page.crossOriginIsolated,
    origin: page.origin,
    ...browserOf(navigator),
    system: systemOf(navigator),
    webgpu: Boolean(navigator.gpu),
    memoryGiB: navigator.deviceMemory ?? null,
    cores: navigator.hardwareConcurrency ?? null,
    battery: battery ? (battery.charging ? "charging" : "discharging") : null,
  };
}

/** ms for timing; with the roofs of the device it comes to about two seconds. */
const BENCH_MILLIS = 1000;
const BENCH_EXAMPLE = "log-relu";

/** Parts of the store that a bench shares with a run; handed over, since they come with the page and this comes late. */
export type BenchParts = Pick<typeof running, "inputsFor" | "outputsOf" | "plansFor" | "statesOf"> & {
  readonly exampleDocument: typeof exampleDocument;
  readonly findExample: typeof findExample;
};

/** Checks the machine; every finding is in the store as soon as it is known. A newer check makes this one silent. */
export async function checkLaptop(context: SliceContext, signal: AbortSignal, parts: BenchParts): Promise<void> {
  const { session } = context.environment;
  let check: LaptopCheck = {
    status: "checking",
    text: "Asking the browser",
    facts: null,
    device: null,
    problem: null,
    bench: null,
  };
  const tell = (change: Partial<LaptopCheck>): void => {
    check = { ...check, ...change };
    if (!signal.aborted) context.set({ laptop: check });
  };
  tell({});
  tell({ facts: await factsOf(globalThis.navigator as NavigatorLike, globalThis), text: "Asking for the GPU" });
  const described = await session.describe();
  if (!described.ok) return tell({ problem: described.problem, status: "done" });
  const device = described.value;
  tell({ device, text: "Planning the bench" });
  if (!signal.aborted) context.set({ device });

  const { text, options } = parts.exampleDocument(BENCH_EXAMPLE, defaultOptions, null)!;
  const failed = (why: string): void => tell({ problem: { code: "internal", text: why }, status: "done" });
  const compilation = await context.get().actions.planApart(text, options);
  if (typeof compilation === "string") return failed(`The bench was not planned: ${compilation}`);
  const states = parts.statesOf(compilation, compilation.steps.length);
  const plans = await parts.plansFor(context, compilation, compilation.steps.length, device.target);
  if ("code" in plans) return tell({ problem: plans, status: "done" });
  const inputs = await parts.inputsFor(context, states, new Map());
  if ("code" in inputs) return tell({ problem: inputs, status: "done" });
  let compared = 0;
  let differ = 0;
  const outcome = await session.bench({ naive: plans.naive, fused: plans.fused }, inputs, {
    signal,
    budgetMillis: BENCH_MILLIS,
    outputs: false,
    kernels: false,
    compare: await parts.outputsOf(states),
    onFirst({ apart }) {
      compared = apart.reduce((sum, { elements }) => sum + elements, 0);
      differ = apart.reduce((sum, { beyond, nan, infinite }) => sum + beyond + nan + infinite, 0);
    },
    onProgress: (progress) => tell({ text: progress.text }),
  });
  if (!outcome.ok) return tell({ problem: outcome.problem, status: "done" });
  tell({
    status: "done",
    text: "",
    device: outcome.value.device,
    bench: {
      title: parts.findExample(BENCH_EXAMPLE)!.title,
      result: outcome.value,
      tensorBytes: Math.max(...plans.naive.buffers.map(({ bytes }) => bytes)),
      transfers: {
        naive: plans.naive.totals.fullSizeTransfers,
        fused: plans.fused.totals.fullSizeTransfers,
      },
      compared,
      differ,
    },
  });
}
