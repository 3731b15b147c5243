/** @file What a program's graph says of its text: tensors of one number that stand where data is meant, and values that wait for a line to be drawn. */
import { boundName, isHole, isInput, isLiteral, isPathless, isSource, node, nodeName, showType, sizeOf } from "./ir";
import type { Diagnostic, Graph, Node, NodeId, Span } from "./ir";
import { opDef } from "./ops";

import { lineAndColumn } from "./text";

/** A tensor of more than one element that is one number everywhere, as `ones(1000, 384)` is. */
function isFilled(graph: Graph, id: NodeId): boolean {
  const { inputs, op, type } = node(graph, id);
  const { kind } = opDef(op);
  return kind === "movement" && sizeOf(type.shape) > 1 && inputs.every((input) => isLiteral(node(graph, input)));
}

/** What a value shows: behind reshapes and transposes. */
function behindViews(graph: Graph, id: NodeId): NodeId {
  let at = id;
  for (;;) {
    const { op, inputs } = node(graph, at);
    if (opDef(op).kind !== "movement" || inputs.length !== 1 || isFilled(graph, at)) return at;
    at = inputs[0]!;
  }
}

/** A call is given the value: it was made outside of the def that reads it. A start at 0 is what it says. */
function isArgument(graph: Graph, { groups: made, inputs }: Node, { groups }: Node): boolean {
  const isZero = inputs.every((input) => Number(node(graph, input).attrs["value"]) === 0);
  return !isZero && groups.some(({ kind, id }) => kind === "def" && !made.some((each) => each.id === id));
}

/** Filled tensors that a contraction multiplies by or that a call is given, and all of them in a program that reads nothing and counts nothing. */
function filledData(graph: Graph): readonly Node[] {
  const found = new Set<NodeId>();
  const nodes = [...graph.nodes.values()];
  const readsNothing = nodes.every((n) => n.inputs.length > 0 || isLiteral(n));
  for (const reader of nodes) {
    if (isSource(reader)) continue;
    const isContraction = opDef(reader.op).kind === "contraction";
    for (const input of reader.inputs) {
      const value = behindViews(graph, input);
      if (!isFilled(graph, value)) continue;
      if (isContraction || readsNothing || isArgument(graph, node(graph, value), reader)) found.add(value);
    }
  }
  return [...found].map((id) => node(graph, id));
}

/** The first of some spans in a text. */
const firstOf = (spans: readonly Span[]): Span => spans.toSorted((a, b) => a.from - b.from)[0] ?? { from: 0, to: 0 };

/** Says that kernels compute what looks like data, and how data is declared. */
function constantData(graph: Graph, text: string): Diagnostic[] {
  const filled = filledData(graph).filter(({ span }) => span !== undefined);
  const [first] = filled;
  if (!first) return [];
  const span = firstOf(filled.map((each) => each.span!));
  const named = filled.find((each) => isPathless(each.id)) ?? first;
  const name = isPathless(named.id) ? boundName(named.id) : "x";
  const rest = filled.length - 1;
  const what = `\`${nodeName(first)}\` of ${first.type.shape.join("×")}`;
  const others = rest === 1 ? "one other" : `${rest} others`;
  const are =
    rest === 0
      ? `${what} is a constant: kernels compute it and read no byte of it`
      : `${what} and ${others} are constants: kernels compute them and read no byte of them`;
  const words = `${are}. What comes from outside is declared: \`${name}: ${showType(named.type)}\`.`;
  return [{ code: "constant-data", severity: "warning", span, ...lineAndColumn(text, span.from), text: words }];
}

/** While ops wait to be connected, or there is none yet, a value that nothing reads is no mistake. */
function isDrawing(graph: Graph): boolean {
  const nodes = [...graph.nodes.values()];
  return nodes.some(isHole) || nodes.every(isInput);
}

/** What the reader of a text said, with what its graph adds, and without what is no mistake yet. */
export function withHints(diagnostics: readonly Diagnostic[], graph: Graph, text: string): readonly Diagnostic[] {
  const said = isDrawing(graph) ? diagnostics.filter(({ code }) => code !== "unused-value") : diagnostics;
  const hints = constantData(graph, text);
  return hints.length === 0 ? said : [...hints, ...said];
}
