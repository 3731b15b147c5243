/** @file Is a legal merge worth it? Words and codes for the cost model's numbers; the budgets of one kernel. */
import {
  bytesOf,
  extended,
  isLiteral,
  node,
  type NodeId,
  OPS_GROWING,
  OPS_PER_NOTCH,
  type Region,
  type Verdict,
  type Work,
  sizeOf,
} from "../../ir";
import { intensity, machineShare, ridge, type Figures } from "../../cost";
import { tileVisits, evaluationsOf, statementsAt } from "../../kernel";
import { algebraOf, isDivision, opDef } from "../../ops";
import { MAX_REGISTERS } from "../../kernel";
import { titled } from "../catalogue";
import type { Candidate, CostDelta, Opinion } from "../driver/define";
import type { Planner } from "../driver/planner";
import { bothWays, bytesOfWays, movesLess, NO_MICROS, overruled, takesIt, TIE, timeOf, weigh, winsTie } from "./weigh";
import { countOf, namesOf, no, showBytes, showFlops, showMicros, subjectOf, yes, inWords } from "../driver/sentences";

/** WGSL statements in one kernel: compile time grows with them. */
export const STATEMENT_LIMIT = 2000;
/** What a driver takes to parse and build one statement, ms: 20,000 of them took 6.1 s. */
const COMPILE_MILLIS = 0.305;
/** "What would make it fuse?" where only the price stands against it. */
export function forcing(
  { options }: Planner,
  { edges }: Candidate,
  before = "",
): Pick<Verdict, "remedy" | "remedyOptions"> {
  const [edge] = edges;
  if (edge === undefined) return { remedy: before || "No option changes this: it costs more." };
  return {
    remedy: `${before}${before ? " Or choose" : "Choose"} Fuse anyway, whatever it costs.`,
    remedyOptions: { forced: [...options.forced, edge] },
  };
}

/** Registers of a thread up to which kernels grow, and with which half of the threads that a multiprocessor can have find room. */
const CROWDED = 64;

/**
 * Most registers of a kernel's thread. How elementwise ones slow down as these run out was measured, and is priced.
 * @param grown no kernel grows any more
 */
function registersFor(planner: Planner, region: Region, grown: boolean): number {
  if (planner.figuresOf(region).schedule.variant === "flat") return MAX_REGISTERS;
  return grown ? 2 * CROWDED : CROWDED;
}

const largest = (of: (region: Region) => number, regions: readonly Region[]): number =>
  regions.reduce((most, region) => Math.max(most, of(region)), 0);

/**
 * Most ops of a kernel.
 * @param grown no kernel grows any more: whole ones may be joined
 */
export const opsLimit = ({ options }: Planner, grown: boolean): number =>
  Math.min((grown ? OPS_PER_NOTCH : OPS_GROWING) * options.groupSize, STATEMENT_LIMIT);

const mostOps = (regions: readonly Region[]): number => largest(({ members }) => members.length, regions);

/** What `overSize` says in words. */
export function isOverSize(planner: Planner, candidate: Candidate, grown = false): boolean {
  const ops = mostOps(candidate.add);
  return ops > opsLimit(planner, grown) && ops > mostOps(candidate.remove);
}

/**
 * More ops or statements than one kernel may have: known without its facts. Null when it keeps to both.
 * @param grown no kernel grows any more
 */
export function overSize(planner: Planner, candidate: Candidate, grown = false): Opinion | null {
  if (!isOverSize(planner, candidate, grown)) return null;
  const limit = opsLimit(planner, grown);
  const { add, nodes } = candidate;
  const ops = mostOps(add);
  if (limit === STATEMENT_LIMIT) return tooMuchToCompile(nodes, ops);
  const said = {
    numbers: { ops, limit },
    limit: { what: "ops in a kernel", value: ops, limit, unit: "" },
  } as const;
  if (!grown) {
    const text = `The merged kernel would have ${ops} ops, and kernels grow to ${limit}; whole ones are joined later.`;
    return no("C_CODE_SIZE", nodes, text, {
      ...said,
      remedy: `None is needed: the pass “${titled("multi-output").title}” joins whole kernels up to ${opsLimit(planner, true)} ops.`,
    });
  }
  const groupSize = Math.ceil(ops / OPS_PER_NOTCH);
  const text = `The merged kernel would have ${ops} ops, and ${limit} ops in a kernel are the maximum that the options allow.`;
  return no("C_CODE_SIZE", nodes, text, {
    ...said,
    remedy: `Maximum ops per kernel, in Options: ${OPS_PER_NOTCH * groupSize}.`,
    remedyOptions: { groupSize },
  });
}

/**
 * Budgets of a kernel that are worth, not law: ops, statements, registers. Null when it keeps them.
 * @param grown no kernel grows any more
 */
export function overBudget(planner: Planner, candidate: Candidate, grown = false): Opinion | null {
  const { add, remove, nodes } = candidate;
  const size = overSize(planner, candidate, grown);
  if (size) return size;
  const statements = largest(({ members, outputs }) => statementsAt(planner.graph, members, outputs), add);
  if (statements > STATEMENT_LIMIT) return tooMuchToCompile(nodes, statements);
  // A row waits in registers where the factors were found to gain by it: that is no reason against the ops.
  const registers = (region: (typeof add)[number]): number => {
    const { schedule } = planner.figuresOf(region);
    return schedule.registers - (schedule.waiting ?? 0);
  };
  const before = largest(registers, remove);
  const mostOf = (region: Region): number => registersFor(planner, region, grown);
  const over = add.find((region) => registers(region) > Math.max(before, mostOf(region)));
  if (!over) return null;
  const [after, most] = [registers(over), mostOf(over)];
  const cost =
    most < MAX_REGISTERS
      ? `The planner allows ${most} in a kernel that folds, multiplies or sorts: with more, fewer threads run at the same time.`
      : `It has ${most} at most: the others would spill to memory.`;
  return no(
    "C_REGISTERS",
    nodes,
    `A thread of the merged kernel would need about ${after} registers at once instead of ${before}. ${cost}`,
    {
      numbers: { registers: after, registersBefore: before, limit: most },
      limit: { what: "registers per thread", value: after, limit: most, unit: "" },
      ...forcing(planner, candidate, "Fewer values that are needed at the same time."),
    },
  );
}

function tooMuchToCompile(nodes: readonly NodeId[], ops: number): Opinion {
  const compileMillis = ops * COMPILE_MILLIS;
  return no(
    "C_COMPILE_BUDGET",
    nodes,
    `The merged kernel would have ${ops} statements, which take a driver about ${showMicros(1e3 * compileMillis)} to compile; the limit is ${STATEMENT_LIMIT}, whatever the options allow.`,
    {
      numbers: { ops, limit: STATEMENT_LIMIT, compileMillis },
      limit: { what: "statements in a kernel", value: ops, limit: STATEMENT_LIMIT, unit: "" },
      remedy: "A shorter program: this limit is fixed.",
    },
  );
}

/** What each way takes, and what the candidate adds to the arithmetic. */
export const numbersOf = ({ apart, fused, flopsAdded }: CostDelta): Readonly<Record<string, number>> => ({
  microsApart: apart.micros,
  microsFused: fused.micros,
  bytesSaved: apart.bytes - fused.bytes,
  launchesSaved: apart.launches - fused.launches,
  flopsAdded,
});

/**
 * The common opinion: budgets first, then the predicted time.
 * @param doing how the sentence begins: "Merging `exp` into `log`"
 * @param grown no kernel grows any more: whole ones are joined
 */
export function judge(planner: Planner, candidate: Candidate, delta: CostDelta, doing: string, grown = false): Opinion {
  const over = overBudget(planner, candidate, grown);
  if (over) return over;
  const ways = bothWays(candidate, delta);
  const tied = byBytes(candidate, delta, doing);
  if (tied) return extended(tied, { weighed: weigh("bytes", ways) });
  const weighed = weigh("time", ways);
  return takesIt(weighed)
    ? extended(worthIt(planner, candidate, delta, doing), { weighed })
    : extended(unprofitable(planner, candidate, delta, doing), { weighed });
}

/** Why the candidate is chosen where the times are a tie that it does not win, and it moves less than `rival`; null otherwise. */
export function byBytes(
  candidate: Candidate,
  delta: CostDelta,
  doing: string,
  rival: Work = delta.apart,
): Opinion | null {
  const { fused } = delta;
  if (fused.micros < rival.micros - NO_MICROS || !winsTie(fused, rival)) return null;
  const text = `${doing} moves ${bytesOfWays(fused, rival)}. Predicted times within ${100 * TIE} % are a tie (${timeOf(fused, rival)}), so the bytes decide.`;
  return yes("A_BYTES", candidate.nodes, text, { numbers: numbersOf(delta) });
}

/** In which the candidate's way is the faster one. */
export function worthIt({ profile }: Planner, { nodes }: Candidate, delta: CostDelta, doing: string): Opinion {
  const { apart, fused } = delta;
  const fewer = apart.launches - fused.launches;
  const launches = fewer > 0 ? `saves ${countOf(fewer, "launch", "launches")}` : null;
  const time = timeOf(fused, apart);
  const said = { numbers: { ...numbersOf(delta), launchMicros: Math.max(0, fewer) * profile.launchMicros } };
  if (fused.bytes < apart.bytes) {
    if (!movesLess(fused, apart)) return yes("A_BYTES", nodes, `${doing} ${launches ?? "saves time"}: ${time}.`, said);
    const more = launches ? ` and ${launches}` : "";
    return yes("A_BYTES", nodes, `${doing} moves ${bytesOfWays(fused, apart)}${more}: ${time}.`, said);
  }
  const more = movesLess(apart, fused) ? `, though it moves ${bytesOfWays(fused, apart)}` : "";
  return yes("A_LAUNCH", nodes, `${doing} ${launches ?? "saves time"}${more}: ${time}.`, said);
}

/** In which the candidate's way is no faster. */
export function unprofitable(planner: Planner, candidate: Candidate, delta: CostDelta, doing: string): Opinion {
  const { nodes } = candidate;
  const { apart, fused } = delta;
  const time = timeOf(fused, apart);
  const numbers = numbersOf(delta);
  const idle = idleMachine(planner, candidate);
  if (idle) {
    const { multiprocessors } = planner.profile;
    return no(
      "C_PARALLELISM",
      nodes,
      `${doing} would leave ${countOf(idle.workgroups, "workgroup")} instead of ${idle.workgroupsBefore} for ${multiprocessors} multiprocessors: ${time}.${idle.split ? " Alone, the reduction is split among workgroups; a kernel that does both would not split it." : ""}`,
      {
        numbers: { ...numbers, workgroups: idle.workgroups, workgroupsBefore: idle.workgroupsBefore, multiprocessors },
        ...forcing(planner, candidate, "More rows that can be computed independently: each is a workgroup at least."),
      },
    );
  }
  const again = evaluationWords(planner, candidate);
  if (again && delta.flopsAdded > 0 && computeGrows(planner, candidate)) {
    return no(
      "C_RECOMPUTE",
      nodes,
      `${doing} is allowed, but would compute it ${again}: ${time}. So the value is stored once.`,
      { numbers, ...forcing(planner, candidate) },
    );
  }
  const slow = slowerProduct(planner, candidate);
  return no("C_NEGATIVE", nodes, `${doing} ${whyNoGain(planner, candidate, delta, slow)}: ${time}.`, {
    numbers: { ...numbers, ...slow },
    ...forcing(planner, candidate),
  });
}

/** What the candidate gains in traffic, and what that costs: each as counted. */
function whyNoGain(
  planner: Planner,
  candidate: Candidate,
  { apart, fused }: CostDelta,
  slow: ReturnType<typeof slowerProduct>,
): string {
  const bytes = bytesOfWays(fused, apart);
  const same = Math.abs(fused.micros - apart.micros) <= 1e-9;
  if (movesLess(apart, fused)) return `moves ${bytes}`;
  if (fused.bytes === apart.bytes && same) return "saves neither traffic nor time";
  const saved = movesLess(fused, apart) ? `moves ${bytes}, but ` : "";
  if (againstTheGrain(planner, candidate)) return `${saved}reads or writes memory with a stride`;
  if (slow)
    return `${saved}${saved ? "its" : "slows the matmul: its"} tiles reach ${percent(slow.efficiency)} of the peak instead of ${percent(slow.efficiencyBefore)}, because loads and registers get in the way`;
  if (!computeGrows(planner, candidate))
    return `${saved}${saved ? "" : "moves as many bytes, and "}takes longer to load them`;
  const [before, after] = [occupancyOf(planner, candidate.remove), occupancyOf(planner, candidate.add)];
  return after < before
    ? `${saved}${saved ? "" : "moves as many bytes, and "}fewer of its threads run at once, because each needs more registers or workgroup memory`
    : `${saved}${saved ? "" : "moves as many bytes, and "}computes for longer`;
}

const occupancyOf = (planner: Planner, regions: Candidate["add"]): number =>
  regions.reduce((least, region) => Math.min(least, planner.figuresOf(region).time.occupancy), 1);

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** Efficiencies of the matmuls' tiles after and before, where the merged one is the slower as far as it is written. */
function slowerProduct(
  planner: Planner,
  { remove, add }: Candidate,
): { readonly efficiency: number; readonly efficiencyBefore: number } | null {
  const reached = (regions: Candidate["add"]): number | null => {
    let [flops, time] = [0, 0];
    for (const facts of regions.map(planner.figuresOf)) {
      const share = facts.schedule.reached ?? facts.schedule.efficiency;
      if (share === undefined) continue;
      flops += facts.flops;
      time += facts.flops / share;
    }
    return time === 0 ? null : flops / time;
  };
  const [efficiency, efficiencyBefore] = [reached(add), reached(remove)];
  if (efficiency === null || efficiencyBefore === null) return null;
  return efficiency < efficiencyBefore && percent(efficiency) !== percent(efficiencyBefore)
    ? { efficiency, efficiencyBefore }
    : null;
}

const againstTheGrain = (planner: Planner, { add }: Candidate): boolean =>
  add.some((region) => {
    const { reads, stridedWrites } = planner.figuresOf(region).schedule;
    return stridedWrites.length > 0 || reads.some(({ waste }) => waste > 1);
  });

/** Fewer workgroups than multiprocessors, where there were more before. */
function idleMachine(
  planner: Planner,
  { remove, add }: Candidate,
): { readonly workgroups: number; readonly workgroupsBefore: number; readonly split: boolean } | null {
  const share = (figures: Figures): number => machineShare(figures.schedule, planner.profile);
  const byShare = (regions: Candidate["add"]): Figures[] =>
    regions.map(planner.figuresOf).toSorted((a, b) => share(a) - share(b));
  const [before, after] = [byShare(remove), byShare(add)];
  // A merge is held against the kernel that filled most of the machine, as many kernels as before each against its like.
  const at =
    after.length < before.length ? 0 : after.findIndex((figures, i) => share(figures) < share(before[i] ?? figures));
  const [busiest, worst] = [after.length < before.length ? before.at(-1) : before[at], after[at]];
  if (!busiest || !worst || share(worst) >= share(busiest)) return null;
  return {
    workgroups: worst.schedule.workgroups,
    workgroupsBefore: busiest.schedule.workgroups,
    split: worst.schedule.chunks <= 1 && remove.some((region) => planner.figuresOf(region).schedule.chunks > 1),
  };
}

/** Arithmetic, not traffic, makes the merged kernels slower. */
function computeGrows(planner: Planner, { remove, add }: Candidate): boolean {
  const compute = (regions: Candidate["add"]): number =>
    regions.reduce((sum, region) => sum + planner.figuresOf(region).time.computeMicros, 0);
  const memory = (regions: Candidate["add"]): number =>
    regions.reduce((sum, region) => {
      const { readMicros, cachedMicros, writeMicros } = planner.figuresOf(region).time;
      return sum + readMicros + cachedMicros + writeMicros;
    }, 0);
  return compute(add) - compute(remove) > memory(add) - memory(remove);
}

/** A forced edge: done although the numbers say no. */
export function forcedAnyway(planner: Planner, candidate: Candidate, delta: CostDelta, refused: Opinion): Opinion {
  const names = namesOf(planner.graph, candidate.nodes);
  const against = refused.limit
    ? `about ${refused.limit.value} ${refused.limit.what}, of ${refused.limit.limit} allowed`
    : timeOf(delta.fused, delta.apart);
  return yes(
    "U_FORCE",
    candidate.nodes,
    candidate.rewrite
      ? `You chose Fuse anyway, so ${names} are computed as this pass rewrites them: ${against}. By itself the planner would leave them as they are.`
      : `You chose Fuse anyway, so ${names} share a kernel: ${against}. By itself the planner would keep them apart.`,
    {
      ...(refused.numbers ? { numbers: refused.numbers } : {}),
      ...(refused.limit ? { limit: refused.limit } : {}),
      weighed: overruled("choice", candidate, delta, refused),
    },
  );
}

const contractionOf = (planner: Planner, region: Region): NodeId | null =>
  planner.factsOf(region).form?.contraction ?? null;

/** FLOP per byte from which the policy leaves a product's kernel alone; null: it never does. */
function libraryFrom({ options }: Planner): number | null {
  const { matmulPolicy, libraryAbove, profile } = options;
  if (matmulPolicy === "threshold") return libraryAbove ?? ridge(profile);
  return matmulPolicy === "library" ? 0 : null;
}

/** Where the policy says so, a product's kernel is the tuned one and takes nothing else in. */
export function policyOnContraction(planner: Planner, { add, remove, nodes }: Candidate): Opinion | null {
  const growing = add.flatMap((region) => {
    const product = contractionOf(planner, region);
    const before = product === null ? undefined : remove.find((part) => contractionOf(planner, part) === product);
    return before && before.members.length < region.members.length ? [before] : [];
  });
  return leftSeparate(planner, growing, nodes);
}

/** The refusal where one of these kernels is a product's that the policy leaves alone; null where none is. */
export function leftSeparate(planner: Planner, regions: readonly Region[], nodes: readonly NodeId[]): Opinion | null {
  const line = libraryFrom(planner);
  if (line === null) return null;
  for (const before of regions) {
    const product = contractionOf(planner, before);
    if (product === null) continue;
    const { flops, time, traffic } = planner.figuresOf(before);
    const perByte = intensity(flops, traffic.bytes);
    if (perByte <= line) continue;
    const flopsPerSecond = (flops / Math.max(time.micros, 1e-9)) * 1e6;
    const name = namesOf(planner.graph, [product]);
    if (planner.options.matmulPolicy === "threshold") {
      return no(
        "C_LIBRARY",
        nodes,
        `${name} computes ${round(perByte)} FLOP per byte, and you keep matmuls above ${round(line)} FLOP per byte separate (${showFlops(flopsPerSecond)}/s predicted).`,
        {
          numbers: { flopsPerByte: perByte, line, flopsPerSecond },
          limit: { what: "FLOP per byte", value: perByte, limit: line, unit: "FLOP/B" },
          remedy: `A line above ${round(perByte)} FLOP per byte (Options).`,
          remedyOptions: { libraryAbove: Math.ceil(2 * perByte) },
        },
      );
    }
    return no(
      "C_LIBRARY",
      nodes,
      `You chose to keep matmuls separate, so nothing is merged into the kernel of ${name} (${showFlops(flopsPerSecond)}/s predicted).`,
      {
        numbers: { flopsPerSecond },
        remedy: "Options, Matmul epilogues: fuse.",
        remedyOptions: { matmulPolicy: "epilogue" },
      },
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
  const byLiteral = isDivision(algebraOf(op)) && isLiteral(node(graph, inputs[1]!));
  return opDef(op).expensive && !byLiteral;
};

/** Work on an operand of a product is done once per tile that loads it: refused where that reads or computes too much. */
export function prologueVerdict(planner: Planner, candidate: Candidate): Opinion | null {
  const { add, remove, nodes } = candidate;
  const producer = remove[0]!;
  if (contractionOf(planner, producer) !== null) return null;
  for (const region of add) {
    const product = contractionOf(planner, region);
    if (product === null) continue;
    const operand = operandFed(planner, region, product, producer);
    if (operand === null) continue;
    const name = namesOf(planner.graph, producer.outputs);
    const into = namesOf(planner.graph, [product]);
    const read = planner.figuresOf(producer).traffic.bytesRead;
    const replaced = producer.outputs.reduce((sum, id) => sum + bytesOf(node(planner.graph, id).type), 0);
    const visits = tileVisits(planner.graph, product, operand, planner.figuresOf(region).schedule);
    if (read > PROLOGUE_READS * replaced) {
      return no(
        "C_NEGATIVE",
        nodes,
        visits > 1
          ? `${into} loads each element of ${name} ${visits} times, once per tile: that would be ${showBytes(read)} of inputs each time, instead of ${showBytes(replaced)}.`
          : `${into} would load ${showBytes(read)} of inputs instead of the ${showBytes(replaced)} of ${name}.`,
        {
          numbers: { bytesRead: read, bytesReplaced: replaced, limit: PROLOGUE_READS },
          limit: { what: "bytes loaded", value: read, limit: replaced, unit: "B" },
          ...forcing(planner, candidate),
        },
      );
    }
    const costly = producer.members.find((id) => isCostly(planner.graph, id));
    if (costly !== undefined && visits > PROLOGUE_VISITS) {
      const costs = namesOf(planner.graph, [costly]);
      return no(
        "C_RECOMPUTE",
        nodes,
        `${into} loads each element of ${name} ${visits} times, once per tile, and ${costs === name ? "it" : costs} would be computed each time; the limit for an expensive op is ${PROLOGUE_VISITS}. So ${subjectOf(planner.graph, producer.outputs, "is", "are")} stored.`,
        {
          numbers: { visits, limit: PROLOGUE_VISITS },
          limit: { what: "evaluations of each element", value: visits, limit: PROLOGUE_VISITS, unit: "" },
          ...forcing(planner, candidate),
        },
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

/** `twice`, `16 times`; null when nothing is computed more often than before. */
function evaluationWords(planner: Planner, candidate: Candidate): string | null {
  // Asked about a rewrite, what is to be replaced is out of the graph: then there is nothing to compare with.
  if (candidate.remove.some(({ members }) => members.some((id) => !planner.graph.nodes.has(id)))) return null;
  const before = total(planner, candidate.remove);
  const after = total(planner, candidate.add);
  let most = 1;
  for (const [id, times] of after) {
    if (candidate.nodes[0] !== id && candidate.nodes.length > 0) continue;
    most = Math.max(most, times / Math.max(1, before.get(id) ?? sizeOf(node(planner.graph, id).type.shape)));
  }
  const rounded = Math.round(most);
  return rounded < 2 ? null : rounded === 2 ? "twice" : `${inWords(rounded)} times`;
}

function total(planner: Planner, regions: Candidate["add"]): Map<NodeId, number> {
  const sum = new Map<NodeId, number>();
  for (const region of regions) {
    const { form, schedule } = planner.factsOf(region);
    for (const [id, times] of evaluationsOf(planner.graph, region, form, schedule))
      sum.set(id, (sum.get(id) ?? 0) + times);
  }
  return sum;
}
