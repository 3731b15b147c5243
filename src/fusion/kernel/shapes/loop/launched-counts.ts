/** @file What the launches of a loop move: each iteration is counted, up to one that is like one before. */
import { bytesOf, dtypeBytes, node, type Graph, type NodeId, type TensorType } from "../../../ir";
import type { RegionRead } from "../../types";
import { endingOf, saidOf, type IterationKernels, type LaunchedLoop, type Launch, type Home } from "./launched";

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

interface Outside {
  readonly value: NodeId;
  /** That a launch reads. */
  readonly elements: number;
  times: number;
}

interface Tally {
  dispatches: number;
  /** Values from outside, by name and how much of them is read at a time. */
  readonly outside: Map<string, Outside>;
  readonly handed: Map<number, { writes: number; reads: number }>;
}

const sizeAt = (type: TensorType): number => type.shape.reduce((product, extent) => product * extent, 1);

/** What the kernel of a launch reads, in a graph of its own. */
export type ReadsOfLaunch = (graph: Graph, launch: Launch) => readonly RegionRead[];

export function launchedCounts(loop: LaunchedLoop, readsOf: ReadsOfLaunch): LaunchedCounts {
  const tally: Tally = { dispatches: 0, outside: new Map(), handed: new Map() };
  const seen = new Map<string, { readonly iteration: number; readonly tally: Tally }>();
  let homes = loop.first;
  let kernels = loop.kernels(homes, 0);
  let peak = 0;
  let repeats = false;
  for (let iteration = 0; iteration < loop.iterations; iteration++) {
    const before = repeats ? undefined : seen.get(stateOf(homes, iteration));
    if (before) {
      // As many iterations as lie between the two that are alike are like those.
      const round = iteration - before.iteration;
      const times = Math.floor((loop.iterations - iteration) / round);
      repeat(tally, before.tally, times);
      homes = homes.map((home) =>
        home.kind === "made" || home.kind === "row" ? { ...home, iteration: home.iteration + times * round } : home,
      );
      iteration += times * round - 1;
      repeats = true;
      continue;
    }
    if (!repeats) seen.set(stateOf(homes, iteration), { iteration, tally: copyOf(tally) });
    kernels = loop.kernels(homes, iteration);
    peak = Math.max(peak, countIteration(loop, kernels, homes, iteration, { tally, readsOf }));
    for (const { from } of loop.given(homes, iteration, kernels)) {
      tally.dispatches++;
      readHome(tally, from);
    }
    homes = loop.after(homes, iteration, kernels);
  }
  const { homes: ends, copied } = endingOf(loop, homes);
  ends.forEach((home, i) => {
    if (home === null) return;
    if (copied[i]) {
      tally.dispatches++;
      readHome(tally, home);
    } else if (home.kind === "made") handedOf(tally, bytesOf(home.type)).writes--;
  });
  return {
    dispatches: tally.dispatches,
    reads: [...tally.outside.values()].map(({ value, elements, times }) => ({
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
const stateOf = (homes: readonly Home[], iteration: number): string =>
  homes
    .map((p) => {
      if (p.kind === "made") return `${p.at}-${iteration - p.iteration}`;
      if (p.kind !== "row") return `${p.node.id}=${saidOf(p)}`;
      return `${p.node.id} from ${p.walk.start} ${p.walk.backwards}-${iteration - p.iteration}`;
    })
    .join(" ");

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

const typeAt = (home: Home): TensorType => (home.kind === "made" || home.kind === "row" ? home.type : home.node.type);

/** @param elements that are read of it, so many times */
function readHome(tally: Tally, home: Home, elements = sizeAt(typeAt(home)), times = 1): void {
  if (home.kind === "made") handedOf(tally, elements * dtypeBytes(home.type.dtype)).reads += times;
  if (home.kind !== "outside" && home.kind !== "row") return;
  const { id } = home.node;
  const key = `${id} ${elements}`;
  const known = tally.outside.get(key) ?? { value: id, elements, times: 0 };
  known.times += times;
  tally.outside.set(key, known);
}

interface Read {
  readonly home: Home;
  /** Distinct elements of it, and how often the kernel goes through them. */
  readonly elements: number;
  readonly times: number;
}

/** What the homes are that a kernel of the iteration reads, each once. */
function homesRead(
  { graph, argOf }: IterationKernels,
  launch: Launch,
  homes: readonly Home[],
  iteration: number,
  readsOf: ReadsOfLaunch,
): readonly Read[] {
  const { region } = launch;
  const reads = new Map(readsOf(graph, launch).map((read) => [read.value, read]));
  const found = new Map<string, Read>();
  for (const id of region.members)
    for (const input of node(graph, id).inputs) {
      const arg = argOf.get(input);
      if (!arg || region.members.includes(input)) continue;
      const home: Home =
        arg.kind === "value"
          ? { kind: "made", at: arg.at, iteration, type: node(graph, input).type }
          : homes[(arg as { at: number }).at]!;
      const { elements = 0, rereads = 0 } = reads.get(input) ?? {};
      if (home.kind !== "literal") found.set(input, { home, elements, times: 1 + rereads });
    }
  return [...found.values()];
}

/** Adds one iteration; bytes that its values take at once, those it was handed included. */
function countIteration(
  loop: LaunchedLoop,
  kernels: IterationKernels,
  homes: readonly Home[],
  iteration: number,
  { tally, readsOf }: { readonly tally: Tally; readonly readsOf: ReadsOfLaunch },
): number {
  const alive = new Map<string, number>();
  const keyOf = (at: number, of: number): string => `${at} ${of}`;
  for (const home of homes) if (home.kind === "made") alive.set(keyOf(home.at, home.iteration), bytesOf(home.type));
  let peak = 0;
  const nextHomes = loop.after(homes, iteration, kernels);
  const last = new Map<string, number>();
  const reads = kernels.launches.map((launch) => homesRead(kernels, launch, homes, iteration, readsOf));
  reads.forEach((list, i) => {
    for (const { home } of list) if (home.kind === "made") last.set(keyOf(home.at, home.iteration), i);
  });
  for (const home of nextHomes) if (home.kind === "made") last.set(keyOf(home.at, home.iteration), Infinity);
  kernels.launches.forEach((launch, i) => {
    tally.dispatches++;
    for (const { home, elements, times } of reads[i]!) readHome(tally, home, elements, times);
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
