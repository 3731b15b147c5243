/** @file What must hold of every plan that passes make: one home for the laws, so that tests and fault tests ask the same. */
import { runPlanOnCpu } from "../../src/fusion/plan";
import { decisionsOn, defaultOptions, fusionAt } from "../../src/fusion/compile";
import type { Compilation } from "../../src/fusion/compilation";
import { bindingsFor, columnsOf, kernelOf } from "./regions";
import { chosenFor, totalsOf, targetOf } from "../../src/fusion/cost";
import { fullSizeBytes } from "../../src/fusion/kernel";
import {
  applyPatch,
  draftOf,
  dtypeBytes,
  invert,
  topological,
  type CompileOptions,
  type DraftFusion,
  type Fusion,
  type Graph,
  type NodeId,
  type Region,
  type Sums,
} from "../../src/fusion/ir";
import { fuse } from "../../src/fusion/fuse";
import { naiveState } from "../../src/fusion/passes";
import { isFreeView } from "../../src/fusion/kernel";
import { foldedData, inputData, runReference } from "../../src/fusion/reference";

export const options = (given: Partial<CompileOptions> = {}): CompileOptions => ({ ...defaultOptions, ...given });

/** Parsed and planned, without code: what the laws of passes are about. */
export function compiled(graph: Graph, given: Partial<CompileOptions> = {}): Compilation {
  const all = options(given);
  const naive = naiveState(graph, all);
  const { steps } = fuse(naive, all);
  const millis = { parse: 0, passes: 0, codegen: 0 };
  return {
    text: "",
    options: all,
    updates: [],
    diagnostics: [],
    symbols: [],
    goals: [],
    naive,
    drawn: graph,
    steps,
    naivePlan: null,
    fusedPlan: null,
    millis,
  };
}

const SOURCES = new Set(["input", "const", "hole"]);

/** What is wrong with a state as a state: cycles, values that nobody or several regions provide, kernels that are none. */
export function shapeFaults(fusion: Fusion): string[] {
  const { graph, regions } = fusion;
  const faults: string[] = [];
  topological(graph);
  const home = new Map<NodeId, string>();
  for (const region of regions.values()) {
    if (new Set(region.members).size !== region.members.length) faults.push(`${region.id} holds a member twice`);
    for (const id of region.outputs) {
      if (!region.members.includes(id)) faults.push(`${region.id} stores ${id} without computing it`);
      if (home.has(id)) faults.push(`${id} is stored by ${home.get(id)} and ${region.id}`);
      home.set(id, region.id);
    }
    for (const id of region.members) if (!graph.nodes.has(id)) faults.push(`${region.id} holds ${id}, which is gone`);
    faults.push(...lateMembers(graph, region));
    const verdict = kernelOf(graph, region);
    if (verdict !== null) faults.push(`${region.id}: ${verdict}`);
  }
  for (const region of regions.values()) {
    const inside = new Set(region.members);
    for (const id of region.members) {
      for (const input of graph.nodes.get(id)?.inputs ?? []) {
        const op = graph.nodes.get(input)?.op;
        if (op === undefined) faults.push(`${id} reads ${input}, which is gone`);
        else if (!inside.has(input) && !SOURCES.has(op) && !home.has(input))
          faults.push(`${region.id} reads ${input}, which nobody stores`);
      }
    }
  }
  for (const id of graph.outputs) {
    const n = graph.nodes.get(id);
    if (!n) faults.push(`result ${id} is gone`);
    else if (!SOURCES.has(n.op) && !home.has(id)) faults.push(`result ${id} is stored by nobody`);
  }
  return [...faults, ...cycles(fusion, home)];
}

/** Members stand after what they read: those who follow a kernel's values take them in this order. */
function lateMembers({ nodes }: Graph, { id, members }: Region): string[] {
  const at = new Map(members.map((member, i) => [member, i]));
  return members.flatMap((member, i) =>
    (nodes.get(member)?.inputs ?? [])
      .filter((input) => at.has(input) && at.get(input)! > i)
      .map((input) => `${id} lists ${member} before ${input}, which it reads`),
  );
}

function cycles({ graph, regions }: Fusion, home: ReadonlyMap<NodeId, string>): string[] {
  const waiting = new Map<string, Set<string>>();
  for (const region of regions.values()) {
    const needs = new Set<string>();
    const inside = new Set(region.members);
    for (const id of region.members)
      for (const input of graph.nodes.get(id)?.inputs ?? []) {
        const from = home.get(input);
        if (from !== undefined && from !== region.id && !inside.has(input)) needs.add(from);
      }
    waiting.set(region.id, needs);
  }
  for (let left = waiting.size; ; left = waiting.size) {
    for (const [id, needs] of waiting) {
      if ([...needs].every((need) => !waiting.has(need))) waiting.delete(id);
    }
    if (waiting.size === 0) return [];
    if (waiting.size === left) return [`cycle among ${[...waiting.keys()].join(", ")}`];
  }
}

/** Structure of every state, totals of every step, replay both ways. */
export function stepFaults(compilation: Compilation, { mayDuplicate = false } = {}): string[] {
  const { steps, naive } = compilation;
  const { profile } = compilation.options;
  const faults = shapeFaults(naive!).map((text) => `naive: ${text}`);
  const fullSize = fullSizeBytes(naive!.graph);
  const target = chosenFor(compilation.options);
  const before = totalsOf(naive!, profile, fullSize, target);
  const mostBindings = Math.max(profile.maxBindings, bindingsFor(naive!, profile.maxBindings));
  let last = before;
  // A step that buys a launch with bytes says so.
  let paid = mayDuplicate;
  steps.forEach((step, i) => {
    const at = `step ${step.seq} (${step.pass}/${step.rule})`;
    if (step.seq !== i + 1) faults.push(`${at} is number ${i + 1}`);
    if (!step.accepted) {
      if (!same(step.totals, last)) faults.push(`${at} is refused and changes the totals`);
      if (step.patch !== null) faults.push(`${at} is refused and has a patch`);
      return;
    }
    const { criterion, alternatives: [without, ...others] = [] } = step.cost ?? {};
    // What the backward pass saves is chosen for the memory it holds: reading inputs again costs bytes.
    paid ||=
      step.pass === "saved-values" || criterion === "memory" || others.some(({ bytes }) => bytes > without!.bytes);
    const state = fusionAt(compilation, step.seq);
    for (const text of shapeFaults(state)) faults.push(`${at}: ${text}`);
    const counted = totalsOf(state, profile, fullSize, target);
    if (!same(counted, step.totals)) faults.push(`${at}: totals say ${show(step.totals)}, counted ${show(counted)}`);
    // A step on the way to another of its pass may store something that the next one no longer does.
    const passEnds = steps[i + 1]?.pass !== step.pass;
    if (passEnds && !paid && counted.bytes > before.bytes)
      faults.push(`${at}: ${counted.bytes} bytes, naive ${before.bytes}`);
    if (bindingsFor(state, profile.maxBindings) > mostBindings) faults.push(`${at}: too many bindings`);
    last = step.totals;
  });
  return [...faults, ...replayFaults(compilation)];
}

const same = (a: Sums, b: Sums): boolean =>
  a.kernels === b.kernels &&
  a.transfers === b.transfers &&
  a.fullSizeTransfers === b.fullSizeTransfers &&
  a.bytes === b.bytes &&
  a.predictedMicros === b.predictedMicros;
const show = (totals: Sums): string => JSON.stringify(totals);

/** A state as text: equal states give equal texts. */
export const stateText = ({ graph, regions }: Fusion): string =>
  JSON.stringify([[...graph.nodes.values()], graph.outputs, [...regions.values()]]);

/** The same steps again, forwards, and every inverse patch back to the source. */
function replayFaults(compilation: Compilation): string[] {
  const { naive, steps } = compilation;
  const faults: string[] = [];
  const { final, steps: again } = fuse(naive!, compilation.options);
  if (again.at(-1)?.hash !== steps.at(-1)?.hash) faults.push("a second run gives another hash");
  // A copy has a replay of its own; its naive state is a copy too, so that going back must rebuild it.
  const copy: Compilation = { ...compilation };
  if (stateText(fusionAt(copy, steps.length)) !== stateText(final)) faults.push("replay gives another final state");
  const draft = draftOf(final);
  for (const { patch } of steps.toReversed()) if (patch) applyPatch(draft, invert(patch));
  if (unordered(draft) !== unordered(draftOf(naive!)))
    faults.push("the inverse patches do not lead back to the source");
  return faults;
}

const unordered = ({ nodes, outputs, regions }: DraftFusion): string =>
  JSON.stringify([
    [...nodes.values()].map((n) => JSON.stringify(n)).toSorted(),
    outputs,
    [...regions.values()].map((r) => JSON.stringify(r)).toSorted(),
  ]);

/** Outputs of a state on the interpreter of its kernels against the f64 reference of the source. */
export function valueFaults(source: Graph, state: Fusion, profile = defaultOptions.profile): string[] {
  const inputs = new Map<NodeId, Float64Array>();
  for (const n of source.nodes.values()) if (n.op === "input") inputs.set(n.id, Float64Array.from(inputData(n)));
  const want = runReference(source, inputs);
  const all = new Map([...inputs, ...foldedData(state.graph, inputs)]);
  const { outputs, kernels } = runPlanOnCpu(state, targetOf(profile), profile, all);
  const faults = kernels.flatMap(({ program, log }) => log.problems.map((text) => `${program.name}: ${text}`));
  for (const id of source.outputs) {
    const [got, right] = [outputs.get(id), want.get(id)!.data];
    const at = got ? right.findIndex((value, i) => !close(got[i]!, value)) : 0;
    if (at >= 0) faults.push(`${id}[${at}] is ${got?.[at]}, not ${right[at]}`);
  }
  return faults;
}

const close = (a: number, b: number): boolean =>
  Object.is(a, b) ||
  a === b ||
  (Number.isNaN(a) && Number.isNaN(b)) ||
  Math.abs(a - b) <= 1e-9 * (1 + Math.abs(b)) ||
  (Math.abs(a) > 3.4e38 && Math.abs(b) > 3.4e38 && Math.sign(a) === Math.sign(b));

/** Edges between two kernels of the final state about which nothing was ever said. */
export function silentEdges(compilation: Compilation): string[] {
  const state = fusionAt(compilation, compilation.steps.length);
  const { graph } = state;
  const home = new Map(
    [...state.regions.values()].flatMap((region) => region.outputs.map((id) => [id, region.id] as const)),
  );
  const silent: string[] = [];
  for (const region of state.regions.values()) {
    const inside = new Set(region.members);
    for (const id of region.members) {
      graph.nodes.get(id)!.inputs.forEach((input, operand) => {
        if (
          inside.has(input) ||
          !home.has(input) ||
          isFreeView(graph.nodes.get(input)!) ||
          isFreeView(graph.nodes.get(id)!)
        )
          return;
        const edge = `${input}>${id}:${operand}` as Parameters<typeof decisionsOn>[1];
        if (decisionsOn(compilation, edge).length === 0) silent.push(edge);
      });
    }
  }
  return silent;
}

/** Counted bytes of a state against what the interpreter of its kernels touched. */
export function trafficFaults(state: Fusion, profile = defaultOptions.profile): string[] {
  const inputs = new Map<NodeId, Float64Array>();
  for (const n of state.graph.nodes.values())
    if (n.op === "input" && !n.recipe) inputs.set(n.id, Float64Array.from(inputData(n)));
  for (const [id, data] of foldedData(state.graph)) inputs.set(id, data);
  const { kernels } = runPlanOnCpu(state, targetOf(profile), profile, inputs);
  let touched = 0;
  for (const { program, log } of kernels) {
    const tiled = program.template === "matmul";
    const region = state.regions.get(program.region)!;
    const columns = columnsOf(state.graph, region);
    for (const { value, read, written, passes } of log.buffers) {
      const { type } = program.buffers.find((buffer) => buffer.value === value)!;
      // What is smaller than a row is one value per row or fewer: used twice, counted once.
      const times = tiled || read < columns ? 1 : Math.floor(passes);
      touched += dtypeBytes(type.dtype) * (read * times + written);
    }
  }
  const { bytes } = totalsOf(state, profile);
  return bytes === touched ? [] : [`${bytes} bytes counted, ${touched} touched`];
}
