/** @file Composites become primitives: parts are called `h.centre`, and the last one takes the call's own identity. */
import { type Attrs, type GroupRef, isLiteral, type Node, type NodeId, type Span, type TensorType } from "../../ir";
import { bug, extended, nodeId } from "../../ir";
import type { CompositeDef, GraphBuilder, OpDef, Param } from "../../ops";
import { opDef, scalarType, weakDType, withDefaults } from "../../ops";
import type { Interpreter } from "../interpreter";

/** An operand's type; null: an optional one that is not given. */
export const noneOr = <T>(id: NodeId | null, of: (id: NodeId) => T): T | null => (id === null ? null : of(id));

export interface Call {
  readonly id: string;
  /** Of the result; null: as the part is called. */
  readonly label: string | null;
  readonly groups: readonly GroupRef[];
  readonly span: Span;
  /** An operand is open: parts whose type can't be known take this one, and all are marked so. */
  readonly open?: TensorType | null;
  readonly phase?: Node["phase"];
}

/** A view shows what is in memory. A literal is not: where it gets another shape, a tensor is filled with it. */
export const meant = (op: OpDef, attrs: Attrs, viewed: Node | undefined, { shape }: TensorType) =>
  viewed?.op === "const" ? { op: "expand", attrs: { shape } } : { op: op.name, attrs };

const LISTS: ReadonlySet<string> = new Set(["axes", "shape", "ints"]);

/** One number where a list is meant becomes a list of one, so that equal calls have equal attributes. */
function listed(params: readonly Param[], attrs: Attrs): Attrs {
  const single = params.filter(({ kind, names }) => LISTS.has(kind) && typeof attrs[names[0]!] === "number");
  return { ...attrs, ...Object.fromEntries(single.map(({ names }) => [names[0]!, [Number(attrs[names[0]!])]])) };
}

/** Collects the parts of one call; nothing reaches the graph before `finish`. */
export class Expansion implements GraphBuilder {
  private readonly made = new Map<NodeId, Node>();
  private readonly weak = new Set<NodeId>();
  private readonly names = new Map<NodeId, string>();
  private readonly cotangents = new Map<NodeId, NodeId>();
  private landed: ReadonlyMap<NodeId, NodeId> = new Map();
  /** The highest number that a path carries. */
  private readonly taken = new Map<string, number>();
  private readonly group: GroupRef;
  private readonly interpreter: Interpreter;
  private readonly call: Call;
  /** Between the call's identity and a part's name. */
  private readonly joint: string;

  constructor(interpreter: Interpreter, call: Call, label: string, kind: "composite" | "def" = "composite") {
    this.interpreter = interpreter;
    this.call = call;
    this.group = { kind, id: call.id, label };
    this.joint = kind === "def" ? "/" : ".";
  }

  typeOf(id: NodeId): TensorType {
    return this.node(id).type;
  }

  scalar(value: number, dtype?: TensorType["dtype"]): NodeId {
    const id = this.add("value", "const", [], { value }, scalarType(value, dtype ?? "f32"), `${value}`);
    if (dtype === undefined) this.weak.add(id);
    return id;
  }

  /** Numbers without a dtype of their own take the operands'. */
  private settle(inputs: readonly NodeId[]): void {
    const weak = inputs.filter((id) => this.weak.has(id));
    const dtype = weakDType(inputs.filter((id) => !this.weak.has(id)).map((id) => this.typeOf(id).dtype));
    for (const id of weak) {
      this.weak.delete(id);
      this.made.set(id, { ...this.node(id), type: { dtype, shape: [] } });
    }
  }

  op(part: string, name: string, inputs: readonly NodeId[], given: Attrs = {}): NodeId {
    const op = opDef(name);
    this.settle(inputs);
    if (inputs.length > (op.movement?.joins?.most ?? Infinity)) return this.joined(part, op, inputs, given);
    const attrs = listed(op.params, withDefaults(op, given));
    const type = op.infer(
      inputs.map((id) => this.typeOf(id)),
      attrs,
    );
    if (!type.ok && this.call.open) return this.add(part, name, inputs, attrs, this.call.open, part);
    if (!type.ok) throw bug(`${this.group.label}.${part}: ${type.text}`);
    const written = meant(op, attrs, op.movement?.free ? this.node(inputs[0]!) : undefined, type.value);
    const label = part === name ? written.op : part;
    return this.add(part, written.op, inputs, written.attrs, type.value, label);
  }

  /** Calls on as many operands as a kernel binds, and one that joins their results. */
  private joined(part: string, { name, movement }: OpDef, inputs: readonly NodeId[], given: Attrs): NodeId {
    const { most, by } = movement!.joins!;
    const parts: NodeId[] = [];
    for (let at = 0; at < inputs.length; at += most) {
      const some = inputs.slice(at, at + most);
      parts.push(some.length === 1 && name === by ? some[0]! : this.op("part", name, some, given));
    }
    return this.op(part, by, parts, given);
  }

  node(id: NodeId): Node {
    const found = this.made.get(id) ?? this.interpreter.nodes.get(id);
    if (!found) throw bug(`${this.group.label} reads ${id}, which does not exist`);
    return found;
  }

  private add(
    part: string,
    op: string,
    inputs: readonly NodeId[],
    attrs: Attrs,
    type: TensorType,
    label: string,
  ): NodeId {
    const id = this.free(`${this.call.id}${this.joint}${part}`, this.taken, this.made);
    const { groups, span, phase } = this.call;
    this.made.set(id, {
      id,
      op,
      inputs,
      attrs,
      type,
      label,
      origins: [id],
      groups: [...groups, this.group],
      span,
      ...(phase && { phase }),
    });
    return id;
  }

  /** The path, or the first of its numbered forms that is not in `used`; `numbers` are those that were given last. */
  private free(path: string, numbers: Map<string, number>, used: { has: (id: NodeId) => boolean }): NodeId {
    let id = nodeId(path);
    for (let again = (numbers.get(path) ?? 1) + 1; used.has(id); again++) {
      id = nodeId(`${path}@${again}`);
      numbers.set(path, again);
    }
    return id;
  }

  /** Calls a part, and what it is only a view of, by another name from `land` on; the first name stays. */
  rename(id: NodeId, name: string): void {
    for (let at = this.made.get(id); at && !isLiteral(at) && !this.names.has(at.id);) {
      this.names.set(at.id, name);
      at = opDef(at.op).movement?.free ? this.made.get(at.inputs[0]!) : undefined;
    }
  }

  /** Says of a part whose cotangent it is, the first time. */
  cotangent(id: NodeId, of: NodeId): void {
    if (this.made.get(id)?.op !== "const" && !this.cotangents.has(id)) this.cotangents.set(id, of);
  }

  /** Puts the parts into the graph, and answers under which identities. */
  land(ids: readonly NodeId[]): readonly NodeId[] {
    const now = new Map<NodeId, NodeId>();
    const used = new Set(this.made.keys());
    const numbers = new Map<string, number>();
    for (const [id, name] of this.names) {
      const fresh = this.free(`${this.call.id}${this.joint}${name}`, numbers, used);
      used.add(fresh);
      now.set(id, fresh);
    }
    this.landed = now;
    for (const [old, node] of this.made) {
      const [id] = this.landedAs([old]);
      const label = this.names.get(old) ?? node.label;
      const of = this.cotangents.get(old);
      const own = { id: id!, label, origins: [id!], inputs: this.landedAs(node.inputs) };
      this.interpreter.nodes.set(id!, extended(node, of ? { ...own, cotangentOf: of } : own));
    }
    return this.landedAs(ids);
  }

  /** Identities of parts in the graph, after `land`. */
  landedAs = (ids: readonly NodeId[]): readonly NodeId[] => ids.map((id) => this.landed.get(id) ?? id);

  /** Puts the parts into the graph; `result` becomes the call's own node. */
  finish(result: NodeId): NodeId {
    const own = nodeId(this.call.id);
    const name = (id: NodeId): NodeId => (id === result ? own : id);
    for (const node of this.made.values()) {
      const id = name(node.id);
      const label = (id === own ? this.call.label : null) ?? node.label;
      this.interpreter.nodes.set(id, { ...node, id, label, origins: [id], inputs: node.inputs.map(name) });
      if (id !== own && !isLiteral(node)) this.interpreter.partOf.set(id, own);
      if (this.call.open && !isLiteral(node)) this.interpreter.unknown.add(id);
    }
    return this.made.has(result) ? own : result;
  }
}

/**
 * Expands a call of `op` whose types `op.infer` accepted, or one with an open operand.
 * @param inputs aligned with the tensor parameters; null for those not given
 * @returns the result's node: the call's own, or an operand when the composite passes it through
 */
export function expand(
  interpreter: Interpreter,
  call: Call,
  op: CompositeDef,
  inputs: readonly (NodeId | null)[],
  attrs: Attrs,
): NodeId {
  const expansion = new Expansion(interpreter, call, op.name);
  return expansion.finish(op.build(expansion, inputs, attrs));
}

/** Several primitives for one expression (`x[0, None]`, `a // b`): the same naming as a composite's. */
export function expandWith(
  interpreter: Interpreter,
  call: Call,
  label: string,
  build: (b: GraphBuilder) => NodeId,
): NodeId {
  const expansion = new Expansion(interpreter, call, label);
  return expansion.finish(build(expansion));
}
