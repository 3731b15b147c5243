/**
 * @file Loops whose body adds up, multiplies matrices or moves elements: every iteration computes the body's ops one after the other, each
 * for all runs of the body at once.
 */
import { sameShape, sizeOf, type Node, type TensorType } from "../ir";
import {
  givenRow,
  neededFor,
  opDef,
  ownShape,
  rankAround,
  rowAt,
  rowLoopOf,
  rowsRead,
  withDefaults,
  type BodyArg,
  type RowLoop,
} from "../ops";
import { coordinatesOf, stridesIn } from "./strided-loops";

/** Values of one op. */
export type EvaluateOp = (node: Node, operands: readonly Float64Array[], types: readonly TensorType[]) => Float64Array;

interface Held {
  readonly type: TensorType;
  readonly data: Float64Array;
}

/** Values of a loop. */
export function evaluateWhole(
  node: Node,
  operands: readonly Held[],
  evaluate: EvaluateOp,
  loop: RowLoop = rowLoopOf(node)!,
): Float64Array {
  const { body, iterations, result } = loop;
  const { rounded: _, ...plain } = node;
  const call = (op: string, attrs: Node["attrs"], args: readonly Held[]): Held => {
    const def = opDef(op);
    const given = withDefaults(def, attrs);
    const types = args.map(({ type }) => type);
    const type = def.infer(types, given);
    if (!type.ok) throw new TypeError(`${op}: ${type.text}`);
    const inputs = args.map(() => node.id);
    const made = { ...plain, op, attrs: given, inputs, type: type.value };
    const data = evaluate(
      made,
      args.map((arg) => arg.data),
      types,
    );
    return { type: type.value, data };
  };
  const spread = (value: Held, shape: readonly number[]): Held =>
    sameShape(value.type.shape, shape) ? value : call("expand", { shape: [...shape] }, [value]);
  const rowOf = (operand: Held, axis: number, row: number): Held => {
    const { data, type } = call("slice", { start: [row], stop: [row + 1], axes: [axis] }, [operand]);
    return { data, type: { ...type, shape: type.shape.toSpliced(axis, 1) } };
  };
  const needed = neededFor(body, [opDef(node.op).loop!.result(node.attrs)]);
  const order = [...needed.values].toSorted((a, b) => a - b);
  const around = [...loop.outer, ...loop.own];
  const out = new Float64Array(sizeOf(node.type.shape));
  const given = givenRow(loop);
  const show = (value: Held, iteration: number): void => {
    const { data } = spread(value, around);
    const run = sizeOf(around.slice(loop.rowAxis));
    for (let k = 0; k * run < data.length; k++)
      out.set(data.subarray(k * run, (k + 1) * run), (k * iterations + rowAt(given, iteration)) * run);
  };
  let params = [...operands];
  for (let iteration = 0; iteration < iterations; iteration++) {
    const rows = params.map((operand, at) => {
      const param = body.params[at]!;
      if (!param.walk || !needed.params.has(at)) return operand;
      return rowOf(operand, rankAround(operand.type.shape, param) + loop.axis, rowAt(param.walk, iteration));
    });
    const values = new Map<number, Held>();
    const heldOf = (arg: BodyArg): Held => {
      if (arg.kind === "param") return rows[arg.at]!;
      if (arg.kind === "value") return values.get(arg.at)!;
      const [value, dtype] = arg.kind === "iteration" ? [iteration, "i32" as const] : [arg.value, arg.dtype];
      return { type: { dtype, shape: [] }, data: Float64Array.of(value) };
    };
    for (const at of order) {
      const { op, attrs, args } = body.values[at]!;
      values.set(at, call(op, attrs, args.map(heldOf)));
    }
    if (result.kind === "before") show(rows[result.at]!, iteration);
    if (result.kind === "rows") show(heldOf(body.rows[result.at]!), iteration);
    const ends = needed.carried.map((at) => [at, heldOf(body.next[at]!)] as const);
    params = [...params];
    for (const [at, end] of ends) params[at] = end;
  }
  return result.kind === "last" ? Float64Array.from(spread(params[result.at]!, around).data) : out;
}

type Get = (operand: number, flat: number) => number;
type Disturb = (value: number, node: Node) => number;

/**
 * One element of a result: all iterations of the run of the body that it belongs to. Neighbours that are asked for share them.
 * @param asking stands for `disturb` where only what is read is of interest
 */
export function wholePoint(
  node: Node,
  types: readonly TensorType[],
  evaluate: EvaluateOp,
  asking: Disturb,
): (flat: number, get: Get, disturb: Disturb) => number {
  const loop = rowLoopOf(node)!;
  const { body, outer, own, rowAxis, result, axis } = loop;
  const { shape } = node.type;
  const rank = shape.length - own.length;
  const alone: RowLoop = { ...loop, outer: [], whole: [loop.iterations], rowAxis: 0, axis: -1 };
  const inside = result.kind === "last" ? own : [loop.iterations, ...own];
  const strides = types.map((type) => stridesIn(type.shape, type.shape));
  /** What the run at `at` reads of an operand. */
  const heldOf = (param: number, at: readonly number[], get: Get): Held => {
    const { dtype, shape: all } = types[param]!;
    const said = body.params[param]!;
    const outerRank = rankAround(all, said);
    const size = sizeOf(ownShape(said));
    const own = strides[param]!;
    const rows = said.walk ? outerRank + axis : null;
    const rest = [...all.slice(0, outerRank).keys()].filter((each) => each !== rows);
    const start = rest.reduce(
      (sum, each, i) => sum + (all[each] === 1 ? 0 : at[outer.length - rest.length + i]!) * own[each]!,
      0,
    );
    if (rows === null) {
      const data = Float64Array.from({ length: size }, (_, i) => get(param, start + i));
      return { type: { dtype, shape: ownShape(said) }, data };
    }
    const data = new Float64Array(all[rows]! * size);
    const [first, last] = rowsRead(loop, said.walk!);
    for (let row = first; row <= last; row++)
      for (let i = 0; i < size; i++) data[row * size + i] = get(param, start + row * own[rows]! + i);
    return { type: { dtype, shape: [all[rows]!, ...ownShape(said)] }, data };
  };
  let known: {
    readonly key: string;
    readonly get: Get;
    readonly disturb: Disturb;
    readonly data: Float64Array;
  } | null = null;
  return (flat, get, disturb) => {
    const at = coordinatesOf(flat, shape);
    const around = at.slice(0, rank);
    const which = result.kind === "last" ? around : around.toSpliced(rowAxis, 1);
    const key = which.join();
    if (known?.key !== key || known.get !== get || known.disturb !== disturb) {
      const disturbed: EvaluateOp = (of, operands, own) => {
        const data = evaluate(of, operands, own);
        return opDef(of.op).kind === "movement" ? data : data.map((value) => disturb(value, of));
      };
      const held = types.map((_, param) => heldOf(param, which, get));
      const one = { ...node, type: { ...node.type, shape: inside } };
      const data = disturb === asking ? new Float64Array(sizeOf(inside)) : evaluateWhole(one, held, disturbed, alone);
      known = { key, get, disturb, data };
    }
    const where = result.kind === "last" ? at.slice(rank) : [at[rowAxis]!, ...at.slice(rank)];
    const own = stridesIn(inside, inside);
    return known.data[where.reduce((sum, each, i) => sum + each * own[i]!, 0)]!;
  };
}
