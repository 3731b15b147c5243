/** @file Indices that a call is given, `F.embedding(i, w)`, `x.gather(1, i)`: what stands in the text lies inside its axis, and counts from the end where the library does. */
import type { CompositeDef, OpDef } from "../../ops";
import { applyParts } from "../calls/apply";
import type { Bound } from "../calls/bind";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { writtenValues } from "../values/constant-values";
import { boundsOf, fromStart } from "./from-end";
import { noIndex } from "./index-list";

/**
 * The operands of a call with its indices counted from the start; null, after a diagnostic, where a written one lies outside.
 * @param isStrict whether the library takes none below 0, as PyTorch's functions do
 */
export function withChosen(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: CallAt,
  op: OpDef | CompositeDef,
  bound: Bound,
  isStrict: boolean,
): Bound | null {
  if (!op.chosen) return bound;
  const nodes = bound.tensors.map((operand) => (operand?.value.kind === "tensor" ? operand.value.node : null));
  if (nodes.some((id) => id !== null && interpreter.unknown.has(id))) return bound;
  const types = nodes.map((id) => id && typeOf(interpreter, id));
  const chosen = op.chosen(types, bound.attrs);
  const index = chosen && nodes[chosen.by];
  if (!chosen || !index || typeOf(interpreter, index).dtype === "bool") return bound;
  const { by, of, extent, none } = chosen;
  const { least, most } = boundsOf(interpreter, index);
  if (least >= 0 && most < extent) return bound;
  const lowest = isStrict ? 0 : -extent;
  const wrong =
    of || isStrict
      ? writtenValues(interpreter.nodes, index)?.find((at) => at !== none && (at < lowest || at >= extent))
      : undefined;
  if (wrong !== undefined) {
    const text = of
      ? noIndex(wrong, of.axis, extent) +
        (wrong < 0 && wrong >= -extent ? ` PyTorch counts none from the end here: write ${wrong + extent}.` : "")
      : `There is no class ${wrong}: there are ${extent}, numbered from 0.`;
    interpreter.diagnostics.add("bad-index", expr.span, text, {
      nodes: [index],
      raises: ["IndexError", "RuntimeError"],
    });
    return null;
  }
  if (!of || isStrict || least >= 0) return bound;
  const operand = bound.tensors[by]!;
  const at = { path: `${path}/index`, expr, label: "index" };
  const counted = applyParts(interpreter, run, at, [operand], (b, [i]) => fromStart(interpreter, b, i!, extent));
  return { ...bound, tensors: bound.tensors.with(by, { ...operand, value: counted, path: at.path }) };
}
