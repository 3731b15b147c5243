/**
 * @file A loop as a program without a compiler runs it: each iteration launches a kernel for every call of its body, and what the iteration
 * leaves behind is read by the next one from memory.
 */
import { bug, bytesOf, node, nodeId, type Graph, type Node, type NodeId, type Region, type TensorType } from "../../ir";
import { opDef, pruned, withDefaults, type BodyArg, type LoopBody } from "../../ops";
import { loopKey, resultsOf } from "./map-loops";
import type { RegionRead } from "../types";
import { isInlined, resolveView } from "../indices/views";

/** Whether the iterations of this loop are launches of their own. */
export function isLaunched(n: Node): boolean {
  const { loop } = opDef(n.op);
  return loop !== undefined && loop.launched(n.attrs);
}

/** Where a value of an iteration lies: outside of the loop, or where an earlier iteration, or this one, put value `at` of the body. */
export type Place =
  | { readonly kind: "outside"; readonly node: Node }
  | { readonly kind: "literal"; readonly node: Node }
  | { readonly kind: "made"; readonly at: number; readonly iteration: number; readonly type: TensorType };

/** One kernel of an iteration, as a region of the iteration's own graph. */
export interface Launch {
  readonly region: Region;
  /** Values of the body that it stores, by node. */
  readonly stores: ReadonlyMap<NodeId, number>;
}

/** The kernels of an iteration whose values lie so. Iterations of equal types have equal kernels. */
export interface IterationKernels {
  readonly graph: Graph;
  readonly launches: readonly Launch[];
  /** The parameter, value or number that a node of the graph stands for. */
  readonly argOf: ReadonlyMap<NodeId, BodyArg>;
  readonly typeOf: (at: number) => TensorType;
}

/** A loop whose results are the outputs of a region, iteration by iteration. */
export class LaunchedLoop {
  readonly iterations: number;
  /** Results: the carried value that each output is. */
  readonly results: readonly number[];
  readonly outputs: readonly NodeId[];
  readonly body: LoopBody;
  readonly first: readonly Place[];
  readonly #kernels = new Map<string, IterationKernels>();
  readonly #usesIteration: boolean;

  constructor(graph: Graph, outputs: readonly NodeId[]) {
    const nodes = outputs.map((id) => node(graph, id));
    const { attrs, op, inputs } = nodes[0]!;
    const loop = opDef(op).loop!;
    const left = pruned(loop.bodyOf(attrs), resultsOf(nodes));
    this.iterations = loop.iterations(attrs);
    this.outputs = outputs;
    this.results = nodes.map((n) => left.results.get(loop.result(n.attrs))!);
    this.body = left.body;
    this.first = left.params.map((at): Place => {
      const shown = node(graph, inputs[at]!);
      if (isInlined(shown)) return { kind: "literal", node: shown };
      const stored = node(graph, resolveView(graph, shown.id));
      return isInlined(stored)
        ? { kind: "literal", node: { ...stored, type: shown.type } }
        : { kind: "outside", node: { ...shown, id: stored.id } };
    });
    this.#usesIteration = [...this.body.values.flatMap(({ args }) => args), ...this.body.next].some(
      ({ kind }) => kind === "iteration",
    );
  }

  /** The kernels of iteration `iteration`, whose parameters lie at `places`. */
  kernels(places: readonly Place[], iteration: number): IterationKernels {
    const key = [...places.map(saidOf), this.#usesIteration ? iteration : ""].join(" ");
    const known = this.#kernels.get(key);
    if (known) return known;
    const made = this.#kernelsOf(places, iteration);
    this.#kernels.set(key, made);
    return made;
  }

  /** Where the parameters lie in the iteration after `iteration`. */
  after(places: readonly Place[], iteration: number, kernels: IterationKernels): readonly Place[] {
    const placeOf = (arg: BodyArg): Place => {
      if (arg.kind === "param") return places[arg.at]!;
      if (arg.kind === "value") return { kind: "made", at: arg.at, iteration, type: kernels.typeOf(arg.at) };
      const constant = arg.kind === "iteration" ? { value: iteration, dtype: "i32" as const } : arg;
      return { kind: "literal", node: constNode(nodeId(`${this.outputs[0]!}~literal`), constant) };
    };
    return places.map((place, at) => (at < this.body.next.length ? placeOf(this.body.next[at]!) : place));
  }

  #kernelsOf(places: readonly Place[], iteration: number): IterationKernels {
    const { params, values, next } = this.body;
    const nodes = new Map<NodeId, Node>();
    const argOf = new Map<NodeId, BodyArg>();
    const own = (name: string): NodeId => nodeId(`${this.outputs[0]!}~${name}`);
    const idOf = (arg: BodyArg): NodeId => {
      if (arg.kind === "value") return own(values[arg.at]!.name);
      if (arg.kind === "param") {
        const id = own(params[arg.at]!.name);
        if (!nodes.has(id)) nodes.set(id, paramNode(id, params[arg.at]!.name, places[arg.at]!));
        argOf.set(id, arg);
        return id;
      }
      const constant = arg.kind === "iteration" ? { value: iteration, dtype: "i32" as const } : arg;
      const id = own(`${constant.value}:${constant.dtype}`);
      if (!nodes.has(id)) nodes.set(id, constNode(id, constant));
      return id;
    };
    values.forEach(({ name, op, args, attrs }, at) => {
      const inputs = args.map(idOf);
      const def = opDef(op);
      const type = def.infer(
        inputs.map((id) => nodes.get(id)!.type),
        withDefaults(def, attrs),
      );
      if (!type.ok) throw bug(`${name}: ${type.text}`);
      const id = own(name);
      nodes.set(id, { id, op, inputs, attrs, type: type.value, label: name, origins: [id], groups: [] });
      argOf.set(id, { kind: "value", at });
    });
    const graph: Graph = { nodes, outputs: next.flatMap((arg) => (arg.kind === "value" ? [idOf(arg)] : [])) };
    return {
      graph,
      argOf,
      typeOf: (at) => nodes.get(own(values[at]!.name))!.type,
      launches: launchesOf(graph, this.body, own),
    };
  }
}

/** One kernel for each call as written; what others read, or the next iteration, is stored. */
function launchesOf(graph: Graph, { values }: LoopBody, own: (name: string) => NodeId): Launch[] {
  const calls = new Map<string, number[]>();
  values.forEach(({ call }, at) => {
    const key = call === undefined ? `value ${at}` : `call ${call}`;
    calls.set(key, [...(calls.get(key) ?? []), at]);
  });
  const kept = new Set(graph.outputs);
  // A call stands where its last value does, when all that it reads is there.
  const inOrder = [...calls.values()].toSorted((a, b) => a.at(-1)! - b.at(-1)!);
  return inOrder.map((call) => {
    const ids = new Map(call.map((at) => [own(values[at]!.name), at]));
    const isRead = (id: NodeId): boolean =>
      [...graph.nodes.values()].some((n) => n.inputs.includes(id) && !ids.has(n.id));
    const stores = new Map([...ids].filter(([id]) => kept.has(id) || isRead(id)));
    const region = {
      id: `k:${[...ids.keys()].at(-1)!}` as Region["id"],
      members: [...ids.keys()],
      outputs: [...stores.keys()],
    };
    return { region, stores };
  });
}

const saidOf = (place: Place): string => {
  const { dtype, shape } = place.kind === "made" ? place.type : place.node.type;
  return `${dtype}[${shape.join()}]${place.kind === "literal" ? `=${String(place.node.attrs["value"])}` : ""}`;
};

function paramNode(id: NodeId, label: string, place: Place): Node {
  if (place.kind === "literal") return { ...place.node, id, label };
  const { type } = place.kind === "made" ? place : place.node;
  return { id, op: "input", inputs: [], attrs: {}, type, label, origins: [id], groups: [] };
}

const constNode = (
  id: NodeId,
  { value, dtype }: { readonly value: number; readonly dtype: TensorType["dtype"] },
): Node => ({
  id,
  op: "const",
  inputs: [],
  attrs: { value },
  type: { dtype, shape: [] },
  label: `${value}`,
  origins: [id],
  groups: [],
});

/** A result that no kernel of the last iteration writes under its own name is copied to it. */
export interface Ending {
  /** Where each result lies after the last iteration. */
  readonly places: readonly Place[];
  /** Results that are copied: their place is nobody's alone. */
  readonly copied: readonly boolean[];
}

/** Where the results lie when the parameters lie at `places` after the last iteration. */
export function endingOf(loop: LaunchedLoop, places: readonly Place[]): Ending {
  const found = loop.results.map((at) => places[at]!);
  const taken = new Set<string>();
  const copied = found.map((place) => {
    if (place.kind !== "made") return true;
    const key = `${place.at} ${place.iteration}`;
    const again = taken.has(key);
    taken.add(key);
    return again;
  });
  return { places: found, copied };
}

/** What all launches of a loop move, counted without going through every iteration: after a few of them each is like one before. */
export interface LaunchedCounts {
  readonly dispatches: number;
  readonly reads: readonly RegionRead[];
  /** Values that iterations hand to one another and to themselves, by size: how often such a value is written and read. */
  readonly handed: readonly { readonly bytes: number; readonly writes: number; readonly reads: number }[];
  /** Bytes of them alive at once. */
  readonly peak: number;
  /** One iteration's kernels, in order. */
  readonly kernels: IterationKernels;
}

interface Tally {
  dispatches: number;
  readonly outside: Map<NodeId, { readonly elements: number; times: number }>;
  readonly handed: Map<number, { writes: number; reads: number }>;
}

const sizeAt = (type: TensorType): number => type.shape.reduce((product, extent) => product * extent, 1);

export function launchedCounts(loop: LaunchedLoop): LaunchedCounts {
  const tally: Tally = { dispatches: 0, outside: new Map(), handed: new Map() };
  const seen = new Map<string, { readonly iteration: number; readonly tally: Tally }>();
  let places = loop.first;
  let kernels = loop.kernels(places, 0);
  let peak = 0;
  let repeats = false;
  for (let iteration = 0; iteration < loop.iterations; iteration++) {
    const before = repeats ? undefined : seen.get(stateOf(places, iteration));
    if (before) {
      // As many iterations as lie between the two that are alike are like those.
      const round = iteration - before.iteration;
      const times = Math.floor((loop.iterations - iteration) / round);
      repeat(tally, before.tally, times);
      places = places.map((place) =>
        place.kind === "made" ? { ...place, iteration: place.iteration + times * round } : place,
      );
      iteration += times * round - 1;
      repeats = true;
      continue;
    }
    if (!repeats) seen.set(stateOf(places, iteration), { iteration, tally: copyOf(tally) });
    kernels = loop.kernels(places, iteration);
    peak = Math.max(peak, countIteration(loop, kernels, places, iteration, tally));
    places = loop.after(places, iteration, kernels);
  }
  const { places: ends, copied } = endingOf(loop, places);
  ends.forEach((place, i) => {
    if (copied[i]) {
      tally.dispatches++;
      readPlace(tally, place);
    } else if (place.kind === "made") handedOf(tally, bytesOf(place.type)).writes--;
  });
  return {
    dispatches: tally.dispatches,
    reads: [...tally.outside].map(([value, { elements, times }]) => ({
      value,
      elements,
      waste: 1,
      rereads: times - 1,
    })),
    handed: [...tally.handed].map(([bytes, times]) => ({ bytes, ...times })),
    peak,
    kernels,
  };
}

/** Alike for iterations that go on alike. */
const stateOf = (places: readonly Place[], iteration: number): string =>
  places.map((p) => (p.kind === "made" ? `${p.at}-${iteration - p.iteration}` : `${p.node.id}=${saidOf(p)}`)).join(" ");

const copyOf = ({ dispatches, outside, handed }: Tally): Tally => ({
  dispatches,
  outside: new Map([...outside].map(([id, each]) => [id, { ...each }])),
  handed: new Map([...handed].map(([bytes, each]) => [bytes, { ...each }])),
});

function repeat(tally: Tally, from: Tally, times: number): void {
  tally.dispatches += times * (tally.dispatches - from.dispatches);
  for (const [id, each] of tally.outside) each.times += times * (each.times - (from.outside.get(id)?.times ?? 0));
  for (const [bytes, each] of tally.handed) {
    const before = from.handed.get(bytes) ?? { writes: 0, reads: 0 };
    each.writes += times * (each.writes - before.writes);
    each.reads += times * (each.reads - before.reads);
  }
}

function handedOf({ handed }: Tally, bytes: number): { writes: number; reads: number } {
  const known = handed.get(bytes) ?? { writes: 0, reads: 0 };
  handed.set(bytes, known);
  return known;
}

function readPlace(tally: Tally, place: Place): void {
  if (place.kind === "made") handedOf(tally, bytesOf(place.type)).reads++;
  if (place.kind !== "outside") return;
  const { id, type } = place.node;
  const known = tally.outside.get(id) ?? { elements: sizeAt(type), times: 0 };
  known.times++;
  tally.outside.set(id, known);
}

/** What the places are that a kernel of the iteration reads, each once. */
export function placesRead(
  { graph, argOf }: IterationKernels,
  { region }: Launch,
  places: readonly Place[],
  iteration: number,
): readonly Place[] {
  const found = new Map<string, Place>();
  for (const id of region.members)
    for (const input of node(graph, id).inputs) {
      const arg = argOf.get(input);
      if (!arg || region.members.includes(input)) continue;
      const place: Place =
        arg.kind === "value"
          ? { kind: "made", at: arg.at, iteration, type: node(graph, input).type }
          : places[(arg as { at: number }).at]!;
      if (place.kind !== "literal") found.set(input, place);
    }
  return [...found.values()];
}

/** Adds one iteration; bytes that its values take at once, those it was handed included. */
function countIteration(
  loop: LaunchedLoop,
  kernels: IterationKernels,
  places: readonly Place[],
  iteration: number,
  tally: Tally,
): number {
  const alive = new Map<string, number>();
  const keyOf = (at: number, of: number): string => `${at} ${of}`;
  for (const place of places)
    if (place.kind === "made") alive.set(keyOf(place.at, place.iteration), bytesOf(place.type));
  let peak = 0;
  const nextPlaces = loop.after(places, iteration, kernels);
  const last = new Map<string, number>();
  const reads = kernels.launches.map((launch) => placesRead(kernels, launch, places, iteration));
  reads.forEach((list, i) => {
    for (const place of list) if (place.kind === "made") last.set(keyOf(place.at, place.iteration), i);
  });
  for (const place of nextPlaces) if (place.kind === "made") last.set(keyOf(place.at, place.iteration), Infinity);
  kernels.launches.forEach((launch, i) => {
    tally.dispatches++;
    for (const place of reads[i]!) readPlace(tally, place);
    for (const [id, at] of launch.stores) {
      const bytes = bytesOf(node(kernels.graph, id).type);
      handedOf(tally, bytes).writes++;
      alive.set(keyOf(at, iteration), bytes);
    }
    peak = Math.max(
      peak,
      [...alive.values()].reduce((sum, bytes) => sum + bytes, 0),
    );
    for (const key of alive.keys()) if ((last.get(key) ?? -1) <= i) alive.delete(key);
  });
  return peak;
}

/** The key of the one loop that all of these are results of and that launches its iterations; null of anything else. */
export function launchedKey(graph: Graph, members: readonly NodeId[]): string | null {
  const [first] = members;
  if (first === undefined || !isLaunched(node(graph, first))) return null;
  const key = loopKey(node(graph, first));
  return members.every((id) => loopKey(node(graph, id)) === key) ? key : null;
}
