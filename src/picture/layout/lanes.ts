/** @file Columns: chains of main operands stand one below the other, side branches in lanes to the right. Linear in the graph. */
import type { NodeId } from "../../fusion";
import { boxSizes } from "../../document";
import { sizeIn } from "./sketch";
import type { Sketch } from "./sketch";
import type { Box, GraphLayout } from "./request";

/** With a pipe between two neighbouring rows of ops, to or from a pill, and without a pipe. */
const PIPE_GAP = 24;
const PILL_GAP = 18;
const INNER_GAP = 18;
const LANE_GAP = 60;
/** After a lane of docked inputs only. */
const DOCK_LANE_GAP = 36;
const DOCK_GAP = 6;

/** `chain[i]` is the chain of node i; `chains[c]` its nodes from top to bottom. Docked inputs are in none (−1). */
interface Chains {
  readonly chain: readonly number[];
  readonly chains: readonly (readonly number[])[];
}

/** A node goes on to the reader that continues it latest, so that what leaves and comes back stands beside it. */
function chainsOf({ nodes, before, after, dock, main }: Sketch): Chains {
  const up = nodes.map(() => 0);
  const down = nodes.map(() => 0);
  nodes.forEach((_, i) => {
    for (const p of before[i]!) up[i] = Math.max(up[i]!, up[p]! + 1);
  });
  for (let i = nodes.length - 1; i >= 0; i--) for (const s of after[i]!) down[i] = Math.max(down[i]!, down[s]! + 1);
  const later = (a: number, b: number): boolean => up[a]! > up[b]! || (up[a] === up[b] && down[a]! > down[b]!);
  const next = nodes.map((_, i) => {
    let best = -1;
    for (const s of after[i]!) {
      const goesOn = main[s] === i && nodes[s]!.kind !== "output" && nodes[s]!.guest === nodes[i]!.guest;
      if (goesOn && (best < 0 || later(s, best))) best = s;
    }
    return best >= 0 ? best : (after[i]!.find((s) => main[s] === i) ?? -1);
  });
  const chain = nodes.map(() => -1);
  const chains: number[][] = [];
  nodes.forEach((_, i) => {
    if (chain[i]! >= 0 || dock[i]! >= 0) return;
    const list: number[] = [];
    for (let at = i; at >= 0 && chain[at]! < 0; at = next[at]!) {
      chain[at] = chains.length;
      list.push(at);
    }
    chains.push(list);
  });
  return { chain, chains };
}

/**
 * Rows by longest path. A branch may start and end in its neighbour's row: the edge then runs level. What several read, and
 * a single op between the same input and its reader, stands above who reads it.
 */
function rowsOf(sketch: Sketch, { chain, chains }: Chains): number[] {
  const { nodes, before, after, dock, main } = sketch;
  const busy = new Set(dock.filter((to) => to >= 0));
  const isHead = nodes.map((_, i) => chain[i]! >= 0 && chains[chain[i]!]![0] === i);
  const isTail = nodes.map((_, i) => chain[i]! >= 0 && chains[chain[i]!]!.at(-1) === i);
  const isBranch = (i: number): boolean => nodes[i]!.kind === "op" && !nodes[i]!.guest;
  const fromInput = (i: number): boolean => isHead[i]! && (main[i]! < 0 || nodes[main[i]!]!.kind === "input");
  const endsLevel = (p: number): boolean => isTail[p]! && after[p]!.length === 1 && isBranch(p) && !fromInput(p);
  const level = new Set<string>();
  nodes.forEach((node, i) => {
    const parent = main[i]!;
    const apart = node.kind === "output" || node.guest || parent < 0 || nodes[parent]!.kind === "input";
    if (!isHead[i] || apart || busy.has(parent)) return;
    busy.add(parent);
    level.add(`${parent}>${i}`);
  });
  nodes.forEach((node, i) => {
    const from = before[i]!.find((p) => chain[p] !== chain[i] && endsLevel(p));
    if (from === undefined || busy.has(i) || node.kind === "output" || busy.has(from)) return;
    busy.add(i);
    level.add(`${from}>${i}`);
  });
  const row = nodes.map(() => 0);
  nodes.forEach((_, i) => {
    if (dock[i]! >= 0) return;
    for (const p of before[i]!) {
      if (dock[p]! < 0) row[i] = Math.max(row[i]!, row[p]! + (level.has(`${p}>${i}`) ? 0 : 1));
    }
  });
  lowerBranches(sketch, chains, row, (tail, reader) => level.has(`${tail}>${reader}`));
  dock.forEach((to, i) => {
    if (to >= 0) row[i] = row[to]!;
  });
  return row;
}

/** A branch that reads one input alone, such as a transposed weight, stands with its input beside its reader, not at the top. */
function lowerBranches(
  { nodes, before, after }: Sketch,
  chains: Chains["chains"],
  row: number[],
  isLevel: (tail: number, reader: number) => boolean,
): void {
  for (const list of chains) {
    const [head, ...others] = list;
    const tail = list.at(-1)!;
    const [reader, ...more] = after[tail]!;
    if (nodes[head!]!.kind !== "input" || reader === undefined || more.length > 0) continue;
    if (others.length === 0 || others.some((i) => before[i]!.length > 1)) continue;
    if (list.slice(0, -1).some((i) => after[i]!.length > 1)) continue;
    const lower = row[reader]! - (isLevel(tail, reader) ? 0 : 1) - row[tail]!;
    if (lower > 0) for (const i of list) row[i] = row[i]! + lower;
  }
}

/** Intervals of rows that are taken, sorted; answers the first lane from `from` on where [top, bottom] is free. */
class Lanes {
  private readonly taken: [number, number][][] = [];
  get count(): number {
    return this.taken.length;
  }
  take(from: number, top: number, bottom: number): number {
    for (let lane = from; ; lane++) if (this.occupy(lane, top, bottom)) return lane;
  }
  /** Takes the rows of this one lane, where they are free. */
  occupy(lane: number, top: number, bottom: number): boolean {
    const list = (this.taken[lane] ??= []);
    const at = firstEndingAfter(list, top);
    if (at < list.length && list[at]![0] <= bottom) return false;
    list.splice(at, 0, [top, bottom]);
    return true;
  }
}

function firstEndingAfter(list: readonly [number, number][], row: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid]![1] < row) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** Of each node whether nothing connects it to an input that is read: what was just drawn, or declared and not used yet. */
function looseNodes({ nodes, before, after }: Sketch): boolean[] {
  const isLoose = nodes.map(() => true);
  const reached = nodes.flatMap(({ kind }, i) => (kind === "input" && after[i]!.length > 0 ? [i] : []));
  for (const i of reached) isLoose[i] = false;
  for (let i = reached.pop(); i !== undefined; i = reached.pop())
    for (const next of [...before[i]!, ...after[i]!])
      if (isLoose[next]) {
        isLoose[next] = false;
        reached.push(next);
      }
  return isLoose;
}

/**
 * A chain keeps its lane free for its lines as far as it is read. What a step takes away (a guest) stands where no box is:
 * the lines that would pass there come with the step.
 */
function lanesOf(sketch: Sketch, { chain, chains }: Chains, row: readonly number[]): { lane: number[]; count: number } {
  const { nodes, after, dock, main } = sketch;
  const loose = looseNodes(sketch);
  const lanes = new Lanes();
  /** The rows where boxes stand, without those that only a line passes. */
  const boxes = new Lanes();
  const lane = nodes.map(() => 0);
  const docked = new Map<number, number[]>();
  dock.forEach((to, i) => {
    if (to >= 0) docked.set(to, [...(docked.get(to) ?? []), i]);
  });
  // What is not connected yet comes last, in the order of the text: it moves nothing that stands here, and is connected from left to right.
  const isLoose = ([head]: readonly number[]): boolean => loose[head!]!;
  const weight = chains.map((list) => (isLoose(list) ? -1 : list.reduce((sum, i) => sum + nodes[i]!.bytes, 0)));
  const spine = Math.max(0, weight.indexOf(Math.max(0, ...weight.slice(0, 10_000))));
  const late = (c: number): number =>
    c === spine ? -1 : isLoose(chains[c]!) ? 2 : Number(nodes[chains[c]![0]!]!.guest);
  const order = chains.map((_, c) => c).sort((a, b) => late(a) - late(b) || startOf(a) - startOf(b));
  function startOf(c: number): number {
    return row[chains[c]![0]!]!;
  }
  for (const c of order) {
    const list = chains[c]!;
    const [head, tail] = [list[0]!, list.at(-1)!];
    const parent = main[head]!;
    const home = parent >= 0 && chain[parent]! >= 0 ? lane[parent]! + 1 : c === spine ? 0 : 1;
    const top = parent >= 0 ? Math.min(row[head]!, row[parent]! + 1) : row[head]!;
    const rejoin = after[tail]!.reduce((low, s) => Math.max(low, row[s]! - 1), row[tail]!);
    const at = nodes[head]!.guest
      ? boxes.take(Math.max(0, home - 1), row[head]!, row[tail]!)
      : lanes.take(nodes[head]!.kind === "input" && parent < 0 ? Math.max(0, home - 1) : home, top, rejoin);
    if (nodes[head]!.guest) lanes.occupy(at, row[head]!, row[tail]!);
    for (const i of list) {
      lane[i] = at;
      boxes.occupy(at, row[i]!, row[i]!);
      const beside = docked.get(i);
      if (!beside) continue;
      const side = lanes.take(at + 1, row[i]!, row[i]!);
      boxes.occupy(side, row[i]!, row[i]!);
      for (const d of beside) lane[d] = side;
    }
  }
  return { lane, count: lanes.count };
}

/** Left borders of the lanes: one that holds docked inputs only is narrower. */
function laneStarts(sketch: Sketch, lane: readonly number[]): number[] {
  const widths: number[] = [];
  lane.forEach((at, i) => (widths[at] = Math.max(widths[at] ?? 0, sizeIn(sketch, i).width)));
  const starts: number[] = [];
  let x = 0;
  for (let at = 0; at < widths.length; at++) {
    starts.push(x);
    const width = widths[at] ?? 0;
    x += width + (width < boxSizes.op.width ? DOCK_LANE_GAP : LANE_GAP);
  }
  return starts;
}

/** Positions from rows and lanes. Docked inputs of one reader are stacked in its row. */
function placed(sketch: Sketch, row: readonly number[], lane: readonly number[]): GraphLayout {
  const { nodes, dock } = sketch;
  const stack = new Map<number, number[]>();
  dock.forEach((to, i) => {
    if (to >= 0) stack.set(to, [...(stack.get(to) ?? []), i]);
  });
  const rowHeight: number[] = [];
  const stackHeight = (list: readonly number[]): number =>
    list.length * boxSizes.docked.height + (list.length - 1) * DOCK_GAP;
  nodes.forEach((_, i) => {
    const height = Math.max(sizeIn(sketch, i).height, stack.has(i) ? stackHeight(stack.get(i)!) : 0);
    rowHeight[row[i]!] = Math.max(rowHeight[row[i]!] ?? 0, height);
  });
  const gaps = new Map<number, number>();
  for (const { from, to } of sketch.piped) {
    if (row[to]! !== row[from]! + 1) continue;
    const pill = nodes[from]!.kind !== "op" || nodes[to]!.kind !== "op";
    gaps.set(row[from]!, Math.max(gaps.get(row[from]!) ?? 0, pill ? PILL_GAP : PIPE_GAP));
  }
  const top: number[] = [];
  let y = 0;
  let gap = 0;
  for (let r = 0; r < rowHeight.length; r++) {
    top[r] = y + gap;
    y = top[r]! + (rowHeight[r] ?? 0);
    gap = gaps.get(r) ?? INNER_GAP;
  }
  const laneX = laneStarts(sketch, lane);
  const boxes = new Map<NodeId, Box>();
  let width = 0;
  nodes.forEach((node, i) => {
    const size = sizeIn(sketch, i);
    const x = laneX[lane[i]!]!;
    const middle = top[row[i]!]! + rowHeight[row[i]!]! / 2;
    const beside = dock[i]! >= 0 ? stack.get(dock[i]!)! : null;
    const offset = beside ? beside.indexOf(i) * (size.height + DOCK_GAP) - stackHeight(beside) / 2 : -size.height / 2;
    boxes.set(node.id, { x, y: Math.round(middle + offset), ...size });
    width = Math.max(width, x + size.width);
  });
  return { boxes, bends: new Map(), width, height: y };
}

/** The layout and the number of lanes it took: many lanes mean a graph that columns do not suit. */
export function laneLayout(sketch: Sketch): { layout: GraphLayout; lanes: number } {
  const chains = chainsOf(sketch);
  const row = rowsOf(sketch, chains);
  const { lane, count } = lanesOf(sketch, chains, row);
  return { layout: placed(sketch, row, lane), lanes: count };
}
