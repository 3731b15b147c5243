/** @file An output of a kernel that follows element by element from what is stored anyway: its readers compute it, and it is not stored. */
import { isRefusal } from "../../cost";
import { node, type NodeId, type Region, type RegionId } from "../../ir";
import { opDef } from "../../ops";
import { isFreeView, neededBy } from "../../region";
import type { Answer, Candidate } from "../driver/define";
import { bindingsOf, edgesBetween, nodesOf } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { namesOf } from "../driver/sentences";

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
  const change = recomputing(planner, producer, [producer], value);
  if (!change) return null;
  const { without, readers, copies } = change;
  const edges = readers.flatMap((reader) => edgesBetween(planner, { ...producer, outputs: [value] }, reader));
  return {
    rule: RECOMPUTED,
    kind: "fuse",
    edges,
    nodes: nodesOf(edges, producer),
    remove: [producer, ...readers],
    add: [without, ...copies],
    into: readers.length === 1 ? readers[0]!.id : null,
    merged: [],
  };
}

/** What the candidates of `withRoom` are called. */
export const WITH_ROOM = "second-store-with-room";

/**
 * One kernel of `pair` that binds too many buffers, without an output that its readers can compute: the same merge with one buffer
 * less. Null where it binds no more than it may, where the options do not leave it to the costs, or where no output can go.
 */
export function withRoom(planner: Planner, pair: Candidate): Candidate | null {
  const { policy } = planner.options;
  const [merged] = pair.add;
  if ((policy !== "cost" && policy !== "duplicate") || !merged) return null;
  const facts = planner.facts(merged);
  if (isRefusal(facts) || bindingsOf(planner, facts) <= planner.profile.maxBindings) return null;
  for (const value of merged.outputs) {
    const change = recomputing(planner, merged, pair.remove, value);
    if (!change) continue;
    const { without, readers, copies } = change;
    const nodes = [value, ...pair.nodes];
    return { ...pair, rule: WITH_ROOM, nodes, remove: [...pair.remove, ...readers], add: [without, ...copies] };
  }
  return null;
}

/** How the sentence about such a candidate begins. */
export const aboutRoom = ({ graph }: Planner, { nodes, remove }: Pick<Candidate, "nodes" | "remove">): string =>
  `Computing ${namesOf(graph, remove[1]!.outputs)} in the kernel of ${namesOf(graph, nodes.slice(1, 2))}, and ${namesOf(graph, nodes.slice(0, 1))} in each reader,`;

interface Recomputing {
  readonly without: Region;
  readonly readers: readonly Region[];
  readonly copies: readonly Region[];
}

/** `producer`, which takes the place of `group`, without an output, and the output's readers with the ops that compute it. */
function recomputing(planner: Planner, producer: Region, group: readonly Region[], value: NodeId): Recomputing | null {
  const own = new Set(group.map(({ id }) => id));
  const others = producer.outputs.filter((output) => output !== value);
  const readers = [...planner.regionsReading(value)].filter((reader) => !own.has(reader)).map(planner.region);
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
  return {
    without: { ...producer, members: neededBy(nodeOf, producer.members, others), outputs: others },
    readers,
    copies: readers.map(withOps),
  };
}
