/** @file P3d: composites written out in primitives get their names. Labels alone: fusion follows the data, not the name. */
import { node, type GroupRef, type Node, type NodeId } from "../../ir";
import { opDef } from "../../ops";
import type { Candidate } from "../define";
import { edgesOf } from "../merge";
import type { Planner } from "../planner";
import { rewritingPass } from "../rewriting";
import { inWords, nameOf, yes } from "../words";
import { patterns } from "./patterns";

export const recognition = rewritingPass({
  name: "recognition",
  title: "Recognise patterns",
  teaches: "recognition",
  summary: "Gives a softmax, a norm or a gate that is written out in primitives its name.",
  numerics: "bitwise",
  *match(planner) {
    for (const id of Array.from(planner.graph.nodes.keys()).toReversed()) {
      const n = planner.graph.nodes.get(id);
      if (!n || opDef(n.op).kind !== "elementwise" || isNamed(n)) continue;
      const found = recognised(planner, n);
      if (found) yield found;
    }
  },
});

/** Part of a composite already, as written or as recognised. */
const isNamed = ({ groups }: Node): boolean => groups.some(({ kind }) => kind === "composite");

function recognised(planner: Planner, root: Node): Candidate | null {
  const { graph } = planner;
  let seen = { graph, members: new Set<NodeId>([root.id]) };
  for (const pattern of patterns) {
    if (seen.members.size > 1) seen = { graph, members: new Set([root.id]) };
    const name = pattern(seen, root);
    if (name === null) continue;
    const members = [...seen.members].map((id) => node(graph, id));
    if (members.some(isNamed)) continue;
    const group: GroupRef = { kind: "composite", id: root.id, label: name };
    const relabelled = members.map((n): Node => ({ ...n, groups: [...n.groups, group] }));
    const text = `${nameOf(graph, root.id)} and the ${inWords(members.length - 1)} ops before it are a ${name}, written out. It is called so from here on; how it is fused does not depend on the name.`;
    const nodes = members.map(({ id }) => id);
    return {
      rule: name,
      kind: "graph",
      edges: edgesOf(planner, nodes),
      nodes,
      remove: [],
      add: [],
      into: null,
      merged: [],
      rewrite: {
        patch: { removedNodes: members, addedNodes: relabelled, removedRegions: [], addedRegions: [], outputs: null },
        verdict: yes("A_PATTERN", [root.id], text),
      },
    };
  }
  return null;
}
