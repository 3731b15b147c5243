/** @file What must hold of a program and the options it is planned with, from the naive plan to the last step, on both schedules. */
import fc from "fast-check";
import { boundValues, printWgsl } from "../../src/fusion/kernel/code";
import { runPlanOnCpu, type CpuRun } from "../../src/fusion/plan";
import type { Compilation } from "../../src/fusion/compilation";
import { fusionAt } from "../../src/fusion/compile";
import { a100, chosenFor, deviceProfileFrom, generic, h100, laptop, totalsOf } from "../../src/fusion/cost";
import {
  node,
  dtypeBytes,
  edgeId,
  parseEdgeId,
  type CompileOptions,
  type EdgeId,
  type Fusion,
  type Graph,
  type Node,
  type NodeId,
  type Region,
  type Target,
} from "../../src/fusion/ir";
import { opDef } from "../../src/fusion/ops";
import { allPasses } from "../../src/fusion/passes";
import { foldedData, runReference } from "../../src/fusion/reference";
import {
  choicesArbitrary,
  wideChoicesArbitrary,
  forInterpreter,
  graphOf,
  programOf,
  type Choices,
} from "./any-program";
import { once, roundingReach, type Saved } from "./conditioning";
import { countsOff, countsPasses, dataOf } from "./kernel-harness";
import { compiled, stepFaults } from "./pass-harness";

/** A program and how it is to be planned. */
export interface Case {
  readonly text: string;
  /** Small numbers that choose the options: 0 everywhere is the default at primitive granularity. */
  readonly ways: Ways;
}

export type Ways = readonly [
  granularity: number,
  policy: number,
  mode: number,
  profile: number,
  pin: number,
  choice?: number,
];
export const plainly: Ways = [0, 0, 0, 0, 0];
/** The profile in which a launch costs more than anything that small programs do. */
export const expensiveLaunches: Ways = [1, 0, 0, 5, 0];
/** As the page plans at first, call by call. */
export const byCall: Ways = [1, 0, 0, 0, 0];
/** The same for a machine whose multiprocessors are counted, with more buffers than WebGPU promises. */
export const byCallCounted: Ways = [1, 0, 0, 9, 0];
/** Strict mode, where the last bits stay. */
export const strictly: Ways = [0, 0, 15, 0, 0];
/** The profile in which bytes are expensive and launches free, so that small programs are planned as large ones are. */
export const expensiveBytes: Ways = [0, 0, 0, 8, 0];

const GRANULARITIES = ["primitive", "op", "statement"] as const;
const POLICIES = ["cost", "cost", "cost", "multi", "materialise", "duplicate"] as const;
const PROFILES = [
  generic,
  generic,
  laptop,
  { ...generic, maxBindings: 4 },
  { ...generic, workgroupBytes: 2048 },
  { ...generic, launchMicros: 1000 },
  a100,
  h100,
  { ...generic, bandwidth: 1e9, launchMicros: 0, multiprocessors: 1 },
  // A machine that was measured: sums are split and rows shared as for nobody else.
  deviceProfileFrom(
    "counted",
    { bandwidth: 4e12, peakFlops: 6e13, launchMicros: 2 },
    { maxBindings: 16 },
    { ...generic, multiprocessors: 132, counted: true },
  ),
];
const byBatch = allPasses.map(({ name }) => name);

/** What people choose beside all that: levels, other orders of the passes, knobs. The first of them is nothing. */
const CHOICES: readonly Partial<CompileOptions>[] = [
  {},
  { level: 0 },
  { level: 1 },
  { level: 2 },
  ...[1, 4, 7, 10].map((by) => ({ order: ["canonicalise", ...byBatch.slice(by + 1), ...byBatch.slice(1, by + 1)] })),
  { order: byBatch.toReversed() },
  ...(
    [
      { rows: "again" },
      { rows: "one-pass", vector: "off" },
      { rows: "registers", threads: "64" },
      { rows: "thread", threads: "32" },
      { turns: "2", threads: "32" },
      { turns: "4", unroll: "off", vector: "off" },
      { transposed: "direct", threads: "128" },
    ] as const
  ).map((all) => ({ knobs: { all, kernels: {} } })),
];

const allProfiles = PROFILES.map((_, number) => number);
/** Profiles that every run of the laws plans for, the machine that was measured among them: no other has kernels priced loop by loop. */
const FIRST_PROFILES = [...allProfiles.slice(0, 6), PROFILES.length - 1];
const waysOf = (profiles: readonly number[], choices: number): fc.Arbitrary<Ways> =>
  fc
    .tuple(
      fc.nat({ max: 2 }),
      fc.nat({ max: POLICIES.length - 1 }),
      fc.nat({ max: 15 }),
      fc.constantFrom(...profiles),
      fc.nat({ max: 31 }),
      ...(choices > 1 ? [fc.nat({ max: choices - 1 })] : []),
    )
    .map((ways) => ways as unknown as Ways);
const casesOf = (choices: fc.Arbitrary<Choices>, ways: fc.Arbitrary<Ways>): fc.Arbitrary<Case> =>
  fc.tuple(choices, ways).map(([made, how]) => caseOf(made, how));

/** A random program with random options; the choices shrink, the text follows. */
export const caseArbitrary = casesOf(choicesArbitrary, waysOf(FIRST_PROFILES, 1));
/** More: functions, loops, bits and infinities, results named twice; levels, orders of passes, knobs, profiles. Half of the time nothing is chosen. */
export const wideCaseArbitrary = casesOf(wideChoicesArbitrary, waysOf(allProfiles, 2 * CHOICES.length));
/** The options of `wideCaseArbitrary` alone. */
export const wideWays = waysOf(allProfiles, 2 * CHOICES.length);
export const caseOf = (choices: Choices, ways: Ways): Case => ({ text: programOf(choices, forInterpreter), ways });

/** The options that `ways` stand for. */
export function optionsFor(
  graph: Graph,
  [granularity, policy, mode, profile, pin, choice = 0]: Ways,
): Partial<CompileOptions> {
  const edges = edgesOf(graph);
  // A cut for another reason may bind more on the way to a plan that binds few.
  const pinned = edges.length === 0 || profile === 3 ? [] : [edges[pin % edges.length]!];
  const others =
    pinned.length > 0 && choice > CHOICES.length + 8
      ? edges.filter((edge, i) => i % 3 === 0 && !pinned.includes(edge))
      : [];
  return {
    ...CHOICES[choice % (2 * CHOICES.length)],
    granularity: GRANULARITIES[granularity]!,
    policy: POLICIES[policy]!,
    profile: PROFILES[profile]!,
    strict: mode === 15,
    matmulPolicy: mode === 14 ? (profile === 0 ? "threshold" : "library") : "epilogue",
    groupSize: mode === 13 && profile !== 3 ? 1 / 16 : 1,
    disabledPasses: mode < 10 ? [] : mode < 13 ? byBatch.filter((_, i) => i % 3 === mode - 10) : [],
    forced: pin >= 24 ? pinned : [],
    forbidden: pin >= 12 && pin < 24 ? [...pinned, ...others] : [],
  };
}

/** Edges between two nodes that compute. */
const edgesOf = (graph: Graph): EdgeId[] =>
  [...graph.nodes.values()].flatMap(({ id, inputs }) =>
    inputs.flatMap((input, operand) => (computes(graph, input) ? [edgeId(input, id, operand)] : [])),
  );
const computes = (graph: Graph, id: NodeId): boolean => opDef(graph.nodes.get(id)!.op).kind !== "source";

export interface Planned extends Case {
  readonly graph: Graph;
  readonly compilation: Compilation;
}

export function planned({ text, ways }: Case, more: Partial<CompileOptions> = {}): Planned {
  const graph = graphOf(text);
  return { text, ways, graph, compilation: compiled(graph, { ...optionsFor(graph, ways), ...more }) };
}

/** Every state is a state, every step is counted, replayed and undone; pins and modes stay. */
export function structureFaults({ compilation }: Planned): string[] {
  const { policy, forced, forbidden, strict, groupSize, knobs } = compilation.options;
  // What people choose may cost more, and so may cutting a call that is larger than the group size.
  const mayCost =
    policy === "duplicate" || forced.length + forbidden.length > 0 || groupSize < 1 || knobs !== undefined;
  const last = compilation.steps.findLast(({ accepted }) => accepted)?.seq;
  const passing = (fault: string): boolean => fault.endsWith("too many bindings") && !fault.startsWith(`step ${last} `);
  // Between two steps a plan may bind more than in the end.
  const faults = stepFaults(compilation, { mayDuplicate: mayCost }).filter((fault) => !passing(fault));
  for (const step of compilation.steps.filter(({ accepted }) => accepted)) {
    const rule = allPasses.find(({ name }) => name === step.pass);
    if (strict && rule?.numerics === "reassociates" && !rule.judgesStrict)
      faults.push(`${step.pass} rounds differently in strict mode`);
  }
  const { regions } = fusionAt(compilation, compilation.steps.length);
  for (const edge of forbidden) {
    const { producer, consumer } = parseEdgeId(edge)!;
    const spans = ({ members }: Region): boolean => members.includes(producer) && members.includes(consumer);
    // A call is one kernel as written: inside of it a boundary is drawn where two kernels can part it.
    if ([...compilation.naive!.regions.values()].some(spans)) continue;
    const together = [...regions.values()].find(spans);
    if (together) faults.push(`${together.id} spans ${edge}, which is forbidden`);
  }
  return faults;
}

/** Values and counts on one schedule of the profile's device. */
export const runFaults = (plan: Planned, schedule: Target["schedule"], between: number): string[] =>
  deviceFaults(plan, { ...chosenFor(plan.compilation.options), schedule }, between);

/**
 * Values and counts on one device: the naive plan, the final one and one between them.
 * @param between chooses the state between
 */
export function deviceFaults({ graph, compilation }: Planned, target: Target, between: number): string[] {
  const { steps, naive, options } = compilation;
  const inputs = dataOf(graph);
  const reference = new Map([...runReference(graph, inputs)].map(([id, { data }]) => [id, data]));
  const wanted = graph.outputs.map((id) => reference.get(id)!);
  const reach = once(() => reachOf(graph, inputs, reference, compilation));
  const { schedule } = target;
  const accepted = steps.filter((step) => step.accepted);
  const middle = accepted.length < 2 ? null : accepted[between % (accepted.length - 1)]!.seq;
  const states: (readonly [string, Fusion])[] = [
    ["naive", naive!],
    ...(middle === null ? [] : [[`step ${middle}`, fusionAt(compilation, middle)] as const]),
    ...(accepted.length === 0 ? [] : [["final", fusionAt(compilation, steps.length)] as const]),
  ];
  const faults: string[] = [];
  const results: Results[] = [];
  for (const [name, state] of states) {
    const run = runPlanOnCpu(state, target, options.profile, new Map([...inputs, ...foldedData(state.graph, inputs)]));
    // What is interpreted here must be possible to write down, too.
    for (const program of run.regions.flatMap(({ programs }) => programs)) printWgsl(program);
    // Rewrites may rename results: they keep their positions.
    const got = state.graph.outputs.map((id) => run.outputs.get(id)!);
    results.push(got);
    const wrong = [
      ...valueFaults(graph, got, wanted, reach),
      ...run.regions.flatMap((region) => countsOff(state.graph, region)),
      ...(schedule === "gpu" ? bytesOff(state, run, options) : []),
    ];
    faults.push(...wrong.map((text) => `${schedule}, ${name}: ${text}`));
  }
  if (bitwise(compilation))
    faults.push(
      ...differences(graph, results[0]!, results.at(-1)!).map(
        (fault) => `${fault}, and nothing was to be summed otherwise`,
      ),
    );
  return faults;
}

/**
 * Where results are not the reference's, nor within what rounding explains: real arithmetic on both sides, so that only the order of sums differs.
 * How far that reaches is asked only where a plain comparison complains.
 */
function valueFaults(graph: Graph, got: Results, want: Results, reach: () => Results): string[] {
  return graph.outputs.flatMap((id, i) => {
    const [mine, right] = [got[i], want[i]!];
    if (!mine || mine.length !== right.length) return [`${id} has ${mine?.length} elements, not ${right.length}`];
    // Sums that nearly cancel are judged by what was summed.
    let scale = 1;
    for (const value of right) if (Math.abs(value) < 1e30) scale = Math.max(scale, Math.abs(value));
    if (mine.every((value, k) => close(value, right[k]!, scale, 0))) return [];
    const far = reach()[i]!;
    const at = mine.findIndex((value, k) => !close(value, right[k]!, scale, far[k]!));
    return at < 0 ? [] : [`${id}[${at}] is ${mine[at]}, not ${right[at]}`];
  });
}

/** A finite stand-in for ∞ is allowed where nothing was folded. */
const close = (a: number, b: number, scale: number, reach: number): boolean =>
  a === b ||
  (Number.isNaN(a) && Number.isNaN(b)) ||
  reach === Infinity ||
  Math.abs(a - b) <= 1e-12 * scale + 1e-9 * Math.abs(b) + reach ||
  (Math.abs(a) > 3.4e38 && Math.abs(b) > 3.4e38 && Math.sign(a) === Math.sign(b));

/** The headline bytes of a state against what its kernels touched. */
function bytesOff(state: Fusion, run: CpuRun, options: CompileOptions): string[] {
  let touched = 0;
  for (const each of run.regions) {
    const counted = countsPasses(state.graph, each);
    const { columns } = each.facts.form!;
    // What is smaller than a row is counted once, unless it is walked again.
    const again = new Set(each.facts.schedule.reads.flatMap(({ value, rereads }) => (rereads > 0 ? [value] : [])));
    for (const [i, log] of each.logs.entries()) {
      const program = each.programs[i]!;
      const { launch } = program;
      // A launch of a loop has rows of its own: what is as large as anything it touches is no smaller than a row.
      const least = launch ? Math.max(...log.buffers.flatMap(({ read, written }) => [read, written])) : columns;
      for (const { value, read, written, passes } of log.buffers) {
        const at = boundValues(program).indexOf(value);
        const isAgain = launch ? launch.touched[at]!.rereads > 0 : again.has(value);
        touched +=
          dtypeBytes(program.buffers[at]!.type.dtype) *
          (read * ((counted && read >= least) || isAgain ? Math.floor(passes) : Math.min(passes, 1)) + written);
      }
    }
  }
  const { bytes } = totalsOf(state, options.profile, undefined, chosenFor(options));
  const indexed = [...state.graph.nodes.values()].some(({ op }) => opDef(op).kind === "gather");
  // From which of two runs the first few come is data, as the indices of a gather are.
  const picked = run.regions.some(({ facts: { form, schedule } }) => {
    const first = schedule.variant === "merge-sort" ? node(state.graph, form!.orders[0]!.node) : null;
    return first !== null && opDef(first.op).order!.count(first.attrs, form!.columns) < form!.columns;
  });
  return bytes === touched || ((indexed || picked) && bytes > touched)
    ? []
    : [`${bytes} bytes counted, ${touched} touched`];
}

/** Whether values are folded so that another order of them rounds otherwise. */
const addsUp = ({ nodes }: Graph): boolean =>
  [...nodes.values()].flatMap(opsOf).some((op) => {
    const { kind } = opDef(op);
    return kind === "contraction" || ((kind === "reduce" || kind === "scan") && !SAME_ROUNDING.has(op));
  });
/** The op of a node, and those of its body where it is a loop. */
const opsOf = ({ op, attrs }: Node): readonly string[] => [
  op,
  ...(opDef(op)
    .loop?.bodyOf(attrs)
    .values.map((value) => value.op) ?? []),
];
const SAME_ROUNDING: ReadonlySet<string> = new Set([
  "max",
  "min",
  "any",
  "all",
  "argmax",
  "argmin",
  "cummax",
  "cummin",
]);

/** Values that the backward pass reads as halves, or computed back: those lose digits. */
const roundedForBackward = ({ steps }: Compilation): Saved =>
  new Map(
    steps.flatMap(({ pass, rule, accepted, nodes }) =>
      accepted && pass === "saved-values" && (rule === "f16" || rule === "invert") ? [[nodes[0]!, rule] as const] : [],
    ),
  );

/** How far rounding may move each output; where the backward pass reads rounded values, also through what passes have made of the graph. */
function reachOf(
  graph: Graph,
  inputs: ReadonlyMap<NodeId, Float64Array>,
  reference: ReadonlyMap<NodeId, Float64Array>,
  compilation: Compilation,
): Float64Array[] {
  const saved = roundedForBackward(compilation);
  const drawn = roundingReach(graph, inputs, reference, undefined, saved);
  const reach = graph.outputs.map((id) => drawn.get(id)!);
  if (saved.size === 0) return reach;
  const { graph: last } = fusionAt(compilation, compilation.steps.length);
  const all = new Map([...inputs, ...foldedData(last, inputs)]);
  const results = new Map([...runReference(last, all)].map(([id, { data }]) => [id, data]));
  const rewritten = roundingReach(last, all, results);
  return reach.map((list, i) => list.map((far, k) => Math.max(far, rewritten.get(last.outputs[i]!)![k]!)));
}

/**
 * Nothing may be summed in another order, or nothing is summed at all, and no half is stored on the way that one kernel has as f32.
 * What a kernel is cut into is scheduled afresh.
 */
const bitwise = (compilation: Compilation): boolean => {
  const { naive, steps, options } = compilation;
  if (roundedForBackward(compilation).size > 0) return false;
  if (options.strict && steps.every(({ accepted, kind }) => !accepted || kind !== "split")) return true;
  const nodes = [...naive!.graph.nodes.values()];
  return (
    nodes.every(({ type }) => type.dtype !== "f16") &&
    !nodes.flatMap(opsOf).some((op) => ["reduce", "contraction", "scan"].includes(opDef(op).kind)) &&
    steps.every(
      ({ accepted, pass }) => !accepted || allPasses.find(({ name }) => name === pass)?.numerics === "bitwise",
    )
  );
};

/** Where a kernel is more than the device or its compiler takes, a half has to be stored that the naive plan keeps wide. */
const storesHalves = ({ naive, steps }: Compilation): boolean =>
  [...naive!.graph.nodes.values()].some(({ type }) => type.dtype === "f16") &&
  steps.some(({ accepted, kind, profitable }) => accepted && kind === "split" && !CHOSEN.has(profitable!.code));
const CHOSEN: ReadonlySet<string> = new Set(["U_USER_BARRIER", "C_CODE_SIZE"]);

/** Strict mode keeps the last bits: what the final plan computes in f32 is what the naive one does, where nothing is added up. */
export function strictFaults({ graph, compilation }: Planned): string[] {
  const { steps, naive, options } = compilation;
  if (addsUp(naive!.graph) || storesHalves(compilation)) return [];
  const inputs = dataOf(graph);
  const [before, after] = [naive!, fusionAt(compilation, steps.length)].map((state) => {
    const all = new Map([...inputs, ...foldedData(state.graph, inputs)]);
    const run = runPlanOnCpu(state, chosenFor(options), options.profile, all, { precision: "f32", log: false });
    return state.graph.outputs.map((id) => run.outputs.get(id)!);
  });
  return differences(graph, before!, after!).map((fault) => `strict, in f32: ${fault}`);
}

type Results = readonly Float64Array[];

function differences(graph: Graph, naive: Results, fused: Results): string[] {
  return graph.outputs.flatMap((id, i) => {
    const [a, b] = [naive[i]!, fused[i]!];
    const at = a.findIndex((value, k) => value !== b[k] && !(Number.isNaN(value) && Number.isNaN(b[k]!)));
    return at < 0 ? [] : [`${id}[${at}]: naive ${a[at]}, fused ${b[at]}`];
  });
}

/** The first thing that is wrong, the cheapest question first; null when nothing is. A stop of the compiler is a fault, too. */
export function firstFault(one: Case): string | null {
  try {
    const plan = planned(one);
    const between = one.text.length;
    return (
      structureFaults(plan)[0] ??
      runFaults(plan, "gpu", between)[0] ??
      runFaults(plan, "cpu", between)[0] ??
      (plan.compilation.options.strict ? strictFaults(plan)[0] : null) ??
      null
    );
  } catch (error) {
    return String(error);
  }
}
