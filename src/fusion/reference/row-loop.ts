import { sizeOf, stridesOf, type DType, type Node, type TensorType } from "../ir";
import { givenRow, opDef, readAt, rowAt, rowLoopOf } from "../ops";
import { evaluateWhole, wholePoint, type EvaluateOp } from "./whole-loop";
import { roundingOf, type Precision } from "./rounding";
import { coordinatesOf } from "./strided-loops";

/** An element of an operand. */
type Get = (operand: number, flat: number) => number;
/** What becomes of each value that an iteration computes. */
type Change = (value: number, dtype: DType) => number;

/** One result of a loop along rows at an element of what it carries: all iterations, `show` for each row that it gives. */
function runOf(
  node: Node,
  types: readonly TensorType[],
): (outer: readonly number[], get: Get, show: (flat: number, value: number) => void, change: Change | null) => number {
  const loop = rowLoopOf(node)!;
  const { loop: meaning } = opDef(node.op);
  const strides = types.map(({ shape }) => stridesOf(shape));
  const out = stridesOf(loop.whole);
  const flat = (index: readonly number[], own: readonly number[]): number =>
    index.reduce((sum, at, axis) => sum + at * own[axis]!, 0);
  const { params } = loop.body;
  const where = (param: number, outer: readonly number[], row: number | null): number =>
    flat(readAt(loop, params[param]!, types[param]!.shape, outer, row, 0), strides[param]!);
  const given = givenRow(loop);
  return (outer, get, show, change) => {
    const args = params.map(({ walk }, at) => (walk ? 0 : get(at, where(at, outer, null))));
    return meaning!.run(args, node.attrs, change, {
      read: (param, number) => get(param, where(param, outer, rowAt(params[param]!.walk!, number))),
      show: (number, value) => show(flat(outer.toSpliced(loop.rowAxis, 0, rowAt(given, number)), out), value),
    });
  };
}

/** Values of a loop along rows: element by element of what it carries, in order of the iterations. */
export function evaluateRowLoop(
  node: Node,
  operands: readonly ArrayLike<number>[],
  types: readonly TensorType[],
  precision: Precision,
  evaluate: EvaluateOp,
): Float64Array {
  const { body, outer, result } = rowLoopOf(node)!;
  if (!opDef(node.op).loop!.isPlain(body))
    return evaluateWhole(
      node,
      operands.map((data, at) => ({ type: types[at]!, data: Float64Array.from(data) })),
      evaluate,
    );
  const run = runOf(node, types);
  const change =
    precision === "f64" ? null : (value: number, dtype: DType): number => roundingOf(dtype, precision)(value);
  const round = roundingOf(node.type.dtype, precision);
  const out = new Float64Array(sizeOf(node.type.shape));
  const get: Get = (operand, flat) => operands[operand]![flat]!;
  for (let element = 0; element < sizeOf(outer); element++) {
    const last = run(coordinatesOf(element, outer), get, (flat, value) => (out[flat] = round(value)), change);
    if (result.kind === "last") out[element] = round(last);
  }
  return out;
}

/**
 * One element of a result.
 * @param asking stands for `disturb` where only what is read is of interest
 */
export function rowLoopPoint(
  node: Node,
  types: readonly TensorType[],
  evaluate: EvaluateOp,
  asking: (value: number, node: Node) => number,
): (flat: number, get: Get, disturb: (value: number, node: Node) => number) => number {
  const { body, rowAxis, result } = rowLoopOf(node)!;
  if (!opDef(node.op).loop!.isPlain(body)) return wholePoint(node, types, evaluate, asking);
  const run = runOf(node, types);
  return (flat, get, disturb) => {
    const at = coordinatesOf(flat, node.type.shape);
    let found = Number.NaN;
    const show = (where: number, value: number): void => {
      if (where === flat) found = value;
    };
    const last = run(result.kind === "last" ? at : at.toSpliced(rowAxis, 1), get, show, (value) =>
      disturb(value, node),
    );
    return result.kind === "last" ? last : found;
  };
}
