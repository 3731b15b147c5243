/** @file When shapes clash, a small change that would make them fit, offered as an edit. */
import type { Diagnostic, TensorType } from "../ir";
import type { CompositeDef, OpDef } from "../ops";
import type { Bound } from "./bind";
import type { Interpreter } from "./interpreter";

type Fixes = NonNullable<Diagnostic["fixes"]>;

const transposed = ({ dtype, shape }: TensorType): TensorType => ({ dtype, shape: shape.toReversed() });

/** Tries each matrix operand transposed. */
export function fixesFor(
  interpreter: Interpreter,
  op: OpDef | CompositeDef,
  bound: Bound,
  types: readonly (TensorType | null)[],
): Fixes {
  if (op.kind === "composite" || op.kind !== "contraction") return [];
  const known = types.filter((type) => type !== null);
  return bound.tensors.flatMap((operand, i) => {
    const { expr } = operand ?? {};
    if (!expr || known[i]?.shape.length !== 2) return [];
    const tried = op.infer(known.with(i, transposed(known[i])), bound.attrs);
    if (!tried.ok) return [];
    const simple = expr.kind === "name" || expr.kind === "paren" || expr.kind === "member" || expr.kind === "call";
    const source = interpreter.text.slice(expr.span.from, expr.span.to);
    const insert = simple ? `${source}.T` : `(${source}).T`;
    return [{ title: `Use ${insert}`, edits: [{ span: expr.span, insert }] }];
  });
}
