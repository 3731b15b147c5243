/** @file The body of a loop as nodes of one element, to which derivatives are written. */
import { nodeId, type DType, type Node, type NodeId, type TensorType } from "../ir";
import { opDef, withDefaults, type BodyArg, type BodyValue, type LoopBody } from "../ops";
import type { Writer } from "./derivative-builder";

/** A body as nodes of one element, to which changes are written. */
export class BodyWriter implements Writer {
  readonly nodes = new Map<NodeId, Node>();
  readonly #args = new Map<NodeId, BodyArg>();
  readonly #values: BodyValue[] = [];
  readonly #names: Set<string>;

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
  }

  get values(): readonly BodyValue[] {
    return this.#values;
  }

  argOf = (id: NodeId): BodyArg => this.#args.get(id)!;

  /** A name that nothing here has yet. */
  unique(wanted: string): string {
    const word = wanted.replaceAll(/\W+/g, "_");
    let name = word;
    for (let i = 2; this.#names.has(name); i++) name = `${word}_${i}`;
    this.#names.add(name);
    return name;
  }

  #add(id: string, op: string, inputs: readonly NodeId[], attrs: Node["attrs"], dtype: DType, label: string): NodeId {
    const own = nodeId(id);
    this.nodes.set(own, { id: own, op, inputs, attrs, type: { dtype, shape: [] }, label, origins: [], groups: [] });
    return own;
  }

  /** A value from outside of the iteration. */
  given(arg: BodyArg, dtype: DType, label: string): NodeId {
    const id = this.#add(`given ${label}`, "input", [], {}, dtype, label);
    this.#args.set(id, arg);
    return id;
  }

  /** A value of the body as it was written. */
  value(made: BodyValue, inputs: readonly NodeId[], dtype: DType): NodeId {
    const at = this.#values.push(made) - 1;
    const id = this.#add(`value ${at}`, made.op, inputs, made.attrs, dtype, made.name);
    this.#args.set(id, { kind: "value", at });
    return id;
  }

  typeOf(id: NodeId): TensorType {
    return this.node(id).type;
  }

  node(id: NodeId): Node {
    return this.nodes.get(id)!;
  }

  scalar(value: number, dtype: DType = "f32"): NodeId {
    const id = this.#add(`literal ${value}:${dtype}`, "const", [], { value }, dtype, `${value}`);
    this.#args.set(id, { kind: "literal", value, dtype });
    return id;
  }

  op(part: string, op: string, inputs: readonly NodeId[], given: Node["attrs"] = {}): NodeId {
    const def = opDef(op);
    // One element has no other shape.
    if (def.movement) return inputs[0]!;
    const attrs = withDefaults(def, given);
    const type = def.infer(
      inputs.map((id) => this.typeOf(id)),
      attrs,
    );
    if (!type.ok) throw new TypeError(`${part}: ${type.text}`);
    const neutral = def.scalar?.neutral;
    const literal = (id: NodeId): number | null => {
      const arg = this.argOf(id);
      return arg.kind === "literal" ? arg.value : null;
    };
    const without = neutral?.operands.find((at) => inputs.length === 2 && literal(inputs[at]!) === neutral.value);
    if (without !== undefined && this.typeOf(inputs[1 - without]!).dtype === type.value.dtype)
      return inputs[1 - without]!;
    const args = inputs.map(this.argOf);
    return this.value({ name: this.unique(part), op, args, attrs }, inputs, type.value.dtype);
  }
}

/** Whether derivatives know every op of a body, which works element by element. */
export const isKnown = (body: LoopBody): boolean =>
  opDef("row_loop").loop!.isPlain(body) &&
  body.values.every(({ op }) => Boolean(opDef(op).derivative ?? opDef(op).loop));
