/** @file Indices that are data and may count from the end, as in `x[i - 1]`: below 0 the extent is added, as NumPy and PyTorch do. */
import type { Node, NodeId } from "../../ir";
import { algebraOf, numbersOf, opDef, type Bounds, type GraphBuilder } from "../../ops";
import type { Interpreter } from "../interpreter";
import type { Value } from "../values/values";

/** What nothing says more about is taken for an index: from 0 on. */
const INDEX: Bounds = { least: 0, most: Infinity };

const either = (all: readonly Bounds[]): Bounds => ({
  least: Math.min(...all.map(({ least }) => least)),
  most: Math.max(...all.map(({ most }) => most)),
});

/** Where the whole numbers of a node lie, as far as constants, sums and bounds say. */
export function boundsOf({ nodes }: Interpreter, id: NodeId, known: Map<NodeId, Bounds> = new Map()): Bounds {
  const open = [id];
  while (open.length > 0) {
    const at = open.at(-1)!;
    const made = nodes.get(at)!;
    const waiting = made.type.dtype === "i32" ? made.inputs.filter((input) => !known.has(input)) : [];
    if (waiting.length > 0) {
      open.push(...waiting);
      continue;
    }
    known.set(at, made.type.dtype === "i32" ? ownBounds(made, known) : INDEX);
    open.pop();
  }
  return known.get(id)!;
}

function ownBounds({ op, inputs, attrs }: Node, known: ReadonlyMap<NodeId, Bounds>): Bounds {
  const { kind, movement, bounds, gather } = opDef(op);
  const operands = inputs.map((input) => known.get(input)!);
  if (kind === "source") {
    if (attrs["source"] === "uniform")
      return { least: Math.floor(Number(attrs["lo"])), most: Math.ceil(Number(attrs["hi"])) - 1 };
    const numbers = numbersOf(attrs["values"] ?? attrs["value"] ?? []);
    return numbers.length === 0 ? INDEX : either(numbers.map((number) => ({ least: number, most: number })));
  }
  if (bounds) return bounds(attrs, ...operands);
  if (movement && operands.length > 0) return either(operands);
  if (gather) return operands[0]!;
  const { terms } = algebraOf(op);
  if (!terms) return INDEX;
  return {
    least: terms.reduce<number>((sum, sign, i) => sum + (sign > 0 ? operands[i]!.least : -operands[i]!.most), 0),
    most: terms.reduce<number>((sum, sign, i) => sum + (sign > 0 ? operands[i]!.most : -operands[i]!.least), 0),
  };
}

/** Whether indices, one or a list or a tensor of them, are known to be at least `from` and below `to`. */
export function lieWithin(interpreter: Interpreter, value: Value, from: number, to: number): boolean {
  if (value.kind === "sequence") return value.items.every((item) => lieWithin(interpreter, item.value, from, to));
  if (value.kind === "number") return value.value >= from && value.value < to;
  if (value.kind !== "tensor") return false;
  const { least, most } = boundsOf(interpreter, value.node);
  return least >= from && (most < to || to === Infinity);
}

/** An index tensor that counts from 0 on; itself where it is known to. */
export function fromStart(interpreter: Interpreter, b: GraphBuilder, index: NodeId, extent: number): NodeId {
  if (boundsOf(interpreter, index).least >= 0) return index;
  const below = b.op("below", "lt", [index, b.scalar(0, "i32")]);
  const counted = b.op("from_end", "add", [index, b.scalar(extent, "i32")]);
  return b.op("index", "where", [below, counted, index]);
}
