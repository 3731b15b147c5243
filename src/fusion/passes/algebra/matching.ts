/**
 * @file Small questions that patterns of primitives are made of. Each answer notes the nodes that it saw.
 * @about pow: squares and cubes are factors.
 */
import { algebraOf, isDivision, isMultiplication, isSubtraction, isSum } from "../../ops";
import { type Graph, isLiteral, literalOf, node, type Node, type NodeId } from "../../ir";
import { isFreeView } from "../../kernel";

/** One attempt to match: the nodes of the pattern so far. */
export interface Seen {
  readonly graph: Graph;
  readonly members: Set<NodeId>;
}

/** Tries `ask`; what it saw counts only if it answers. */
export function attempt<T>(seen: Seen, ask: (tried: Seen) => T | null): T | null {
  const tried: Seen = { graph: seen.graph, members: new Set() };
  const answer = ask(tried);
  if (answer !== null) for (const id of tried.members) seen.members.add(id);
  return answer;
}

/** The node behind free views. */
export function behind(seen: Seen, id: NodeId): Node {
  let n = node(seen.graph, id);
  while (isFreeView(n)) {
    seen.members.add(n.id);
    n = node(seen.graph, n.inputs[0]!);
  }
  return n;
}

/** The node, behind free views, if it is one of these ops. */
export function opOf(seen: Seen, id: NodeId, ...ops: readonly string[]): Node | null {
  const found = attempt(seen, (tried) => {
    const n = behind(tried, id);
    return ops.includes(n.op) ? n : null;
  });
  if (found) seen.members.add(found.id);
  return found;
}

/** Constants are written with as many digits as their author knew. */
export const near = (a: number, b: number): boolean => Math.abs(a - b) <= 2e-4 * Math.abs(b);

/** A product taken apart: its literals multiplied, everything else in order. */
export interface Factors {
  readonly literal: number;
  readonly rest: readonly NodeId[];
}

/** Factors of `id` through products, quotients by literals, squares and cubes; `stop` is never taken apart. */
export function factorsOf(seen: Seen, id: NodeId, stop: NodeId | null = null): Factors {
  const open = [id];
  const rest: NodeId[] = [];
  let literal = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const n = node(seen.graph, at);
    const [a, b] = n.inputs;
    const by = b === undefined ? null : literalOf(seen.graph, b);
    const algebra = algebraOf(n.op);
    const raised = n.op === "pow" && (by === 2 || by === 3) ? by : algebra.powers?.join() === "2" ? 2 : 0;
    const times = isMultiplication(algebra);
    const divides = isDivision(algebra) && by !== null;
    if (isLiteral(n)) literal *= Number(n.attrs["value"]);
    else if (at === stop || !(times || divides || raised > 0)) rest.unshift(at);
    else {
      seen.members.add(at);
      if (times) open.push(a!, b!);
      else if (raised > 0) open.push(...Array.from({ length: raised }, () => a!));
      else {
        literal /= by!;
        open.push(a!);
      }
    }
  }
  return { literal, rest };
}

/** `literal + value`, either way round. */
export function plusLiteral(seen: Seen, id: NodeId): { readonly literal: number; readonly value: NodeId } | null {
  const n = node(seen.graph, id);
  if (!isSum(algebraOf(n.op)) || isSubtraction(algebraOf(n.op))) return null;
  const at = n.inputs.findIndex((input) => literalOf(seen.graph, input) !== null);
  if (at < 0) return null;
  seen.members.add(id);
  return { literal: literalOf(seen.graph, n.inputs[at]!)!, value: n.inputs[1 - at]! };
}
