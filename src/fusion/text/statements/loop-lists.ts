/** @file Lists to which each iteration of a loop appends: what it appends are rows of one tensor. */
import type { NodeId } from "../../ir";
import type { Interpreter, StatementRun } from "../interpreter";
import { leavesOf, mapLeaves } from "../values/trees";
import type { Operand, Scope, Value } from "../values/values";
import type { NameExpr, Statement } from "../reading/syntax";
import { bare, expressionsOf, type Expr } from "../reading/syntax";
import type { OneLoop } from "./one-loop";
import { itemsOfRows } from "./loop-rows";

/** A list that grows in each iteration. */
export interface Added {
  readonly name: NameExpr;
  /** Nodes of one iteration, in order. */
  readonly rows: readonly NodeId[];
  /** The list after all of them; `from`: which of the loop's rows are its own. */
  readonly after: (interpreter: Interpreter, run: StatementRun, oneLoop: OneLoop, from: number) => Value;
}

/** A call that makes a list longer, at its end or in front. */
interface Growing {
  readonly name: NameExpr;
  readonly inFront: boolean;
}

/** Calls of the body that make lists longer. */
export const growingIn = (body: readonly Statement[]): readonly Growing[] =>
  expressionsOf(body).flatMap((expr) => {
    const callee = expr.kind === "call" ? bare(expr.callee) : null;
    if (callee?.kind !== "member") return [];
    const [object, method] = [bare(callee.object), callee.name.text];
    const grows = object.kind === "name" && (method === "append" || method === "insert");
    return grows ? [{ name: object, inFront: method === "insert" }] : [];
  });

/** `hs[-1]`: the last item of a list. */
function lastOf(expr: Expr): string | null {
  if (expr.kind !== "subscript" || expr.indices.length !== 1) return null;
  const [object, index] = [bare(expr.object), expr.indices[0]!];
  const at = index.kind === "at" ? bare(index.value) : null;
  const isLast = at?.kind === "unary" && at.op === "-" && at.operand.kind === "number" && at.operand.value === 1;
  return isLast && object.kind === "name" ? object.name : null;
}

/**
 * Lists to whose end the body appends once and of which it reads nothing but the last item, a tensor: what it has appended is what the
 * next iteration reads there.
 */
export function lastItems(body: readonly Statement[], scope: Scope): readonly LastItem[] {
  const all = expressionsOf(body);
  const growing = growingIn(body);
  return growing.flatMap(({ name, inFront }) => {
    const reads = all.filter((expr) => lastOf(expr) === name.name).length;
    const mentioned = all.filter((expr) => expr.kind === "name" && expr.name === name.name).length;
    const value = scope.find(name.name)?.value;
    const last = value?.kind === "sequence" ? value.items.at(-1)?.value : undefined;
    const alone = growing.filter((each) => each.name.name === name.name).length === 1;
    if (inFront || !alone || reads === 0 || mentioned !== reads + 1 || last?.kind !== "tensor") return [];
    return [{ name, node: last.node }];
  });
}

/** The last item of a list before the first iteration. */
export interface LastItem {
  readonly name: NameExpr;
  readonly node: NodeId;
}

/** The list with another last item. */
export function withLast(value: Value, node: NodeId): Value {
  if (value.kind !== "sequence") return value;
  const last = value.items.at(-1)!;
  return {
    ...value,
    items: [...value.items.slice(0, -1), { ...last, value: { ...last.value, kind: "tensor", node } as Value }],
  };
}

/**
 * What one iteration has added to the lists that the body appends to.
 * @param before what stood behind each of their names before it
 * @param lasts lists whose last item it reads
 * @returns null where a list is read as well, or not only longer afterwards
 */
export function withRows(
  body: readonly Statement[],
  scope: Scope,
  before: ReadonlyMap<Growing, Value | undefined>,
  lasts: readonly LastItem[],
): readonly Added[] | null {
  const found: Added[] = [];
  for (const word of new Set([...before.keys()].map(({ name }) => name.name))) {
    const calls = [...before.keys()].filter(({ name }) => name.name === word);
    const [{ name, inFront }] = calls as [Growing];
    const mentioned = expressionsOf(body).filter((expr) => expr.kind === "name" && expr.name === word);
    const [was, now] = [before.get(calls[0]!), scope.find(word)?.value];
    const reads = lasts.some((last) => last.name.name === word);
    if ((mentioned.length !== calls.length && !reads) || was?.kind !== "sequence" || now?.kind !== "sequence")
      return null;
    if (calls.some((call) => call.inFront !== inFront)) return null;
    const added = addedTo(
      reads ? was.items.slice(0, -1) : was.items,
      reads ? now.items.toSpliced(was.items.length - 1, 1) : now.items,
      inFront,
    );
    if (!added || added.items.length !== calls.length) return null;
    const leaves = added.items.flatMap((item) => leavesOf(item).map(({ value }) => value));
    if (leaves.some((value) => value.kind !== "tensor")) return null;
    const rows = leaves.map((value) => (value as { readonly node: NodeId }).node);
    found.push({
      name,
      rows,
      after: (interpreter, run, oneLoop, from) => ({
        ...was,
        items: grown(was.items, added, rowsOf(interpreter, run, oneLoop, from, rows.length)),
      }),
    });
  }
  return found;
}

interface AddedItems {
  readonly items: readonly Operand[];
  readonly inFront: boolean;
}

/** What is new in a list that is longer at that end; null of any other. */
function addedTo(was: readonly Operand[], now: readonly Operand[], inFront: boolean): AddedItems | null {
  const more = now.length - was.length;
  const from = inFront ? more : 0;
  if (more < 1 || was.some((item, i) => now[from + i] !== item)) return null;
  return { items: inFront ? now.slice(0, more) : now.slice(was.length), inFront };
}

/** Rows of the loop, iteration by iteration: of each what an iteration has added. */
function rowsOf(
  interpreter: Interpreter,
  run: StatementRun,
  oneLoop: OneLoop,
  from: number,
  count: number,
): readonly (readonly Operand[])[] {
  const { groups } = run.frame;
  const { span } = run.statement;
  const label = run.root.split("/").at(-1)!.replace(/@\d+$/, "");
  const all = Array.from({ length: count }, (_, at) => {
    const id = (at === 0 ? run.root : `${run.root}#rows${at}`) as NodeId;
    const rows = itemsOfRows(interpreter, run, oneLoop.rows(from + at, { id, label, groups, span }), id);
    return oneLoop.backwards ? rows.toReversed() : rows;
  });
  return Array.from({ length: all[0]?.length ?? 0 }, (_, turn) => all.map((rows) => rows[turn]!));
}

function grown(
  was: readonly Operand[],
  { items, inFront }: AddedItems,
  turns: readonly (readonly Operand[])[],
): readonly Operand[] {
  const filled = turns.map((rows) => {
    let next = 0;
    return items.map((item) => mapLeaves(item, () => rows[next++]!));
  });
  return inFront ? [...filled.toReversed().flat(), ...was] : [...was, ...filled.flat()];
}
