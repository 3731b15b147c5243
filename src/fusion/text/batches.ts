/** @file `vmap(f, in_axes, out_axes)`: what f does to one example is done to all of a batch. The examples' ops are written once, then lifted. */
import { callOf, front, liftNode, MOST_WRITTEN_OUT, type BatchWriter } from "../autodiff";
import { bug, nodeId, showType, type Node, type NodeId, type TensorType } from "../ir";
import type { Machine } from "./machine";
import type { CallExpr } from "./syntax";
import type { Slot, Value } from "./values";
import { BROKEN, isBroken, tensorValue } from "./values";

type Axes = NonNullable<Extract<Value, { kind: "transform" }>["axes"]>;
interface Call {
  readonly expr: CallExpr;
  readonly path: string;
}

/** `in_axes` as it was said: a number, None, or one of them for each argument. */
export function axesSaid(inSaid: Slot | undefined, outSaid: Slot | undefined): Axes {
  const one = ({ value }: Slot): number | null => (value.kind === "number" ? value.value : null);
  const items = inSaid?.value.kind === "sequence" ? inSaid.value.items.map(one) : inSaid ? one(inSaid) : 0;
  const out = outSaid?.value.kind === "number" ? outSaid.value.value : 0;
  return { in: typeof items === "number" ? items : (items ?? []), out };
}

interface Batch {
  readonly size: number;
  /** The batched tensor, its batch in front, by the one example that stands for it. */
  readonly tensors: ReadonlyMap<NodeId, NodeId>;
  readonly slots: readonly Slot[];
}

const refuse = (machine: Machine, call: Call, text: string, nodes: readonly NodeId[] = []): null => {
  machine.problems.add("no-batch", call.expr.span, text, { nodes });
  return null;
};

/** The value of `vmap(f)` at its arguments; `apply` calls f with one example's. */
export function batchedCall(
  machine: Machine,
  call: Call,
  axes: Axes,
  operands: readonly Slot[],
  apply: (slots: readonly Slot[]) => Value,
): Value {
  const writer = writerFor(machine, call);
  const batch = examplesOf(machine, call, axes, operands, writer);
  if (!batch) return BROKEN;
  const before = new Set(machine.nodes.keys());
  const value = apply(batch.slots);
  const traced = [...machine.nodes.values()].filter(({ id }) => !before.has(id));
  const lifted = isBroken(value) ? null : liftAll(machine, call, writer, batch, traced);
  if (!lifted) {
    leaveAsTraced(machine, writer, batch, traced);
    return BROKEN;
  }
  for (const id of batch.tensors.keys()) machine.nodes.delete(id);
  for (const [key, { made, inputs }] of machine.derived)
    if ([made, ...inputs].some((id) => lifted.has(id))) machine.derived.delete(key);
  machine.cotangents.clear();
  return inBatch(value, (id) => {
    const all = lifted.get(id) ?? writer.op("expand", [id], { shape: [batch.size, ...writer.typeOf(id).shape] });
    const rank = writer.typeOf(all).shape.length;
    const out = axes.out < 0 ? axes.out + rank : axes.out;
    if (out === 0) return all;
    const rest = Array.from({ length: rank - 1 }, (_, i) => i + 1);
    return writer.op("transpose", [all], { perm: [...rest.slice(0, out), 0, ...rest.slice(out)] });
  });
}

/** The same value with other tensors in it. */
function inBatch(value: Value, to: (id: NodeId) => NodeId): Value {
  if (value.kind === "tensor") return tensorValue(to(value.node));
  if (value.kind === "sequence")
    return { ...value, items: value.items.map((item) => ({ ...item, value: inBatch(item.value, to) })) };
  return value;
}

/** One example of each batched argument, for as long as f is read. */
function examplesOf(
  machine: Machine,
  call: Call,
  axes: Axes,
  operands: readonly Slot[],
  writer: BatchWriter,
): Batch | null {
  const tensors = new Map<NodeId, NodeId>();
  let size: number | null = null;
  const slots: Slot[] = [];
  for (const [i, slot] of operands.entries()) {
    const axis = typeof axes.in === "number" ? axes.in : (axes.in[i] ?? null);
    if (axis === null || slot.value.kind !== "tensor") {
      slots.push(slot);
      continue;
    }
    const { node } = slot.value;
    const { dtype, shape } = writer.typeOf(node);
    const at = axis < 0 ? axis + shape.length : axis;
    const extent = shape[at];
    const shown = showType({ dtype, shape });
    if (extent === undefined)
      return refuse(machine, call, `Argument ${i + 1} is ${shown}: it has no axis ${axis} to take examples from.`, [
        node,
      ]);
    if (size !== null && size !== extent)
      return refuse(
        machine,
        call,
        `Argument ${i + 1} has ${extent} examples along axis ${axis} (${shown}); those before it have ${size}.`,
        [node],
      );
    size = extent;
    const example = nodeId(`${call.path}/example#${i}`);
    const type: TensorType = { dtype, shape: shape.filter((_, k) => k !== at) };
    tensors.set(example, front(writer, node, at));
    machine.nodes.set(example, {
      id: example,
      op: "input",
      inputs: [],
      attrs: {},
      type,
      label: "example",
      origins: [example],
      groups: [],
    });
    slots.push({ ...slot, value: tensorValue(example) });
  }
  return size === null
    ? refuse(machine, call, "vmap needs an argument with a batch: one whose axis in in_axes is a number.")
    : { size, tensors, slots };
}

/** What stands in the batch for each traced node that changes from example to example; null when an op is refused. */
function liftAll(
  machine: Machine,
  call: Call,
  writer: Lifter,
  { size, tensors }: Batch,
  traced: readonly Node[],
): ReadonlyMap<NodeId, NodeId> | null {
  const lifted = new Map(tensors);
  const types = new Map<NodeId, TensorType>();
  const typeOf = (id: NodeId): TensorType => types.get(id) ?? machine.nodes.get(id)!.type;
  for (const node of traced) {
    if (!node.inputs.some((input) => lifted.has(input))) continue;
    types.set(node.id, node.type);
    machine.nodes.delete(node.id);
    const batched = node.inputs.map((input) => lifted.get(input) ?? null);
    const made = liftNode(writer.about(node), { node, types: node.inputs.map(typeOf), batched, size });
    if (made === null)
      return refuse(
        machine,
        call,
        `\`${node.op}\` (${node.label}) has no rule for batches, and ${size} examples are more than the ${MOST_WRITTEN_OUT} that are written out one by one.`,
        [...tensors.values()],
      );
    lifted.set(node.id, writer.named(made, node));
  }
  return lifted;
}

/** What was read of a refused function stays as it is for one example, which nothing gives. */
function leaveAsTraced(machine: Machine, writer: Lifter, { tensors }: Batch, traced: readonly Node[]): void {
  for (const id of [...writer.written, ...traced.map(({ id }) => id)]) machine.nodes.delete(id);
  for (const id of tensors.keys()) machine.nodes.set(id, { ...machine.nodes.get(id)!, op: "hole" });
  for (const node of traced) machine.nodes.set(node.id, node);
}

interface Lifter extends BatchWriter {
  /** Every node it has written. */
  readonly written: ReadonlySet<NodeId>;
  /** What is written from here on comes from this node. */
  about(node: Node): BatchWriter;
  /** The node takes the identity of what it stands for, unless it was there before. */
  named(made: NodeId, like: Node): NodeId;
}

function writerFor(machine: Machine, call: Call): Lifter {
  let about: Node | null = null;
  let fresh = new Set<NodeId>();
  const written = new Set<NodeId>();
  const next = new Map<string, number>();
  const add = (op: string, inputs: readonly NodeId[], attrs: Node["attrs"], type: TensorType): NodeId => {
    const base = about?.id ?? call.path;
    const number = next.get(base) ?? 0;
    next.set(base, number + 1);
    const id = nodeId(`${base}.batch${number === 0 ? "" : `@${number + 1}`}`);
    const { groups = [], span = call.expr.span, phase, segment } = about ?? {};
    machine.nodes.set(id, {
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
    typeOf: (id) => machine.nodes.get(id)!.type,
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
      const node = machine.nodes.get(made)!;
      if (!fresh.has(made)) return made;
      machine.nodes.delete(made);
      const { id, label, origins, cotangentOf } = like;
      machine.nodes.set(id, { ...node, id, label, origins, ...(cotangentOf && { cotangentOf }) });
      return id;
    },
  };
  return writer;
}
