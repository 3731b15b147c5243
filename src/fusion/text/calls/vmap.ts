/** @file `vmap(f, in_axes, out_axes)`: what f does to one example is done to all of a batch. The examples' ops are written once, then lifted. */
import { callOf, front, liftNode, MAX_UNROLLED, type BatchWriter } from "../../autodiff";
import { bug, nodeId, showType, type Node, type NodeId, type TensorType } from "../../ir";
import type { Interpreter } from "../interpreter";
import type { CallExpr } from "../reading/syntax";
import { broadcastPrefix, leavesOf, mapLeaves } from "../values/trees";
import { BROKEN, isBroken, numberValue, type Operand, tensorValue, type Value } from "../values/values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

type Axes = NonNullable<Extract<Value, { kind: "transform" }>["axes"]>;
interface Call {
  readonly expr: CallExpr;
  readonly path: string;
}

/** `in_axes` and `out_axes` as they were said; 0 where nothing was. */
export function axesGiven(inSaid: Operand | undefined, outSaid: Operand | undefined): Axes {
  return { in: inSaid?.value ?? numberValue(0, true), out: outSaid?.value ?? numberValue(0, true) };
}

interface Batch {
  readonly size: number;
  /** The batched tensor, its batch in front, by the one example that stands for it. */
  readonly tensors: ReadonlyMap<NodeId, NodeId>;
  readonly examples: readonly Operand[];
}

const refuse = (interpreter: Interpreter, call: Call, text: string, nodes: readonly NodeId[] = []): null => {
  interpreter.diagnostics.add("no-batch", call.expr.span, text, { nodes });
  return null;
};

/** The value of `vmap(f)` at its arguments; `apply` calls f with one example's. */
export function vmapCall(
  interpreter: Interpreter,
  call: Call,
  axes: Axes,
  operands: readonly Operand[],
  apply: (operands: readonly Operand[]) => Value,
): Value {
  const writer = writerFor(interpreter, call);
  const batch = examplesOf(interpreter, call, axes, operands, writer);
  if (!batch) return BROKEN;
  const before = new Set(interpreter.nodes.keys());
  const value = apply(batch.examples);
  const traced = [...interpreter.nodes.values()].filter(({ id }) => !before.has(id));
  const lifted = isBroken(value) ? null : liftAll(interpreter, call, writer, batch, traced);
  if (!lifted) {
    leaveAsTraced(interpreter, writer, batch, traced);
    return BROKEN;
  }
  for (const id of batch.tensors.keys()) interpreter.nodes.delete(id);
  for (const [key, { made, inputs }] of interpreter.derived)
    if ([made, ...inputs].some((id) => lifted.has(id))) interpreter.derived.delete(key);
  interpreter.cotangents.clear();
  const result: Operand = { value, path: call.path, expr: call.expr };
  const outs = broadcastPrefix(axes.out, result);
  if (!outs) {
    refuse(interpreter, call, "out_axes of vmap is a number, or branches like the results.");
    return BROKEN;
  }
  return mapLeaves(result, (leaf, i) => {
    if (leaf.value.kind !== "tensor") return leaf;
    const id = leaf.value.node;
    const all = lifted.get(id) ?? writer.op("expand", [id], { shape: [batch.size, ...writer.typeOf(id).shape] });
    return { ...leaf, value: tensorValue(batchAlong(writer, all, outs[i]!)) };
  }).value;
}

/** The batch, in front so far, along the axis that `said` names. */
function batchAlong(writer: BatchWriter, all: NodeId, said: Value): NodeId {
  const rank = writer.typeOf(all).shape.length;
  const axis = said.kind === "number" ? said.value : 0;
  const out = axis < 0 ? axis + rank : axis;
  if (out === 0) return all;
  const rest = Array.from({ length: rank - 1 }, (_, i) => i + 1);
  return writer.op("transpose", [all], { perm: [...rest.slice(0, out), 0, ...rest.slice(out)] });
}

/** One example of each batched argument, for as long as f is read. */
function examplesOf(
  interpreter: Interpreter,
  call: Call,
  axes: Axes,
  operands: readonly Operand[],
  writer: BatchWriter,
): Batch | null {
  const tensors = new Map<NodeId, NodeId>();
  let size: number | null = null;
  const whole: Operand = { value: { kind: "sequence", items: operands }, path: call.path, expr: null };
  const given = axes.in.kind === "sequence" ? axes.in : { ...whole.value, items: operands.map(() => loose(axes.in)) };
  const found = broadcastPrefix(given, whole);
  if (!found) {
    const count = axes.in.kind === "sequence" ? axes.in.items.length : 0;
    return refuse(
      interpreter,
      call,
      `in_axes of vmap names the axis of each of the ${operands.length} arguments${count === operands.length ? ", branching like them" : `; there are ${count}`}.`,
    );
  }
  /** Which argument each leaf belongs to, from 1 on. */
  const owner = operands.flatMap((operand, i) => leavesOf(operand).map(() => i + 1));
  let refused = false;
  const example = (operand: Operand, i: number): Operand => {
    const axis = found[i]!.kind === "number" ? found[i]!.value : null;
    if (refused || axis === null || operand.value.kind !== "tensor") return operand;
    const { node } = operand.value;
    const { dtype, shape } = writer.typeOf(node);
    const at = axis < 0 ? axis + shape.length : axis;
    const extent = shape[at];
    const shown = showType({ dtype, shape });
    const stop = (text: string): Operand => {
      refuse(interpreter, call, text, [node]);
      refused = true;
      return operand;
    };
    if (extent === undefined)
      return stop(`Argument ${owner[i]} is ${shown}: it has no axis ${axis} to take examples from.`);
    if (size !== null && size !== extent)
      return stop(
        `Argument ${owner[i]} has ${extent} examples along axis ${axis} (${shown}); those before it have ${size}.`,
      );
    size = extent;
    // A function that is batched twice has one call path.
    const base = `${call.path}/example#${i}`;
    let id = nodeId(base);
    for (let again = 2; interpreter.nodes.has(id); again++) id = nodeId(`${base}@${again}`);
    const type: TensorType = { dtype, shape: shape.filter((_, k) => k !== at) };
    tensors.set(id, front(writer, node, at));
    interpreter.nodes.set(id, {
      id,
      op: "input",
      inputs: [],
      attrs: {},
      type,
      label: "example",
      origins: [id],
      groups: [],
    });
    return { ...operand, value: tensorValue(id) };
  };
  const made = mapLeaves(whole, example).value;
  const examples = made.kind === "sequence" ? made.items : [];
  if (refused) return null;
  return size === null
    ? refuse(interpreter, call, "vmap needs an argument with a batch: one whose axis in in_axes is a number.")
    : { size, tensors, examples };
}

/** What stands in the batch for each traced node that changes from example to example; null when an op is refused. */
function liftAll(
  interpreter: Interpreter,
  call: Call,
  writer: Lifter,
  { size, tensors }: Batch,
  traced: readonly Node[],
): ReadonlyMap<NodeId, NodeId> | null {
  const lifted = new Map(tensors);
  const types = new Map<NodeId, TensorType>();
  const typeOf = (id: NodeId): TensorType => types.get(id) ?? interpreter.nodes.get(id)!.type;
  for (const node of traced) {
    if (!node.inputs.some((input) => lifted.has(input))) continue;
    types.set(node.id, node.type);
    interpreter.nodes.delete(node.id);
    const batched = node.inputs.map((input) => lifted.get(input) ?? null);
    const made = liftNode(writer.about(node), { node, types: node.inputs.map(typeOf), batched, size });
    if (made === null)
      return refuse(
        interpreter,
        call,
        `\`${node.op}\` (${node.label}) has no rule for batches, and ${size} examples are more than the ${MAX_UNROLLED} that are written out one by one.`,
        [...tensors.values()],
      );
    lifted.set(node.id, writer.named(made, node));
    // Its rule is that of one example.
    const rule = interpreter.ownRules.get(node.id);
    if (rule)
      interpreter.ownRules.set(node.id, {
        ...rule,
        operands: rule.operands.map((id) => lifted.get(id) ?? id),
        vjp: () => null,
        jvp: () => null,
        ofBatch: true,
      });
  }
  return lifted;
}

/** What was read of a refused function stays as it is for one example, which nothing gives. */
function leaveAsTraced(interpreter: Interpreter, writer: Lifter, { tensors }: Batch, traced: readonly Node[]): void {
  for (const id of [...writer.written, ...traced.map(({ id }) => id)]) interpreter.nodes.delete(id);
  for (const id of tensors.keys()) interpreter.nodes.set(id, { ...interpreter.nodes.get(id)!, op: "hole" });
  for (const node of traced) interpreter.nodes.set(node.id, node);
}

interface Lifter extends BatchWriter {
  /** Every node it has written. */
  readonly written: ReadonlySet<NodeId>;
  /** What is written from here on comes from this node. */
  about(node: Node): BatchWriter;
  /** The node takes the identity of what it stands for, unless it was there before. */
  named(made: NodeId, like: Node): NodeId;
}

function writerFor(interpreter: Interpreter, call: Call): Lifter {
  let about: Node | null = null;
  let fresh = new Set<NodeId>();
  const written = new Set<NodeId>();
  const next = new Map<string, number>();
  const add = (op: string, inputs: readonly NodeId[], attrs: Node["attrs"], type: TensorType): NodeId => {
    const base = about?.id ?? call.path;
    // A function that is batched again has such nodes already.
    let number = next.get(base) ?? 0;
    const idAt = (at: number): NodeId => nodeId(`${base}.batch${at === 0 ? "" : `@${at + 1}`}`);
    while (interpreter.nodes.has(idAt(number))) number++;
    next.set(base, number + 1);
    const id = idAt(number);
    const { groups = [], span = call.expr.span, phase, segment } = about ?? {};
    interpreter.nodes.set(id, {
      id,
      op,
      inputs,
      attrs,
      type,
      label: op,
      origins: [id],
      groups,
      span,
      ...(phase && { phase }),
      ...(segment && { segment }),
    });
    fresh.add(id);
    written.add(id);
    return id;
  };
  const writer: Lifter = {
    written,
    typeOf: (id) => interpreter.nodes.get(id)!.type,
    scalar: (value, dtype) => add("const", [], { value }, { dtype, shape: [] }),
    op(name, inputs, given = {}) {
      const found = callOf(
        name,
        inputs.map((id) => writer.typeOf(id)),
        given,
      );
      if (!found) throw bug(`vmap wrote ${name} of ${inputs.join(", ")}`);
      return add(name, inputs, found.attrs, found.type);
    },
    about(node) {
      about = node;
      fresh = new Set();
      return writer;
    },
    named(made, like) {
      const node = interpreter.nodes.get(made)!;
      if (!fresh.has(made)) return made;
      interpreter.nodes.delete(made);
      const { id, label, origins, cotangentOf } = like;
      interpreter.nodes.set(id, { ...node, id, label, origins, ...(cotangentOf && { cotangentOf }) });
      return id;
    },
  };
  return writer;
}
