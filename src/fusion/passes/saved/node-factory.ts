/** @file Makes the nodes of a value that is saved, recomputed or computed differently, right before the node that reads them. */
import {
  type Attrs,
  bug,
  type DType,
  type Graph,
  isSource,
  node,
  type Node,
  type NodeId,
  sizeOf,
  type TensorType,
  madeFor,
  standingOf,
  type Standing,
} from "../../ir";
import { opDef, withDefaults } from "../../ops";
import { isLate } from "./partition";
import { WORD } from "./recompute-cost";
import type { Inverted } from "./choose";

/** Nodes in a row before `anchor`: each may read those before it. */
export class NodeFactory {
  readonly made: Node[] = [];
  private readonly types: Map<NodeId, TensorType>;
  /** The next number in the row, unless an earlier row before the same node took it. */
  private next = 0;
  private readonly graph: Graph;
  private readonly anchor: Node;
  /** Behind what was made for the anchor before. */
  private readonly at: Standing;
  private readonly kind: string;

  /** @param types of what other rows have made, which this one may read; its own are added */
  constructor(
    graph: Graph,
    anchor: NodeId,
    kind: "again" | "kept" | "row" | "sorted" | "grouped" | "counted" | "latest" | "chunked" | "term" | "phase",
    types = new Map<NodeId, TensorType>(),
  ) {
    this.types = types;
    this.graph = graph;
    this.anchor = node(graph, anchor);
    this.at = standingOf(graph, this.anchor);
    this.kind = kind;
  }

  /** What is computed here and is no literal: each is a kernel's own at first. */
  computed = (): NodeId[] => this.made.filter((n) => !isSource(n)).map(({ id }) => id);

  /** The node `like` once more, of these operands; `late`: in the backward pass. */
  copy(like: Node, inputs: readonly NodeId[], late: boolean): NodeId {
    return this.add(like.op, inputs, like.attrs, like.type, like, late);
  }

  /** A call of an op, said to come from `like`. */
  call(op: string, inputs: readonly NodeId[], attrs: Attrs, like: Node, late: boolean): NodeId {
    const def = opDef(op);
    const all = withDefaults(def, attrs);
    const type = def.infer(
      inputs.map((id) => this.typeOf(id)),
      all,
    );
    if (!type.ok) throw bug(`${op} of a saved value: ${type.text}`);
    return this.add(op, inputs, all, type.value, like, late);
  }

  /** The last two axes swapped, in the backward pass. */
  transposed(value: NodeId, like: Node): NodeId {
    const last = this.typeOf(value).shape.length - 1;
    const perm = Array.from({ length: last + 1 }, (_, axis) => (axis < last - 1 ? axis : 2 * last - 1 - axis));
    return this.call("transpose", [value], { perm }, like, true);
  }

  literal = (value: number, like: Node, late: boolean, dtype: DType = "i32"): NodeId =>
    this.add("const", [], { value }, { dtype, shape: [] }, like, late);

  /** One bit an element: 32 of them are a word. */
  packed(value: NodeId, like: Node): NodeId {
    const rows = this.call("reshape", [value], { shape: [this.words(value), WORD] }, like, false);
    const bit = this.call("shift_left", [this.literal(1, like, false), this.lanes(like, false)], {}, like, false);
    const masked = this.call("where", [rows, bit, this.literal(0, like, false)], {}, like, false);
    return this.call("sum", [masked], { axes: [1], keepdims: true }, like, false);
  }

  /** The elements that a packed value stands for. */
  unpacked(words: NodeId, like: Node): NodeId {
    const down = this.call("shift_right", [words, this.lanes(like, true)], {}, like, true);
    const bit = this.call("bit_and", [down, this.literal(1, like, true)], {}, like, true);
    const rows = this.call("ne", [bit, this.literal(0, like, true)], {}, like, true);
    return this.call("reshape", [rows], { shape: like.type.shape }, like, true);
  }

  /** A value as f16, in the forward pass; `widened` is what the backward pass reads of it. */
  halved = (value: NodeId, like: Node): NodeId => this.call("cast", [value], { dtype: "f16" }, like, false);
  widened = (half: NodeId, like: Node): NodeId => this.call("cast", [half], { dtype: like.type.dtype }, like, true);

  /** A value inverted from what was computed of it. */
  inverse({ op, inputs }: Inverted, like: Node): NodeId {
    return this.call(op, inputs, {}, like, true);
  }

  private readonly words = (value: NodeId): number => sizeOf(this.typeOf(value).shape) / WORD;
  private readonly lanes = (like: Node, late: boolean): NodeId => this.call("iota", [], { start: WORD }, like, late);
  readonly typeOf = (id: NodeId): TensorType => this.types.get(id) ?? node(this.graph, id).type;
  private standing(): Standing {
    const made = madeFor(this.at, this.kind, this.next++);
    return this.graph.nodes.has(made.id) ? this.standing() : made;
  }

  private add(
    op: string,
    inputs: readonly NodeId[],
    attrs: Attrs,
    type: TensorType,
    like: Node,
    late: boolean,
  ): NodeId {
    const standing = this.standing();
    const { id } = standing;
    this.types.set(id, type);
    const named = op === like.op ? like.label : op;
    const { groups } = late === isLate(like) ? like : this.anchor;
    this.made.push({
      ...standing,
      op,
      inputs,
      attrs,
      type,
      label: named,
      origins: like.origins,
      groups,
      ...(late && { phase: "backward" as const }),
    });
    return id;
  }
}
