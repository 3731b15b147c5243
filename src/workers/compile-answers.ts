/** @file Compiles, and keeps the last compilation so that plans of its states can be asked for. */
import {
  answeringGraph,
  compile,
  compileGraph,
  foldedData,
  fusionAt,
  hashText,
  inputFeed,
  isTooLarge,
  knobSheet,
  knobSweep,
  kernelLooks,
  optimumOf,
  orderRows,
  planAt,
  planForTarget,
  planTotals,
  savedSheet,
  sizeRows,
  startingData,
  startingFeeds,
  stepOf,
  targetOf,
  trainingOf,
  valuesAt,
  watchKernel,
  whatIf,
  type BestPlan,
  type Compilation,
  type CompileOptions,
  type Drawing,
  type KnobSheet,
  type NodeId,
  type Plan,
  PATIENCE,
} from "../fusion";
import { importOnnx, typedData } from "../import";
import type {
  AboutKernel,
  CompileReply,
  CompileRequest,
  ImportAnswer,
  SweepAnswer,
  TensorData,
  TrainingPlans,
  WhatIfAnswer,
} from "./messages";
import { sameInputs, sameValues } from "./same-values";

/** The newest first: plans that stand beside each other are asked about in turn. */
let compilations: readonly { readonly key: string; readonly compilation: Compilation }[] = [];
const MAX_COMPILATIONS = 3;

/** Longer texts are data. */
const MAX_MEANT = 600_000;

function compiled(text: string, options: CompileOptions): Compilation {
  const key = JSON.stringify([text, options]);
  const patience = text.length <= MAX_MEANT ? PATIENCE : 1;
  const { compilation } = compilations.find((each) => each.key === key) ?? {
    compilation: compile(text, options, () => performance.now(), patience),
  };
  compilations = [{ key, compilation }, ...compilations.filter((each) => each.key !== key)].slice(0, MAX_COMPILATIONS);
  return compilation;
}

/** Two files of one length differ in some byte: FNV-1a over all of them. */
function fingerprint(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${bytes.length} ${hash >>> 0}`;
}

/** The text of a model and its weights. Extents decide what constants come out, so they are a part of the key. */
function imported({ bytes, dims, shapes }: Extract<CompileRequest, { kind: "import" }>): ImportAnswer {
  const read = importOnnx(bytes, { dims, shapes });
  if (!read.ok) return read;
  const { data, ...model } = read.value;
  const weights = new Map([...data].map(([name, host]) => [name, { shape: host.dims, data: typedData(host) }]));
  const key = hashText(JSON.stringify([fingerprint(bytes), [...dims], [...shapes]]));
  return { ok: true, value: { ...model, weights, key } };
}

/** Null for a text without a plan. */
function asked(compilation: Compilation, change: Partial<CompileOptions>): WhatIfAnswer | null {
  if (!compilation.naive) return null;
  const { steps: _, ...answer } = whatIf(compilation, change);
  return answer;
}

type Asking<K extends CompileRequest["kind"]> = Extract<CompileRequest, { kind: K }>;

const sheetOf = (compilation: Compilation, { cursor, region, options }: AboutKernel): KnobSheet | null =>
  compilation.naive && knobSheet(fusionAt(compilation, cursor), region, options, targetOf(options.profile));

const looksIn = (compilation: Compilation, { cursor, region, options }: AboutKernel) =>
  compilation.naive ? kernelLooks(fusionAt(compilation, cursor), region, options) : new Map<string, never>();

const watchedIn = (compilation: Compilation, { cursor, region, nth, workgroup }: Asking<"watch">) =>
  watchKernel(compilation, cursor, region, nth, workgroup);

function sweepOf(
  compilation: Compilation,
  { cursor, region, options, target, knob }: Asking<"sweep">,
): SweepAnswer | null {
  const sweep = compilation.naive && knobSweep(fusionAt(compilation, cursor), region, options, target, knob);
  return (
    sweep && {
      values: sweep.values,
      inputs: new Map(sweep.inputs.map((input) => [input.id, inputFeed(input)])),
    }
  );
}

/** The plans of one step for a machine; null where the program does not train. */
function trainingPlans(compilation: Compilation, { target, seed, options }: Asking<"training">): TrainingPlans | null {
  const { naive, updates, symbols, steps } = compilation;
  const source = naive?.graph;
  const training = source && trainingOf({ graph: source, updates, symbols });
  if (!training) return null;
  const states = [fusionAt(compilation, 0), fusionAt(compilation, steps.length)];
  const { answer } = training;
  const asked = answer && compileGraph(answeringGraph(source, answer.index), options);
  const last = asked && fusionAt(asked, asked.steps.length);
  const all = last ? [...states, last] : states;
  const start = startingData(source, seed);
  const folded = all.flatMap(({ graph }) => [...foldedData(graph, start)]);
  return {
    training,
    request: {
      plans: states.map((state) => ({
        plan: planForTarget(state, target, options),
        ...stepOf(training, state.graph),
      })),
      answering: last && { plan: planForTarget(last, target, options), output: last.graph.outputs[0]! },
      inputs: new Map<NodeId, TensorData | Drawing>([
        ...startingFeeds(source, seed),
        ...folded.map(([id, data]) => [id, Float32Array.from(data)] as const),
      ]),
    },
  };
}

function bestOf(compilation: Compilation): BestPlan | null {
  if (!compilation.naive) return null;
  const found = optimumOf(fusionAt(compilation, compilation.steps.length), compilation.options);
  if (isTooLarge(found)) return found;
  const { micros, planned, weighed } = found;
  return { micros, planned, weighed };
}

/** Answers one question of the page. A text without a plan has no plans, which is no fault. */
export function answerCompile(request: CompileRequest): CompileReply {
  if (request.kind === "import") return { kind: "imported", imported: imported(request) };
  if (request.kind === "values") {
    const compare = request.what === "inputs" ? sameInputs : sameValues;
    return { kind: "values", sameness: compare(request.original, request.changed) };
  }
  if (request.kind === "totals")
    return { kind: "totals", totals: request.programs.map(({ text, options }) => planTotals(text, options)) };
  const compilation = compiled(request.text, request.options);
  if (request.kind === "saved") return { kind: "saved", sheet: savedSheet(compilation) };
  if (request.kind === "orders") return { kind: "orders", rows: orderRows(compilation) };
  if (request.kind === "optimum") return { kind: "optimum", best: bestOf(compilation) };
  if (request.kind === "sizes")
    return { kind: "sizes", rows: sizeRows(request.text, request.options, request.name, request.values) };
  if (request.kind === "what-if") return { kind: "what-if", answer: asked(compilation, request.change) };
  if (request.kind === "knobs") return { kind: "knobs", sheet: sheetOf(compilation, request) };
  if (request.kind === "looks") return { kind: "looks", kernels: looksIn(compilation, request) };
  if (request.kind === "watch") return { kind: "watched", watched: watchedIn(compilation, request) };
  if (request.kind === "numbers")
    return { kind: "numbers", numbers: valuesAt(compilation, request.cursor, request.node) };
  if (request.kind === "sweep") return { kind: "sweep", sweep: sweepOf(compilation, request) };
  if (request.kind === "training") return { kind: "training", training: trainingPlans(compilation, request) };
  if (request.kind === "compile") return { kind: "compiled", compilation };
  const { cursors, target, profile = compilation.options.profile } = request;
  const plan = (cursor: number): Plan =>
    target
      ? planForTarget(fusionAt(compilation, cursor), target, compilation.options, profile)
      : planAt(compilation, cursor);
  const known = compilation.naive ? cursors.filter((cursor) => cursor >= 0 && cursor <= compilation.steps.length) : [];
  return { kind: "planned", plans: new Map(known.map((cursor) => [cursor, plan(cursor)])) };
}
