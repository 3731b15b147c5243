/** @file What a check comes to: the verdict in words, the facts one by one, the line to copy. */
import { lessonHeads } from "../../course";
import { count, decimal, showBytes, showMicros, significant, timingOf } from "../../panels";
import type { LaptopCheck } from "../../state";
import { courseTally, type HandIn, type LaptopResult, type Standing, type TimeResult } from "../hand-in";

/** null while it is not known yet. */
export function standingOf({ status, device, problem, bench }: LaptopCheck): Standing | null {
  if (problem && !device) {
    const { code } = problem;
    return code === "insecure-origin" || code === "no-webgpu" ? code : "no-adapter";
  }
  if (status === "checking" || !device) return null;
  if (!bench || bench.differ > 0) return "failed";
  return device.software ? "software" : "ready";
}

export interface Verdict {
  readonly tone: "yes" | "warn" | "no" | "wait";
  readonly title: string;
  readonly text: string;
}

const lessons = lessonHeads.filter(({ kind }) => kind === "lesson").length;
const puzzles = lessonHeads.length - lessons;
const course = `All ${lessons} lessons and ${puzzles} puzzles work`;

/** Words first: what the person may expect of this laptop. */
export function verdictWords(check: LaptopCheck): Verdict {
  const standing = standingOf(check);
  switch (standing) {
    case null:
      return { tone: "wait", title: "Checking this laptop", text: `${check.text}…` };
    case "ready":
      return { tone: "yes", title: "This laptop is ready.", text: `${course}, with times from its own GPU.` };
    case "software":
      return {
        tone: "warn",
        title: "A CPU stands in for the GPU.",
        text: `${course}. Times are the CPU's, so no speed-up of a GPU is shown.`,
      };
    case "failed":
      return {
        tone: "no",
        title: check.bench ? "Both plans ran, and their results differ." : "There is a GPU, but the bench did not run.",
        text: check.problem?.text ?? "The driver may be at fault: update it, restart the browser, and check again.",
      };
    case "no-adapter":
      return {
        tone: "no",
        title: "The browser was given no GPU.",
        text: `${course} without it; times stay predicted.`,
      };
    case "no-webgpu":
      return {
        tone: "no",
        title: "This browser has no WebGPU.",
        text: `${course} without it; times stay predicted.`,
      };
    case "insecure-origin":
      return {
        tone: "no",
        title: "This page came over plain http.",
        text: `Browsers offer WebGPU on https and localhost only. ${course} all the same.`,
      };
  }
}

export interface Fact {
  readonly tone: "yes" | "warn" | "no" | "unknown";
  readonly name: string;
  readonly text: string;
  /** In grey beside it. */
  readonly more?: string;
}

const unknown = (name: string): Fact => ({ tone: "unknown", name, text: "", more: "known once there is an adapter" });

/** `Chrome 142`; the name alone where the browser hides its version. */
export const browserWords = ({ browser, version }: { readonly browser: string; readonly version: number | null }) =>
  version === null ? browser : `${browser} ${version}`;

/** The longest side of a square f32 matrix in one buffer. */
const squareSide = (bytes: number): number => Math.floor(Math.sqrt(bytes / Float32Array.BYTES_PER_ELEMENT));

/** What was found, in the order in which things can go wrong; what is not known yet says so. */
export function factsIn({ facts, device, problem, bench }: LaptopCheck): Fact[] {
  if (!facts) return [];
  const { secure, isolated, system, webgpu, memoryGiB, cores, battery } = facts;
  const found: Fact[] = [
    {
      tone: secure ? "yes" : "no",
      name: "Page",
      text: secure ? "secure origin" : "plain http",
      more: isolated ? "cross-origin isolated: the finest clock" : "not cross-origin isolated: a coarser clock",
    },
    { tone: "yes", name: "Browser", text: `${browserWords(facts)} on ${system}` },
    { tone: webgpu ? "yes" : "no", name: "WebGPU", text: webgpu ? "`navigator.gpu` is there" : "missing" },
  ];
  if (device) {
    const { clock, tickNanos, features, target } = device;
    const repeats = bench?.result.timings.find(({ kernel }) => kernel === null)?.repeats;
    found.push(
      {
        tone: device.software ? "warn" : "yes",
        name: "Adapter",
        text: device.name,
        more: device.software ? "a CPU, not a GPU" : "a GPU, not a software adapter",
      },
      {
        tone: clock === "timestamp-query" ? "yes" : "warn",
        name: "Clock",
        text: `${clock === "timestamp-query" ? "GPU timestamps" : "wall clock"}, tick ${showMicros(tickNanos / 1e3)}`,
        ...(repeats && repeats > 1 ? { more: `each sample is an average of ${count(repeats)} runs` } : {}),
      },
      {
        tone: target.shaderF16 && target.subgroups ? "yes" : "warn",
        name: "Features",
        text:
          features.length > 0 ? features.map((feature) => `\`${feature}\``).join(", ") : "none of the optional ones",
        ...(target.shaderF16 ? {} : { more: "without `shader-f16`, halves run as f32" }),
      },
      {
        tone: "yes",
        name: "Largest buffer",
        text: showBytes(Math.min(device.maxBufferBytes, device.maxBindingBytes)),
        more: `a square f32 matrix of up to ${count(squareSide(Math.min(device.maxBufferBytes, device.maxBindingBytes)))} rows`,
      },
      {
        tone: "yes",
        name: "Workgroup",
        text: `${count(target.maxWorkgroupSize)} threads, ${showBytes(target.maxWorkgroupBytes)} of memory`,
      },
    );
  } else {
    const asked = problem !== null;
    found.push(
      asked ? { tone: "no", name: "Adapter", text: "none", more: problem.text } : unknown("Adapter"),
      ...["Clock", "Features", "Largest buffer", "Workgroup"].map(unknown),
    );
  }
  const memory = memoryGiB === null ? "" : `${memoryGiB} GiB or more`;
  const threads = cores === null ? "" : `${cores} CPU threads`;
  if (memory || threads)
    found.push({ tone: "yes", name: "Memory", text: [memory, threads].filter(Boolean).join(", ") });
  if (battery)
    found.push(
      battery === "charging"
        ? { tone: "yes", name: "Power", text: "plugged in" }
        : { tone: "warn", name: "Power", text: "on battery", more: "plug in for steady times" },
    );
  return found;
}

/** Medians of the bench, µs. */
export function benchTimes({ bench }: LaptopCheck): TimeResult | null {
  const [naive, fused] = (["naive", "fused"] as const).map((plan) => bench && timingOf(bench.result, plan, null));
  return bench && fused ? { title: bench.title, naive: naive?.median ?? null, fused: fused.median } : null;
}

/** The result as it is handed in; null while it is not known. */
export function laptopResult(check: LaptopCheck | null): LaptopResult | null {
  const standing = check && standingOf(check);
  if (!check?.facts || !standing) return null;
  const { facts, device, bench } = check;
  const roofs = bench?.result.roofs;
  return {
    standing,
    browser: browserWords(facts),
    system: facts.system,
    adapter: device?.name ?? null,
    features: [...(device?.features ?? [])].filter((feature) => feature === "shader-f16" || feature === "subgroups"),
    roofs: roofs ? { bandwidth: roofs.bandwidth, launchMicros: roofs.launchMicros } : null,
  };
}

/** Standings as the line and the board say them. */
export const STANDING_WORDS: Readonly<Record<Standing, string>> = {
  ready: "ready",
  software: "software adapter",
  "no-adapter": "no adapter",
  "no-webgpu": "no WebGPU",
  "insecure-origin": "plain http",
  failed: "bench failed",
};

/** `191 → 80 µs` */
const arrow = ({ naive, fused }: TimeResult): string =>
  naive === null ? showMicros(fused) : `${showMicros(naive)} → ${showMicros(fused)}`;

/** One line for people: `ready · Chrome 142, Linux · nvidia lovelace · 690 GB/s · 191 µs → 80 µs`. */
export function handInLine({ name, laptop, times, course: progress }: Omit<HandIn, "when">): string {
  const { right, asked, solved } = courseTally(progress);
  return [
    name,
    laptop && STANDING_WORDS[laptop.standing],
    laptop && `${laptop.browser}, ${laptop.system}`,
    laptop?.adapter,
    laptop?.features.join(", "),
    laptop?.roofs && decimal(laptop.roofs.bandwidth, "B/s"),
    ...times.map((time, i) => (i === 0 ? arrow(time) : `${time.title}: ${arrow(time)}`)),
    asked > 0 ? `predictions ${right} of ${asked} right` : null,
    solved > 0 ? `${significant(solved)} ${solved === 1 ? "task" : "tasks"} solved` : null,
  ]
    .filter(Boolean)
    .join(" · ");
}
