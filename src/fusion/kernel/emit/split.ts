/** @file Rows that are folded in parts: what the kernels that fold them and the one that joins them share. */
import { node, type DType, type NodeId, partialsId } from "../../ir";
import { opDef } from "../../ops";
import { membersBehind } from "../shapes/fold/rows/row-steps";
import { loweringOf, type Grid, type Job } from "./kernel-frame";
import { kernelName, titleOf } from "./kernel-names";
import type { Index } from "./index-space";
import type { Buffer, Reg } from "./kernel-ir";
import { registerScalar, wordFor } from "./emitter";
import { Lowering } from "./lowering";
import { merge, type Accumulator } from "./accumulate";

export function partialsBuffer(low: Lowering, { schedule, form }: Job, id: NodeId): Buffer {
  const word = wordFor(node(low.graph, id));
  return low.temporary(partialsId(id), `${word}_partials`, foldedType(low, id), form.rows * schedule.chunks);
}

/** The indices that the chunks of an argmax found, beside their values. */
export const indicesBuffer = (low: Lowering, { schedule, form }: Job, id: NodeId): Buffer =>
  low.temporary(
    partialsId(`${id}~indices`),
    `${wordFor(node(low.graph, id))}_indices`,
    "i32",
    form.rows * schedule.chunks,
  );

/** Partials hold what the accumulator holds. */
export function foldedType(low: Lowering, id: NodeId): DType {
  const n = node(low.graph, id);
  const from = node(low.graph, n.inputs[0]!).type.dtype;
  return registerScalar(opDef(n.op).operandTypes?.([from], n.attrs)[0] ?? from);
}

/** Nothing is declared up front: what the chunk needs is bound as it is met, and the epilogue belongs to the finisher. */
export const partialLowering = ({ graph, region }: Job): Lowering => new Lowering(graph, region.members, []);

/** For the kernel that joins the chunks of the reductions `ids`: what follows them is read and written. */
export const finishLowering = (job: Job, ids: readonly NodeId[], outputs = job.region.outputs): Lowering => {
  const region = epilogueOf(job, ids, outputs);
  return loweringOf({ ...job, region }, ids);
};

/** For a kernel that goes on where `known` reductions are joined: what `wanted` is computed from is read, `stored` is written. */
export function stepLowering(
  job: Job,
  wanted: readonly NodeId[],
  known: readonly NodeId[],
  stored: readonly NodeId[],
): Lowering {
  const { graph, region } = job;
  const members = membersBehind(graph, region.members, wanted, known);
  return loweringOf({ ...job, region: { ...region, outputs: stored, members } }, known);
}

/** Members that follow the reductions: what the finisher reads and writes. */
function epilogueOf({ graph, region }: Job, ids: readonly NodeId[], outputs: readonly NodeId[]): Job["region"] {
  const inside = new Set(region.members);
  const needed = new Set<NodeId>();
  const wanted = [...outputs];
  while (wanted.length > 0) {
    const id = wanted.pop()!;
    if (needed.has(id) || !inside.has(id)) continue;
    needed.add(id);
    if (!ids.includes(id)) wanted.push(...node(graph, id).inputs);
  }
  return { ...region, outputs, members: region.members.filter((id) => needed.has(id) && !ids.includes(id)) };
}

/** What one part has left of a fold. */
export const partOf = (low: Lowering, partials: Buffer, id: NodeId, at: Index): Reg =>
  low.load(partials, at, [id], `${wordFor(node(low.graph, id))}_part`) as Reg;

/** @param indices of an argmax's chunks */
export function joinOne(low: Lowering, acc: Accumulator, partials: Buffer, at: Index, indices?: Buffer): void {
  const part = partOf(low, partials, acc.id, at);
  if (indices)
    merge(low, acc, part, low.load(indices, at, [acc.id], `${wordFor(node(low.graph, acc.id))}_index`) as Reg);
  else low.set(acc.value, { kind: "combine", def: acc.def, a: acc.value, b: part }, [acc.id]);
}

/** What the kernels of a region do, by the last part of their names. */
const PARTS = {
  partials: "chunk by chunk",
  finish: "joining the chunks",
  apply: "finishing it chunk by chunk",
  bands: "band by band",
  runs: "run by run",
  merge: "runs merged two by two",
  digits: "a digit of the keys counted",
  starts: "counts of a digit added up",
  moves: "elements moved by a digit",
  ordered: "what follows the order",
  clear: "counts cleared",
  count: "elements counted by their keys",
  latest: "the last element of each key",
  cut: "ranges cut",
  fill: "elements put into their ranges",
} as const;
type Part = keyof typeof PARTS;
/** The part of a kernel's name that tells which of its region's kernels it is. */
export type PartName = Part | `${Part}${number}`;

export const namesOf = ({ graph, region }: Job, part: PartName): { name: string; title: string } => ({
  name: `${kernelName(graph, region)}_${part}`,
  title: `${titleOf(graph, region)}: ${PARTS[part.replace(/\d+$/, "") as Part]}`,
});

const ENDS = new RegExp(`_(${Object.keys(PARTS).join("|")})\\d*$`);

/** `_finish` of a kernel that joins chunks: which one of its region's kernels a name tells of; empty for the only one. */
export const endOfName = (name: string): string => ENDS.exec(name)?.[0] ?? "";

export const gridFields = ({ workgroupSize, workgroups }: Grid): Pick<Grid, "workgroupSize" | "workgroups"> => ({
  workgroupSize,
  workgroups,
});
