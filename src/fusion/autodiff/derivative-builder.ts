/** @file Where derivatives are written: ops by name on nodes and numbers, each call once, with what rules need to know of the graph. */
import { type Attrs, isLiteral, type Node, type NodeId, type TensorType, valueOfLiteral } from "../ir";
import type { OwnRule, OwnRules, Template } from "./own-rules";
import { findOp, opDef, type GraphBuilder, type OpDef, type DerivativeContext } from "../ops";

/** What stands in the way: an op without a rule. */
export interface NoRule {
  readonly node: Node;
}

/** A builder that can also be asked for the nodes that are there already. */
export interface Writer extends GraphBuilder {
  node(id: NodeId): Node;
}

/** A call and the node it made. */
export interface Entry {
  readonly op: string;
  readonly inputs: readonly NodeId[];
  readonly attrs: Attrs;
  readonly made: NodeId;
}

type EntryCall = Pick<Entry, "op" | "inputs" | "attrs">;
/** One key for equal calls. */
export const callKey = ({ op, inputs, attrs }: EntryCall): string =>
  `${op} ${inputs.join(" ")} ${JSON.stringify(attrs)}`;

/** Writes into a graph; equal calls are one node, those of earlier builders too. */
export class DerivativeBuilder {
  private readonly written = new Map<string, Entry>();
  private readonly writer: Writer;
  private readonly earlier: ReadonlyMap<string, Entry>;
  private readonly own: OwnRules;

  /**
   * @param earlier calls by `callKey`
   * @param own what the program says
   */
  constructor(
    writer: Writer,
    earlier: ReadonlyMap<string, Entry> = new Map(),
    own: OwnRules = { rules: new Map(), still: new Set() },
  ) {
    this.writer = writer;
    this.earlier = earlier;
    this.own = own;
  }

  /** The rule that the program gives a node; null where its op's is meant. */
  ownRule = (id: NodeId): OwnRule | null => this.own.rules.get(id) ?? null;

  /** What a change reaches a node through. */
  operandsOf = ({ id, inputs }: Node): readonly NodeId[] =>
    this.own.still.has(id) ? [] : (this.own.rules.get(id)?.operands ?? inputs);

  /** The calls of this builder alone. */
  entries = (): readonly Entry[] => [...this.written.values()];

  node = (id: NodeId): Node => this.writer.node(id);
  typeOf = (id: NodeId): TensorType => this.writer.typeOf(id);

  literal = (id: NodeId): number | null => valueOfLiteral(this.node(id));

  /** A call of an op, composites included; numbers become literals of `dtype`. */
  call(dtype: TensorType["dtype"], op: string, operands: readonly (NodeId | number)[], attrs: Attrs = {}): NodeId {
    const inputs = operands.map((operand) => (typeof operand === "number" ? this.scalar(operand, dtype) : operand));
    return this.once(op, inputs, attrs, () => {
      const found = findOp(op);
      if (found?.kind !== "composite") return this.writer.op(op, op, inputs, attrs);
      const defaults = Object.fromEntries(
        found.params.flatMap(({ kind, names, default: value }) =>
          kind === "tensor" || value === undefined ? [] : [[names[0]!, value]],
        ),
      );
      return found.build(this.writer, inputs, { ...defaults, ...attrs });
    });
  }

  scalar = (value: number, dtype: TensorType["dtype"]): NodeId =>
    this.once("const", [], { value: String(value), dtype }, () => this.writer.scalar(value, dtype));

  /** What the rule of `node`'s op sees. */
  contextOf({ id, inputs, attrs, type }: Node): DerivativeContext {
    const of: DerivativeContext["of"] = (op, operands, more) => this.call(type.dtype, op, operands, more);
    return { inputs, output: id, attrs, typeOf: this.typeOf, node: this.node, of, literal: this.literal };
  }

  private once(op: string, inputs: readonly NodeId[], attrs: Attrs, make: () => NodeId): NodeId {
    const key = callKey({ op, inputs, attrs });
    const known = this.written.get(key) ?? this.earlier.get(key);
    if (known !== undefined) return known.made;
    const made = make();
    this.written.set(key, { op, inputs, attrs, made });
    return made;
  }
}

/** Whether changes of a composite's part cancel in its result, so that no derivative goes through it. */
function isNonDifferentiable({ id, groups }: Node): boolean {
  const call = groups.find(({ kind }) => kind === "composite");
  const def = call && findOp(call.label);
  return def?.kind === "composite" && (def.nonDifferentiable ?? []).some((part) => id === `${call!.id}.${part}`);
}

export const ruleOf = (node: Node): OpDef["derivative"] => {
  if (isNonDifferentiable(node)) return {};
  return opDef(node.op).derivative;
};

/** Only these change smoothly. */
export const isSmooth = ({ dtype }: TensorType): boolean => dtype === "f32" || dtype === "f16";

/** Nodes that change when one of `roots` does, in an order in which operands come first; only those that `ends` read. */
export function dependents(
  builder: DerivativeBuilder,
  roots: ReadonlySet<NodeId>,
  ends: readonly NodeId[],
): readonly Node[] {
  const order: Node[] = [];
  const changes = new Map<NodeId, boolean>();
  const left: NodeId[] = [...ends];
  while (left.length > 0) {
    const id = left.at(-1)!;
    const node = builder.node(id);
    if (changes.has(id)) {
      left.pop();
      continue;
    }
    const operands = builder.operandsOf(node);
    const open = operands.filter((input) => !changes.has(input));
    if (open.length > 0) {
      left.push(...open);
      continue;
    }
    left.pop();
    const own = roots.has(id) || (isSmooth(node.type) && operands.some((input) => changes.get(input)));
    changes.set(id, own);
    if (own) order.push(node);
  }
  return order;
}

/** Zeros in the shape of `type`. */
export const zeros = (builder: DerivativeBuilder, { dtype, shape }: TensorType): NodeId =>
  builder.call(dtype, "expand", [0], { shape });

/** `id` as a tensor that a program may answer: a literal is written out. */
export const tensorOf = (builder: DerivativeBuilder, id: NodeId): NodeId => {
  const { dtype, shape } = builder.typeOf(id);
  return builder.literal(id) === null ? id : builder.call(dtype, "expand", [id], { shape });
};

/** The results of a template for these values; a null stands for zeros. */
export function written(
  builder: DerivativeBuilder,
  { standIns, nodes, results }: Template,
  given: readonly (NodeId | null)[],
): readonly (NodeId | null)[] {
  const now = new Map<NodeId, NodeId>();
  standIns.forEach(({ id, type }, i) => now.set(id, given[i] ?? zeros(builder, type)));
  const at = (id: NodeId): NodeId => now.get(id) ?? id;
  for (const node of nodes) {
    const { id, op, inputs, attrs, type } = node;
    const made = isLiteral(node)
      ? builder.scalar(Number(attrs["value"]), type.dtype)
      : builder.call(type.dtype, op, inputs.map(at), attrs);
    now.set(id, made);
  }
  return results.map((id) => (id === null ? null : at(id)));
}
