/** @file The blocks that a program repeats: iterations of a loop, calls of a `def`, or equal stretches of a program without either. */
import type { Graph, Node, NodeId } from "./ir";
import { opsInOrder, runsOf } from "./runs";

/** One of several equal blocks. */
export interface Block {
  /** Identity of the fold that holds all of them, and of the one that holds this alone. */
  readonly all: string;
  readonly one: string;
  /** `block`, `for i` */
  readonly label: string;
  /** From 1. */
  readonly number: number;
  readonly count: number;
}

export type Blocks = ReadonlyMap<NodeId, Block>;

/** Fewer ops than this fill no screen. */
const LEAST_OPS = 48;

const memory = new WeakMap<Graph, Blocks>();

/** The repeated blocks of a source graph, by op. */
export function blocksOf(source: Graph): Blocks {
  const known = memory.get(source);
  if (known) return known;
  const ops = opsInOrder(source);
  const named = namedBlocks(ops);
  const blocks = named.size > 0 || ops.length < LEAST_OPS ? named : equalBlocks(ops);
  memory.set(source, blocks);
  return blocks;
}

/** Calls and iterations that occur at least twice, by what is written on them. */
function namedBlocks(ops: readonly Node[]): Blocks {
  const series = new Map<string, Map<string, NodeId[]>>();
  for (const { id, groups } of ops) {
    const outer = groups.find(({ kind }) => kind !== "composite");
    if (!outer) continue;
    const label = outer.label.replace(/ = \d+$/, "");
    const iterations = series.get(label) ?? new Map<string, NodeId[]>();
    iterations.set(outer.id, [...(iterations.get(outer.id) ?? []), id]);
    series.set(label, iterations);
  }
  const blocks = new Map<NodeId, Block>();
  for (const [label, iterations] of series) {
    if (iterations.size < 2) continue;
    let number = 0;
    for (const [one, ids] of iterations) {
      const block = { all: `×${label}`, one, label, number: ++number, count: iterations.size };
      for (const id of ids) blocks.set(id, block);
    }
  }
  return blocks;
}

/** Equal stretches. Where there are several kinds, a letter tells them apart. */
function equalBlocks(ops: readonly Node[]): Blocks {
  const runs = runsOf(ops).toSorted((a, b) => a.start - b.start);
  const kinds = [...new Set(runs.map(({ kind }) => kind))];
  const blocks = new Map<NodeId, Block>();
  for (const { start, length, count, kind } of runs) {
    const letter = String.fromCodePoint(65 + (kinds.indexOf(kind) % 26));
    const label = kinds.length > 1 ? `block ${letter}` : "block";
    const all = `×${ops[start]!.id}`;
    for (let iteration = 0; iteration < count; iteration++) {
      const block = { all, one: `${all}#${iteration}`, label, number: iteration + 1, count };
      for (let i = 0; i < length; i++) blocks.set(ops[start + iteration * length + i]!.id, block);
    }
  }
  return blocks;
}

/**
 * The blocks of `source`, and of those of `ops` that a pass made: they belong where all their readers do, else where all
 * their operands do. `ops` has producers first.
 */
export function blocksAmong(
  source: Graph,
  ops: readonly NodeId[],
  edges: Iterable<{ readonly from: NodeId; readonly to: NodeId }>,
): Blocks {
  const blocks = blocksOf(source);
  const made = ops.filter((id) => !source.nodes.has(id));
  if (blocks.size === 0 || made.length === 0) return blocks;
  const all = new Map(blocks);
  const [readers, operands] = [new Map<NodeId, NodeId[]>(), new Map<NodeId, NodeId[]>()];
  for (const id of made) {
    readers.set(id, []);
    operands.set(id, []);
  }
  for (const { from, to } of edges) {
    readers.get(from)?.push(to);
    operands.get(to)?.push(from);
  }
  const common = (ids: readonly NodeId[] = []): Block | null => {
    const found = ids.flatMap((id) => all.get(id) ?? []);
    return found.length > 0 && found.every(({ one }) => one === found[0]!.one) ? found[0]! : null;
  };
  for (const id of made.toReversed()) {
    const block = common(readers.get(id)) ?? common(operands.get(id));
    if (block) all.set(id, block);
  }
  return all;
}

/** Above this many ops a graph is large: everything starts folded. */
export const MAX_UNFOLDED = 300;
const MANY_REPEATS = 3;
const MORE_THAN_A_SCREEN = 24;

/** A series of `count` blocks with `inside` ops starts folded when there are several, or the graph is large, and they do not fit a screen. */
export const opensFolded = (inside: number, count: number, ops: number): boolean =>
  inside > MORE_THAN_A_SCREEN && (count >= MANY_REPEATS || ops > MAX_UNFOLDED);
