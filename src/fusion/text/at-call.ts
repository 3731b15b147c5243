/** @file JAX's `x.at[1:].set(v)`, `x.at[rows].add(v)`: a new array with other values at some indices. */
import { allOps, type OpDef } from "../ops";
import { applyOp } from "./apply";
import type { Interpreter, StatementRun } from "./interpreter";
import { setItem } from "./set-item";
import { subscriptValue } from "./subscript";
import type { Expr, Identifier, SubscriptExpr } from "./syntax";
import { indexParts } from "./syntax";
import { BROKEN, isBroken, isOperand, type Operand, type Value } from "./values";

/** What a method does with what is there: an op, and scatter's word for it. */
const METHODS: ReadonlyMap<string, readonly [op: OpDef | null, reduction: string]> = new Map<
  string,
  readonly [OpDef | null, string]
>([
  ["set", [null, "none"]],
  ...allOps.flatMap((op) =>
    (op.updates?.methods ?? []).map((method) => [method, [op, op.updates!.reduction]] as const),
  ),
]);

interface AtCall {
  readonly name: Identifier;
  readonly item: SubscriptExpr;
}

/** The operands are the array, the parts of the indices, and the arguments. */
export function atCall(
  interpreter: Interpreter,
  run: StatementRun,
  { path }: { readonly path: string; readonly expr: Expr },
  { name, item }: AtCall,
  operands: readonly Operand[],
): Value {
  const count = item.indices.flatMap(indexParts).length;
  const [object, parts, value] = [operands[0]!, operands.slice(1, count + 1), operands[count + 1]];
  const known = METHODS.get(name.text);
  if (!known || !value) {
    interpreter.diagnostics.add(
      "bad-method",
      name.span,
      "After .at[…] come .set(v), .add(v), .multiply(v), .max(v) and .min(v).",
    );
    return BROKEN;
  }
  const [op, reduction] = known;
  const scattered = parts.some(({ value: part }) => part.kind === "tensor" || part.kind === "sequence");
  if (op === null || scattered || isBroken(value.value) || !isOperand(value.value))
    return setItem(interpreter, run, { expr: item, path, object, parts, value, reduction });
  const there = {
    value: subscriptValue(interpreter, run, item, [object, ...parts], `${path}/there`),
    path: `${path}/there`,
    expr: item,
  };
  if (isBroken(there.value)) return BROKEN;
  const joined = applyOp(
    interpreter,
    run,
    { op, path: `${path}/joined`, expr: item },
    { tensors: [there, value], attrs: {} },
  );
  return setItem(interpreter, run, { expr: item, path, object, parts, value: { ...value, value: joined }, reduction });
}
