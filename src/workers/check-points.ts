/**
 * @file Kernels against f64 at chosen elements. First: which elements of what a kernel reads and writes are to be fetched
 * from the device. Then: the kernel's nodes in f64 from the very numbers it read. No tensor is computed or fetched whole.
 */
import {
  amplifiesRounding,
  compareOutputs,
  fittedTo,
  largestFinite,
  coordinatesOf,
  foldedData,
  inputElement,
  ONE_ELEMENT,
  isReached,
  node as nodeOf,
  opDef,
  planSampling,
  reachOf,
  sizeOf,
  toleranceFor,
  ulpHistogram,
  type Fusion,
  type Graph,
  type Known,
  type Node,
  type NodeId,
  type RegionId,
  type Sampling,
  type Tolerance,
} from "../fusion";
import type {
  ComparedOutput,
  DifferentOutput,
  Given,
  PlanName,
  PlannedRun,
  TapRequest,
  TappedElements,
} from "./messages";

/** Elements compared of each output of a kernel at most. */
const MAX_POINTS = 4096;
/** Elements that all samplings of a run may touch. */
const TOUCHED = 6e6;
/** Elements that one kernel may have fetched. */
const FETCHED = 2 ** 18;
/** Share of the largest value that two results which agree are apart at most, unless it is said why. */
const LARGE_SHARE = 0.01;

/** A kernel's nodes, or the whole program, ready to be computed at chosen elements. */
interface Job {
  readonly plan: PlanName;
  /** Kernel that writes; null for the whole program. */
  readonly kernel: string | null;
  readonly graph: Graph;
  readonly sampling: Sampling;
  /** By output: its name among the stored values, and the elements that are compared. */
  readonly outputs: readonly { readonly id: NodeId; readonly stored: NodeId; readonly flats: Uint32Array }[];
  readonly first: number;
  readonly last: number;
}

/** What was asked to be fetched, until the answer comes. */
export interface PointPlan {
  readonly jobs: readonly Job[];
  readonly taps: readonly TapRequest[];
  /** Kernels that no element could be chosen for, as `fused K3`. */
  readonly skipped: readonly string[];
  /** The program itself. */
  readonly source: { readonly graph: Graph; readonly known: Known };
}

/** Numbers below `size`, spread, both ends among them; all of them when there are no more than `count`. */
function spread(size: number, count: number): number[] {
  if (size <= count) return Array.from({ length: size }, (_, i) => i);
  // Steps of a large odd number visit every residue: neither rows nor tiles line up with it.
  const chosen = new Set([0, size - 1].slice(0, count));
  for (let i = 1; chosen.size < count; i++) chosen.add((i * 2654435761) % size);
  return [...chosen].sort((a, b) => a - b);
}

/** Flat indices of at most `count` elements: some rows × some columns, so that a product needs few rows and columns of its operands. */
export function chosenElements(shape: readonly number[], count: number): number[] {
  const columns = shape.at(-1) ?? 1;
  const rows = sizeOf(shape.slice(0, -1));
  const some = Math.min(rows, Math.max(1, Math.floor(Math.sqrt(count))));
  const across = Math.min(columns, Math.max(1, Math.floor(count / some)));
  const down = Math.min(rows, Math.max(1, Math.floor(count / across)));
  const inRow = spread(columns, across);
  return spread(rows, down).flatMap((row) => inRow.map((column) => row * columns + column));
}

const short = (value: number): string => value.toExponential(1).replace("e+", "e").replace(".0e", "e");

/** `1.1e-5 + 1.1e-5 · |value|`. */
export const limitOf = ({ rtol, atol }: Tolerance): string => `${short(atol)} + ${short(rtol)} · |value|`;

const isFreeView = ({ op }: Node): boolean => opDef(op).movement?.free === true;

/** The region's nodes with what they read as inputs: values in memory, and the program's own inputs. */
function subgraph({ graph, regions }: Fusion, region: RegionId, stored: ReadonlySet<NodeId>): Graph | null {
  const own = regions.get(region);
  if (!own) return null;
  const members = new Set(own.members);
  const nodes = new Map<NodeId, Node>();
  const add = (id: NodeId): void => {
    if (nodes.has(id)) return;
    const node = nodeOf(graph, id);
    if (node.op === "input" || node.op === "const") nodes.set(id, node);
    else if (!members.has(id) && stored.has(id))
      nodes.set(id, { ...node, op: "input", inputs: [], attrs: { role: "input" } });
    else {
      nodes.set(id, node);
      node.inputs.forEach(add);
    }
  };
  own.outputs.forEach(add);
  return { nodes, outputs: own.outputs };
}

/** Where a value is stored: under its own name, or as what it is a free view of. */
function storedName(graph: Graph, id: NodeId, stored: ReadonlySet<NodeId>): NodeId | null {
  for (let at = id; ; at = nodeOf(graph, at).inputs[0]!) {
    if (stored.has(at)) return at;
    if (!isFreeView(nodeOf(graph, at))) return null;
  }
}

/** As many points as `share` touches pay for; null where a single one costs too much. */
function sampled(graph: Graph, known: Known, share: number): [Sampling, Map<NodeId, Uint32Array>] | null {
  const chosen = (count: number) =>
    new Map(graph.outputs.map((id) => [id, Uint32Array.from(chosenElements(nodeOf(graph, id).type.shape, count))]));
  const fits = ({ needs }: Sampling) => [...needs.values()].reduce((sum, { length }) => sum + length, 0) <= FETCHED;
  const one = planSampling(graph, known, chosen(1), ONE_ELEMENT);
  if (!one || !fits(one)) return null;
  let count = Math.max(1, Math.min(MAX_POINTS, Math.floor(share / Math.max(1, one.touched))));
  for (; count > 1; count = count >> 2) {
    const flats = chosen(count);
    const sampling = planSampling(graph, known, flats, 2 * share + ONE_ELEMENT);
    if (sampling && fits(sampling)) return [sampling, flats];
  }
  return [one, chosen(1)];
}

/** Inputs and folded constants, element by element. */
function sourcesOf(graph: Graph, given: Given, folded: ReadonlyMap<NodeId, Float64Array>): Known {
  const drawn = new Map<NodeId, (flat: number) => number>();
  return (id) => {
    const node = graph.nodes.get(id);
    if (node?.op !== "input" || node.attrs["source"] === undefined) return undefined;
    const data = given.get(id) ?? folded.get(id);
    if (data) return (flat) => data[flat]!;
    const known = drawn.get(id) ?? inputElement(node);
    drawn.set(id, known);
    return known;
  };
}

/** Chooses elements for each kernel of the plans, and for the program as a whole where that is affordable. */
export function planPoints(source: Fusion, plans: readonly PlannedRun[], given: Given): PointPlan {
  const jobs: Job[] = [];
  const skipped: string[] = [];
  const kernels = plans.reduce((sum, { regions }) => sum + new Set(regions).size, 0);
  const share = TOUCHED / Math.max(2, 2 * kernels);
  for (const { plan, fusion, regions, stored: names } of plans) {
    const stored = new Set(names);
    const folded = foldedData(fusion.graph, given);
    for (const region of new Set(regions)) {
      const [first, last] = [regions.indexOf(region), regions.lastIndexOf(region)];
      const kernel = `K${last + 1}`;
      const graph = subgraph(fusion, region, stored);
      const found = graph && sampled(graph, sourcesOf(fusion.graph, given, folded), share);
      const outputs = graph?.outputs.flatMap((id) => {
        const name = storedName(fusion.graph, id, stored);
        return name && found ? [{ id, stored: name, flats: found[1].get(id)! }] : [];
      });
      if (!graph || !found || !outputs || outputs.length === 0) skipped.push(`${plan} ${kernel}`);
      else jobs.push({ plan, kernel, graph, sampling: found[0], outputs, first, last });
    }
  }
  jobs.push(...wholeProgram(source, plans, given));
  const known = sourcesOf(source.graph, given, foldedData(source.graph, given));
  return { jobs, taps: jobs.flatMap(tapsOf), skipped, source: { graph: source.graph, known } };
}

/** The source graph at chosen elements of its outputs, for each plan; none where a single element costs too much. */
function wholeProgram({ graph }: Fusion, plans: readonly PlannedRun[], given: Given): Job[] {
  const found = sampled(graph, sourcesOf(graph, given, foldedData(graph, given)), TOUCHED / 2);
  if (!found) return [];
  const [sampling, flats] = found;
  return plans.flatMap(({ plan, fusion, regions, stored: names }) => {
    const stored = new Set(names);
    const outputs = graph.outputs.flatMap((id, i) => {
      const name = storedName(fusion.graph, fusion.graph.outputs[i] ?? id, stored);
      const isInput = name !== null && fusion.graph.nodes.get(name)?.op === "input";
      return name && !isInput ? [{ id, stored: name, flats: flats.get(id)! }] : [];
    });
    const last = regions.length - 1;
    return outputs.length > 0 && last >= 0 ? [{ plan, kernel: null, graph, sampling, outputs, first: last, last }] : [];
  });
}

function tapsOf({ plan, sampling, outputs, first, last, kernel }: Job): TapRequest[] {
  const reads = kernel === null ? [] : [...sampling.needs];
  return [
    ...reads.map(([value, flats]) => ({ plan, value, kernel: first, when: "before" as const, flats })),
    ...outputs.map(({ stored, flats }) => ({ plan, value: stored, kernel: last, when: "after" as const, flats })),
  ];
}

const scratch = new DataView(new ArrayBuffer(4));

/** A value from its stored word; of f16 from the pair of halves that holds it. */
function valueOf(dtype: Node["type"]["dtype"], word: number, flat: number): number {
  scratch.setUint32(0, word);
  switch (dtype) {
    case "f32":
      return scratch.getFloat32(0);
    case "i32":
      return scratch.getInt32(0);
    case "bool":
      return word;
    case "f16":
      return halfValue((flat & 1) === 1 ? word >>> 16 : word & 0xffff);
  }
}

function halfValue(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >>> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** One output of a job against f64; points beyond the limit are tried again with every rounding disturbed. */
function rowOf(
  job: Job,
  which: number,
  found: ReadonlyMap<NodeId, ArrayLike<number>>,
  got: Float64Array,
): ComparedOutput {
  const { graph, sampling, plan, kernel, outputs } = job;
  const { id, flats } = outputs[which]!;
  const want = sampling.values(found).get(id)!;
  const { shape } = nodeOf(graph, id).type;
  const scale = largestFinite(want);
  const tolerance = fittedTo(toleranceFor(graph, id), scale);
  const plain = compareOutputs(want, got, tolerance);
  const large = LARGE_SHARE * scale;
  const reach = plain.pass && plain.maxAbs <= large ? null : reachOf(sampling, id, found, want);
  const within = reach ? want.map((value, i) => (isReached(got[i]!, value, reach[i]!) ? got[i]! : value)) : want;
  const { pass } = reach ? compareOutputs(within, got, tolerance) : plain;
  const beyond = (value: number, i: number) =>
    within[i] !== value &&
    Math.abs(got[i]! - value) > Math.min(large, tolerance.atol + tolerance.rtol * Math.abs(value));
  const { worst, ...result } = plain;
  return {
    plan,
    output: id,
    ...(kernel === null ? {} : { kernel }),
    ...result,
    pass,
    sensitive: pass && reach ? want.filter(beyond).length : 0,
    scale,
    because: tolerance.reason,
    limit: limitOf(tolerance),
    worst: worst && {
      index: coordinatesOf(flats[worst.at] ?? 0, shape),
      got: worst.got,
      want: worst.want,
      allowed: tolerance.atol + tolerance.rtol * Math.abs(worst.want),
    },
    elements: sizeOf(shape),
    ulps: ulpHistogram(want, got, tolerance.atol),
  };
}

/**
 * Whether the program amplifies roundings at the very elements where two plans are farthest apart: f64 itself moves as far
 * there. null where one element depends on too many others to tell.
 */
export const amplifiedAt = ({ source }: PointPlan, { output, farthest }: DifferentOutput): boolean | null =>
  amplifiesRounding(
    source.graph,
    source.known,
    output,
    farthest.map(({ at, naive, other }) => ({ at, got: [naive, other] })),
  );

/**
 * Compares what was fetched, the whole program first.
 * @param late true when the time is over: what is left is not compared
 */
export function comparePoints(
  { jobs }: PointPlan,
  tapped: readonly TappedElements[],
  late: () => boolean,
): ComparedOutput[] {
  const key = ({ plan, value, kernel, when }: TapRequest, length: number) =>
    [plan, value, kernel, when, length].join(" ");
  const words = new Map(tapped.map(({ tap, words: found }) => [key(tap, found.length), found]));
  const values = (tap: TapRequest, dtype: Node["type"]["dtype"]): Float64Array | null => {
    const stored = words.get(key(tap, tap.flats.length));
    return stored ? Float64Array.from(stored, (word, i) => valueOf(dtype, word, tap.flats[i]!)) : null;
  };
  const rows: ComparedOutput[] = [];
  for (const job of jobs.toSorted((a, b) => Number(a.kernel !== null) - Number(b.kernel !== null))) {
    if (late()) break;
    const taps = tapsOf(job);
    const dtypeOf = (id: NodeId) => nodeOf(job.graph, id).type.dtype;
    const reads = taps
      .filter(({ when }) => when === "before")
      .map((tap) => [tap.value, values(tap, dtypeOf(tap.value))] as const);
    const writes = taps
      .filter(({ when }) => when === "after")
      .map((tap, i) => values(tap, dtypeOf(job.outputs[i]!.id)));
    if (reads.some(([, found]) => found === null)) continue;
    const found = new Map(reads.map(([id, list]) => [id, list!]));
    for (const [i, got] of writes.entries()) if (got) rows.push(rowOf(job, i, found, got));
  }
  return rows;
}
