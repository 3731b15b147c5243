/** @file What the statements of retained elements mean: each thread has a list of the first few that it met, and the threads of a row take from all of theirs. */
import type { Reg, Retained, Stmt, Value } from "../emit/kernel-ir";
import { each, type NumberOf, type Run } from "./threads";

type Element = readonly [key: number, index: number];

/** The elements that each thread retains, in order. */
export type RetainedLists = Map<number, Element[]>;

type Retaining = Extract<Stmt, { kind: "retainNone" | "retain" | "takeRetained" }>;

/** What a machine knows of a statement's operands, and of itself. */
interface Seen {
  readonly numberOf: (value: Value) => NumberOf;
  readonly cellsOf: (reg: Reg) => Float64Array;
  readonly problem: (text: string) => void;
  readonly subgroupSize: number;
}

/** What stands where nothing is retained. */
const NONE: Element = [0x7fffffff, 0x7fffffff];

const isBefore = ([a, i]: Element, [b, j]: Element, ties: boolean): boolean => a < b || (ties && a === b && i < j);

/** What active threads do at one of these statements. @param all the lists of every name */
export function retaining(stmt: Retaining, all: Map<string, RetainedLists>, seen: Seen): Run {
  const { list } = stmt;
  const lists: RetainedLists = all.get(list.name) ?? new Map();
  all.set(list.name, lists);
  if (stmt.kind === "retainNone") return () => lists.clear();
  if (stmt.kind === "retain") {
    const [key, index] = [seen.numberOf(stmt.key), seen.numberOf(stmt.index)];
    return each((thread) => retain(lists, list, thread, [key(thread, 0), index(thread, 0)]));
  }
  const [keys, indices] = [seen.cellsOf(stmt.key), seen.cellsOf(stmt.index)];
  return (active) => {
    if (list.lanes > seen.subgroupSize) seen.problem(`${list.lanes} threads of a row are no subgroup`);
    const taken = takeFirst(lists, list, [...active.list.subarray(0, active.count)]);
    for (const [thread, [key, index]] of taken) [keys[thread], indices[thread]] = [key, index];
  };
}

/** An element goes into the list of its thread. */
function retain(lists: RetainedLists, { count, ties }: Retained, thread: number, element: Element): void {
  const list = lists.get(thread) ?? [];
  const at = list.findIndex((other) => isBefore(element, other, ties));
  const slot = at < 0 ? list.length : at;
  // What comes after all is retained only where indices decide.
  if (slot < count && (ties || element[0] < NONE[0])) list.splice(slot, 0, element);
  lists.set(thread, list.slice(0, count));
}

/** For each thread, the first element of its row; it is taken from the list that has it. */
function takeFirst(
  lists: RetainedLists,
  { lanes }: Retained,
  threads: readonly number[],
): ReadonlyMap<number, Element> {
  const rowOf = (thread: number): number => Math.floor(thread / lanes);
  const first = new Map<number, Element>();
  for (const thread of threads) {
    const own = lists.get(thread)?.[0] ?? NONE;
    const best = first.get(rowOf(thread));
    if (!best || isBefore(own, best, true)) first.set(rowOf(thread), own);
  }
  const found = new Map(threads.map((thread) => [thread, first.get(rowOf(thread))!]));
  for (const [thread, element] of found) if (lists.get(thread)?.[0] === element) lists.get(thread)!.shift();
  return found;
}
