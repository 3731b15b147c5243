/**
 * @file The nodes that compute nothing, which every part of the compiler meets: data from outside, literals, operands still open.
 * @about input, const, hole: they are the leaves of a graph, not ops that a kernel computes.
 */
import { node, type Graph, type Node } from "./graph";
import type { NodeId } from "./ids";

type Op = Pick<Node, "op">;

/** Data that comes from outside the program. */
export const isInput = ({ op }: Op): boolean => op === "input";
/** A number written in the program: part of a kernel's text, no byte of memory. */
export const isLiteral = ({ op }: Op): boolean => op === "const";
/** An operand that is drawn but not connected yet. */
export const isHole = ({ op }: Op): boolean => op === "hole";
/** Nothing is computed here. */
export const isSource = (n: Op): boolean => isInput(n) || isLiteral(n) || isHole(n);

/** The number that a literal stands for; null of any other node. */
export const valueOfLiteral = (n: Pick<Node, "op" | "attrs">): number | null =>
  isLiteral(n) ? Number(n.attrs["value"]) : null;
/** The same by id. */
export const literalOf = (graph: Graph, id: NodeId): number | null => valueOfLiteral(node(graph, id));
