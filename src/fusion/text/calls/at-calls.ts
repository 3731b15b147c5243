/** @file JAX's `x.at[…].set(v)` and its like: a new array with other values at some indices. */
import { allOps, type CompositeDef, findOp, type OpDef } from "../../ops";
import { applyOp } from "./apply";
import { setItem, type SetItemRequest } from "../indexing/set-item";
import { hasSelection, ofSelection } from "../indexing/selection";
import { subscriptValue } from "../indexing/subscript";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { isInLibrary } from "../library/library";
import { calledAt, type Identifier, indexParts, type SubscriptExpr } from "../reading/syntax";
import { BROKEN, isBroken, isOperand, type Operand, type Value } from "../values/values";
import { BINARY_OPS } from "./names";

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

/** Methods that compute with what is there, by the operators that they are. */
const COMPUTED: ReadonlyMap<string, string> = new Map(
  [
    ["divide", "/"],
    ["div", "/"],
    ["power", "**"],
    ["pow", "**"],
    ["subtract", "-"],
  ].map(([word, sign]) => [word!, BINARY_OPS.get(sign!)!] as const),
);

interface AtCall {
  readonly name: Identifier;
  readonly item: SubscriptExpr;
}

/** JAX's `x.at[1:].set(v)`, `x.at[rows].add(v)`: a new array with other values at some indices. The operands are the array, the parts of the indices, and the arguments. */
export function atCall(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr: call }: CallAt,
  { name, item }: AtCall,
  operands: readonly Operand[],
): Value {
  const count = item.indices.flatMap(indexParts).length;
  const [object, parts, value] = [operands[0]!, operands.slice(1, count + 1), operands[count + 1]];
  const known = METHODS.get(name.text);
  const drops: SetItemRequest["drops"] = call.args.some((arg) => arg.name?.text === "mode")
    ? "said"
    : isInLibrary(interpreter)
      ? undefined
      : "told";
  const here = (): Operand => {
    const at = `${path}/there`;
    return { value: subscriptValue(interpreter, run, item, [object, ...parts], at), path: at, expr: item };
  };
  if (name.text === "get") return here().value;
  const computes = COMPUTED.get(name.text);
  const joinedBy = (op: OpDef | CompositeDef, there: Operand, by: Operand): Value => {
    const at = { expr: item, path: `${path}/joined` };
    const join = (tensors: readonly Operand[]): Value =>
      applyOp(interpreter, run, { op, ...at }, { tensors, attrs: {} });
    const both = [there, by];
    return hasSelection(both)
      ? ofSelection(interpreter, run, { ...at, name: "", isNumpy: false }, both, join)
      : join(both);
  };
  if (value && (computes || name.text === "apply")) {
    const there = here();
    if (isBroken(there.value) || isBroken(value.value)) return BROKEN;
    const at = { path: `${path}/joined`, expr: item };
    const now = computes
      ? joinedBy(findOp(computes)!, there, value)
      : interpreter.call(run, { ...at, expr: calledAt(item) }, value.value, [
          { name: null, operand: there, span: item.span },
        ]);
    const put = { value: now, path: at.path, expr: item };
    return setItem(interpreter, run, { expr: item, path, object, parts, value: put, reduction: "none", drops });
  }
  if (!known || !value) {
    interpreter.diagnostics.add(
      "bad-method",
      name.span,
      "After .at[…] come .set(v), .get(), .add(v), .multiply(v), .divide(v), .power(v), .max(v), .min(v) and .apply(f).",
    );
    return BROKEN;
  }
  const [op, reduction] = known;
  const request = { expr: item, path, object, parts, value, reduction, drops };
  if (op === null || isBroken(value.value) || !isOperand(value.value)) return setItem(interpreter, run, request);
  const joined = (): Value => {
    const there = here();
    return isBroken(there.value) ? BROKEN : joinedBy(op, there, value);
  };
  return setItem(interpreter, run, { ...request, joined });
}
