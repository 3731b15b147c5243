/** @file P3d: composites written out in primitives, and patterns of composites, get their names. Labels alone: fusion follows the data, not the name. */
import { node, type Graph, type GroupRef, type Node, type NodeId } from "../../ir";
import type { Answer, Candidate } from "../driver/define";
import { rewriteCandidate } from "../driver/rewriting";
import type { Planner } from "../driver/planner";
import { rewritingPass } from "../driver/rewriting";
import { capital, namesOf, yes } from "../driver/sentences";
import { joinedPatterns } from "./joined-patterns";
import { patterns, type Pattern } from "./patterns";
import { titled } from "../catalogue";

export const recognition = rewritingPass({
  ...titled("recognition"),
  *match(planner) {
    const calls = callsIn(planner.graph);
    for (const id of Array.from(planner.graph.nodes.keys()).toReversed()) {
      const n = planner.graph.nodes.get(id);
      if (!n || n.inputs.length === 0) continue;
      const found = joined(planner, n, calls) ?? writtenOut(planner, n);
      if (found) yield* named(planner, n, found);
    }
  },
});

interface Recognised {
  readonly name: string;
  readonly members: readonly Node[];
}

/** The call that a node is part of, as written or as recognised. */
const callOf = ({ groups }: Node): GroupRef | undefined => groups.find(({ kind }) => kind === "composite");

function callsIn(graph: Graph): ReadonlyMap<string, readonly NodeId[]> {
  const calls = new Map<string, NodeId[]>();
  for (const n of graph.nodes.values()) {
    const call = callOf(n);
    if (!call) continue;
    const members = calls.get(call.id);
    if (members) members.push(n.id);
    else calls.set(call.id, [n.id]);
  }
  return calls;
}

/** Every pattern that ends in `root`, with the nodes that it saw. */
function* matches(graph: Graph, root: Node, known: readonly Pattern[]): Generator<{ name: string; ids: Set<NodeId> }> {
  let ids = new Set<NodeId>([root.id]);
  for (const pattern of known) {
    if (ids.size > 1) ids = new Set([root.id]);
    const name = pattern({ graph, members: ids }, root);
    if (name !== null) yield { name, ids };
  }
}

/** A pattern that may take in whole calls; of a call only its last value can be where one ends. */
function joined({ graph }: Planner, root: Node, calls: ReadonlyMap<string, readonly NodeId[]>): Recognised | null {
  const call = callOf(root);
  if (call && call.id !== root.id) return null;
  for (const { name, ids } of matches(graph, root, joinedPatterns)) {
    for (const id of ids) for (const other of calls.get(callOf(node(graph, id))?.id ?? "") ?? []) ids.add(other);
    const members = [...ids].map((id) => node(graph, id));
    if (members.every((n) => callOf(n)?.label !== name)) return { name, members };
  }
  return null;
}

/** Primitives that are part of no call. */
function writtenOut({ graph }: Planner, root: Node): Recognised | null {
  if (callOf(root)) return null;
  for (const { name, ids } of matches(graph, root, patterns)) {
    const members = [...ids].map((id) => node(graph, id));
    if (!members.some(callOf)) return { name, members };
  }
  return null;
}

/** The members under a common name, outermost of the calls that they are part of. */
function* named(planner: Planner, root: Node, { name, members }: Recognised): Generator<Candidate, void, Answer> {
  const { graph } = planner;
  const group: GroupRef = { kind: "composite", id: root.id, label: name, recognised: true };
  const relabelled = members.map((n): Node => {
    const outside = n.groups.findIndex(({ kind }) => kind === "composite");
    const at = outside < 0 ? n.groups.length : outside;
    return {
      ...n,
      groups: [...n.groups.slice(0, at), group, ...n.groups.slice(at).filter(({ id }) => id !== root.id)],
    };
  });
  const nodes = members.map(({ id }) => id).toSorted((a, b) => planner.position(a) - planner.position(b));
  const text = `${capital(namesOf(graph, nodes))} compute \`${name}\`. From here on they appear under that name, which has no effect on fusion.`;
  const patch = { removedNodes: members, addedNodes: relabelled, removedRegions: [], addedRegions: [], outputs: null };
  yield rewriteCandidate(planner, name, nodes, { patch, verdict: yes("A_PATTERN", [root.id], text) });
}
