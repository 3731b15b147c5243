/** @file One call of an op becomes a node, or several when the op is a composite. */
import type { Attrs, Checked, DType, NodeId, Span, TensorType } from "../ir";
import { findNode } from "../ir";
import type { CompositeDef, OpDef } from "../ops";
import type { Bound } from "./bind";
import { expand, expandWith, meant, noneOr } from "./expand";
import type { Machine, Operand, Place } from "./machine";
import { addNode, bindingName, toNode, typeOf } from "./machine";
import { fixesFor } from "./shape-fixes";
import type { Expr } from "./syntax";
import { bare } from "./syntax";
import type { Slot, Value } from "./values";
import { BROKEN, tensorValue } from "./values";

export interface Call {
  readonly op: OpDef | CompositeDef;
  readonly path: string;
  readonly expr: Expr;
}

/** What the user calls an operand: its name, or its source when that is short. */
function nameOf(machine: Machine, slot: Slot | null, node: NodeId | null): string {
  const expr = slot?.expr ? bare(slot.expr) : null;
  if (expr) {
    const source = machine.text.slice(expr.span.from, expr.span.to);
    return source.length <= 24 && !source.includes("\n") ? source : `${source.slice(0, 22).split("\n")[0]!.trimEnd()}…`;
  }
  return node === null ? "nothing" : (machine.nodes.get(node)?.label ?? node);
}

/** Node inputs; literals take the dtype of the tensors beside them. */
function nodesOf(machine: Machine, place: Place, slots: readonly (Slot | null)[]): (NodeId | null)[] {
  const partners: DType[] = [];
  for (const slot of slots) {
    if (slot?.value.kind === "tensor" && !machine.unknown.has(slot.value.node))
      partners.push(typeOf(machine, slot.value.node).dtype);
  }
  return slots.map((slot) => slot && toNode(machine, place, slot, partners));
}

/** A guess for what reads a hole: the first operand whose type is known. */
function guess(machine: Machine, inputs: readonly (NodeId | null)[]): TensorType {
  const known = inputs.find((id) => id !== null && !machine.unknown.has(id));
  return known ? typeOf(machine, known) : { dtype: "f32", shape: [] };
}

interface Made {
  readonly inputs: readonly (NodeId | null)[];
  readonly attrs: Attrs;
  readonly type: TensorType;
}

/** @param open the guessed type when an operand is a hole, else null */
function build(machine: Machine, place: Place, { op, path, expr }: Call, made: Made, open: TensorType | null): NodeId {
  const label = bindingName(place, path) ?? op.name;
  const span: Span = path === place.root ? place.statement.span : expr.span;
  const { groups } = place.turn;
  if (op.kind === "composite") {
    const result = expand(machine, { id: path, label, groups, span, open }, op, made.inputs, made.attrs);
    machine.calls.push({ kind: "composite", id: path, label: op.name, span: expr.span, result, expr, place });
    return result;
  }
  const inputs = made.inputs.filter((id) => id !== null);
  if (inputs.length > (op.movement?.joins?.most ?? Infinity)) {
    return expandWith(machine, { id: path, label, groups, span, open }, op.name, (b) =>
      b.op("whole", op.name, inputs, made.attrs),
    );
  }
  const viewed = op.movement?.free ? machine.nodes.get(inputs[0]!) : undefined;
  const id = addNode(machine, {
    id: path,
    ...meant(op, made.attrs, viewed, made.type),
    inputs,
    type: made.type,
    label,
    groups,
    span,
  });
  if (open) machine.unknown.add(id);
  return id;
}

function inferType(
  op: OpDef | CompositeDef,
  types: readonly (TensorType | null)[],
  attrs: Attrs,
  names?: readonly string[],
): Checked<TensorType> {
  return op.kind === "composite"
    ? op.infer(types, attrs, names)
    : op.infer(
        types.filter((type) => type !== null),
        attrs,
        names,
      );
}

/** Makes the node(s) of a call whose arguments are bound. Broken, with a diagnostic, when shapes or dtypes don't fit. */
export function applyOp(machine: Machine, place: Place, call: Call, bound: Bound): Value {
  const { op, expr } = call;
  const inputs = nodesOf(machine, place, bound.tensors);
  const types = inputs.map((id) => noneOr(id, (known) => typeOf(machine, known)));
  const uncertain = machine.unknown.size > 0 && inputs.some((id) => id !== null && machine.unknown.has(id));
  const inferred = inferType(op, types, bound.attrs);
  if (!inferred.ok && !uncertain) {
    // Asked again with the user's names, for the message only.
    const names = inputs.map((id, i) => nameOf(machine, bound.tensors[i] ?? null, id));
    const refused = inferType(op, types, bound.attrs, names);
    machine.problems.add(inferred.code, expr.span, sentence(refused.ok ? inferred.text : refused.text), {
      nodes: inputs.filter((id) => id !== null),
      fixes: fixesFor(machine, op, bound, types),
    });
    return BROKEN;
  }
  const type = inferred.ok ? inferred.value : guess(machine, inputs);
  const node = build(machine, place, call, { inputs, attrs: bound.attrs, type }, uncertain ? type : null);
  if (inputs.includes(node)) return tensorValue(node);
  const operands: Operand[] = inputs.map((id, i) => ({ node: id, expr: bound.tensors[i]?.expr ?? null }));
  machine.sites.set(node, { node, expr, place, param: null, op, attrs: bound.attrs, operands });
  return tensorValue(node);
}

const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** An expression that takes several primitives, such as an index. Its operand is `slots[0]`. */
export function applyParts(
  machine: Machine,
  place: Place,
  call: { path: string; expr: Expr; label: string },
  slots: readonly Slot[],
  steps: (b: Parameters<Parameters<typeof expandWith>[3]>[0], inputs: readonly NodeId[]) => NodeId,
): Value {
  const inputs = nodesOf(machine, place, slots).filter((id) => id !== null);
  const span = call.path === place.root ? place.statement.span : call.expr.span;
  const made = { id: call.path, label: bindingName(place, call.path), groups: place.turn.groups, span };
  const node = expandWith(machine, made, call.label, (b) => steps(b, inputs));
  if (!inputs.includes(node)) {
    const operands = inputs.map((id, i) => ({ node: id, expr: slots[i]!.expr }));
    machine.sites.set(node, { node, expr: call.expr, place, param: null, op: null, attrs: {}, operands });
    const alone = findNode({ nodes: machine.nodes, outputs: [] }, node);
    if (alone)
      machine.nodes.set(node, { ...alone, groups: partCount(machine, node) ? alone.groups : place.turn.groups });
  }
  return tensorValue(node);
}

/** Whether `node` has parts beside itself. */
function partCount(machine: Machine, node: NodeId): boolean {
  return machine.nodes.get(node)!.inputs.some((id) => machine.partOf.get(id) === node);
}
