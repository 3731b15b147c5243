/** @file What plan, explain and wgsl answer, as data and as text. */
import {
  barsOf,
  bytesMoved,
  settled,
  showBytes,
  showMicros,
  type BarGroup,
  type Compilation,
  type Diagnostic,
  type InputData,
  type Kernel,
  type NodeId,
  type Plan,
  type Step,
  type Totals,
} from "../fusion";
import { flopsText, plural, table } from "./format";

/** A compilation that has plans. */
export interface Planned {
  readonly compilation: Compilation;
  readonly naive: Plan;
  readonly fused: Plan;
  /** Data for inputs instead of what their seeds give: the weights of a model. */
  readonly given: ReadonlyMap<NodeId, InputData>;
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

const kernelJson = (kernel: Kernel) => ({
  name: kernel.name,
  template: kernel.template,
  nodes: kernel.nodes,
  inputs: unique(kernel.reads.map(({ value }) => value)),
  outputs: unique(kernel.writes.map(({ value }) => value)),
  bytesRead: bytesMoved(kernel.reads),
  bytesWritten: bytesMoved(kernel.writes),
  /** Read again by tiles, from the cache if there is room: in the time, not in the bytes. */
  bytesReadAgain: kernel.modelledBytes,
  flops: kernel.flops,
  predictedMicros: kernel.predictedMicros,
  wgsl: kernel.wgsl,
});

const totalsJson = ({ kernels, transfers, fullSizeTransfers, bytes, peakBytes, predictedMicros }: Totals) => ({
  kernels,
  transfers,
  fullSizeTransfers,
  bytes,
  peakBytes,
  predictedMicros,
});

const decisionJson = (step: Step) => {
  const { code, text, limit, remedy, remedyOptions } = settled(step);
  const verdict = step.accepted ? "accepted" : "refused";
  const { pass, rule, nodes, cost } = step;
  return { pass, rule, verdict, code, text, nodes, cost, limit, remedy, remedyOptions };
};

const diagnosticJson = ({ code, severity, line, column, text }: Diagnostic) => ({ code, severity, line, column, text });

/** `plan --json`. */
export const planJson = ({ compilation, naive, fused }: Planned) => ({
  kernels: fused.kernels.map(kernelJson),
  naive: totalsJson(naive.totals),
  fused: totalsJson(fused.totals),
  decisions: compilation.steps.map(decisionJson),
  diagnostics: compilation.diagnostics.map(diagnosticJson),
});

/** `explain --json`. */
export const explainJson = ({ compilation }: Planned) => ({
  decisions: compilation.steps.map(decisionJson),
  diagnostics: compilation.diagnostics.map(diagnosticJson),
});

/** `wgsl --json`. */
export const wgslJson = ({ fused }: Planned) => ({ kernels: fused.kernels.map(({ name, wgsl }) => ({ name, wgsl })) });

const totalsText = ({ kernels, transfers, fullSizeTransfers, bytes, peakBytes, predictedMicros }: Totals): string =>
  `${plural(kernels, "kernel")}, ${plural(transfers, "transfer")} (${fullSizeTransfers} of full size), ${showBytes(bytes)}, peak ${showBytes(peakBytes)}, ${showMicros(predictedMicros)} predicted`;

const accessText = (accesses: Kernel["reads"]): string =>
  accesses
    .map(({ value, bytes, rereads }) => `${value} ${showBytes(bytes)}${rereads > 0 ? ` ×${rereads + 1}` : ""}`)
    .join(", ") || "nothing";

export function planText({ naive, fused }: Planned): string {
  const rows = fused.kernels.map((kernel) => [
    kernel.id,
    kernel.name,
    kernel.template,
    `reads ${accessText(kernel.reads)}`,
    `writes ${accessText(kernel.writes)}`,
    flopsText(kernel.flops),
  ]);
  return `${table(rows)}\n\nnaive  ${totalsText(naive.totals)}\nfused  ${totalsText(fused.totals)}`;
}

/** `Predicted time of these kernels: separate kernels 41 µs, one kernel 25 µs (chosen)`. */
const barsText = ({ title, bars }: BarGroup): string =>
  `${title}: ${bars.map(({ what, text, chosen }) => `${what} ${text}${chosen ? " (chosen)" : ""}`).join(", ")}`;

export function explainText({ compilation }: Planned): string {
  const steps = compilation.steps.map((step) => {
    const { code, text, remedy } = settled(step);
    const head = `${step.seq}. ${step.accepted ? "yes" : "no "}  ${step.pass}/${step.rule}  ${code}  ${step.nodes.join(", ")}`;
    const said = [head, text, ...barsOf(step).map(barsText), remedy && `What would change it? ${remedy}`];
    return said.filter(Boolean).join("\n   ");
  });
  return steps.join("\n") || "No pass found anything to decide.";
}

export const wgslText = ({ fused }: Planned): string =>
  fused.kernels.map(({ id, name, wgsl }) => `// ${id} ${name}\n${wgsl.trimEnd()}\n`).join("\n");

/** `program.py:3:5: error: …`, one a line. */
export const diagnosticText = (file: string, { line, column, severity, text }: Diagnostic): string =>
  `${file}:${line}:${column}: ${severity}: ${text}`;
