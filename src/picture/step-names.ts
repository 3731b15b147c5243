/** @file What a step is about in the names of its ops: an arrow only where a value goes, or where one op becomes another. */
import { findNode, nodeName, parseEdgeId, titledOps } from "../fusion";
import type { Compilation, Graph, Node, NodeId, Step } from "../fusion";
import { pillTarget } from "../document";

/** What steps are about: a program as it was before any of them, and what each of them changed. */
export type Told = Pick<Compilation, "naive" | "naivePlan" | "steps">;

/** What a step is about, or a question that none has asked yet. */
export type Asked = Pick<Step, "seq" | "kind" | "nodes" | "edges">;

/** The nodes that steps made, each with the step, in order. */
type Made = ReadonlyMap<NodeId, readonly (readonly [seq: number, made: Node])[]>;
const madeBy = new WeakMap<readonly Step[], Made>();

function madeIn(steps: readonly Step[]): Made {
  const known = madeBy.get(steps);
  if (known) return known;
  const made = new Map<NodeId, [number, Node][]>();
  for (const { seq, patch } of steps)
    for (const node of patch?.addedNodes ?? []) {
      const versions = made.get(node.id);
      if (versions) versions.push([seq, node]);
      else made.set(node.id, [[seq, node]]);
    }
  madeBy.set(steps, made);
  return made;
}

/** A step's node as the step found it, whichever step the page shows; what it made itself, as it is after it. */
function nodeOf({ naive, steps }: Told, { seq }: Pick<Asked, "seq">, id: NodeId): Node | null {
  const versions = madeIn(steps).get(id) ?? [];
  const found = versions.findLast(([at]) => at < seq)?.[1] ?? (naive && findNode(naive.graph, id));
  return found ?? versions[0]?.[1] ?? null;
}

/** `mean → centre`; `x → mean, square`; `lt, sort and where` of ops that do not feed each other; at most three, then how many more. */
export function stepNames(told: Told, step: Asked): string {
  const ids = titledOps(step);
  const own = ids.map((id) => {
    const node = nodeOf(told, step, pillTarget(id) ?? id);
    return node ? nodeName(node) : id;
  });
  // Ops that are called alike are not one op.
  const names = own.map((name, i) => (own.indexOf(name) < i ? `another ${name}` : name));
  const feeds = new Set(step.edges.map(endsOf));
  const isFed = (from: number, to: number): boolean => feeds.has(`${ids[from]} ${ids[to]}`);
  const others = names.slice(1);
  const more = step.edges.length === 1 ? 0 : step.nodes.length - ids.length;
  const rest = more > 0 ? ` and ${more} more` : "";
  if (others.every((_, i) => isFed(i, i + 1))) return names.join(" → ") + rest;
  if (step.kind === "graph" || others.every((_, i) => isFed(0, i + 1)))
    return `${names[0]} → ${others.join(", ")}${rest}`;
  return more > 0 ? names.join(", ") + rest : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

const endsOf = (edge: Step["edges"][number]): string => {
  const ends = parseEdgeId(edge);
  return ends ? `${ends.producer} ${ends.consumer}` : "";
};

/** What raised ops that the text does not name: ` in layer_norm`; nothing where the text, or the title itself, names it. */
export function raisedBy(told: Told, step: Asked): string {
  const named = titledOps(step).flatMap((id) => nodeOf(told, step, id) ?? []);
  const calls = named.flatMap(({ groups }) => {
    const call = groups.find(({ kind }) => kind === "composite");
    return call && named.every((each) => each.id !== call.id) ? [call.label] : [];
  });
  return calls.length > 0 ? ` in ${[...new Set(calls)].join(" and ")}` : "";
}

/** What a node is called in a sentence. */
export function nameIn(graph: Graph, id: NodeId): string {
  const real = pillTarget(id) ?? id;
  const node = findNode(graph, real);
  return node ? nodeName(node) : real;
}
