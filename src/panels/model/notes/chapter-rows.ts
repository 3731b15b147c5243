/** @file One sentence for each number that a chapter prints, with the live counts in it. */
import { claimsOf } from "../../../lessons";
import {
  bytesOf,
  type Compilation,
  type CompileOptions,
  type Graph,
  inputData,
  intensity,
  node,
  type NodeId,
  type Plan,
  ridge,
  runReference,
  transfersOfAccess,
} from "../../../fusion";
import { geluCurve, geluDistance, type Curve } from "./gelu-forms";
import { count, decimal, scientific, showBytes, significant } from "../units";
import { flopsOfPlan } from "../plan/traffic";

interface Counted {
  readonly graph: Graph;
  readonly naive: Plan;
  readonly fused: Plan;
  readonly options: CompileOptions;
}

/** Null while a program has no plans. */
const countedOf = ({ naive, naivePlan, fusedPlan, options }: Compilation): Counted | null =>
  naive && naivePlan && fusedPlan ? { graph: naive.graph, naive: naivePlan, fused: fusedPlan, options } : null;

/** A pair of counts, naive and fused. */
type Pair = readonly [number, number];

const arrow = ([before, after]: Pair): string => `${before} → ${after}`;
/** `2.33×`; `no less` where nothing is saved, `all of them` where nothing is left. */
function fewer([before, after]: Pair): string {
  if (before <= after) return "no less";
  return after === 0 ? "all of them" : `${significant(before / after)}×`;
}

const fullSize = ({ naive, fused }: Counted): Pair => [naive.totals.fullSizeTransfers, fused.totals.fullSizeTransfers];
const allTransfers = ({ naive, fused }: Counted): Pair => [naive.totals.transfers, fused.totals.transfers];
const kernels = ({ naive, fused }: Counted): Pair => [naive.totals.kernels, fused.totals.kernels];

/** Full-size reads and writes of values that the program computes; its inputs are left out. */
function ofComputed(graph: Graph, plan: Plan): { readonly reads: number; readonly writes: number } {
  const counted = plan.kernels.flatMap(({ reads, writes }) => [
    ...reads.map((access) => ({ ...access, read: true })),
    ...writes.map((access) => ({ ...access, read: false })),
  ]);
  const found = counted.filter(({ value, fullSize: full }) => full && graph.nodes.get(value)?.op !== "input");
  const reads = found.filter(({ read }) => read).reduce((sum, each) => sum + transfersOfAccess(each), 0);
  return { reads, writes: found.filter(({ read }) => !read).length };
}

/** Bytes of the largest input, of the largest value that is computed, and of the first result. */
function largest({ graph }: Counted): {
  readonly input: number;
  readonly computed: number;
  readonly result: number;
} {
  const most = (inputs: boolean): number => {
    const all = [...graph.nodes.values()].filter(({ op }) => op !== "const" && (op === "input") === inputs);
    return Math.max(0, ...all.map(({ type }) => bytesOf(type)));
  };
  return { input: most(true), computed: most(false), result: bytesOf(node(graph, graph.outputs[0]!).type) };
}

/** FLOP of all kernels of a plan. */

/** Right as printed; counted otherwise; or a number that no count can decide. */
export type Mark = "right" | "differs" | "quoted";

export interface ChapterNote {
  /** Chapter and its item: `004-02`. */
  readonly row: string;
  readonly mark: Mark;
  readonly text: string;
  /** Drawn below the sentence. */
  readonly curve?: Curve;
}

type Sentence = (counted: Counted, says: string) => Omit<ChapterNote, "row"> | null;

const differs = (text: string) => ({ mark: "differs", text }) as const;
const quoted = (text: string) => ({ mark: "quoted", text }) as const;
const judged = (right: boolean, yes: string, no: string) =>
  right ? ({ mark: "right", text: yes } as const) : differs(no);

/** A speed-up on a machine that is not named: the traffic is all that can be counted. */
const speedUp =
  (of: string, counts: (counted: Counted) => Pair): Sentence =>
  (counted, says) => {
    const pair = counts(counted);
    return quoted(
      `The lecture notes say ${says}, on a machine it does not name. ${of}: ${arrow(pair)}, ${fewer(pair)}. Run both to see the time here.`,
    );
  };
const fasterByTraffic = speedUp("Full-size transfers", fullSize);

/** The same where the fused plan has no transfers of full size left. */
const fasterByBytes: Sentence = ({ naive, fused }, says) => {
  const [before, after] = [naive.totals.bytes, fused.totals.bytes];
  return quoted(
    `The lecture notes say ${says}, on a machine it does not name. Traffic: ${showBytes(before)} → ${showBytes(after)}, ${fewer([before, after])}. Run both to see the time here.`,
  );
};

/** A datasheet's FLOP/s over its bytes/s, shown while that machine's profile is chosen. */
const balance =
  (profile: string, printed: number): Sentence =>
  ({ options }, says) => {
    if (options.profile.name !== profile) return null;
    const bend = ridge(options.profile);
    const sum = `${decimal(options.profile.peakFlops, "FLOP/s")} over ${significant(options.profile.bandwidth / 1e12)} TB/s is ${significant(bend)} FLOP/byte`;
    return judged(
      Math.floor(bend) === printed,
      `The lecture notes say ${says}: ${sum}.`,
      `The lecture notes say ${says}; ${sum}.`,
    );
  };

const granularityWords = { op: "call", statement: "statement", primitive: "primitive" } as const;

const layerNormRelu: Sentence = (counted, says) => {
  const [full, all] = [fullSize(counted), allTransfers(counted)];
  const kernel = granularityWords[counted.options.granularity];
  return differs(
    `The lecture notes say ${says}. Counted ${arrow(full)} (${fewer(full)}) with a kernel for each ${kernel}, ${arrow(all)} with the small tensors. Choose another granularity and watch.`,
  );
};

const layerNormIntensity: Sentence = ({ naive, fused, options }, says) => {
  if (options.granularity !== "primitive" || naive.totals.kernels === 0) return null;
  const [ops, trips] = [naive.totals.kernels, fused.totals.fullSizeTransfers];
  const value = ops / (trips * 4);
  const sum = `${ops} ops on each element over ${trips} transfers of 4 B are ${significant(value)}`;
  const counted = significant(intensity(flopsOfPlan(fused), fused.totals.bytes));
  return judged(
    `${significant(value)} FLOP/byte` === says,
    `The lecture notes say ${says}: ${sum}. Counted exactly, with ops on row statistics once for each row, it is ${counted}.`,
    `The lecture notes say ${says}; ${sum}.`,
  );
};

const productIntensity: Sentence = ({ graph, fused, options }, says) => {
  const elements = bytesOf(node(graph, graph.outputs[0]!).type) / 4;
  const flops = flopsOfPlan(fused);
  const perByte = significant(intensity(flops, fused.totals.bytes));
  const bend = `${significant(ridge(options.profile))} for ${options.profile.name}`;
  return differs(
    `The lecture notes say ${says}, ${count(flops / (2 * elements))} here; that is FLOP per element. Per byte it is ${perByte} in f32. Compare that with the ridge: ${bend}.`,
  );
};

const threshold: Sentence = ({ options }, says) =>
  quoted(
    `The lecture notes draw the line at ${says} everywhere. Each machine has its own: ${significant(ridge(options.profile))} for the profile ${options.profile.name}.`,
  );

const writesOnly: Sentence = (counted, says) => {
  const [before, after] = [ofComputed(counted.graph, counted.naive), ofComputed(counted.graph, counted.fused)];
  const pair: Pair = [before.reads + before.writes, after.reads + after.writes];
  return differs(
    `The lecture notes say ${says}, which counts only the writes of the product (${arrow([before.writes, after.writes])}). With the reads it is ${arrow(pair)}: fusion does better than that.`,
  );
};

const flash: Sentence = (counted, says) => {
  const others = counted.fused.kernels.filter(({ template }) => template !== "flash").length;
  const layers = others === 1 ? "the linear layers share one of their own" : `${others} of them do other work`;
  return differs(`The lecture notes say ${says} kernels, counted ${arrow(kernels(counted))}: ${layers}.`);
};

const loops: Sentence = ({ fused }, says) => {
  const passes = Math.max(...fused.kernels.flatMap(({ reads }) => reads.map(({ rereads }) => 1 + rereads)));
  if (passes === 1)
    return quoted(`The lecture notes say ${says}, and loops over the row three times. Here it is read once.`);
  return differs(
    `The lecture notes say ${says}. One kernel, but ${passes} loops over the input: ${fused.totals.fullSizeTransfers} transfers. With the row in registers it is 2.`,
  );
};

const twoReaders: Sentence = (counted, says) => {
  const [before, after] = fullSize(counted);
  const here = before === after ? "stored, as here, it takes" : `stored it takes ${before} transfers, this plan`;
  return differs(`The lecture notes say that such a value ${says}. It can: ${here} ${after}.`);
};

const thirdWay: Sentence = (counted, says) => {
  const [before, after] = fullSize(counted);
  if (counted.fused.kernels.length > 1)
    return quoted(`The lecture notes name two ways: ${says}. This plan takes ${after}.`);
  return quoted(
    `The lecture notes name two ways: ${says}. One kernel with both results is a third: ${after} against ${before}.`,
  );
};

const l2Norm: Sentence = (counted, says) => {
  const [pair, bytes] = [fullSize(counted), largest(counted).input];
  const { l2Bytes, name } = counted.options.profile;
  const cache = bytes < l2Bytes ? "fits" : "does not fit";
  return quoted(
    `The lecture notes say ${says}. Traffic explains ${fewer(pair)} (${arrow(pair)}). The tensor of ${showBytes(bytes)} ${cache} the cache of the profile ${name}: whatever more you measure comes from launches or caches.`,
  );
};

const lessMemory: Sentence = ({ naive, fused }, says) => {
  const [before, after] = [naive.totals.peakBytes, fused.totals.peakBytes];
  const percent = significant(Math.abs(1 - after / before) * 100, 2);
  return quoted(
    `The lecture notes say ${says}; that depends on the graph. This one's peak goes ${showBytes(before)} → ${showBytes(after)}, ${percent} % ${after > before ? "more" : "less"}.`,
  );
};

const chain: Sentence = (counted, says) => {
  const pair = allTransfers(counted);
  const counts = `${arrow(pair)} transfers`;
  return judged(
    arrow(pair) === says,
    `The lecture notes say ${says}: counted ${counts}.`,
    `The lecture notes say ${says}; counted ${counts}.`,
  );
};

const biasReluLog: Sentence = (counted, says) => {
  const [full, all] = [fullSize(counted), allTransfers(counted)];
  if (full[0] === all[0])
    return differs(
      `The lecture notes say ${says}; counted ${arrow(all)} (${fewer(all)}). The list beside its number has ${all[0]} entries.`,
    );
  return differs(`The lecture notes say ${says}; with a small b the big tensors move ${arrow(full)} (${fewer(full)}).`);
};

const inversion: Sentence = (_, says) => {
  const x = -17;
  const a = Math.fround(Math.exp(x));
  const y = Math.fround(Math.log(Math.fround(a + 1)));
  const back = Math.fround(Math.fround(Math.exp(y)) - 1);
  const found = `at x = −17, a is ${scientific(a, 3)}, and from y it comes back as ${significant(back)} in f32`;
  return judged(
    back !== a,
    `The lecture notes call recovering a from y ${says}: ${found}.`,
    `${says}: not seen, ${found}.`,
  );
};

const geluForms: Sentence = (_, says) => {
  const curve = geluCurve();
  const { distance, at } = geluDistance(curve);
  const text = `The lecture notes write ${says}. It differs from the form by erf by at most ${scientific(distance)}, at x = ±${significant(at)}.`;
  return { ...quoted(text), curve };
};

const chainFormula: Sentence = (counted) => {
  const { naive, fused } = counted;
  const [k, bytes] = [naive.kernels.length, largest(counted).input];
  if (naive.totals.bytes !== 2 * k * bytes || fused.totals.bytes !== 2 * bytes) return null;
  return quoted(
    `Derived from the graph: k ops on n elements of s bytes move 2kns, fused 2ns. Here 2 · ${k} · ${count(bytes / 4)} · 4 B = ${showBytes(naive.totals.bytes)} → ${showBytes(fused.totals.bytes)}, ${k}× less.`,
  );
};

const scores: Sentence = (counted) => {
  const { computed, result } = largest(counted);
  const stored =
    Math.max(...counted.fused.buffers.map(({ bytes }) => bytes)) < computed ? "is never stored" : "is stored";
  return quoted(
    `Derived from the graph: the scores are B·S·V elements, ${showBytes(computed)}, and the result B·V, ${showBytes(result)}, S = ${count(computed / result)} times less. In the fused plan the large tensor ${stored}.`,
  );
};

/** Row 1 of the last two results: a variance over a whole workgroup's lanes, and that of the row. */
const spareLanes: Sentence = ({ graph }, says) => {
  const given = new Map<NodeId, Float64Array>();
  for (const each of graph.nodes.values())
    if (each.op === "input") given.set(each.id, Float64Array.from(inputData(each)));
  const results = runReference(graph, given);
  const [y, wide, right] = graph.outputs.map((id) => results.get(id)!);
  const lanes = y!.type.shape.at(-1)!;
  const width = node(graph, [...given.keys()][0]!).type.shape.at(-1)!;
  const [got, wanted] = [wide!.data[0]!, right!.data[0]!].map((value) => value.toFixed(3));
  const both = `variance ${got} over ${count(lanes)} lanes, ${wanted} over the row of ${count(width)}`;
  if (got === wanted) return { mark: "right", text: `Row 1: ${both}.` };
  return differs(
    `The lecture notes say that ${says}, and lets them into the variance. Row 1: ${both}. The excess is mean² · ${lanes - width} / ${width}.`,
  );
};

/** By row; every claim of an example has its sentence here. */
export const chapterRows: Readonly<Record<string, Sentence>> = {
  "000-01": balance("a100", 156),
  "000-02": balance("h100", 298),
  "000-04": layerNormRelu,
  "000-11": spareLanes,
  "000-15": layerNormIntensity,
  "000-16": productIntensity,
  "000-17": threshold,
  "000-19": speedUp("Transfers of the scores", ({ graph, naive, fused }) => {
    const [before, after] = [ofComputed(graph, naive), ofComputed(graph, fused)];
    return [before.reads + before.writes, after.reads + after.writes];
  }),
  "000-20": fasterByTraffic,
  "000-21": fasterByTraffic,
  "000-22": fasterByTraffic,
  "000-23": fasterByTraffic,
  "001-01": writesOnly,
  "001-02": balance("generic", 50),
  "001-06": flash,
  "001-07": loops,
  "001-13": geluForms,
  "001-16": twoReaders,
  "002-15": l2Norm,
  "002-16": fasterByBytes,
  "002-17": lessMemory,
  "003-01": chain,
  "003-09": thirdWay,
  "003-21": inversion,
  "004-02": biasReluLog,
  "004-03": chainFormula,
  "004-07": scores,
};

/** Notes on the program that is shown; none when it is no chapter's. `example` is the one that it started from. */
export function chapterNotes(compilation: Compilation, example: string | null): readonly ChapterNote[] {
  const counted = countedOf(compilation);
  if (!counted) return [];
  return claimsOf(counted.graph, example).flatMap(({ row, says }) => {
    const note = chapterRows[row]?.(counted, says);
    return note ? [{ row, ...note }] : [];
  });
}
