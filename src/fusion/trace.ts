/** @file `fusion_trace.json`: passes, decisions and kernels as a trace that Chrome's and Perfetto's viewers open. */
import type { Compilation } from "./compilation";
import { bytesMoved, type Plan } from "./ir";
import { passCatalogue } from "./passes";

/** One entry of the trace event format: complete events `X` and metadata `M`; times in µs. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: "X" | "M";
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface FusionTrace {
  readonly displayTimeUnit: "ms";
  readonly traceEvents: readonly TraceEvent[];
}

/** A plan that ran, with the median of each kernel in nanoseconds, by kernel id. */
export interface Measured {
  readonly plan: Plan;
  readonly nanoseconds: ReadonlyMap<string, number>;
}

const COMPILER = 1;
const PLANS = 2;
const MEASURED = 3;

const named = (what: "process_name" | "thread_name", name: string, pid: number, tid = 0): TraceEvent => ({
  name: what,
  ph: "M",
  pid,
  tid,
  args: { name },
});

/**
 * The compiler's phases (by the clock that `compile` was given), its decisions (one tick each: they have an order, no duration),
 * the predicted times of both plans' kernels, and measured ones where a run has them.
 */
export function fusionTrace(
  compilation: Compilation,
  measured: { readonly naive?: Measured; readonly fused?: Measured } = {},
): FusionTrace {
  const { naivePlan, fusedPlan } = compilation;
  return {
    displayTimeUnit: "ms",
    traceEvents: [
      named("process_name", "compiler", COMPILER),
      ...phases(compilation),
      ...decisions(compilation),
      named("process_name", `predicted for ${compilation.options.profile.name}`, PLANS),
      ...kernels("naive plan", naivePlan, PLANS, 1, null),
      ...kernels("fused plan", fusedPlan, PLANS, 2, null),
      ...(measured.naive || measured.fused ? [named("process_name", "measured", MEASURED)] : []),
      ...(measured.naive ? kernels("naive plan", measured.naive.plan, MEASURED, 1, measured.naive.nanoseconds) : []),
      ...(measured.fused ? kernels("fused plan", measured.fused.plan, MEASURED, 2, measured.fused.nanoseconds) : []),
    ],
  };
}

/** Events one after the other. */
function inARow(
  pid: number,
  tid: number,
  events: readonly {
    readonly name: string;
    readonly micros: number;
    readonly cat: string;
    readonly args?: TraceEvent["args"];
  }[],
): TraceEvent[] {
  let ts = 0;
  return events.map(({ name, micros, cat, args }) => {
    const event: TraceEvent = { name, ph: "X", pid, tid, ts, dur: micros, cat, ...(args ? { args } : {}) };
    ts += micros;
    return event;
  });
}

function phases({ millis }: Compilation): TraceEvent[] {
  const names = ["parse", "passes", "codegen"] as const;
  const events = names.map((name) => ({ name, micros: millis[name] * 1000, cat: "phase" }));
  return [named("thread_name", "phases", COMPILER, 1), ...inARow(COMPILER, 1, events)];
}

function decisions({ steps }: Compilation): TraceEvent[] {
  const titles = new Map(passCatalogue.map(({ name, title }) => [name, title]));
  const events = steps.map(({ seq, pass, rule, accepted, legal, profitable, nodes, totals }) => {
    const { code, text } = profitable ?? legal;
    const args = { seq, rule, accepted, code, text, nodes, bytes: totals.bytes, kernels: totals.kernels };
    return { name: titles.get(pass) ?? pass, micros: 1, cat: accepted ? "accepted" : "refused", args };
  });
  return [named("thread_name", "decisions, one tick each", COMPILER, 2), ...inARow(COMPILER, 2, events)];
}

function kernels(
  title: string,
  plan: Plan | null,
  pid: number,
  tid: number,
  times: Measured["nanoseconds"] | null,
): TraceEvent[] {
  const events = (plan?.kernels ?? []).flatMap(
    ({ id, name, template, nodes, reads, writes, flops, predictedMicros }) => {
      const nanoseconds = times?.get(id);
      if (times && nanoseconds === undefined) return [];
      const args = {
        kernel: id,
        template,
        nodes,
        bytesRead: bytesMoved(reads),
        bytesWritten: bytesMoved(writes),
        flops,
      };
      return [{ name, micros: nanoseconds === undefined ? predictedMicros : nanoseconds / 1000, cat: "kernel", args }];
    },
  );
  return [named("thread_name", title, pid, tid), ...inARow(pid, tid, events)];
}
