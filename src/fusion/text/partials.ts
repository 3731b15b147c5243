/** @file Functions with some of their arguments, `partial(f, dim=-1)`, and one call an item, `map(f, xs)`. */
import type { CallAt, Interpreter, StatementRun } from "./interpreter";
import { BROKEN, describe, type GivenArgument, isBroken, type Operand, type Value } from "./values";

const CALLABLE: ReadonlySet<Value["kind"]> = new Set([
  "def",
  "op",
  "class",
  "layer-class",
  "layer",
  "object",
  "transform",
]);

/** `partial(f, dim=-1)`. */
export function partialOf(interpreter: Interpreter, { expr }: CallAt, [f, ...args]: readonly GivenArgument[]): Value {
  if (!f || isBroken(f.operand.value)) return BROKEN;
  const of = f.operand.value;
  if (of.kind === "partial") return { kind: "partial", of: of.of, args: [...of.args, ...args] };
  if (CALLABLE.has(of.kind)) return { kind: "partial", of, args };
  interpreter.diagnostics.add("bad-argument", expr.span, `partial takes a def or an op; this is ${describe(of)}.`);
  return BROKEN;
}

/** `partial(f, dim=-1)(x)`: keywords given now take precedence. */
export function partialCall(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  { of, args }: Extract<Value, { kind: "partial" }>,
  now: readonly GivenArgument[],
): Value {
  const named = new Set(now.flatMap(({ name }) => name?.text ?? []));
  return interpreter.call(run, at, of, [...args.filter(({ name }) => !name || !named.has(name.text)), ...now]);
}

/** `map(f, xs)`: one call an item. */
export function mapped(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  [f, ...lists]: readonly Operand[],
): Value {
  const items = lists.map(({ value }) => (value.kind === "sequence" ? value.items : null));
  if (!f || items.length === 0 || items.includes(null)) {
    if (!lists.some(({ value }) => isBroken(value)))
      interpreter.diagnostics.add("bad-argument", at.expr.span, "map takes a def and tuples.");
    return BROKEN;
  }
  const count = Math.min(...items.map((list) => list!.length));
  return {
    kind: "sequence",
    items: Array.from({ length: count }, (_, i) => {
      const path = `${at.path}#${i}`;
      const given = items.map((list) => ({ name: null, operand: list![i]!, span: at.expr.span }));
      return { value: interpreter.call(run, { ...at, path }, f.value, given), path, expr: at.expr };
    }),
  };
}
