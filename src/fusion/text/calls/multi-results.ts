/** @file PyTorch's answers of two: `values, indices = x.topk(k)`, `x.max(dim=-1).indices`, `torch.sort(x)[0]`; and rows of a tensor that several names take. */
import { findOp } from "../../ops";
import { applyOp, applyParts } from "./apply";
import { noteView } from "./memory";
import { isPair } from "./pairs";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import type { Expr } from "../reading/syntax";
import { bare } from "../reading/syntax";
import type { NodeId } from "../../ir";
import { BROKEN, isBroken, type Operand, tensorValue, type Value } from "../values/values";

/** The indices beside the values `node`; null where its call answers values alone. */
export function indicesBeside(interpreter: Interpreter, run: StatementRun, node: NodeId, path: string): Value | null {
  if (!isPair(interpreter, node)) return null;
  const { op, attrs, operands, expr } = interpreter.sites.get(node)!;
  const tensors = operands.map((operand): Operand => ({
    value: tensorValue(operand.node!),
    path: "",
    expr: operand.expr,
  }));
  return applyOp(interpreter, run, { op: findOp(op!.indices!)!, path, expr }, { tensors, attrs });
}

/** The indices of a pair; refused where they count rows that a mask picks. */
function indicesOf(interpreter: Interpreter, run: StatementRun, node: NodeId, path: string): Value {
  const found = indicesBeside(interpreter, run, node, path);
  if (found) return found;
  const text =
    "Indices among the rows that a mask picks depend on data: take the maximum of where(mask, x, -inf) over all of them.";
  interpreter.diagnostics.add("bad-index", run.statement.span, text);
  return BROKEN;
}

const NUMPY = /^(jnp|np|numpy|jax)\b/;

/** `x.max(dim=1)[0]`: one of the two, not a row; null where the brackets mean a row. */
export function resultAt(
  interpreter: Interpreter,
  run: StatementRun,
  object: Operand,
  index: number,
  path: string,
): Value | null {
  if (object.value.kind !== "tensor" || (index !== 0 && index !== 1)) return null;
  if (object.value.isPair)
    return index === 0 ? tensorValue(object.value.node) : indicesOf(interpreter, run, object.value.node, path);
  const call = object.expr && bare(object.expr);
  if (call?.kind !== "call") return null;
  const source = interpreter.text.slice(call.callee.span.from, call.callee.span.to);
  const single = NUMPY.test(source) && !/top_?k$/.test(source);
  if (single || !isPair(interpreter, object.value.node)) return null;
  return index === 0 ? object.value : indicesBeside(interpreter, run, object.value.node, path);
}

/** What a name that is bound to a call's answer stands for: PyTorch's two are taken apart by their number. */
export const asPair = (interpreter: Interpreter, value: Value, expr: Expr): Value =>
  value.kind === "tensor" && isPair(interpreter, value.node) && /\btorch\b/.test(interpreter.text)
    ? { ...value, isPair: interpreter.sites.get(value.node)!.expr === expr ? "called" : "returned" }
    : value;

/** What `count` names take of a tensor: values and indices, or its rows; null where it has another number of rows. */
export function sharesOf(
  interpreter: Interpreter,
  run: StatementRun,
  value: Value,
  count: number,
  expr: Expr,
): readonly Operand[] | null {
  if (value.kind !== "tensor" || interpreter.unknown.has(value.node)) return null;
  const path = `${run.root}#1`;
  const indices =
    count !== 2
      ? null
      : value.isPair
        ? indicesOf(interpreter, run, value.node, path)
        : indicesBeside(interpreter, run, value.node, path);
  if (indices && !isBroken(indices))
    return [
      { value: tensorValue(value.node), path: run.root, expr },
      { value: indices, path, expr },
    ];
  return typeOf(interpreter, value.node).shape[0] === count
    ? rowsOf(interpreter, run, { value, path: run.root, expr }, run.root)
    : null;
}

/** A tensor one row after the other, along its first axis. */
export function rowsOf(
  interpreter: Interpreter,
  run: StatementRun,
  operand: Operand,
  root: string,
): readonly Operand[] {
  const { shape } = typeOf(interpreter, (operand.value as { readonly node: NodeId }).node);
  const expr = operand.expr ?? { kind: "bad", span: run.statement.span };
  return Array.from({ length: shape[0] ?? 0 }, (_, i) => {
    const path = `${root}#${i}`;
    const value = applyParts(interpreter, run, { path, expr, label: "row" }, [operand], (b, [x]) => {
      const row = b.op("slice", "slice", [x!], { start: [i], stop: [i + 1], step: [1], axes: [0] });
      return b.op("squeeze", "squeeze", [row], { axes: [0] });
    });
    noteView(interpreter, operand.value, value);
    return { value, path, expr };
  });
}
