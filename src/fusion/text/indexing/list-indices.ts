/** @file `x[[0, 2]]`, `x[:, [-1]]`: a list as an index picks elements along its axis, in NumPy's and PyTorch's way. */
import type { Span } from "../../ir";
import type { Known } from "./index-list";
import { completed, noIndex } from "./index-list";
import type { Interpreter, StatementRun } from "../interpreter";
import { constantTensor, numberArray, type NumberArray } from "../values/number-arrays";
import { type Operand, tensorValue } from "../values/values";

/** What a list between the brackets picks; null of an index into a tuple or of anything that holds no numbers. */
export function listIndex(operand: Operand, alone: boolean): Known | null {
  const { value } = operand;
  if (value.kind !== "sequence" || (alone && !value.list)) return null;
  const array = numberArray(value);
  return array && array.whole ? { kind: "list", array, operand } : null;
}

const isInside = (number: number, extent: number): boolean => number >= -extent && number < extent;

/** Numbers as the axis counts them, from 0 on; what is wrong with them, in words. Those outside stay as they are where they are taken. */
function picked(
  { shape, numbers, bools }: NumberArray,
  axis: number,
  extent: number,
  takesOutside: boolean,
): NumberArray | string {
  if (bools) {
    if (shape.length !== 1 || numbers.length !== extent)
      return `A list of ${numbers.length} truth values can't pick along axis ${axis}: its size is ${extent}.`;
    const hits = numbers.flatMap((hit, i) => (hit === 1 ? [i] : []));
    return { shape: [hits.length], numbers: hits, whole: true, bools: false };
  }
  const wrong = numbers.find((number) => !isInside(number, extent));
  if (wrong !== undefined && !takesOutside) return noIndex(wrong, axis, extent);
  const counted = wrong === undefined ? numbers.map((n) => (n < 0 ? n + extent : n)) : numbers;
  return { shape, numbers: counted, whole: true, bools: false };
}

/** The range with the same numbers, in order; null when they are no arithmetic progression. */
function asRange({ shape, numbers }: NumberArray): Known | null {
  const [first, second] = numbers;
  if (shape.length !== 1 || first === undefined) return null;
  const step = second === undefined ? 1 : second - first;
  if (step === 0 || numbers.some((number, i) => number !== first + i * step)) return null;
  const end = numbers.at(-1)! + Math.sign(step);
  // A stop below 0 would count from the end: one extent further down there is nothing.
  return { kind: "range", range: { start: first, stop: end < 0 ? null : end, step } };
}

/**
 * Indices without lists: an evenly spaced one that stands alone is a slice, every other one a constant tensor of indices.
 * @returns null after a diagnostic
 */
export function withoutLists(
  interpreter: Interpreter,
  run: StatementRun,
  at: { readonly path: string; readonly span: Span; readonly takesOutside: boolean },
  shape: readonly number[],
  known: readonly Known[],
): readonly Known[] | null {
  if (!known.some(({ kind }) => kind === "list")) return known;
  const used = known.filter(({ kind }) => kind !== "new" && kind !== "rest").length;
  const advanced = known.filter(({ kind }) => kind === "list" || kind === "indices" || kind === "at").length;
  const found: Known[] = [];
  let axis = 0;
  for (const [i, index] of completed(known, Math.max(0, shape.length - used)).entries()) {
    if (index.kind !== "list") found.push(index);
    else {
      const chosen = picked(index.array, axis, shape[axis] ?? 0, at.takesOutside);
      if (typeof chosen === "string") {
        interpreter.diagnostics.add("bad-index", index.operand.expr?.span ?? at.span, chosen, {
          raises: ["IndexError"],
        });
        return null;
      }
      const path = `${at.path}.index${i === 0 ? "" : i}`;
      const expr = index.operand.expr ?? { kind: "bad", span: at.span };
      const isWithin = chosen.numbers.every((number) => number >= 0 && isInside(number, shape[axis] ?? 0));
      const range = advanced === 1 && isWithin ? asRange(chosen) : null;
      const node = range ?? {
        kind: "indices",
        operand: {
          value: tensorValue(
            constantTensor(interpreter, run, { path, expr }, chosen, { dtype: "i32", label: "index" }),
          ),
          path,
          expr: index.operand.expr,
        },
      };
      found.push(node);
    }
    if (index.kind !== "new") axis++;
  }
  return found;
}
