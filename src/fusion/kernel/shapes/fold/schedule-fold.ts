/** @file What a fold asks of its nest: how its rows lie, what they read and store, what waits in registers; and the schedule that follows from the nest. */
import { bytesOf, dtypeBytes, type Graph, isLiteral, type Knobs, node, type NodeId, type Target } from "../../../ir";
import { factorsOf, foldNest, type FoldChoice, type FoldNest, sortMicros, retainingByThread } from "./fold-factors";
import { MAX_RETAINED } from "../sort/network-price";
import {
  foldMicros,
  launchesOfCut,
  loadsOf,
  NO_WAITING,
  type FoldFactors,
  type FoldShape,
  leftByPart,
} from "../../nest/price";
import { networkBytes, retainedByParts, type Network } from "../../nest/networks";
import type { Machine } from "../../nest/nest";
import { wholeOutput, type RowAnalysis } from "./classify-rows";
import { rowLane } from "../../nest/lanes";
import { waitingMicros } from "../../count/data-loads";
import { machineOf } from "../../nest/machine";
import { mergedStages } from "./rows/merged-stages";
import { pointAfter, unravelled } from "../../indices/row-layout";
import { offsetsAt, readsOf, stridedReads } from "../../count/reads";
import { openLoads, type LoadsOfPasses, type PassRoot } from "./rows/row-loads";
import { passesPerRead } from "./rows/row-passes";
import { cachedValues, passRoots, stridedWrites, withRereads } from "./rows/row-roots";
import type { Role } from "./rows/row-role";
import { joinsOfSteps, readsOfSteps, rowSteps, type RowStep } from "./rows/row-steps";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "../../schedule/schedule-parts";
import { classifyMerged } from "../sort/merge-sort";
import { opDef, windowOf } from "../../../ops";
import { walksRows } from "./rows/row-ops";
import {
  joinBytes,
  joiningOf,
  leftBy,
  scanBytes,
  networksOf,
  sortsOf,
  stepsBytes,
  type RowSort,
} from "../../nest/threads";
import type { Lane, RegionForm, RegionRead, RegionSchedule } from "../../types";

/** Neighbours that lie between two others are looked for as far as this. */
const SHORT_RUN = 8;

/** The run of neighbours in memory that belong to the same side: to one row, or to rows that lie side by side. */
function contiguity({ space, reducedAxes }: RegionForm): Pick<FoldShape, "contiguous" | "run"> {
  const inner = space.findLastIndex((extent) => extent > 1);
  const folded = inner < 0 || reducedAxes.includes(inner);
  let run = 1;
  for (let axis = space.length - 1; axis >= 0 && (space[axis] === 1 || reducedAxes.includes(axis) === folded); axis--)
    run *= space[axis]!;
  return { contiguous: folded ? "folded" : "outer", run };
}

/** Values of an element that wait at once, from the pass that makes them to the last that needs them. */
export function waitingAtOnce(
  graph: Graph,
  region: Body,
  form: RegionForm,
  analysis: RowAnalysis,
  waiting: readonly NodeId[],
): number {
  const reduces = new Map([...form.reductions, ...form.orders].map(({ node: id, stage }) => [id, stage]));
  const stageOf = (id: NodeId): number => reduces.get(id) ?? analysis.roles.get(id)?.stage ?? 0;
  /** The first and the last pass that asks for each of them. */
  const asked = new Map(waiting.map((id) => [id, { first: Infinity, last: -Infinity }]));
  for (const member of region.members)
    for (const input of node(graph, member).inputs) {
      const span = asked.get(input);
      if (!span) continue;
      const at = stageOf(member);
      span.first = Math.min(span.first, at);
      span.last = Math.max(span.last, at);
    }
  const spans = waiting.map((id) => {
    const { first, last } = asked.get(id)!;
    const made = analysis.roles.has(id) ? stageOf(id) : first;
    return { made, last: Math.max(made + 1, last) };
  });
  const ends = new Set(spans.map(({ made }) => made));
  return [...ends].reduce(
    (most, at) => Math.max(most, spans.filter(({ made, last }) => made <= at && at < last).length),
    0,
  );
}

export interface Asked {
  readonly graph: Graph;
  readonly region: Body;
  readonly form: RegionForm;
  readonly target: Target;
  readonly knobs: Knobs;
}

/** Whether the first few of each part of a row may be chosen apart, and then those of the row: all that is stored follows from these. */
function mayChooseInParts(
  { graph, region, target }: Asked,
  sorts: readonly RowSort[],
  { roles }: RowAnalysis,
): boolean {
  if (target.schedule === "cpu" || sorts.length !== 1 || sorts[0]!.retained === 0) return false;
  // With k = 1 the result is one value a row.
  const isOf = (role: Role): boolean => role === "first" || (role === "row" && sorts[0]!.retained === 1);
  if (!region.outputs.every((id) => isOf(roles.get(id)!.role))) return false;
  const walks = region.members.filter((id) => walksRows(node(graph, id)));
  return classifyMerged(graph, region.members, region.outputs, walks).ok;
}

/** What stays the same whatever the factors are. */
export class Rows {
  readonly asked: Asked;
  readonly analysis: RowAnalysis;
  readonly lane: Lane;
  readonly roots: readonly PassRoot[];
  readonly cached: readonly NodeId[];
  readonly merged: readonly number[];
  readonly byRow: readonly NodeId[];
  readonly #walked: readonly PassRoot[];
  readonly #loads: LoadsOfPasses;
  readonly plain: readonly RegionRead[];

  constructor(asked: Asked, analysis: RowAnalysis) {
    const { graph, region, form, target, knobs } = asked;
    this.asked = asked;
    this.analysis = analysis;
    const lane = knobs.vector === "off" ? "none" : rowLane(form);
    // Threads that scan or sort a row together take neighbours of it.
    const shares = knobs.rows !== undefined && knobs.rows !== "thread" && target.schedule === "gpu";
    const scans = form.scans.length > 0;
    this.lane = lane === "rows" && (form.orders.length > 0 || (scans && shares)) ? "none" : lane;
    this.roots = passRoots(graph, region, form, analysis);
    this.cached = [...new Set([...cachedValues(graph, region, form, analysis), ...form.scans])];
    const inOne =
      target.schedule === "gpu" && (knobs.rows === "one-pass" || (knobs.rows === undefined && target.strict !== true));
    this.merged = inOne ? mergedStages(graph, region, form, analysis).map(({ stage }) => stage) : [];
    this.#walked = this.roots.map((root) =>
      this.merged.includes(root.stage - 1) ? { ...root, stage: root.stage - 1 } : root,
    );
    this.#loads = openLoads(graph, region, form, this.roots, this.lane);
    this.byRow = region.outputs.filter((id) => !this.#isFull(id));
    this.plain = readsOf(graph, region.members, region.outputs);
  }

  /** The walks over rows that are cut into parts. */
  steps(): RowStep[] {
    const { graph, region, form } = this.asked;
    const merged = this.merged.length > 0 ? mergedStages(graph, region, form, this.analysis) : [];
    const stored = region.outputs.flatMap((id) =>
      this.#isFull(id) ? [{ id, stage: this.analysis.roles.get(id)!.stage }] : [],
    );
    return rowSteps(form, merged, stored);
  }

  #isFull(id: NodeId): boolean {
    return wholeOutput(this.asked.graph, this.analysis, id) !== null;
  }

  /** Whether every element of a row is computed by an op of its own. */
  #isComputed(id: NodeId): boolean {
    const { kind } = opDef(node(this.asked.graph, id).op);
    const { role } = this.analysis.roles.get(id) ?? { role: "free" };
    return role === "full" && (kind === "elementwise" || kind === "random");
  }

  /** How far apart neighbours of the outer loop lie in the largest tensor that is read, where columns of their own lie between them; else 1. */
  #between(): number {
    const { graph, region, form } = this.asked;
    const { space, reducedAxes, columns } = form;
    if (contiguity(form).contiguous !== "outer" || form.rows < 2 || this.plain.length === 0) return 1;
    const [outer, folded] = [true, false].map((side) =>
      space.map((extent, axis) => (reducedAxes.includes(axis) === side ? 1 : extent)),
    );
    const at = (row: number, column: number): number[] => {
      const own = unravelled(column, folded!);
      return unravelled(row, outer!).map((index, axis) => index + own[axis]!);
    };
    const points = [at(1, 0), ...Array.from({ length: Math.min(columns, SHORT_RUN) }, (_, column) => at(0, column))];
    const { value } = this.plain.reduce((most, read) => (read.elements > most.elements ? read : most));
    const asked = this.roots.map(({ id, layout }) => ({
      id,
      points: points.map((point) => pointAfter(layout, point)),
    }));
    const [way] = offsetsAt(graph, region.members, asked).get(value) ?? [];
    if (!way) return 1;
    const [next, first, ...others] = way;
    const step = next! - first!;
    return step > 1 &&
      step <= others.length + 1 &&
      others.slice(0, step - 1).every((offset, i) => offset === first! + i + 1)
      ? step
      : 1;
  }

  /** Further walks over what is read. `own`: neighbouring columns that a thread takes in a turn; `all`: those of all threads of a row. */
  rereads(held: boolean, own: number, all: number): RegionRead[] {
    const { graph, region, form } = this.asked;
    const touched = new Map(this.plain.map(({ value, elements }) => [value, elements]));
    const asked = held ? this.roots : this.#walked;
    const turn = { own, all, held };
    return withRereads(this.plain, passesPerRead(graph, region, form, asked, this.byRow, touched, turn, this.#loads));
  }

  /** What decides the factors. */
  shape(): FoldShape {
    const { graph, region, form, target, knobs } = this.asked;
    const { rows, columns } = form;
    const joined = joiningOf(target, knobs);
    const size = Math.max(1, rows * columns);
    const width = this.lane === "none" ? 1 : 4;
    const bytes = (id: NodeId): number => dtypeBytes(node(graph, id).type.dtype);
    const stages = new Map<number, number>();
    for (const { stage } of form.reductions) stages.set(stage, (stages.get(stage) ?? 0) + 1);
    const sorted = form.orders.length > 0;
    const sorts = sortsOf(graph, form);
    const full = region.outputs.filter((id) => this.#isFull(id));
    // Two folds in one walk leave both for the kernel that joins the parts.
    const oneWalk = stages.size === 1 || (stages.size === 2 && this.merged.length === 1);
    const steps = form.scans.length > 0 || sorted ? [] : this.steps();
    const inParts = mayChooseInParts(this.asked, sorts, this.analysis);
    const overlaps = region.members.some((id) => windowOf(node(graph, id)) !== null);
    const reread = this.rereads(false, 1, 1).reduce((most, read) => Math.max(most, read.rereads), 0);
    return {
      rows: Math.max(1, rows),
      columns,
      vector: this.lane === "none" ? null : this.lane === "columns" ? "folded" : "outer",
      ...contiguity(form),
      between: this.#between(),
      readBytes: this.plain.reduce((sum, { value, elements }) => sum + elements * bytes(value), 0) / size,
      fresh: overlaps ? Math.min(1, this.plain.reduce((sum, { elements }) => sum + elements, 0) / size) : 1,
      writeBytes: full.reduce((sum, id) => sum + bytesOf(node(graph, id).type), 0) / size,
      walks: 1 + reread,
      stages: stages.size - this.merged.length,
      scans: form.scans.length,
      accumulators: oneWalk ? form.reductions.length : Math.max(1, ...stages.values()),
      waiting: sorts.some(({ retained }) => retained > 0)
        ? null
        : waitingAtOnce(graph, region, form, this.analysis, this.cached),
      addressing: {
        row: waitingMicros(graph, region.members, width, (elements) => elements <= rows),
        vector: waitingMicros(graph, region.members, width, (elements) => elements > rows),
      },
      live: liveScalars(graph, region),
      statements: region.members.filter((id) => !isLiteral(node(graph, id))).length,
      ops: form.reductions.length + region.members.filter((id) => this.#isComputed(id)).length,
      meetingBytes: joinBytes(graph, form, joined),
      partsBytes: steps.length > 1 ? stepsBytes(graph, steps, joined) : joinBytes(graph, form, joined),
      scanningBytes: scanBytes(graph, form),
      cut: (steps.length > 0 || inParts) && !knobs.rows && !target.uncut,
      steps: Math.max(1, steps.length),
      joined: inParts || steps.some(({ folds }, i) => i === steps.length - 1 && folds.length > 0),
      several: sorts.every((sort) => mayLieBeside(sort, target)) && joined !== "subgroups",
      alone: !sorted && (target.schedule === "cpu" || knobs.rows === undefined || knobs.rows === "thread"),
      together: !(form.scans.length > 0 && this.lane === "rows"),
      networks: networksOf(form, sorts),
    };
  }
}

/** A key and an index of each element that a thread retains. */
const registersRetained = (networks: readonly Network[]): number =>
  networks.reduce((sum, { count }) => sum + 2 * count, 0);

/** Whether rows that are sorted so may be taken side by side in a workgroup. */
const mayLieBeside = ({ retained, count }: RowSort, target: Target): boolean =>
  retained === 0 || (count <= MAX_RETAINED && (machineOf(target).peers ?? 0) > 1);

function choiceOf({ threads, rows }: Knobs, { schedule }: Target): FoldChoice {
  const size = threads === undefined ? undefined : Number(threads);
  if (schedule === "cpu" || rows === undefined) return { threads: size };
  return { threads: size, ...(rows === "thread" ? { lanes: 1 } : { held: rows === "registers" }) };
}

/** The parts of a row, as rows that another nest folds. */
export function finishNest(shape: FoldShape, chunks: number, machine: Machine): FoldNest {
  const wide = shape.rows % 4 === 0;
  return foldNest(
    {
      ...shape,
      columns: chunks,
      vector: wide ? "outer" : null,
      contiguous: "outer",
      between: 1,
      run: shape.rows,
      readBytes: 4 * shape.accumulators,
      fresh: 1,
      writeBytes: 0,
      walks: 1,
      waiting: 0,
      addressing: NO_WAITING,
      cut: false,
      steps: 1,
      joined: false,
    },
    machine,
  );
}

/** What the parts of a row have left of it, as a row whose first few another nest chooses. */
function chosenAgain(shape: FoldShape, columns: number, machine: Machine): FoldNest {
  const { retained, indices } = shape.networks[0]!;
  return foldNest(
    {
      ...shape,
      columns,
      vector: columns % 4 === 0 ? "folded" : null,
      contiguous: "folded",
      between: 1,
      run: columns,
      readBytes: indices ? 8 : 4,
      fresh: 1,
      writeBytes: 0,
      walks: 1,
      networks: [{ ...shape.networks[0]!, columns, retained }],
      cut: false,
      joined: false,
    },
    machine,
  );
}

const leftByAll = (graph: Graph, folds: readonly NodeId[]): number =>
  folds.reduce((sum, id) => sum + leftBy(graph, id), 0);

/**
 * Rows that are cut: what their steps read, what each does of the work, and how many folds they join, all together.
 * @param again share of the work that sorts what all parts have left
 */
function cutOf(rows: Rows, shape: FoldShape, again: number) {
  const { steps: count, joined, readBytes, writeBytes } = shape;
  const { graph, region } = rows.asked;
  if (shape.networks.length > 0) return { reads: rows.plain, shares: [1 - again, again], joined: leftByPart(shape) };
  const steps = rows.steps();
  const all = count * readBytes + writeBytes;
  // Steps that move nothing compute the same each.
  const shareOf = (i: number): number => (readBytes + (i === count - 1 ? writeBytes : 0)) / all;
  const shares = steps.map((_, i) => (all === 0 ? 1 / count : shareOf(i)));
  return {
    reads: readsOfSteps(graph, region, steps, rows.byRow, rows.plain),
    shares: joined ? [...shares, 0] : shares,
    joined: joinsOfSteps(graph, region, steps, rows.byRow)
      .flat()
      .reduce((sum, { folds }) => sum + leftByAll(graph, folds), 0),
  };
}

/** The schedule of rows that are walked and folded. */
export function scheduleFold(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  analysis: RowAnalysis,
  knobs: Knobs,
): RegionSchedule {
  const rows = new Rows({ graph, region, form, target, knobs }, analysis);
  const machine = machineOf(target);
  const inOrder = rows.shape();
  const fold = foldNest(inOrder, machine, choiceOf(knobs, target));
  const factors = factorsOf(fold);
  const shape = retainingByThread(inOrder, factors, machine);
  const byThread = shape !== inOrder;
  const { lanes, beside, turns, held, ahead, chunks, wide } = factors;
  const threads = lanes * beside;
  const chunkLength = chunks > 1 ? turns * lanes * wide.folded : form.columns;
  const [network] = shape.networks;
  const chosen = chunks > 1 && network ? retainedByParts(form.columns, network.retained, chunks, chunkLength) : 0;
  const join = (): FoldNest => (network ? chosenAgain(shape, chosen, machine) : finishNest(shape, chunks, machine));
  const finish = chunks > 1 && shape.joined ? join() : undefined;
  const last = finish && factorsOf(finish);
  const along = factors.fastest === "outer" ? "rows" : "columns";
  const strided = stridedReads(
    graph,
    region.members,
    region.outputs,
    form,
    along,
    new Map(rows.roots.map(({ id, layout: way }) => [id, way])),
  );
  const [sorts, sortsAgain] = sortMicros(shape, factors, machine);
  const micros = foldMicros(shape, factors, machine) + sorts + sortsAgain;
  const inParts = chunks > 1 ? cutOf(rows, shape, sortsAgain / micros) : null;
  const turn = lanes * wide.folded * ahead;
  const own = lanes === 1 ? wide.folded * ahead : 1;
  const again = () => rows.rereads(held, own, form.columns % turn === 0 ? turn : own);
  // One turn is no loop, and what is folded in parts is walked once.
  const reads = (inParts?.reads ?? (held && lanes === 1 ? rows.plain : again())).map((read) => ({
    ...read,
    waste: strided.get(read.value) ?? 1,
  }));
  const joined = joiningOf(target, knobs);
  const meets = (lanes > 1 && form.reductions.length > 0) || (!network && (last?.lanes ?? 1) > 1);
  const meeting = chunks > 1 ? shape.partsBytes : shape.meetingBytes;
  const joining = (nest: FoldFactors): number =>
    nest.lanes === 1 ? 0 : nest.lanes * nest.beside * meeting * nest.wide.outer;
  const sorting = (networks: readonly Network[], nest: FoldFactors): number =>
    networkBytes(networks, nest.lanes * nest.beside * nest.wide.folded, nest.beside);
  const scanning = lanes === 1 ? 0 : threads * shape.scanningBytes * (held ? turns : 1);
  const width = wide.outer * wide.folded;
  const live = shape.live * (held ? 1 : width);
  const waiting = held ? turns * width * (shape.waiting ?? 0) : (ahead - 1) * width * loadsOf(shape);
  const folds = form.reductions.map(({ node: id }) => id);
  const tensors = network ? (network.indices ? 2 : 1) : leftByAll(graph, folds);
  const left = network ? chosen * tensors : chunks > 1 ? chunks * tensors : 0;
  return blank({
    variant: "fold",
    fold,
    ...(finish && { finish }),
    ...(meets && { joined }),
    ...(byThread && { byThread }),
    lane: rows.lane,
    cached: held ? rows.cached : [],
    merged: held && chunks === 1 ? [] : rows.merged,
    reads,
    stridedWrites: stridedWrites(graph, form, rows.roots, along),
    chunks,
    chunkLength,
    threadsPerWorkgroup: threads,
    workgroups: Math.ceil(shape.rows / wide.outer / beside) * chunks,
    workgroupBytes:
      Math.max(
        sorting(shape.networks, factors),
        last && network ? sorting([{ ...network, columns: chosen }], last) : 0,
      ) +
      scanning +
      Math.max(joining(factors), last ? joining(last) : 0),
    registers:
      BASE_REGISTERS + live + form.reductions.length + waiting + (byThread ? registersRetained(shape.networks) : 0),
    ...(waiting > 0 && { waiting }),
    ...(machine.sharing === "threads" && {
      leastMicros: micros,
    }),
    dispatches: chunks > 1 ? launchesOfCut(shape) : 1,
    ...(inParts && { shares: inParts.shares }),
    temporaryBytes: form.rows * left * 4,
    ...(inParts && { temporaryReads: 4 * form.rows * (network ? left : chunks * inParts.joined) }),
    temporaries: chunks > 1 ? tensors : 0,
  });
}
