/** @file Is a legal merge worth it? Words and codes for the cost model's numbers; the budgets of one kernel. */
import { bytesOf, node, type CostDelta, type NodeId, type Region, type Verdict } from "../ir";
import { intensity, machineShare, ridge, tileVisits, type RegionFacts } from "../cost";
import { opDef } from "../ops";
import type { Candidate } from "./define";
import { evaluationWords } from "./evaluations";
import { mutated } from "./mutations";
import type { Planner } from "./planner";
import { countOf, namesOf, no, showBytes, showMicros, yes } from "./sentences";

/** Live 32-bit registers per thread above which fewer threads fit a multiprocessor. */
export const REGISTER_LIMIT = 64;
/** WGSL statements in one kernel: compile time grows with them. */
export const STATEMENT_LIMIT = 2000;
/** What a driver takes to parse and build one statement, ms: 20,000 of them took 6.1 s. */
const COMPILE_MILLIS = 0.305;
/** Ops per kernel for one notch of the group-size slider. */
export const OPS_PER_NOTCH = 64;

/** Budgets of a kernel that are worth, not law: ops, statements, registers. Null when it keeps them. */
export function overBudget(planner: Planner, { add, remove, nodes }: Candidate): Verdict | null {
  if (mutated("no-budget")) return null;
  const limit = Math.min(OPS_PER_NOTCH * planner.options.groupSize, STATEMENT_LIMIT);
  const largest = (of: (region: (typeof add)[number]) => number, regions: typeof add): number =>
    regions.reduce((most, region) => Math.max(most, of(region)), 0);
  const ops = largest(({ members }) => members.length, add);
  if (ops > limit && ops > largest(({ members }) => members.length, remove)) {
    const capped = limit === STATEMENT_LIMIT;
    const compileMillis = ops * COMPILE_MILLIS;
    return no(
      capped ? "C_COMPILE_BUDGET" : "C_CODE_SIZE",
      nodes,
      capped
        ? `The merged kernel would have ${ops} statements, which a driver compiles for about ${showMicros(1e3 * compileMillis)}; the limit is ${STATEMENT_LIMIT}, whatever the group size.`
        : `The merged kernel would have ${ops} ops, and the group size allows ${limit}.`,
      {
        numbers: { ops, limit, compileMillis },
        remedy: capped ? "Keep two kernels: each compiles by itself." : "Raise the group-size slider.",
      },
    );
  }
  const registers = (region: (typeof add)[number]): number => planner.factsOf(region).schedule.registers;
  const [before, after] = [largest(registers, remove), largest(registers, add)];
  if (after > REGISTER_LIMIT && after > before) {
    const full = (count: number): number => Math.min(1, REGISTER_LIMIT / Math.max(count, 1));
    return no(
      "C_REGISTERS",
      nodes,
      `A thread would keep about ${after} registers alive instead of ${before}; above ${REGISTER_LIMIT} fewer threads fit and the multiprocessors are ${Math.round(100 * full(after))} % full.`,
      {
        numbers: { registers: after, registersBefore: before, limit: REGISTER_LIMIT, occupancy: full(after) },
        remedy: "Keep the group smaller.",
      },
    );
  }
  return null;
}

const saved = (delta: CostDelta): Readonly<Record<string, number>> => ({
  microsApart: delta.microsApart,
  microsFused: delta.microsFused,
  bytesSaved: delta.bytesSaved,
  launchesSaved: delta.launchesSaved,
  flopsAdded: delta.flopsAdded,
});

/** Below this many µs a difference is none. */
const NOTHING = 1e-9;

/**
 * The common opinion: budgets first, then the predicted time.
 * @param doing how the sentence begins: "Merging `exp` into `log`"
 */
export function judge(planner: Planner, candidate: Candidate, delta: CostDelta, doing: string): Verdict {
  const over = overBudget(planner, candidate);
  if (over) return over;
  const gain = delta.microsApart - delta.microsFused;
  return gain > NOTHING ? profitable(planner, candidate, delta, doing) : unprofitable(planner, candidate, delta, doing);
}

export function profitable(planner: Planner, { nodes }: Candidate, delta: CostDelta, doing: string): Verdict {
  const both = `${showMicros(delta.microsFused)} instead of ${showMicros(delta.microsApart)}`;
  const launches = delta.launchesSaved > 0 ? countOf(delta.launchesSaved, "launch", "launches") : null;
  if (delta.bytesSaved > 0) {
    const time = showMicros((delta.bytesSaved / planner.profile.bandwidth) * 1e6);
    return yes(
      "A_BYTES",
      nodes,
      `${doing} saves ${showBytes(delta.bytesSaved)} of traffic (${time})${launches ? ` and ${launches} (${showMicros(delta.launchesSaved * planner.profile.launchMicros)})` : ""}: ${both}.`,
      { numbers: saved(delta) },
    );
  }
  const more = delta.bytesSaved < 0 ? `, for ${showBytes(-delta.bytesSaved)} more traffic` : "";
  return yes("A_LAUNCH", nodes, `${doing} saves ${launches ?? "time"}${more}: ${both}.`, { numbers: saved(delta) });
}

export function unprofitable(planner: Planner, candidate: Candidate, delta: CostDelta, doing: string): Verdict {
  const { nodes } = candidate;
  const both = `${showMicros(delta.microsFused)} instead of ${showMicros(delta.microsApart)}`;
  const idle = idleMachine(planner, candidate);
  if (idle) {
    return no(
      "C_PARALLELISM",
      nodes,
      `${doing} would leave ${countOf(idle.workgroups, "workgroup")} for ${planner.profile.multiprocessors} multiprocessors: ${both}.`,
      {
        numbers: { ...saved(delta), ...idle, multiprocessors: planner.profile.multiprocessors },
        remedy: "Let a kernel of its own split the reduction.",
      },
    );
  }
  const again = evaluationWords(planner, candidate);
  if (again && delta.flopsAdded > 0 && computeGrows(planner, candidate)) {
    return no(
      "C_RECOMPUTE",
      nodes,
      `${doing} is allowed but would compute it ${again}: ${both}. So the value is stored once.`,
      {
        numbers: saved(delta),
        remedy: "Store it, or fuse anyway on this edge.",
      },
    );
  }
  const slow = slowerProduct(planner, candidate);
  const but = againstTheGrain(planner, candidate)
    ? "reads or stores against the grain"
    : slow
      ? `its tile multiplies at ${percent(slow.efficiency)} of the peak instead of ${percent(slow.efficiencyBefore)}, because loads and registers get in the way`
      : "its threads need more registers and workgroup memory, so fewer of them run at once";
  const traffic =
    delta.bytesSaved > 0
      ? `saves ${showBytes(delta.bytesSaved)} but ${but}`
      : delta.bytesSaved < 0
        ? `moves ${showBytes(-delta.bytesSaved)} more`
        : "moves as many bytes";
  return no("C_NEGATIVE", nodes, `${doing} ${traffic}: ${both}.`, {
    numbers: { ...saved(delta), ...slow },
    remedy: "Fuse anyway on this edge to see it run.",
  });
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** Efficiencies of the products' tiles after and before, where the merged one is the slower. */
function slowerProduct(
  planner: Planner,
  { remove, add }: Candidate,
): { readonly efficiency: number; readonly efficiencyBefore: number } | null {
  const reached = (regions: Candidate["add"]): number | null => {
    let [flops, time] = [0, 0];
    for (const facts of regions.map((region) => planner.factsOf(region))) {
      if (facts.schedule.efficiency === undefined) continue;
      flops += facts.flops;
      time += facts.flops / facts.schedule.efficiency;
    }
    return time === 0 ? null : flops / time;
  };
  const [efficiency, efficiencyBefore] = [reached(add), reached(remove)];
  return efficiency !== null && efficiencyBefore !== null && efficiency < efficiencyBefore
    ? { efficiency, efficiencyBefore }
    : null;
}

const againstTheGrain = (planner: Planner, { add }: Candidate): boolean =>
  add.some((region) => {
    const { reads, stridedWrites } = planner.factsOf(region).schedule;
    return stridedWrites.length > 0 || reads.some(({ strided }) => strided);
  });

/** Fewer workgroups than multiprocessors, where there were more before. */
function idleMachine(planner: Planner, { remove, add }: Candidate): { workgroups: number } | null {
  const share = (facts: RegionFacts): number => machineShare(facts.schedule, planner.profile);
  const busiest = remove
    .map((region) => planner.factsOf(region))
    .reduce((most, facts) => Math.max(most, share(facts)), 0);
  const worst = add.map((region) => planner.factsOf(region)).toSorted((a, b) => share(a) - share(b))[0]!;
  return share(worst) < busiest ? { workgroups: worst.schedule.workgroups } : null;
}

/** Arithmetic, not traffic, makes the merged kernels slower. */
function computeGrows(planner: Planner, { remove, add }: Candidate): boolean {
  const compute = (regions: Candidate["add"]): number =>
    regions.reduce((sum, region) => sum + planner.factsOf(region).time.computeMicros, 0);
  const memory = (regions: Candidate["add"]): number =>
    regions.reduce((sum, region) => {
      const { readMicros, writeMicros } = planner.factsOf(region).time;
      return sum + readMicros + writeMicros;
    }, 0);
  return compute(add) - compute(remove) > memory(add) - memory(remove);
}

/** A forced edge: done although the numbers say no. */
export const forcedAnyway = (planner: Planner, nodes: readonly NodeId[], verdict: Verdict): Verdict =>
  yes(
    "U_FORCE",
    nodes,
    `You asked for ${namesOf(planner.graph, nodes)} in one kernel, so it is done. The model's view: ${verdict.text}`,
    verdict.numbers ? { numbers: verdict.numbers } : {},
  );

const contractionOf = (planner: Planner, region: Region): NodeId | null =>
  planner.factsOf(region).form?.contraction ?? null;

/** FLOP per byte from which the policy leaves a product's kernel alone; null: it never does. */
function libraryFrom({ options }: Planner): number | null {
  const { matmulPolicy, libraryAbove, profile } = options;
  if (matmulPolicy === "threshold") return libraryAbove ?? ridge(profile);
  return matmulPolicy === "library" ? 0 : null;
}

/** Where the policy says so, a product's kernel is the tuned one and takes nothing else in. */
export function policyOnContraction(planner: Planner, { add, remove, nodes }: Candidate): Verdict | null {
  const line = libraryFrom(planner);
  if (line === null) return null;
  for (const region of add) {
    const product = contractionOf(planner, region);
    const before = remove.find((part) => contractionOf(planner, part) === product);
    if (product === null || before === undefined || before.members.length >= region.members.length) continue;
    const { flops, time, traffic } = planner.factsOf(before);
    const perByte = intensity(flops, traffic.bytes);
    if (perByte <= line) continue;
    const gflops = flops / Math.max(time.micros, 1e-9) / 1e3;
    const name = namesOf(planner.graph, [product]);
    if (planner.options.matmulPolicy === "threshold") {
      return no(
        "C_LIBRARY",
        nodes,
        `${name} computes ${round(perByte)} FLOP per byte, above your line of ${round(line)}: the tuned kernel stays as it is (${Math.round(gflops)} GFLOP/s predicted).`,
        {
          numbers: { flopsPerByte: perByte, line, gflops },
          remedy: `Draw the line above ${round(perByte)} FLOP per byte.`,
        },
      );
    }
    return no(
      "C_LIBRARY",
      nodes,
      `Your policy keeps the tuned kernel of ${name} as it is (${Math.round(gflops)} GFLOP/s predicted), so nothing is merged into it.`,
      { numbers: { gflops }, remedy: "Choose the matmul policy “epilogue”." },
    );
  }
  return null;
}

/** Three digits are enough for a sentence. */
const round = (value: number): number => Number(value.toPrecision(3));

/** Bytes a prologue may read for each byte that it saves from memory. */
const PROLOGUE_READS = 1.1;
/** An expensive op is not computed again for more tiles than this. */
const PROLOGUE_VISITS = 2;

/** Expensive to compute once per tile; a division by a literal is not. */
const isCostly = (graph: Planner["graph"], id: NodeId): boolean => {
  const { op, inputs } = node(graph, id);
  const byLiteral = op === "div" && node(graph, inputs[1]!).op === "const";
  return opDef(op).expensive && !byLiteral;
};

/** Work on an operand of a product is done once per tile that loads it: refused where that reads or computes too much. */
export function prologueVerdict(planner: Planner, { add, remove, nodes }: Candidate): Verdict | null {
  const producer = remove[0]!;
  if (contractionOf(planner, producer) !== null) return null;
  for (const region of add) {
    const product = contractionOf(planner, region);
    if (product === null) continue;
    const operand = operandFed(planner, region, product, producer);
    if (operand === null) continue;
    const name = namesOf(planner.graph, producer.outputs);
    const into = namesOf(planner.graph, [product]);
    const read = planner.factsOf(producer).traffic.bytesRead;
    const replaced = producer.outputs.reduce((sum, id) => sum + bytesOf(node(planner.graph, id).type), 0);
    if (read > PROLOGUE_READS * replaced) {
      return no(
        "C_NEGATIVE",
        nodes,
        `Every tile of ${into} would read ${showBytes(read)} to compute the ${showBytes(replaced)} of ${name}; loading the stored value reads less.`,
        {
          numbers: { bytesRead: read, bytesReplaced: replaced, limit: PROLOGUE_READS },
          remedy: "Fuse anyway on this edge to see it run.",
        },
      );
    }
    const visits = tileVisits(planner.graph, product, operand, planner.factsOf(region).schedule);
    const costly = producer.members.find((id) => isCostly(planner.graph, id));
    if (costly !== undefined && visits > PROLOGUE_VISITS) {
      return no(
        "C_RECOMPUTE",
        nodes,
        `${into} loads each element of that operand ${visits} times, once per tile, and ${namesOf(planner.graph, [costly])} would be computed each time. So ${name} is stored.`,
        { numbers: { visits, limit: PROLOGUE_VISITS }, remedy: "Fuse anyway on this edge to see it run." },
      );
    }
  }
  return null;
}

/** The operand of the product that depends on the producer; null when the producer stands after it. */
function operandFed(planner: Planner, region: Region, product: NodeId, producer: Region): number | null {
  const fed = new Set(producer.members);
  for (const id of region.members) {
    if (id === product) break;
    if (node(planner.graph, id).inputs.some((input) => fed.has(input))) fed.add(id);
  }
  const operand = node(planner.graph, product).inputs.findIndex((input) => fed.has(input));
  return operand < 0 ? null : operand;
}
