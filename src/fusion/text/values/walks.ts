/** @file Python's functions that go through items with more to say: the order of `sorted`, the first number of `enumerate`, `functools.reduce`; and comprehensions. */
import type { Interpreter, StatementRun } from "../interpreter";
import { onceThrough } from "../statements/generators";
import { itemsOf, itemsStill } from "../statements/iterate";
import { dictKey, entryUnder } from "../reading/strings";
import type { CallExpr, ComprehensionExpr } from "../reading/syntax";
import { staticCondition } from "../statements/static-condition";
import { bindTargets } from "../statements/targets";
import { truthOf } from "./constants";
import { BROKEN, describe, isBroken, numberValue, type Operand, Scope, type Value } from "./values";

interface Call {
  readonly expr: CallExpr;
  readonly path: string;
}

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** What stands for Python's order of two values; null where they have none. */
function compared(a: Value, b: Value): number | null {
  const plain = (value: Value): number | string | null =>
    value.kind === "number" || value.kind === "string"
      ? value.value
      : value.kind === "bool"
        ? Number(value.value)
        : null;
  const [x, y] = [plain(a), plain(b)];
  if (x !== null && y !== null && typeof x === typeof y) return x < y ? -1 : Number(x > y);
  if (a.kind !== "sequence" || b.kind !== "sequence") return null;
  for (const [i, { value }] of a.items.entries()) {
    const other = b.items[i];
    if (!other) return 1;
    const order = compared(value, other.value);
    if (order !== 0) return order;
  }
  return a.items.length - b.items.length;
}

/** `sorted(items, key=…, reverse=…)`: the items in order, and `max` and `min` with a key are the ends of it. */
function sortedItems(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: Call,
  items: readonly Operand[],
  named: ReadonlyMap<string, Operand>,
  name = "sorted",
): readonly Operand[] | null {
  const key = named.get("key")?.value;
  const keys = items.map((operand, i) =>
    key && key.kind !== "none"
      ? interpreter.call(run, { expr: { ...expr, args: [] }, path: `${path}/key${i}` }, key, [
          { name: null, operand, span: expr.span },
        ])
      : operand.value,
  );
  const isDown = name === "max" || (named.has("reverse") && truthOf(named.get("reverse")!.value) === true);
  let wrong: Value | null = null;
  const order = items
    .map((_, i) => i)
    .toSorted((a, b) => {
      const found = compared(keys[a]!, keys[b]!);
      if (found === null) wrong = keys[a]!;
      return (found ?? 0) * (isDown ? -1 : 1) || a - b;
    });
  if (!wrong) return order.map((i) => items[i]!);
  const text = `${name} orders numbers, texts and tuples of them; this is ${describe(wrong)}.`;
  interpreter.diagnostics.add("bad-argument", expr.span, text);
  return null;
}

/** `functools.reduce(f, items, start)`. */
function reduced(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: Call,
  f: Value,
  items: readonly Operand[],
): Value {
  const [first, ...more] = items;
  if (!first) return BROKEN;
  return more.reduce<Operand>((so, item, i) => {
    const at = `${path}/fold${i}`;
    const given = [so, item].map((operand) => ({ name: null, operand, span: expr.span }));
    return { value: interpreter.call(run, { expr: { ...expr, args: [] }, path: at }, f, given), path: at, expr };
  }, first).value;
}

/** What a call of these functions answers; null of any other, and of what has no items. */
export function walkCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: Call,
  name: string,
  operands: readonly Operand[],
): Value | null {
  const { args } = call.expr;
  const named = new Map(
    args.length === operands.length
      ? args.flatMap((arg, i): [string, Operand][] => (arg.name ? [[arg.name.text, operands[i]!]] : []))
      : [],
  );
  const plain = operands.filter((operand) => ![...named.values()].includes(operand));
  const itemsIn = (operand: Operand | undefined): readonly Operand[] | null =>
    operand ? itemsOf(interpreter, run, operand, `${call.path}/in`) : null;
  if (name === "sorted" && plain.length === 1) {
    const items = itemsIn(plain[0]);
    const ordered = items && sortedItems(interpreter, run, call, items, named);
    return items && (ordered ? { kind: "sequence", list: true, items: ordered } : BROKEN);
  }
  if ((name === "max" || name === "min") && named.has("key") && plain.length > 0) {
    const items = plain.length === 1 ? itemsIn(plain[0]) : plain;
    const ordered = items && sortedItems(interpreter, run, call, items, named, name);
    return items && (ordered?.[0]?.value ?? BROKEN);
  }
  if (name === "enumerate") {
    const items = plain[0] ? itemsStill(interpreter, run, plain[0], `${call.path}/in`) : null;
    const begin = (plain[1] ?? named.get("start"))?.value ?? numberValue(0, true);
    if (!items || begin.kind !== "number") return null;
    const pair = (item: Operand, i: number): Operand =>
      loose({ kind: "sequence", items: [loose(numberValue(begin.value + i, true)), item] });
    return onceThrough(items.map(pair), { of: plain[0]!.value });
  }
  const [f, list, start] = plain;
  if (name === "filter" && f && list) {
    const items = itemsIn(list);
    const holds = items?.map((item, i) =>
      f.value.kind === "none"
        ? truthOf(item.value)
        : truthOf(
            interpreter.call(run, { expr: { ...call.expr, args: [] }, path: `${call.path}/filter${i}` }, f.value, [
              { name: null, operand: item, span: call.expr.span },
            ]),
          ),
    );
    return items && holds && !holds.includes(null) ? onceThrough(items.filter((_, i) => holds[i])) : null;
  }
  if (name !== "reduce" || !f || f.value.kind === "tensor") return null;
  const items = itemsIn(list);
  return items && reduced(interpreter, run, call, f.value, start ? [start, ...items] : items);
}

/** Deeper than people nest comprehensions; keeps the engine's own stack small. */
const MAX_DEPTH = 12;
const MAX_ITEMS = 10_000;

/** The element once for each item; nodes made for item i take paths under `path#i`. */
export function comprehended(
  interpreter: Interpreter,
  run: StatementRun,
  expr: ComprehensionExpr,
  iterable: Operand,
  path: string,
): Value {
  const { frame } = run;
  const nested = (frame.nested ?? 0) + 1;
  if (isBroken(iterable.value)) return BROKEN;
  const itemsIn = expr.isOnce && !expr.test && !expr.joins ? itemsStill : itemsOf;
  const found = nested > MAX_DEPTH ? null : itemsIn(interpreter, run, iterable, `${path}/in`);
  if (!found || found.length > MAX_ITEMS) {
    interpreter.diagnostics.add(
      "outside-language",
      expr.iterable.span,
      "A comprehension goes over range(n) with a constant n, over a tuple, or over the first axis of a tensor.",
    );
    return BROKEN;
  }
  const items: Operand[] = [];
  const entries = new Map<string, Operand>();
  // One scope: a lambda in it finds what the name stands for when it is called.
  const scope = new Scope(frame.scope, frame.scope.owner);
  const inner: StatementRun = { ...run, frame: { ...frame, scope, nested } };
  found.forEach((item, i) => {
    bindTargets(interpreter, inner, expr.target, item.value, "loop");
    const at = `${path}#${i}`;
    const test = expr.test
      ? { value: interpreter.valueOf(inner, expr.test, `${at}/if`), path: at, expr: expr.test }
      : null;
    if (test && staticCondition(interpreter, test, expr.test!) !== true) return;
    const operand = { value: interpreter.valueOf(inner, expr.element, at), path: at, expr: expr.element };
    const name = expr.key && { value: interpreter.valueOf(inner, expr.key, `${at}/key`), path: at, expr: expr.key };
    const key = name && dictKey(interpreter, name);
    if (name && key !== null) entries.set(key, entryUnder(name, operand));
    else if (expr.joins && operand.value.kind === "sequence") items.push(...operand.value.items);
    else items.push(operand);
  });
  if (expr.key) return { kind: "dict", entries };
  return expr.isOnce
    ? onceThrough(items, ...(items.length === found.length ? [iterable.value] : []).map((of) => ({ of })))
    : { kind: "sequence", items, list: true };
}
