/** @file Rows that the iterations of a loop gave, as Python has them: one tensor, or the items of a list. */
import type { NodeId } from "../../ir";
import { opDef } from "../../ops";
import type { Interpreter, StatementRun } from "../interpreter";
import { addNode, typeOf } from "../interpreter";
import { type Operand, tensorValue } from "../values/values";
import type { Rows } from "./keep-loop";

/** A node that only moves elements, under an identity that is free. */
function moved(
  interpreter: Interpreter,
  { frame, statement }: StatementRun,
  wanted: string,
  op: "transpose" | "flip" | "slice" | "squeeze",
  input: NodeId,
  attrs: Record<string, number | readonly number[]>,
): NodeId {
  let id = wanted;
  for (let i = 2; interpreter.nodes.has(id as NodeId); i++) id = `${wanted}@${i}`;
  const type = opDef(op).infer([typeOf(interpreter, input)], attrs);
  if (!type.ok) throw new TypeError(type.text);
  const made = { inputs: [input], attrs, type: type.value, label: op };
  return addNode(interpreter, { id, op, ...made, groups: frame.groups, span: statement.span });
}

/** The axis of rows moved to place `to`. */
export function rowsAt(
  interpreter: Interpreter,
  run: StatementRun,
  { node, axis }: Rows,
  to: number,
  path: string,
): NodeId {
  if (axis === to) return node;
  const axes = [...typeOf(interpreter, node).shape.keys()];
  return moved(interpreter, run, path, "transpose", node, { perm: axes.toSpliced(axis, 1).toSpliced(to, 0, axis) });
}

/** The same tensor with the axis of rows in front. */
export const rowsFirst = (interpreter: Interpreter, run: StatementRun, rows: Rows, path: string): NodeId =>
  rowsAt(interpreter, run, rows, 0, path);

/** The rows one by one, in order: nothing is left of those that nobody reads. */
export function itemsOfRows(
  interpreter: Interpreter,
  run: StatementRun,
  { node, axis }: Rows,
  path: string,
): readonly Operand[] {
  const count = typeOf(interpreter, node).shape[axis]!;
  return Array.from({ length: count }, (_, at) => {
    const own = `${path}#${at}`;
    const piece = moved(interpreter, run, `${own}.slice`, "slice", node, {
      start: [at],
      stop: [at + 1],
      step: [1],
      axes: [axis],
    });
    const row = moved(interpreter, run, own, "squeeze", piece, { axes: [axis] });
    interpreter.spare.add(piece);
    interpreter.spare.add(row);
    return { value: tensorValue(row), path: own, expr: null };
  });
}

/** Which row of which tensor a node is; null of anything else. */
export function rowIn(interpreter: Interpreter, id: NodeId): (Rows & { readonly at: number }) | null {
  const row = interpreter.nodes.get(id);
  const piece = row?.op === "squeeze" ? interpreter.nodes.get(row.inputs[0]!) : undefined;
  const source = piece?.op === "slice" ? interpreter.nodes.get(piece.inputs[0]!) : undefined;
  const [axes, start, stop] = [piece?.attrs["axes"], piece?.attrs["start"], piece?.attrs["stop"]] as (
    readonly number[] | undefined
  )[];
  if (!source || axes?.length !== 1 || stop?.[0] !== start![0]! + 1) return null;
  return { node: source.id, axis: axes[0]!, at: start![0]! };
}

/**
 * Rows of a loop that are stacked again on axis `to`, in their order or in the other: the tensor that has them all; null of others.
 * @param path identity of what moves its elements, where they have to be
 */
export function stackedRows(
  interpreter: Interpreter,
  run: StatementRun,
  stacked: readonly NodeId[],
  to: number,
  path: string,
): NodeId | null {
  const rows = stacked.map((id) => rowIn(interpreter, id));
  const [first] = rows;
  const source = first && interpreter.nodes.get(first.node);
  if (!source || opDef(source.op).kind !== "loop" || source.type.shape[first.axis] !== rows.length) return null;
  const backwards = first.at > 0;
  const together = rows.every(
    (row, i) => row?.node === first.node && row.axis === first.axis && row.at === (backwards ? rows.length - 1 - i : i),
  );
  if (!together) return null;
  const node = rowsAt(interpreter, run, first, to, backwards ? `${path}.rows` : path);
  return backwards ? moved(interpreter, run, path, "flip", node, { axes: [to] }) : node;
}
