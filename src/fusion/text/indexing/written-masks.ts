/** @file `x[~torch.eye(n, dtype=bool)]`: a mask that stands in the text picks elements that are known while the program is read. */
import type { Interpreter } from "../interpreter";
import { typeOf } from "../interpreter";
import { writtenValues } from "../values/constant-values";
import type { Known } from "./index-list";

/** The numbers of the elements that a mask picks, along each of its axes; null where only the run knows them. */
function listsOf(interpreter: Interpreter, index: Known): readonly Known[] | null {
  if (index.kind !== "indices" || index.operand.value.kind !== "tensor") return null;
  const { operand } = index;
  const { node } = index.operand.value;
  const { dtype, shape } = typeOf(interpreter, node);
  const values = dtype === "bool" && shape.length > 0 ? writtenValues(interpreter.nodes, node) : null;
  const picked = values?.flatMap((hit, flat) => (hit === 0 ? [] : [flat]));
  if (!picked || picked.length === 0) return null;
  return shape.map((extent, axis): Known => {
    const inner = shape.slice(axis + 1).reduce((size, each) => size * each, 1);
    const numbers = picked.map((flat) => Math.floor(flat / inner) % extent);
    return { kind: "list", array: { shape: [numbers.length], numbers, whole: true, bools: false }, operand };
  });
}

/** Indices with lists of numbers instead of masks that stand in the text. */
export const withoutWrittenMasks = (interpreter: Interpreter, known: readonly Known[]): readonly Known[] =>
  known.flatMap((index) => listsOf(interpreter, index) ?? [index]);
