/** @file Pytrees: lists, tuples and dictionaries, one in the other, with tensors and numbers as leaves. JAX's words for them. */
import type { Interpreter } from "../interpreter";
import type { CallExpr } from "../reading/syntax";
import { BROKEN, describe, isBroken, NONE, type Operand, type Value } from "./values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** Whether the value holds others: what is none of these is a leaf, but for None, which is a tree without leaves. */
const isBranch = (value: Value): value is Extract<Value, { kind: "sequence" | "dict" }> =>
  value.kind === "sequence" || value.kind === "dict";

/** Entries of a dictionary as JAX walks them: by key. */
const sorted = (entries: ReadonlyMap<string, Operand>): readonly (readonly [string, Operand])[] =>
  [...entries].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));

/** Leaves from left to right, dictionaries by their keys. */
export function leavesOf(operand: Operand): readonly Operand[] {
  const { value } = operand;
  if (value.kind === "none") return [];
  if (value.kind === "sequence") return value.items.flatMap(leavesOf);
  if (value.kind === "dict") return sorted(value.entries).flatMap(([, each]) => leavesOf(each));
  return [operand];
}

/** The same tree with other leaves, given in `leavesOf`'s order. */
export function mapLeaves(operand: Operand, to: (leaf: Operand, at: number) => Operand): Operand {
  let at = 0;
  const visit = (each: Operand): Operand => {
    const { value } = each;
    if (value.kind === "none") return each;
    if (value.kind === "sequence") return { ...each, value: { ...value, items: value.items.map(visit) } };
    if (value.kind !== "dict") return to(each, at++);
    const made = new Map(sorted(value.entries).map(([key, entry]) => [key, visit(entry)] as const));
    const entries = new Map([...value.entries.keys()].map((key) => [key, made.get(key)!] as const));
    return { ...each, value: { ...value, entries } };
  };
  return visit(operand);
}

/** What `prefix` says of each leaf of `slot`: a leaf of the prefix stands for everything below it. Null where the two have other branches. */
export function broadcastPrefix(prefix: Value, operand: Operand): readonly Value[] | null {
  const { value } = operand;
  if (!isBranch(prefix) || !isBranch(value)) return isBranch(prefix) ? null : leavesOf(operand).map(() => prefix);
  const pairs = paired([prefix, value]);
  const found = pairs?.map(([of, below]) => broadcastPrefix(of!.value, below!));
  return !found || found.includes(null) ? null : found.flatMap((each) => each!);
}

/** Whether both have the same branches, down to their leaves. */
export function branchAlike(a: Value, b: Value): boolean {
  if (!isBranch(a) && !isBranch(b)) return true;
  return paired([a, b])?.every(([of, other]) => branchAlike(of!.value, other!.value)) ?? false;
}

/** Entries of trees that branch alike, side by side; null when they don't. */
function paired(trees: readonly Value[]): readonly (readonly Operand[])[] | null {
  const [first] = trees;
  if (first?.kind === "sequence") {
    const lists = trees.flatMap((each) => (each.kind === "sequence" ? [each.items] : []));
    const fits = lists.length === trees.length && lists.every((list) => list.length === first.items.length);
    return fits ? first.items.map((_, i) => lists.map((list) => list[i]!)) : null;
  }
  if (first?.kind !== "dict") return null;
  const keys = sorted(first.entries).map(([key]) => key);
  const maps = trees.flatMap((each) => (each.kind === "dict" ? [each.entries] : []));
  const fits =
    maps.length === trees.length && maps.every((map) => map.size === keys.length && keys.every((key) => map.has(key)));
  return fits ? keys.map((key) => maps.map((map) => map.get(key)!)) : null;
}

interface Call {
  readonly expr: CallExpr;
  readonly path: string;
}
type Caller = (operands: readonly Operand[], path: string) => Value;

const WORDS: ReadonlyMap<string, string> = new Map([
  ["tree_map", "map"],
  ["tree_multimap", "map"],
  ["tree_leaves", "leaves"],
  ["tree_flatten", "flatten"],
  ["tree_unflatten", "unflatten"],
  ["tree_structure", "structure"],
  ["tree_reduce", "reduce"],
]);

/** Which function of trees a call means: `tree_map`, `jax.tree.map`; null of any other call. */
export function treeCall(interpreter: Interpreter, { callee }: CallExpr, name: string): string | null {
  const found = WORDS.get(name);
  if (found) return found;
  const source = interpreter.text.slice(callee.span.from, callee.span.to);
  const under = /(?:^|\.)tree(?:_util)?\s*\.\s*(\w+)$/.exec(source)?.[1];
  return under && [...WORDS.values()].includes(under) ? under : null;
}

/** The value of a function of trees. `apply` calls a function with leaves. */
export function treeValue(
  interpreter: Interpreter,
  call: Call,
  word: string,
  operands: readonly Operand[],
  apply: Caller,
): Value {
  if (operands.some(({ value }) => isBroken(value))) return BROKEN;
  const refuse = (text: string): Value => {
    interpreter.diagnostics.add("bad-argument", call.expr.span, text);
    return BROKEN;
  };
  const [first, second, third] = operands;
  if (!first) return refuse(`${word} takes a tree: lists, tuples and dictionaries of tensors.`);
  if (word === "leaves") return { kind: "sequence", items: leavesOf(first), list: true };
  if (word === "structure") return first.value;
  if (word === "flatten") {
    const leaves: Value = { kind: "sequence", items: leavesOf(first), list: true };
    return { kind: "sequence", items: [loose(leaves), first] };
  }
  if (!second)
    return refuse(`${word} takes ${word === "unflatten" ? "a structure and its leaves" : "a def and a tree"}.`);
  if (word === "unflatten") {
    const leaves = second.value.kind === "sequence" ? second.value.items : [second];
    const wanted = leavesOf(first).length;
    if (leaves.length !== wanted) return refuse(`The structure has ${wanted} leaves; these are ${leaves.length}.`);
    return mapLeaves(first, (_, at) => leaves[at]!).value;
  }
  if (word === "reduce") {
    const all = [...(third ? [third] : []), ...leavesOf(second)];
    const [start, ...rest] = all;
    if (!start) return NONE;
    return rest.reduce((sum, leaf, i): Operand => {
      const path = i === rest.length - 1 ? call.path : `${call.path}#${i}`;
      return { value: apply([first, sum, leaf], path), path, expr: call.expr };
    }, start).value;
  }
  return mapped(call, operands, apply, refuse);
}

/** `tree_map(f, tree, *others)`: f of the leaves with one path in each. */
function mapped(
  call: Call,
  [f, tree, ...others]: readonly Operand[],
  apply: Caller,
  refuse: (text: string) => Value,
): Value {
  let odd: Value | null = null;
  let at = 0;
  const visit = (operands: readonly Operand[]): Operand => {
    const [first] = operands as [Operand];
    const { value } = first;
    if (value.kind === "none") return first;
    if (!isBranch(value)) {
      const path = `${call.path}#${at++}`;
      return { value: apply([f!, ...operands], path), path, expr: call.expr };
    }
    const pairs = paired(operands.map((each) => each.value));
    if (!pairs) {
      odd ??= operands.find((each) => paired([value, each.value]) === null)?.value ?? BROKEN;
      return loose(BROKEN);
    }
    const made = pairs.map(visit);
    if (value.kind === "sequence") return { ...first, value: { ...value, items: made } };
    const keys = sorted(value.entries).map(([key]) => key);
    const byKey = new Map(keys.map((key, i) => [key, made[i]!] as const));
    return {
      ...first,
      value: { ...value, entries: new Map([...value.entries.keys()].map((k) => [k, byKey.get(k)!])) },
    };
  };
  const { value } = visit([tree!, ...others]);
  return odd
    ? refuse(`tree_map takes trees of the same structure; beside ${describe(tree!.value)} stands ${describe(odd)}.`)
    : value;
}
