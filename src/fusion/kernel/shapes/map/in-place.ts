/**
 * @file Results that are written over the value they replace. A thread reads its elements of an input that begins the next step of a
 * training, computes what replaces them, and stores it there: the kernel binds one buffer for both.
 */
import { node, sizeOf, type Graph, type Node, type NodeId } from "../../../ir";
import { opDef } from "../../../ops";
import type { Body } from "../../schedule/schedule-parts";
import type { InPlace } from "../../types";
import { isFreeView, resolveView, storedInputs } from "../../indices/views";

/** The stored value that replaces this input in the next step; null where none does. */
export function replacementOf(graph: Graph, { attrs }: Node): NodeId | null {
  const { next } = attrs;
  const output = typeof next === "number" ? graph.outputs[next] : undefined;
  return output === undefined ? null : resolveView(graph, output);
}

/** Two halves share a word, which one thread writes as a whole: only words are written in place. */
const WORDS: ReadonlySet<string> = new Set(["f32", "i32", "u32"]);

/**
 * The outputs of a kernel whose threads walk outputs of one size element by element that are written over inputs: each element of the
 * input is read for elements at the same index alone, so by the thread that stores there.
 */
export function inPlaceOf(graph: Graph, { members, outputs }: Body): readonly InPlace[] {
  return storedInputs(graph, members).flatMap((input) => {
    const from = node(graph, input);
    const output = replacementOf(graph, from);
    if (output === null || !outputs.includes(output)) return [];
    const to = node(graph, output);
    const fits =
      WORDS.has(to.type.dtype) &&
      to.type.dtype === from.type.dtype &&
      sizeOf(to.type.shape) === sizeOf(from.type.shape);
    return fits && staysInPlace(graph, members, input) ? [{ output, input }] : [];
  });
}

/** Is whatever is computed of `input` as large as it is, each element of the one at its index? */
function staysInPlace(graph: Graph, members: readonly NodeId[], input: NodeId): boolean {
  const size = sizeOf(node(graph, input).type.shape);
  const behind = new Set([input]);
  for (const id of [...viewsBefore(graph, members, input), ...members]) {
    const n = node(graph, id);
    if (!n.inputs.some((operand) => behind.has(operand))) continue;
    const { kind } = opDef(n.op);
    const elementwise = kind === "elementwise" || kind === "random" || isFreeView(n);
    if (!elementwise || sizeOf(n.type.shape) !== size) return false;
    behind.add(id);
  }
  return true;
}

/** Views of `input` outside the kernel that its members read, the nearest to it first. */
function viewsBefore(graph: Graph, members: readonly NodeId[], input: NodeId): NodeId[] {
  const inside = new Set(members);
  const found = new Set<NodeId>();
  for (const id of members) {
    for (let at of node(graph, id).inputs) {
      const steps: NodeId[] = [];
      for (; !inside.has(at) && at !== input && isFreeView(node(graph, at)); at = node(graph, at).inputs[0]!)
        steps.unshift(at);
      if (at === input) for (const step of steps) found.add(step);
    }
  }
  return [...found];
}
