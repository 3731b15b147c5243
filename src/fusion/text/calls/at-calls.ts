/** @file JAX's `x.at[…].set(v)` and its like: a new array with other values at some indices. */
import { allOps, type CompositeDef, findOp, type OpDef } from "../../ops";
import { applyOp } from "./apply";
import { setItem, type SetItemRequest } from "../indexing/set-item";
import { hasSelection, ofSelection } from "../indexing/selection";
import { partsWithin } from "../indexing/outside";
import { subscriptValue } from "../indexing/subscript";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { callOwn, isInLibrary } from "../library/library";
import { calledAt, type CallExpr, type Identifier, indexParts, type SubscriptExpr } from "../reading/syntax";
import { BROKEN, isBroken, isOperand, NONE, numberValue, type Operand, type Value } from "../values/values";
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

interface Indexed {
  readonly object: Operand;
  readonly parts: readonly Operand[];
}

/** The array and the indices as the call's `mode` means them: indices outside at the nearest end, or beyond the array, where an array that is read holds `fill_value`. */
function outsideSaid(
  interpreter: Interpreter,
  run: StatementRun,
  at: { readonly item: SubscriptExpr; readonly expr: CallExpr; readonly path: string; readonly isRead: boolean },
  said: readonly { readonly operand: Operand; readonly name: string | null }[],
  indexed: Indexed,
): Indexed {
  const find = (word: string): Value | undefined => said.find(({ name }) => name === word)?.operand.value;
  const mode = find("mode");
  const fill = find("fill_value");
  const word = mode?.kind === "string" ? mode.value : fill ? "fill" : null;
  if (word === "clip") return { ...indexed, ...partsWithin(interpreter, run, at, indexed, "nearest") };
  if (!at.isRead) return { ...indexed, ...partsWithin(interpreter, run, at, indexed, "dropped") };
  if (word !== "drop" && word !== "fill") return indexed;
  const { parts, axes } = partsWithin(interpreter, run, at, indexed, "beyond");
  const path = `${at.path}/filled`;
  const list: Value = {
    kind: "sequence",
    list: true,
    items: axes.map((axis) => ({ value: numberValue(axis, true), path: "", expr: null })),
  };
  const more = [list, fill ?? NONE].map((value): Operand => ({ value, path: "", expr: null }));
  const value = callOwn(interpreter, run, { expr: at.expr, path }, "with_fill", [indexed.object, ...more]);
  return { object: { ...indexed.object, value, path }, parts };
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
  const [given, written] = [operands[0]!, operands.slice(1, count + 1)];
  const values = operands.slice(count + 1).map((operand, i) => ({ operand, name: call.args[i]?.name?.text ?? null }));
  const value = values.find((each) => each.name === null || each.name === "values")?.operand;
  const moved = outsideSaid(interpreter, run, { item, expr: call, path, isRead: name.text === "get" }, values, {
    object: given,
    parts: written,
  });
  const { object, parts } = moved;
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
