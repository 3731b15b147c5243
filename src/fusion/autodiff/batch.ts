/** @file Batching: an op on single examples becomes ops on all of them, the batch in front. Rules by kind of op; what has none is written out example by example. */
import { sameShape, sizeOf, type Attrs, type Node, type NodeId, type Shape, type TensorType } from "../ir";
import {
  normalAxis,
  numberOf,
  numbersOf,
  opDef,
  ownShape,
  rankAround,
  rowLoopOf,
  withDefaults,
  type Param,
} from "../ops";

/** Writes nodes into the graph and knows those that are there. */
export interface BatchWriter {
  typeOf(id: NodeId): TensorType;
  op(name: string, inputs: readonly NodeId[], attrs?: Attrs): NodeId;
  scalar(value: number, dtype: TensorType["dtype"]): NodeId;
}

/** A node of one example, and what stands for its operands in the batch. */
export interface Example {
  readonly node: Node;
  /** Types of one example's operands. */
  readonly types: readonly TensorType[];
  /** The batched operand, or null where all examples share it. */
  readonly batched: readonly (NodeId | null)[];
  readonly size: number;
}

/** Examples that are written out one by one, at most. */
export const MAX_UNROLLED = 64;

/** The node for all examples; null where it has no rule and there are too many to write out. */
export function liftNode(w: BatchWriter, example: Example): NodeId | null {
  const { node, size } = example;
  const lifted = byRule(w, example);
  if (lifted !== null && sameShape(w.typeOf(lifted).shape, [size, ...node.type.shape])) return lifted;
  return size <= MAX_UNROLLED ? writtenOut(w, example) : null;
}

function byRule(w: BatchWriter, example: Example): NodeId | null {
  const { node, size, batched } = example;
  const def = opDef(node.op);
  const ids = operands(example);
  if (def.movement?.free) return reshaped(w, ids[0]!, [size, ...node.type.shape]);
  switch (def.kind) {
    case "elementwise":
    case "random":
      return w.op(
        node.op,
        ids.map((id, i) => ranked(w, example, i, id, node.type.shape.length)),
        node.attrs,
      );
    case "reduce":
      return w.op(node.op, ids, {
        ...node.attrs,
        axes: def.reduce!.axes(node.attrs, example.types[0]!.shape).map((axis) => axis + 1),
      });
    case "scan":
    case "order":
      return w.op(node.op, ids, shifted(def.params, node.attrs, example.types[0]!.shape.length));
    case "contraction":
      return product(w, example);
    case "gather":
      return gathered(w, example);
    case "movement":
      return moved(w, example);
    case "loop":
      return rows(w, example);
    case "search":
      return batched[0] === null ? w.op(node.op, ids, node.attrs) : null;
    case "ranges":
    case "groups":
    case "opaque":
    case "source":
      return null;
  }
}

const operands = ({ node, batched }: Example): NodeId[] => node.inputs.map((input, i) => batched[i] ?? input);

const reshaped = (w: BatchWriter, id: NodeId, shape: Shape): NodeId =>
  sameShape(w.typeOf(id).shape, shape) ? id : w.op("reshape", [id], { shape });

/** A batched operand with ones behind the batch, so that what broadcasts within an example does so in the batch. */
function ranked(w: BatchWriter, { batched, types, size }: Example, operand: number, id: NodeId, rank: number): NodeId {
  const { shape } = types[operand]!;
  if (batched[operand] === null || shape.length >= rank) return id;
  return reshaped(w, id, [size, ...Array<number>(rank - shape.length).fill(1), ...shape]);
}

/** A loop along rows, whose axes count from the end: ones behind the batch, so that each example's axes stay where they are. */
function rows(w: BatchWriter, example: Example): NodeId | null {
  const { node, types, batched } = example;
  const { body, outer } = rowLoopOf(node)!;
  // What all runs of a body share stands in a product as it is: one for each example would be multiplied with all of them.
  const shared = body.params.some(
    (param, i) => batched[i] !== null && ownShape(param).length > 0 && rankAround(types[i]!.shape, param) === 0,
  );
  if (shared && body.values.some(({ op }) => opDef(op).kind === "contraction")) return null;
  const ids = operands(example).map((id, i) => {
    const param = body.params[i]!;
    return ranked(w, example, i, id, outer.length + (param.walk ? 1 : 0) + ownShape(param).length);
  });
  return w.op(node.op, ids, node.attrs);
}

/** Attributes that name axes, one further on. */
function shifted(params: readonly Param[], attrs: Attrs, rank: number): Attrs {
  const next = (axis: number): number => normalAxis(axis, rank) + 1;
  const changed = params.flatMap(({ names, kind }): [string, Attrs[string]][] => {
    const value = attrs[names[0]!];
    if ((kind !== "axis" && kind !== "axes") || value === undefined || value === null) return [];
    return [[names[0]!, typeof value === "number" ? next(value) : numbersOf(value).map(next)]];
  });
  return { ...attrs, ...Object.fromEntries(changed) };
}

/** NumPy's product: a vector is a row on the left, a column on the right. */
function product(w: BatchWriter, example: Example): NodeId {
  const { node, types, batched, size } = example;
  const rank = Math.max(2, ...types.map(({ shape }) => shape.length));
  const [a, b] = operands(example).map((id, side) => {
    const { shape } = types[side]!;
    const matrix = shape.length > 1 ? shape : side === 0 ? [1, ...shape] : [...shape, 1];
    const ones = Array<number>(rank - matrix.length).fill(1);
    return reshaped(w, id, batched[side] === null ? matrix : [size, ...ones, ...matrix]);
  });
  return reshaped(w, w.op(node.op, [a!, b!], node.attrs), [size, ...node.type.shape]);
}

function gathered(w: BatchWriter, { node, types, batched, size }: Example): NodeId {
  const [x, index] = types as [TensorType, TensorType];
  const at = normalAxis(numberOf(node.attrs["axis"], 0), x.shape.length);
  const [elements, indices] = batched;
  if (indices === null) return w.op("gather", [elements!, node.inputs[1]!], { axis: at + 1 });
  if (elements === null) {
    const found = w.op("gather", [node.inputs[0]!, indices!], { axis: at });
    return front(w, found, at);
  }
  // Each example's elements stand one after the other; its indices are held inside and moved on by as many.
  const extent = x.shape[at]!;
  const rest = x.shape.filter((_, axis) => axis !== at);
  const rows = reshaped(w, order(w, elements!, [0, at + 1, ...rest.map((_, i) => (i < at ? i + 1 : i + 2))]), [
    size * extent,
    ...rest,
  ]);
  const inside = w.op("minimum", [w.op("maximum", [indices!, w.scalar(0, "i32")]), w.scalar(extent - 1, "i32")]);
  const firsts = w.op("mul", [w.op("iota", [], { start: size }), w.scalar(extent, "i32")]);
  const ahead = reshaped(w, firsts, [size, ...index.shape.map(() => 1)]);
  const found = w.op("gather", [rows, w.op("add", [inside, ahead])], { axis: 0 });
  // [batch, indices…, rest…] → [batch, rest before, indices…, rest behind]
  const many = index.shape.length;
  const before = rest.slice(0, at).map((_, i) => 1 + many + i);
  const behind = rest.slice(at).map((_, i) => 1 + many + at + i);
  return order(w, found, [0, ...before, ...index.shape.map((_, i) => 1 + i), ...behind]);
}

const order = (w: BatchWriter, id: NodeId, perm: readonly number[]): NodeId =>
  perm.every((axis, i) => axis === i) ? id : w.op("transpose", [id], { perm });

/** Axis `at` first, the others in their order. */
export const front = (w: BatchWriter, id: NodeId, at: number): NodeId =>
  order(w, id, [
    at,
    ...w
      .typeOf(id)
      .shape.map((_, axis) => axis)
      .filter((axis) => axis !== at),
  ]);

function moved(w: BatchWriter, example: Example): NodeId | null {
  const { node, types, batched, size } = example;
  const { attrs, op } = node;
  const { movement } = opDef(op);
  const given = movement?.batched?.(attrs, {
    inputs: types.map(({ shape }) => shape),
    output: node.type.shape,
    size,
  });
  if (!given) return null;
  const ids = operands(example).map((id, i) => {
    if (movement?.spreads) return ranked(w, example, i, id, node.type.shape.length);
    // Operands that stand side by side all have the batch.
    return batched[i] === null && node.inputs.length > 1
      ? w.op("expand", [id], { shape: [size, ...types[i]!.shape] })
      : id;
  });
  return w.op(op, ids, given);
}

/** Each example by itself, then all of them side by side. */
function writtenOut(w: BatchWriter, { node, types, batched, size }: Example): NodeId {
  const ones = Array.from({ length: size }, (_, at) => {
    const inputs = node.inputs.map((input, i) => {
      const all = batched[i];
      if (all === null || all === undefined) return input;
      return reshaped(w, w.op("slice", [all], { start: [at], stop: [at + 1], axes: [0] }), types[i]!.shape);
    });
    return reshaped(w, w.op(node.op, inputs, node.attrs), [1, ...node.type.shape]);
  });
  let parts: readonly NodeId[] = ones;
  const most = opDef("concat").movement?.joins?.most ?? ones.length;
  while (parts.length > 1) {
    const groups = Array.from({ length: Math.ceil(parts.length / most) }, (_, i) =>
      parts.slice(i * most, (i + 1) * most),
    );
    parts = groups.map((group) => (group.length === 1 ? group[0]! : w.op("concat", group, { axis: 0 })));
  }
  return parts[0]!;
}

/** An op's result and attributes; null where it takes no such operands. */
export function callOf(
  name: string,
  inputs: readonly TensorType[],
  given: Attrs,
): { readonly attrs: Attrs; readonly type: TensorType } | null {
  const def = opDef(name);
  const attrs = withDefaults(def, given);
  const type = def.infer(inputs, attrs);
  return type.ok && sizeOf(type.value.shape) >= 0 ? { attrs, type: type.value } : null;
}
