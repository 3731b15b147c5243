/** @file Loops of a graph: which nodes are results of one loop, and what its body keeps in registers. */
import { node, type Graph, type Node, type NodeId } from "../../ir";
import { neededFor, opDef, type LoopBody } from "../../ops";

/** Equal for the results of one loop, null of anything else. */
export function loopKey({ op, inputs, attrs }: Node): string | null {
  const { loop } = opDef(op);
  if (!loop) return null;
  const { result: _, ...rest } = attrs;
  return `${op} ${inputs.join(" ")} ${JSON.stringify(rest)}`;
}

/** The members that are results of the same loop as `id`, which is one of them. */
export function loopOf(graph: Graph, members: readonly NodeId[], id: NodeId): readonly NodeId[] {
  const key = loopKey(node(graph, id));
  return members.filter((other) => loopKey(node(graph, other)) === key);
}

/** The loops of a region: results of one loop together, in the order of their first. */
export function loopsIn(graph: Graph, members: readonly NodeId[]): readonly (readonly Node[])[] {
  const loops = new Map<string, Node[]>();
  for (const id of members) {
    const n = node(graph, id);
    const key = loopKey(n);
    if (key === null) continue;
    const known = loops.get(key);
    if (known) known.push(n);
    else loops.set(key, [n]);
  }
  return [...loops.values()];
}

/** Which results of their loop these are, by number. */
export const resultsOf = (results: readonly Node[]): readonly number[] =>
  results.map((n) => opDef(n.op).loop!.result(n.attrs));

/** Values of the body that an iteration computes for these results, in order. */
export function computedIn(body: LoopBody, results: readonly number[]): readonly number[] {
  return [...neededFor(body, results).values].toSorted((a, b) => a - b);
}

/** Most values alive at once inside an iteration, carried ones and what every iteration reads included. */
export function liveInLoop(results: readonly Node[]): number {
  const [first] = results;
  const body = opDef(first!.op).loop!.bodyOf(first!.attrs);
  const numbers = resultsOf(results);
  const order = computedIn(body, numbers);
  const lastUse = new Map<number, number>();
  order.forEach((at, i) => {
    for (const arg of body.values[at]!.args) if (arg.kind === "value") lastUse.set(arg.at, i);
  });
  const { ends, rows } = neededFor(body, numbers);
  for (const arg of [...ends, ...rows.map((at) => body.rows[at]!)])
    if (arg.kind === "value") lastUse.set(arg.at, order.length);
  let [live, most] = [0, 0];
  order.forEach((at, i) => {
    if (lastUse.has(at)) live++;
    most = Math.max(most, live);
    for (const last of lastUse.values()) if (last === i) live--;
  });
  return body.params.length + most;
}
