/** @file Loops of a graph: which nodes are results of one loop, and what its body keeps in registers. */
import { node, sizeOf, type Graph, type Node, type NodeId } from "../../../ir";
import { isOwnedRun, neededFor, opDef, ownShape, type BodyArg, type LoopBody } from "../../../ops";

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

/** Statements of a product or a fold that threads share: loads ahead of it, and what threads do to meet. */
const SHARED_STATEMENTS = 32;

/** Statements of an iteration for these results: where a thread has a run, every element of a value has a register of its own. */
export function statementsIn(body: LoopBody, results: readonly Node[]): number {
  const loop = opDef(results[0]!.op).loop!;
  const types = loop.typesOf(body);
  if (!loop.isPlain(body) && !isOwnedRun(body, types))
    return computedIn(body, resultsOf(results)).reduce((sum, at) => {
      const { kind } = opDef(body.values[at]!.op);
      return sum + (kind === "contraction" || kind === "reduce" ? SHARED_STATEMENTS : 1);
    }, 0);
  const sizeOfArg = (arg: BodyArg | undefined): readonly number[] =>
    arg?.kind === "value" ? types[arg.at]!.shape : arg?.kind === "param" ? ownShape(body.params[arg.at]!) : [];
  return computedIn(body, resultsOf(results)).reduce((sum, at) => {
    const { op, args } = body.values[at]!;
    const { kind } = opDef(op);
    const from = sizeOfArg(args[0]);
    if (kind === "movement") return sum;
    if (kind === "reduce") return sum + sizeOf(from);
    return sum + sizeOf(types[at]!.shape) * (kind === "contraction" ? (from.at(-1) ?? 1) : 1);
  }, 0);
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
  const types = opDef(first!.op).loop!.typesOf(body);
  const elements = (at: number): number => sizeOf(types[at]!.shape);
  let [live, most] = [0, 0];
  order.forEach((at, i) => {
    if (lastUse.has(at)) live += elements(at);
    most = Math.max(most, live);
    for (const [value, last] of lastUse) if (last === i) live -= elements(value);
  });
  return body.params.reduce((sum, param) => sum + sizeOf(ownShape(param)), most);
}
