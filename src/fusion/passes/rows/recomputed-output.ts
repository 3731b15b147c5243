/** @file An output of a kernel that follows element by element from what is stored anyway, or from what is left of its rows: its readers compute it, and it is not stored. */
import { bytesOf, node, sameShape, sizeOf, type NodeId, type Region, type RegionId } from "../../ir";
import { opDef } from "../../ops";
import { neededBy } from "../../kernel";
import type { Answer, Candidate } from "../driver/define";
import { edgesBetween, nodesOf } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { isTwice } from "../profitability/weigh";
import { capital, nameOf, namesOf } from "../driver/sentences";

/** What the candidates of this file are called. */
export const RECOMPUTED = "recomputed-output";

/** How the sentence about such a candidate begins: recomputed only where two kernels compute it afterwards. */
export function aboutRecomputed({ graph }: Planner, { nodes, add }: Candidate): string {
  const [value, ...readers] = nodes;
  const [name, where] = [nameOf(graph, value!), namesOf(graph, readers)];
  return isTwice(add, value!)
    ? `Recomputing ${name} in ${where} instead of storing it`
    : `Computing ${name} in the kernel of ${where} instead of storing it`;
}

/** ` `sub` and `exp` leave the kernel of `max`.`: what such a candidate takes out of a kernel that an earlier step put it in. */
export function leavingWords({ graph }: Planner, { remove: [producer], add }: Candidate): string {
  const rest = add.find(({ id }) => id === producer!.id)!;
  const left = producer!.members.filter(
    (member) => node(graph, member).inputs.length > 0 && !rest.members.includes(member),
  );
  if (left.length === 0) return "";
  return ` ${capital(namesOf(graph, left))} ${left.length === 1 ? "leaves" : "leave"} the kernel of ${namesOf(graph, rest.outputs)}.`;
}

/** Outputs beside others, each offered to all of its readers. Only where the options leave it to the costs, or ask for copies. Returns whether one was taken. */
export function* recomputedOutputs(planner: Planner): Generator<Candidate, boolean, Answer> {
  const { policy } = planner.options;
  if (policy !== "cost" && policy !== "duplicate") return false;
  let changed = false;
  for (const id of planner.inOrder()) {
    for (const value of planner.regions.get(id)?.outputs ?? []) {
      const candidate = withoutOutput(planner, id, value);
      if (candidate && (yield candidate).accepted) changed = true;
    }
  }
  return changed;
}

/** The kernel without this output, and its readers with the ops that compute it; null where it needs more than elementwise ops and moves. */
function withoutOutput(planner: Planner, id: RegionId, value: NodeId): Candidate | null {
  const producer = planner.region(id);
  const change = recomputing(planner, producer, [producer], value);
  if (!change) return null;
  const { without, readers, copies } = change;
  const edges = readers.flatMap((reader) => edgesBetween(planner, { ...producer, outputs: [value] }, reader));
  const beside =
    copies.length === 1 && without.outputs.length >= producer.outputs.length
      ? besideOf(planner, producer, readers[0]!, copies[0]!)
      : null;
  return {
    rule: RECOMPUTED,
    kind: "fuse",
    edges,
    nodes: nodesOf(edges, producer),
    remove: [producer, ...readers, ...(beside ? [beside.other] : [])],
    add: beside ? [beside.both, without] : [without, ...copies],
    into: readers.length === 1 ? readers[0]!.id : null,
    merged: beside ? [readers[0]!.id, beside.other.id] : [],
  };
}

/** Another kernel that folds the same rows and reads what the copy now reads as well: one kernel reads it for both. */
function besideOf(
  planner: Planner,
  producer: Region,
  reader: Region,
  copy: Region,
): { readonly other: Region; readonly both: Region } | null {
  const { form } = planner.factsOf(reader);
  if (!form || form.reductions.length === 0) return null;
  const near = new Set(planner.inputsOf(copy).flatMap((value) => [...planner.regionsReading(value)]));
  for (const id of near) {
    if (id === producer.id || id === reader.id) continue;
    const other = planner.region(id);
    const own = planner.factsOf(other).form;
    const alike =
      own !== null && sameShape(own.space, form.space) && own.reducedAxes.join() === form.reducedAxes.join();
    if (!alike || planner.order.returns([reader.id, id]).found) continue;
    const members = new Set([...copy.members, ...other.members]);
    const sorted = [...members].toSorted((a, b) => planner.position(a) - planner.position(b));
    const both = { ...copy, members: sorted, outputs: [...other.outputs, ...copy.outputs] };
    if (planner.kernelOf(both)) return { other, both };
  }
  return null;
}

/** What the candidates of `withRoom` are called. */
export const WITH_ROOM = "second-store-with-room";

/**
 * One kernel of `pair`, which binds too many buffers, without an output that its readers can compute: the same merge with one buffer
 * less. Null where the options do not leave it to the costs, or where no output can go.
 */
export function withRoom(planner: Planner, pair: Candidate): Candidate | null {
  const { policy } = planner.options;
  const [merged] = pair.add;
  if ((policy !== "cost" && policy !== "duplicate") || !merged) return null;
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

/** A value that fits so often into another is small beside it. */
const SMALL = 16;

/** Whether a kernel without a product walks other rows than the producer, or none. */
function walksOthers(planner: Planner, producer: Region, reader: Region): boolean {
  const [rows, own] = [producer, reader].map((region) => planner.kernelOf(region)?.form);
  return !rows || !own || (own.contraction === null && own.reducedAxes.join() !== rows.reducedAxes.join());
}

interface Recomputing {
  readonly without: Region;
  readonly readers: readonly Region[];
  readonly copies: readonly Region[];
}

/** `producer`, which replaces `group`, without an output, and the output's readers with the ops that compute it. */
function recomputing(planner: Planner, producer: Region, group: readonly Region[], value: NodeId): Recomputing | null {
  const own = new Set(group.map(({ id }) => id));
  const others = producer.outputs.filter((output) => output !== value);
  const readers = [...planner.regionsReading(value)].filter((reader) => !own.has(reader)).map(planner.region);
  if (readers.length === 0 || planner.isOutput(value)) return null;
  if (readers.some((reader) => planner.isView(reader) || reader.members.includes(value))) return null;
  const nodeOf = (member: NodeId) => node(planner.graph, member);
  const { type } = nodeOf(value);
  const size = sizeOf(type.shape);
  // A product would compute it again for each of its tiles, what is small saves no time, and who walks the same rows was asked to join.
  const mayLeave =
    bytesOf(type) >= planner.fullSize && readers.every((reader) => walksOthers(planner, producer, reader));
  // What a row leaves is small: it is stored, and the value follows from it.
  const isSmall = (member: NodeId): boolean => {
    const { op, type: own, inputs } = nodeOf(member);
    return mayLeave && inputs.length > 0 && opDef(op).kind !== "movement" && SMALL * sizeOf(own.shape) <= size;
  };
  const stored = new Set(others);
  const unstored = producer.members.filter((member) => !stored.has(member));
  const ops = neededBy(
    nodeOf,
    unstored.filter((member) => !isSmall(member)),
    [value],
  );
  const inOps = new Set(ops);
  const left = [...new Set(ops.flatMap((member) => nodeOf(member).inputs))].filter(
    (input) => !inOps.has(input) && unstored.includes(input),
  );
  // What another kernel stores already is not stored twice.
  if (left.some((input) => !own.has(planner.homeOf(input) ?? producer.id))) return null;
  const outputs = [...others, ...left];
  if (outputs.length === 0) return null;
  const isCopied = (member: NodeId): boolean => {
    const n = nodeOf(member);
    const { kind } = opDef(n.op);
    return kind === "elementwise" || kind === "movement" || n.inputs.length === 0;
  };
  if (!ops.every(isCopied)) return null;
  const withOps = (reader: Region): Region => ({
    ...reader,
    members: [...new Set([...ops, ...reader.members])].toSorted((a, b) => planner.position(a) - planner.position(b)),
  });
  return {
    without: { ...producer, members: neededBy(nodeOf, producer.members, outputs), outputs },
    readers,
    copies: readers.map(withOps),
  };
}
