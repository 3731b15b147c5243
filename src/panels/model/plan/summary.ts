/** @file What leaves the page as a page of text: both plans in counts, what was decided, what was measured, and a checklist with its answers. */
import {
  bytesOfKernel,
  fusionAt,
  intensity,
  kernelTitle,
  ridge,
  type Compilation,
  type Kernel,
  type Plan,
} from "../../../fusion";
import { notes } from "../../../lessons";
import type { FinishedRun } from "../../../state";
import { noDifference } from "../run/difference";
import { showSpread, timeRows } from "../run/timings";
import { kernelTraffic, type TrafficRow } from "./traffic";
import { tallyOf } from "./score";
import { reasonCounts } from "./step-words";
import { count, plural, showBytes, showMicros, significant } from "../units";
import { verdictOf } from "../run/verdict";

/** `done: null`: nothing to tick, the text says why. */
interface Answer {
  readonly done: boolean | null;
  readonly text: string;
}

interface Facts {
  readonly compilation: Compilation;
  readonly naive: Plan;
  readonly fused: Plan;
  readonly run: FinishedRun | null;
}

const waits = (kernel: Kernel, bend: number): boolean => intensity(kernel.flops, bytesOfKernel(kernel)) < bend;
const named = (kernels: readonly Kernel[]): string => kernels.map(kernelTitle).join(", ");

/** By id of the note of good practice. */
const answers: Readonly<Record<string, (facts: Facts) => Answer>> = {
  "use-what-is-there": ({ compilation: { options } }) =>
    options.disabledPasses.length === 0
      ? { done: true, text: "All passes ran." }
      : { done: false, text: `Switched off: ${options.disabledPasses.join(", ")}.` },
  "profile-first": ({ naive, run, compilation: { options } }) => {
    const bend = ridge(options.profile);
    const waiting = naive.kernels.filter((kernel) => waits(kernel, bend)).length;
    const share = `${waiting} of ${plural(naive.kernels.length, "naive kernel")} wait for memory on the profile ${options.profile.name}`;
    return { done: run !== null, text: `${share}; ${run ? "measured" : "not measured"} on a device.` };
  },
  "fuse-what-is-related": ({ naive, fused, compilation: { steps } }) => {
    const merged = steps.filter(({ accepted, kind }) => accepted && kind !== "graph").length;
    const kernels = `kernels ${count(naive.totals.kernels)} → ${count(fused.totals.kernels)}`;
    return { done: null, text: `${plural(merged, "fusion")} taken: ${kernels}.` };
  },
  "enough-work": ({ fused }) => {
    const idle = fused.kernels.filter(({ predicted }) => predicted.occupancy.workgroups < 1);
    if (idle.length === 0) return { done: true, text: "Every fused kernel has a workgroup for each multiprocessor." };
    return { done: false, text: `Too few workgroups to fill the machine: ${named(idle)}.` };
  },
  "not-too-much": ({ fused }) => {
    const crowded = fused.kernels.filter(({ predicted }) => predicted.occupancy.registers < 1);
    const most = Math.max(0, ...fused.kernels.map(({ registers }) => registers));
    const least = Math.min(1, ...fused.kernels.map(({ predicted }) => predicted.occupancy.registers));
    const occupancy = least === 1 ? "full occupancy" : `an occupancy of at least ${significant(least * 100, 2)} %`;
    const text = `At most ${plural(most, "register")} a thread, which allow ${occupancy}, both estimated`;
    return {
      done: crowded.length === 0,
      text: `${text}${crowded.length > 0 ? `; held back: ${named(crowded)}` : ""}.`,
    };
  },
  "check-numbers": ({ run, compilation: { options } }) => {
    const verdict = run?.check ? verdictOf(run.check, run) : null;
    const mode = options.strict ? "Strict mode." : "Fast mode.";
    return {
      done: verdict?.same ?? false,
      text: `${mode} ${verdict ? `${verdict.title} ${verdict.text}` : "Not run."}`,
    };
  },
  precision: ({ fused }) => {
    const types = [...new Set(fused.buffers.map(({ type }) => type.dtype))].toSorted();
    return { done: null, text: `Tensors of ${types.join(", ")}; sums are accumulated in f32.` };
  },
  synchronise: ({ run }) => {
    if (!run) return { done: false, text: "Not run." };
    const { clock, tickNanos } = run.result.device;
    const how = clock === "timestamp-query" ? "the GPU's own timestamps" : "waiting for the queue";
    return { done: true, text: `Timed by ${how}, step ${significant(tickNanos)} ns, after a warm-up.` };
  },
};

function checklist(facts: Facts): string[] {
  return notes.flatMap(({ id, title, kind }) => {
    const answer = kind === "practice" ? answers[id]?.(facts) : undefined;
    if (!answer) return [];
    const box = answer.done === null ? "" : answer.done ? "[x] " : "[ ] ";
    return `${box}${title}: ${answer.text}`;
  });
}

/** A part of the summary, whatever it is written as. */
export type Block =
  | { readonly kind: "heading" | "text" | "code"; readonly text: string }
  | { readonly kind: "table"; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "list"; readonly items: readonly string[] };

const heading = (text: string): Block => ({ kind: "heading", text });

const countsTable = ({ naive: { totals: a }, fused: { totals: b } }: Facts): Block => ({
  kind: "table",
  head: ["", "naive", "fused"],
  rows: [
    ["kernels", count(a.kernels), count(b.kernels)],
    [tallyOf(a).noun, tallyOf(a).text(a), tallyOf(a).text(b)],
    ["memory traffic", showBytes(a.bytes), showBytes(b.bytes)],
    ["peak memory", showBytes(a.peakBytes), showBytes(b.peakBytes)],
    ["predicted", showMicros(a.predictedMicros), showMicros(b.predictedMicros)],
  ],
});

function kernelTable({ fused, compilation }: Facts): Block {
  const { graph } = fusionAt(compilation, compilation.steps.length);
  const rows = fused.kernels.map((kernel) => {
    const { title, bytes, rows: accesses } = kernelTraffic(kernel, graph);
    const tensors = (way: TrafficRow["direction"]): string =>
      accesses
        .filter(({ direction }) => direction === way)
        .map(({ tensor }) => tensor)
        .join(", ");
    return [title, tensors("read"), tensors("write"), showBytes(bytes), showMicros(kernel.predictedMicros)];
  });
  return { kind: "table", head: ["kernel", "reads", "writes", "traffic", "predicted"], rows };
}

function decisionList({ compilation: { steps } }: Facts): Block {
  const reasons = [...reasonCounts(steps).values()].toSorted((a, b) => b.steps - a.steps);
  const items = reasons.map(({ title, steps: times }) => `${title}: ${count(times)}`);
  return { kind: "list", items };
}

function measured({ run }: Facts): Block[] {
  if (!run) return [{ kind: "text", text: "Not run." }];
  const { name, software } = run.result.device;
  const none = noDifference(run);
  const items = timeRows(run).map(({ title, measured: times }) => {
    const { median, spread } = showSpread(times);
    return `${title}: ${median} ${spread}`;
  });
  return [
    { kind: "text", text: `On ${name}${software ? ", a software adapter: CPU timings, not a GPU speed-up" : ""}.` },
    { kind: "list", items },
    ...(none ? [{ kind: "text", text: none } as const] : []),
  ];
}

/** Program, counts, kernels, reasons, times, checklist; null while there is no plan. `run` is of this very program. */
export function summaryOf(compilation: Compilation, run: FinishedRun | null): readonly Block[] | null {
  const { naivePlan: naive, fusedPlan: fused, text, options } = compilation;
  if (!naive || !fused) return null;
  const facts: Facts = { compilation, naive, fused, run };
  return [
    { kind: "code", text: text.trimEnd() },
    {
      kind: "text",
      text: `Naive plan: each ${options.granularity} has kernels of its own. Predicted on the profile ${options.profile.name}.`,
    },
    countsTable(facts),
    heading("Kernels of the fused plan"),
    kernelTable(facts),
    heading("Decisions by reason"),
    decisionList(facts),
    heading("Measured"),
    ...measured(facts),
    heading("Checklist"),
    { kind: "list", items: checklist(facts) },
  ];
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function markdownOf(block: Block): string[] {
  switch (block.kind) {
    case "heading":
      return [`## ${block.text}`];
    case "text":
      return [block.text];
    case "code":
      return ["```python", block.text, "```"];
    case "table":
      return [row(block.head), row(block.head.map(() => "---")), ...block.rows.map(row)];
    case "list":
      return block.items.map((item) => `- ${item}`);
  }
}

/** The summary as Markdown; null while there is no plan. */
export function summaryText(compilation: Compilation, run: FinishedRun | null): string | null {
  const blocks = summaryOf(compilation, run);
  return (
    blocks &&
    ["# Fusion summary", ...blocks.map((block) => markdownOf(block).join("\n")), ""].join("\n\n").trimEnd() + "\n"
  );
}
