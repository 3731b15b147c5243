/** @file `x[:, index]`, `x[rows, columns]`: an index whose numbers are a tensor, as a load from indices that are data. NumPy's rules. */
import { broadcastShapes, type NodeId, showShape } from "../../ir";
import { applyParts } from "../calls/apply";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { boundsOf, fromStart } from "./from-end";
import { completed, noIndex, tooManyIndices, type Known } from "./index-list";
import type { SubscriptExpr } from "../reading/syntax";
import { writtenValues } from "../values/constant-values";
import type { Operand, Value } from "../values/values";

const isIndexTensor = ({ kind }: Known): boolean => kind === "indices" || kind === "at";

/** Which axes are indexed by data, or by a number beside it, and where the axes of the index stand in the result. */
export interface IndexedAxes {
  readonly axes: readonly number[];
  /** Where the axes of the index begin: instead of what they index, or first where slices part it. */
  readonly at: number;
}

/** @param axes one index for every axis, new ones left out */
export function indexedAxes(axes: readonly Known[]): IndexedAxes {
  const found = axes.flatMap((index, axis) => (isIndexTensor(index) ? [axis] : []));
  const isTogether = found.at(-1)! - found[0]! === found.length - 1;
  return { axes: found, at: isTogether ? found[0]! : 0 };
}

/** Whether a number and index tensors, parted by slices, mean one thing in NumPy and another in PyTorch, which takes numbers first. */
function isReadTwoWays(axes: readonly Known[]): boolean {
  const without = axes.filter(({ kind }) => kind !== "at");
  return indexedAxes(axes).at !== indexedAxes(without).at && indexedAxes(axes).axes.length < axes.length;
}

/** What is wrong with the indices of an `x` of this shape, in words; null when nothing is. Indices by data may lie anywhere: a load moves to the nearest end. */
export function indicesProblem(
  interpreter: Interpreter,
  shape: readonly number[],
  known: readonly Known[],
): string | null {
  const used = known.filter(({ kind }) => kind !== "new" && kind !== "rest").length;
  if (used > shape.length) return tooManyIndices(used, shape);
  for (const index of known) {
    if (index.kind !== "indices" || index.operand.value.kind !== "tensor") continue;
    const { dtype } = typeOf(interpreter, index.operand.value.node);
    if (dtype === "bool")
      return "The number of elements that a mask picks depends on data, so the shape is not known in advance: write where(mask, x, 0).";
    if (dtype !== "i32") return `An index holds whole numbers; this one is ${dtype}.`;
  }
  const shapes = known.flatMap((index) =>
    index.kind === "indices" && index.operand.value.kind === "tensor"
      ? [typeOf(interpreter, index.operand.value.node).shape]
      : [],
  );
  if (shapes.reduce<readonly number[] | null>((all, each) => all && broadcastShapes(all, each), []) === null)
    return `These index tensors don't broadcast to one shape: they are ${shapes.map(showShape).join(" and ")}.`;
  const list = completed(known, shape.length - used);
  if (isReadTwoWays(list.filter(({ kind }) => kind !== "new")))
    return "NumPy puts the indexed axes first here, and PyTorch leaves them where they are: take the number first, x[0][:, rows].";
  const bad = list
    .filter(({ kind }) => kind !== "new")
    .findIndex((index, axis) => index.kind === "at" && (index.index >= shape[axis]! || index.index < -shape[axis]!));
  return bad < 0 ? null : `There is no such index on axis ${bad}: its size is ${shape[bad]}.`;
}

/** Which of the indices that stand in the text lies outside its axis, in words; null when none does. What only the run knows may lie anywhere. */
export function outsideProblem(
  interpreter: Interpreter,
  shape: readonly number[],
  known: readonly Known[],
): string | null {
  const used = known.filter(({ kind }) => kind !== "new" && kind !== "rest").length;
  const axes = completed(known, shape.length - used).filter(({ kind }) => kind !== "new");
  for (const [axis, index] of axes.entries()) {
    if (index.kind !== "indices" || index.operand.value.kind !== "tensor") continue;
    const { node } = index.operand.value;
    const extent = shape[axis]!;
    const { least, most } = boundsOf(interpreter, node);
    if ((least >= -extent && most < extent) || interpreter.unknown.has(node)) continue;
    const wrong = writtenValues(interpreter.nodes, node)?.find((number) => number >= extent || number < -extent);
    if (wrong !== undefined) return noIndex(wrong, axis, extent);
  }
  return null;
}

/** Which of the numbers between brackets lies outside its axis, in words; null when none does. */
export function numberOutside(shape: readonly number[], known: readonly Known[]): string | null {
  const used = known.filter(({ kind }) => kind !== "new" && kind !== "rest").length;
  const axes = completed(known, Math.max(0, shape.length - used)).filter(({ kind }) => kind !== "new");
  for (const [axis, index] of axes.entries()) {
    const extent = shape[axis] ?? 0;
    if (index.kind === "at" && (index.index >= extent || index.index < -extent))
      return noIndex(index.index, axis, extent);
  }
  return null;
}

/** An index that lies outside and that JAX takes, with what it makes of it. */
export function tellOutside({ diagnostics }: Interpreter, { span }: SubscriptExpr, text: string): void {
  diagnostics.add("bad-index", span, text, { severity: "warning" });
}

/** Slices first, then one gather over the axes that data indexes, then new axes. `indicesProblem` has nothing to say. */
export function advancedIndex(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: SubscriptExpr; readonly path: string },
  object: Operand,
  known: readonly Known[],
): Value {
  const { shape } = typeOf(interpreter, (object.value as { readonly node: NodeId }).node);
  const used = known.filter(({ kind }) => kind !== "new" && kind !== "rest").length;
  const list = completed(known, shape.length - used);
  const axes = list.filter(({ kind }) => kind !== "new");
  const { axes: indexed, at: first } = indexedAxes(axes);
  const isApart = indexed.at(-1)! - indexed[0]! >= indexed.length;
  const indices = axes.filter(isIndexTensor);
  const operands = indices.flatMap((index) => (index.kind === "indices" ? [index.operand] : []));
  return applyParts(interpreter, run, { path, expr, label: "index" }, [object, ...operands], (b, [x, ...tensors]) => {
    const cut = sliced(axes, shape);
    let node = cut ? b.op("slice", "slice", [x!], cut) : x!;
    if (isApart) node = b.op("front", "transpose", [node], { perm: inFront(indexed, axes.length) });
    const extents = b.typeOf(node).shape.slice(first, first + indices.length);
    let next = 0;
    const numbers = indices.map((index, i) =>
      index.kind === "at"
        ? b.scalar(index.index < 0 ? index.index + extents[i]! : index.index, "i32")
        : fromStart(interpreter, b, tensors[next++]!, extents[i]!),
    );
    const index = numbers.slice(1).reduce((sum, number, i) => {
      const rows = b.op("rows", "mul", [sum, b.scalar(extents[i + 1]!, "i32")]);
      return b.op("place", "add", [rows, number]);
    }, numbers[0]!);
    if (indices.length > 1) {
      const { shape: now } = b.typeOf(node);
      const flat = [...now.slice(0, first), extents.reduce((a, e) => a * e, 1), ...now.slice(first + indices.length)];
      node = b.op("flat", "reshape", [node], { shape: flat });
    }
    node = b.op("gather", "gather", [node, index], { axis: first });
    const rank = b.typeOf(index).shape.length;
    const add = list.flatMap((each, i) => {
      const before = list.slice(0, i);
      const known = before.filter(isIndexTensor).length;
      const shown = isApart || known > 0 ? rank : 0;
      return each.kind === "new" ? [before.length - known + shown] : [];
    });
    return add.length === 0 ? node : b.op("unsqueeze", "unsqueeze", [node], { axes: add });
  });
}

/** The order of axes in which these come first. */
export const inFront = (first: readonly number[], rank: number): readonly number[] => [
  ...first,
  ...Array.from({ length: rank }, (_, axis) => axis).filter((axis) => !first.includes(axis)),
];

/** Attributes of the slice that the ranges are; null when they leave nothing out. */
function sliced(axes: readonly Known[], shape: readonly number[]) {
  const bounds = axes.map((index, axis) => {
    const { start, stop, step } = index.kind === "range" ? index.range : { start: null, stop: null, step: null };
    const back = (step ?? 1) < 0;
    const extent = shape[axis]!;
    return [start ?? (back ? extent - 1 : 0), stop ?? (back ? -extent - 1 : extent), step ?? 1] as const;
  });
  if (bounds.every(([start, stop, step], axis) => start === 0 && stop >= shape[axis]! && step === 1)) return null;
  return {
    start: bounds.map(([start]) => start),
    stop: bounds.map(([, stop]) => stop),
    step: bounds.map(([, , step]) => step),
  };
}
