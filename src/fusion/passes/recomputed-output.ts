/** @file An output of a kernel that follows element by element from what is stored anyway: its readers compute it, and it is not stored. */
import { node, type NodeId, type Region, type RegionId } from "../ir";
import { opDef } from "../ops";
import { isFreeView, neededBy } from "../region";
import type { Answer, Candidate } from "./define";
import { edgesBetween, nodesOf } from "./merge";
import type { Planner } from "./planner";
import { namesOf } from "./sentences";

/** What the candidates of this file are called. */
export const RECOMPUTED = "recomputed-output";

/** How the sentence about such a candidate begins. */
export const aboutRecomputed = (planner: Planner, { nodes }: Pick<Candidate, "nodes">): string =>
  `Recomputing ${namesOf(planner.graph, nodes.slice(0, 1))} in ${namesOf(planner.graph, nodes.slice(1))} instead of storing it`;

/** Outputs beside others, each offered to all of its readers. Only where the options leave it to the costs, or ask for copies. */
export function* recomputedOutputs(planner: Planner): Generator<Candidate, void, Answer> {
  const { policy } = planner.options;
  if (policy !== "cost" && policy !== "duplicate") return;
  for (const id of planner.inOrder()) {
    for (const value of planner.regions.get(id)?.outputs ?? []) {
      const candidate = withoutOutput(planner, id, value);
      if (candidate) yield candidate;
    }
  }
}

/** The kernel without this output, and its readers with the ops that compute it; null where it needs more than elementwise ops. */
function withoutOutput(planner: Planner, id: RegionId, value: NodeId): Candidate | null {
  const producer = planner.region(id);
  const others = producer.outputs.filter((output) => output !== value);
  const readers = [...planner.regionsReading(value)].filter((reader) => reader !== id).map(planner.region);
  if (others.length === 0 || readers.length === 0 || planner.isOutput(value)) return null;
  if (readers.some((reader) => planner.isView(reader) || reader.members.includes(value))) return null;
  const nodeOf = (member: NodeId) => node(planner.graph, member);
  const stored = new Set(others);
  const unstored = producer.members.filter((member) => !stored.has(member));
  const ops = neededBy(nodeOf, unstored, [value]);
  const isCopied = (member: NodeId): boolean => {
    const n = nodeOf(member);
    return opDef(n.op).kind === "elementwise" || n.inputs.length === 0 || isFreeView(n);
  };
  if (!ops.every(isCopied)) return null;
  const withOps = (reader: Region): Region => ({
    ...reader,
    members: [...new Set([...ops, ...reader.members])].toSorted((a, b) => planner.position(a) - planner.position(b)),
  });
  const edges = readers.flatMap((reader) => edgesBetween(planner, { ...producer, outputs: [value] }, reader));
  return {
    rule: RECOMPUTED,
    kind: "fuse",
    edges,
    nodes: nodesOf(edges, producer),
    remove: [producer, ...readers],
    add: [
      { ...producer, members: neededBy(nodeOf, producer.members, others), outputs: others },
      ...readers.map(withOps),
    ],
    into: readers.length === 1 ? readers[0]!.id : null,
    merged: [],
  };
}
