/** @file How many threads share a run of a loop, and how many runs a workgroup has: the factors that a machine is offered, and their price. */
import { node, sizeOf, type Graph, type Node, type NodeId } from "../../../ir";
import { opDef } from "../../../ops";
import { CACHED_SPEEDUP } from "../../nest/cache";
import type { Machine } from "../../nest/nest";
import { LOAD, MEETING, MEETING_PER_THREAD, meetings, START, takenMicros, WARP } from "../../nest/price";
import { runSteps, type RunSteps } from "./run-steps";

/** Threads that share a run, and runs beside one another in their registers: the lanes of a vector. */
export interface RunFactors {
  readonly lanes: number;
  readonly beside: 1 | 4;
}

/** What decides the factors. */
export interface RunShape {
  readonly runs: number;
  readonly iterations: number;
  /** Numbers of what a step computes of a run, and terms of each. */
  readonly steps: readonly { readonly numbers: number; readonly terms: number }[];
  /** Numbers that all threads join in an iteration. */
  readonly folds: number;
  /** Numbers of a run that wait in workgroup memory. */
  readonly waiting: number;
  /** Elements of matrices that an iteration reads. */
  readonly matrices: number;
  /** Whether an iteration reads a row of its own. */
  readonly walks: boolean;
  /** Numbers of the longest value. */
  readonly longest: number;
}

/** The shape of a loop of which these are results. */
export function runShape(graph: Graph, results: readonly Node[]): RunShape {
  const plan = runSteps(graph, results, 1);
  const { loop, own, slots, params } = plan;
  const size = (id: NodeId): number => sizeOf(own(id));
  const steps = plan.phases.flatMap((phase) => phase.steps);
  const products = steps.filter(({ kind }) => kind === "product");
  const all = [...plan.inside, ...products.map(({ id }) => id)];
  return {
    runs: sizeOf(loop.outer),
    iterations: loop.iterations,
    steps: [
      ...all.map((id) => ({
        numbers: size(id),
        terms: node(plan.graph, node(plan.graph, id).inputs[0]!).type.shape.at(-1)!,
      })),
      ...steps.flatMap(({ kind, id }) => {
        if (kind === "product") return [];
        const [operand] = node(plan.graph, id).inputs;
        if (kind === "fold") return [{ numbers: size(operand!), terms: 1 }];
        const isFold = opDef(node(plan.graph, id).op).kind === "reduce";
        return [{ numbers: size(id), terms: isFold ? size(operand!) / size(id) : 1 }];
      }),
    ],
    folds: steps.filter(({ kind }) => kind === "fold").length,
    waiting: slots.reduce((sum, { length }) => sum + length, 0),
    matrices: all.reduce((sum, id) => sum + matricesOf(plan, id).reduce((all, each) => all + size(each), 0), 0),
    walks: [...params.values()].some((at) => plan.body.params[at]!.walk),
    longest: Math.max(...slots.map(({ length }) => length), 1),
  };
}

/** Operands of a product that no iteration changes. */
const matricesOf = ({ graph, params, body }: RunSteps, id: NodeId): readonly NodeId[] =>
  node(graph, id).inputs.filter((input) => {
    const at = params.get(input);
    return at !== undefined && at >= body.next.length && !body.params[at]!.walk;
  });

/** Bytes of workgroup memory that these factors take. */
export const runBytes = ({ waiting, folds }: RunShape, { lanes, beside }: RunFactors): number =>
  4 * beside * (waiting + Math.min(2, folds) * lanes);

/** Loads of a product that are on their way at once, and µs that they take: between those of an LSTM, a GRU and an ODE on an H200. */
const AHEAD = 8;
const CACHED = 0.045;
/** µs that a step takes a thread besides what it waits for. */
const STEP = 0.05;

/** Registers: what products load ahead, and values of an iteration. */
export const runRegisters = ({ steps }: RunShape, { beside }: RunFactors): number =>
  12 + (steps.some(({ terms }) => terms > 1) ? AHEAD * (1 + beside) : 0) + 4 * beside;

/** µs of all iterations, without the launch. */
export function runMicros(shape: RunShape, factors: RunFactors, machine: Machine): number {
  const { runs, iterations, steps, folds, matrices, walks } = shape;
  const { lanes, beside } = factors;
  const bytes = runBytes(shape, factors);
  if (bytes > machine.maxBytes || lanes > machine.maxThreads) return Infinity;
  const workgroups = runs / beside;
  const meeting = MEETING + MEETING_PER_THREAD * lanes;
  let [waits, loads] = [walks ? LOAD : 0, 0];
  for (const { numbers, terms } of steps) {
    const turns = Math.ceil(numbers / lanes);
    waits += meeting + STEP + turns * (terms > 1 ? Math.ceil(terms / AHEAD) * CACHED : 0);
    loads += (turns * terms * lanes) / WARP;
  }
  const each = waits + folds * 2 * meetings(lanes) * meeting + 2 * meeting;
  // A multiprocessor draws its part of what the cache hands over.
  const drawn = (4 * matrices * machine.multiprocessors) / ((machine.bandwidth / 1e6) * CACHED_SPEEDUP);
  const taken = takenMicros(
    {
      workgroups,
      threads: lanes,
      registers: runRegisters(shape, factors),
      bytes,
      moved: 0,
      lines: workgroups * iterations * loads,
      shared: workgroups * iterations * loads * beside,
      alone: START + LOAD + iterations * Math.max(each, drawn),
    },
    machine,
  );
  return Math.max(taken, Math.ceil(workgroups / machine.multiprocessors) * iterations * drawn);
}

const OFFERED = [32, 64, 128, 256];

/** The factors of the least price; null where no workgroup has room. A machine whose threads do not meet has a run in each. */
export function runFactors(shape: RunShape, machine: Machine, threads?: number): RunFactors | null {
  if (machine.sharing === "alone") return { lanes: 1, beside: 1 };
  const offered = threads === undefined ? OFFERED : [threads];
  const all = offered.flatMap((lanes) =>
    ([1, 4] as const).filter((beside) => shape.runs % beside === 0).map((beside): RunFactors => ({ lanes, beside })),
  );
  const micros = all.map((factors) => runMicros(shape, factors, machine));
  const least = Math.min(...micros);
  return least === Infinity ? null : all[micros.indexOf(least)]!;
}
