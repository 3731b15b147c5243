/** @file What it costs to save a value, and what to recompute it. */
import { bytesOf, node, sizeOf, type Graph, type Node, type NodeId, type SavedChoice } from "../../ir";
import { matmulSizes } from "../../kernel";
import { flopsOf, opDef, type OpDef } from "../../ops";

/** Elements of one packed word. */
export const WORD = 32;

/** Whether one bit says an element, and words come out even. */
export const fitsBits = ({ type }: Node): boolean =>
  type.dtype === "bool" && sizeOf(type.shape) % WORD === 0 && type.shape.length > 0;

/** Bytes that are saved of a value, in the form that was chosen for it. */
export const savedBytes = (n: Node, choice?: SavedChoice): number =>
  fitsBits(n) ? sizeOf(n.type.shape) / 8 : bytesOf(choice === "f16" ? { ...n.type, dtype: "f16" } : n.type);

/** What an op takes: `flopsOf` or `weightedFlopsOf`. */
type Each = (def: OpDef) => number;

/** FLOP of computing a value from its operands, or as many as `each` says. */
export function recomputeFlops(graph: Graph, id: NodeId, each: Each = flopsOf): number {
  const { op, attrs, type, inputs } = node(graph, id);
  const def = opDef(op);
  const { kind, loop } = def;
  if (loop) return loop.flops(attrs, [loop.result(attrs)], each) * sizeOf(type.shape);
  if (kind === "contraction") return 2 * matmulSizes(graph, id).k * sizeOf(type.shape);
  const many = kind === "reduce" || kind === "scan" || kind === "order";
  return kind === "movement" ? 0 : each(def) * sizeOf(many ? node(graph, inputs[0]!).type.shape : type.shape);
}

/** A sum of so many elements each is saved rather than recomputed. */
const LONG_SUM = 4;

/** Contractions, sorts, scans and long sums are saved rather than recomputed; an opaque op must not run twice. */
export function isExpensive(graph: Graph, id: NodeId): boolean {
  const { op, type, inputs } = node(graph, id);
  const { kind } = opDef(op);
  if (kind === "contraction" || kind === "order" || kind === "scan" || kind === "opaque") return true;
  return kind === "reduce" && bytesOf(type) * LONG_SUM < bytesOf(node(graph, inputs[0]!).type);
}

export const isOpaque = (graph: Graph, id: NodeId): boolean => opDef(node(graph, id).op).kind === "opaque";
