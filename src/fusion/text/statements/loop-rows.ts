/** @file Rows that the iterations of a loop gave, as Python has them: one tensor, or the items of a list. */
import { isInput, type NodeId } from "../../ir";
import { opDef } from "../../ops";
import type { Interpreter, StatementRun } from "../interpreter";
import { addNode, typeOf } from "../interpreter";
import { type Operand, tensorValue } from "../values/values";

/** Rows that iterations gave, as one tensor. */
export interface Rows {
  readonly node: NodeId;
  /** The axis that rows are counted along. */
  readonly axis: number;
}

/** A node that only moves elements, under an identity that is free. */
function moved(
  interpreter: Interpreter,
  { frame, statement }: StatementRun,
  wanted: string,
  op: "transpose" | "flip" | "slice" | "squeeze" | "unsqueeze" | "concat",
  input: NodeId | readonly NodeId[],
  attrs: Record<string, number | readonly number[]>,
): NodeId {
  let id = wanted;
  for (let i = 2; interpreter.nodes.has(id as NodeId); i++) id = `${wanted}@${i}`;
  const inputs = [input].flat();
  const type = opDef(op).infer(
    inputs.map((each) => typeOf(interpreter, each)),
    attrs,
  );
  if (!type.ok) throw new TypeError(type.text);
  const made = { inputs, attrs, type: type.value, label: op };
  return addNode(interpreter, { id, op, ...made, groups: frame.groups, span: statement.span });
}

/** The axis of rows moved to index `to`. */
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

/** Whether so many rows along `axis` are all that a tensor has. */
export const isCovered = (interpreter: Interpreter, whole: NodeId, axis: number, count: number): boolean =>
  typeOf(interpreter, whole).shape[axis] === count;

/**
 * A tensor of which a loop's iterations have written neighbouring rows along `axis`.
 * @param rows what they wrote, in the order of `axis` unless `reversed`
 * @param first index of the first of these rows
 * @param path identity of the result
 */
export function withRowsAt(
  interpreter: Interpreter,
  run: StatementRun,
  whole: NodeId,
  { rows, axis, first, reversed }: WrittenRows,
  path: string,
): NodeId {
  const extent = typeOf(interpreter, whole).shape[axis]!;
  const count = typeOf(interpreter, rows.node).shape[rows.axis]!;
  const isAll = isCovered(interpreter, whole, axis, count);
  const laid = rowsAt(interpreter, run, rows, axis, isAll && !reversed ? path : `${path}.laid`);
  const own = isAll ? path : `${path}.rows`;
  const put = reversed ? moved(interpreter, run, own, "flip", laid, { axes: [axis] }) : laid;
  if (isAll) {
    // What a call made to be written is read by nobody; an input is the program's.
    if (!isInput(interpreter.nodes.get(whole)!)) interpreter.spare.add(whole);
    return put;
  }
  const piece = (name: string, from: number, to: number): NodeId[] =>
    from === to
      ? []
      : [
          moved(interpreter, run, `${path}.${name}`, "slice", whole, {
            start: [from],
            stop: [to],
            step: [1],
            axes: [axis],
          }),
        ];
  const pieces = [...piece("before", 0, first), put, ...piece("after", first + count, extent)];
  return moved(interpreter, run, path, "concat", pieces, { axis });
}

export interface WrittenRows {
  readonly rows: Rows;
  readonly axis: number;
  readonly first: number;
  readonly reversed: boolean;
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

/** Rows of a loop that follow one another, or one other tensor. */
interface Run {
  readonly rows: Rows | null;
  readonly ids: NodeId[];
  readonly first: number;
  /** How far each row is from the one before it. */
  step: 1 | -1;
}

/** Neighbours in a list that are neighbours in a loop's rows. */
function runsOf(interpreter: Interpreter, stacked: readonly NodeId[]): readonly Run[] {
  const runs: Run[] = [];
  for (const id of stacked) {
    const found = rowIn(interpreter, id);
    const row = found && opDef(interpreter.nodes.get(found.node)!.op).kind === "loop" ? found : null;
    const last = runs.at(-1);
    const follows = row !== null && last?.rows?.node === row.node && last.rows.axis === row.axis;
    const ahead = follows ? row.at - last.first : 0;
    const count = last?.ids.length ?? 0;
    if (follows && (count === 1 ? Math.abs(ahead) === 1 : ahead === count * last.step)) {
      last.step = ahead > 0 ? 1 : -1;
      last.ids.push(id);
    } else runs.push({ rows: row, ids: [id], first: row?.at ?? 0, step: 1 });
  }
  return runs;
}

/**
 * Tensors that are stacked on axis `to`, where rows of a loop are among them: the tensor that has these rows, with the others around it.
 * Null where there are no such rows.
 * @param path identity of the result, where there is a new one
 */
export function stackedRows(
  interpreter: Interpreter,
  run: StatementRun,
  stacked: readonly NodeId[],
  to: number,
  path: string,
): NodeId | null {
  const runs = runsOf(interpreter, stacked);
  const { most } = opDef("concat").movement!.joins!;
  if (!runs.some(({ rows, ids }) => rows !== null && ids.length > 1) || runs.length > most) return null;
  const alone = runs.length === 1;
  const parts = runs.map(({ rows, ids, first, step }, at): NodeId => {
    const own = alone ? path : `${path}.part${at}`;
    if (rows === null) return moved(interpreter, run, own, "unsqueeze", ids[0]!, { axes: [to] });
    const extent = typeOf(interpreter, rows.node).shape[rows.axis]!;
    const from = step === 1 ? first : first - ids.length + 1;
    const [cuts, turns] = [ids.length < extent, step === -1];
    const laid = rowsAt(interpreter, run, rows, to, cuts || turns ? `${own}.rows` : own);
    const range = { start: [from], stop: [from + ids.length], step: [1], axes: [to] };
    const cut = cuts ? moved(interpreter, run, turns ? `${own}.some` : own, "slice", laid, range) : laid;
    return turns ? moved(interpreter, run, own, "flip", cut, { axes: [to] }) : cut;
  });
  return alone ? parts[0]! : moved(interpreter, run, path, "concat", parts, { axis: to });
}
