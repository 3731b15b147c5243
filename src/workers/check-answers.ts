/** @file Holds results against the f64 reference: in full where that is quick, at chosen elements where it is not. */
import {
  chosenFor,
  compareOutputs,
  fittedTo,
  largestFinite,
  coordinatesOf,
  findOp,
  foldedData,
  hashText,
  inputData,
  inputFeed,
  node as nodeOf,
  runPlanOnCpu,
  runReference,
  sampleReference,
  sizeOf,
  toleranceFor,
  ulpHistogram,
  type Drawing,
  type Fusion,
  type Graph,
  type Node,
  type NodeId,
} from "../fusion";
import { amplifiedAt, chosenElements, comparePoints, limitOf, planPoints, type PointPlan } from "./check-points";
import type {
  CheckReply,
  CheckRequest,
  ComparedOutput,
  Given,
  PlanName,
  ReferenceSummary,
  TensorData,
} from "./messages";

/** Scalar operations that the reference does in full: about a second. */
const FULL_WORK = 1.5e8;
/** Scalar operations that the kernels' interpreter does: it runs every thread of every workgroup by itself. */
const INTERPRETED_WORK = 2e6;
/** Elements compared where the reference is sampled; fewer where each needs very many others. */
const SAMPLES = [4096, 512, 64, 8];

/** Scalar operations of the unfused graph; a contraction or reduction counts its terms. */
export function workOf(graph: Graph): number {
  let work = 0;
  for (const { op, inputs, type } of graph.nodes.values()) {
    const def = findOp(op);
    if (!def || def.kind === "composite" || def.kind === "source") continue;
    const sizes = inputs.map((id) => nodeOf(graph, id).type.shape);
    const inner = def.kind === "contraction" ? (sizes[0]?.at(-1) ?? 1) : 1;
    work += Math.max(sizeOf(type.shape) * inner, ...sizes.map(sizeOf));
  }
  return work;
}

const isInput = (node: Node): boolean => node.op === "input";

/** The data of the last program, so that a comparison need not recompute it. */
let last: { readonly key: string; readonly inputs: ReadonlyMap<NodeId, TensorData> } | null = null;

/** What is given, and the numbers of the seeds for all other inputs. */
export function inputsOf({ graph }: Fusion, given: Given = new Map()): ReadonlyMap<NodeId, TensorData> {
  const nodes = [...graph.nodes.values()].filter((node) => isInput(node) && !given.has(node.id));
  const key = hashText(JSON.stringify(nodes.map(({ id, type, attrs }) => [id, type, attrs])));
  if (last?.key !== key) last = { key, inputs: new Map(nodes.map((node) => [node.id, inputData(node)])) };
  return given.size === 0 ? last.inputs : new Map([...last.inputs, ...given]);
}

/** What a device is fed: numbers, or how they are drawn; and the constants that `plans` folded from them. */
function fedTo(fusion: Fusion, plans: readonly Fusion[], given: Given): ReadonlyMap<NodeId, TensorData | Drawing> {
  const fed = new Map<NodeId, TensorData | Drawing>(given);
  for (const node of fusion.graph.nodes.values())
    if (isInput(node) && !fed.has(node.id)) fed.set(node.id, inputFeed(node));
  for (const { graph } of plans)
    for (const [id, data] of foldedData(graph, given)) fed.set(id, Float32Array.from(data));
  return fed;
}

/** Inputs of the program and the constants that `plans` folded from them. */
function inputsWith(fusion: Fusion, plans: readonly Fusion[], given: Given): ReadonlyMap<NodeId, TensorData> {
  const inputs = inputsOf(fusion, given);
  const folded = plans.flatMap(({ graph }) => [...foldedData(graph, inputs)]);
  return folded.length === 0
    ? inputs
    : new Map([...inputs, ...folded.map(([id, data]) => [id, Float32Array.from(data)] as const)]);
}

/** Reference values of one output; `at` is null when they are all there. */
interface Wanted {
  readonly values: Float64Array;
  readonly at: readonly number[] | null;
}

/** The reference of every output of `graph`. */
export function referenceOf(graph: Graph, inputs: ReadonlyMap<NodeId, TensorData>): Map<NodeId, Wanted> {
  if (workOf(graph) > FULL_WORK) {
    for (const count of SAMPLES) {
      const at = new Map(graph.outputs.map((id) => [id, chosenElements(nodeOf(graph, id).type.shape, count)] as const));
      const values = sampleReference(graph, inputs, at);
      if (values) return new Map([...values].map(([id, list]) => [id, { values: list, at: at.get(id)! }]));
    }
  }
  const full = runReference(graph, inputs);
  return new Map(graph.outputs.map((id) => [id, { values: full.get(id)!.data, at: null }]));
}

/** One output of one plan against the reference. */
export function compared(
  graph: Graph,
  output: NodeId,
  plan: PlanName,
  wanted: Wanted,
  data: ArrayLike<number> | null,
): ComparedOutput {
  const { shape } = nodeOf(graph, output).type;
  const elements = sizeOf(shape);
  const tolerance = fittedTo(toleranceFor(graph, output), largestFinite(wanted.values));
  const { at } = wanted;
  const actual = data && at ? Float64Array.from(at, (flat) => data[flat] ?? Number.NaN) : data;
  const { worst, ...result } = compareOutputs(wanted.values, actual ?? [], tolerance);
  const flat = worst ? (at?.[worst.at] ?? worst.at) : 0;
  return {
    plan,
    output,
    ...result,
    limit: limitOf(tolerance),
    worst: worst && {
      index: coordinatesOf(flat, shape),
      got: worst.got,
      want: worst.want,
      allowed: tolerance.atol + tolerance.rtol * Math.abs(worst.want),
    },
    elements,
    ...(actual ? { ulps: ulpHistogram(wanted.values, actual, tolerance.atol) } : {}),
    pass: result.pass && data !== null && (at !== null || data.length === elements),
  };
}

function summaryOf(graph: Graph, output: NodeId, { values, at }: Wanted): ReferenceSummary {
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
  }
  const { shape } = nodeOf(graph, output).type;
  const first = at
    ? values.slice(
        0,
        Math.max(
          1,
          at.findIndex((flat, i) => flat !== i),
        ),
      )
    : values;
  return {
    output,
    shape,
    min,
    max,
    mean: sum / values.length,
    first: Array.from(first.subarray(0, 6)),
    compared: values.length,
    elements: sizeOf(shape),
  };
}

function onCpu({ fusion, plans, options, given }: CheckRequest & { kind: "cpu" }): CheckReply {
  const { graph } = fusion;
  const inputs = inputsOf(fusion, given);
  const wanted = referenceOf(graph, inputs);
  const summaries = graph.outputs.map((output) => summaryOf(graph, output, wanted.get(output)!));
  const sampled = [...wanted.values()].some(({ at }) => at !== null);
  const reference = sampled ? "The f64 reference was computed at chosen elements." : "The f64 reference was computed.";
  if (workOf(graph) > INTERPRETED_WORK) {
    const text = `${reference} The program is too large to run its kernels on the CPU as well: choose a smaller size.`;
    return { kind: "cpu", summaries, rows: [], text };
  }
  const all = inputsWith(
    fusion,
    plans.map((each) => each.fusion),
    given,
  );
  const data = new Map([...all].map(([id, values]) => [id, Float64Array.from(values)]));
  const rows = plans.flatMap(({ plan, fusion: state }) => {
    const run = runPlanOnCpu(state, chosenFor(options), options.profile, new Map(data));
    return graph.outputs.map((output, i) => {
      const result = run.outputs.get(state.graph.outputs[i] ?? output) ?? null;
      return compared(graph, output, plan, wanted.get(output)!, result);
    });
  });
  return { kind: "cpu", summaries, rows, text: `${reference} Every kernel of both plans ran on the CPU against it.` };
}

/** ms that comparing may take; what is left then is not compared, and the count says so. */
const COMPARE_MILLIS = 2000;

let planned: PointPlan | null = null;

function tapped({ tapped: found, apart }: CheckRequest & { kind: "tapped" }): CheckReply {
  if (!planned) return { kind: "tapped", rows: [], skipped: [], amplified: apart.map(() => null) };
  const { jobs, skipped } = planned;
  const end = performance.now() + COMPARE_MILLIS;
  let isOver = false;
  const rows = comparePoints(planned, found, () => (isOver ||= performance.now() > end));
  const seen = new Set(rows.map(({ plan, kernel }) => `${plan} ${kernel}`));
  const left = jobs.flatMap(({ plan, kernel }) =>
    kernel === null || seen.has(`${plan} ${kernel}`) ? [] : `${plan} ${kernel}`,
  );
  const amplified = apart.map((each) => amplifiedAt(planned!, each));
  const all = [
    ...skipped.map((kernel) => ({ kernel, because: "large" as const })),
    ...left.map((kernel) => ({ kernel, because: isOver ? ("late" as const) : ("unread" as const) })),
  ];
  return { kind: "tapped", rows, skipped: all, amplified };
}

/** Answers one question of the page. */
export function answerCheck(request: CheckRequest): CheckReply {
  switch (request.kind) {
    case "inputs":
      return { kind: "inputs", inputs: fedTo(request.fusion, request.plans ?? [], request.given) };
    case "points":
      planned = planPoints(request.fusion, request.plans, request.given);
      return { kind: "points", taps: planned.taps };
    case "tapped":
      return tapped(request);
    case "cpu":
      return onCpu(request);
  }
}
