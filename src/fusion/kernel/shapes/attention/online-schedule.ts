/** @file How rows are scheduled that are folded while they are made: between two products, or of one. */
import { bug, node, type Graph, type NodeId, type Target } from "../../../ir";
import { opDef } from "../../../ops";
import { onlineParts } from "./online";
import { endsOf, type OnlineParts } from "./online-parts";
import { readsOf } from "../../count/reads";
import {
  flashAcross,
  flashBytes,
  flashFactors,
  flashSizes,
  flashThreads,
  flashTileName,
  offeredFlashTiles,
  type FlashSizes,
} from "./flash-factors";
import { meetingTypes, meetingValues, readTwice, scheduleReduce, type Body, type Planned } from "./reduce-schedule";
import type { RegionForm } from "../../types";

/** Rows per thread where one thread walks whole rows: each key and value that is read serves four. */
export const rowsPerThread = ({ m }: FlashSizes): number => Math.min(4, m);

/**
 * The schedule of a form of `classifyOnline`.
 * @param live most values alive at once
 * @param chosen the name of a tile
 */
export function scheduleOnline(
  graph: Graph,
  { members, outputs }: Body,
  form: RegionForm,
  target: Target,
  live: number,
  chosen: string | undefined,
): Planned {
  const answer = onlineParts(graph, members, outputs);
  if (!answer.ok) throw bug(`a ${form.template} region without its parts: ${answer.verdict.text}`);
  if (form.template !== "flash") return scheduleReduce(graph, answer.parts, { members, outputs }, target, live);
  const reads = readsOf(graph, members, outputs);
  const bound = reads.length + outputs.length;
  const planned = scheduleFlash(graph, answer.parts, members, bound, target, live, chosen);
  const ends = [...endsOf(answer.parts), answer.parts.values!];
  const twice = planned.dispatches === 2 ? readTwice(graph, ends, { members, outputs }, reads) : reads;
  return { ...planned, reads: twice };
}

/** Is the first product's left operand computed here, rather than only read in some order? */
function computesQueries(graph: Graph, { scores }: OnlineParts, members: readonly NodeId[]): boolean {
  return scores.some((id) => {
    let n = node(graph, node(graph, id).inputs[0]!);
    while (members.includes(n.id) && opDef(n.op).kind === "movement") n = node(graph, n.inputs[0]!);
    return members.includes(n.id);
  });
}

/** @param bound tensors that the kernel reads and writes */
function scheduleFlash(
  graph: Graph,
  parts: OnlineParts,
  members: readonly NodeId[],
  bound: number,
  target: Target,
  live: number,
  chosen: string | undefined,
): Planned {
  const sizes = flashSizes(graph, parts);
  const { batch, m, n, heads, width } = sizes;
  const head = heads.reduce((a, b) => a + b, 0);
  const folds = parts.folds.length + 1;
  if (target.schedule === "cpu") {
    const rows = rowsPerThread(sizes);
    return {
      variant: "flash-thread",
      flash: { m: rows, n: 4, rm: rows, queries: false },
      threadsPerWorkgroup: 64,
      workgroups: Math.ceil((batch * Math.ceil(m / rows)) / 64),
      registers: live + rows * (8 + 4 * folds),
      modelledBytes: 4 * batch * n * (head + width) * (Math.ceil(m / rows) - 1),
    };
  }
  const named = offeredFlashTiles.find((each) => flashTileName(each) === chosen);
  const types = meetingTypes(graph, parts);
  const left = meetingValues(graph, parts);
  // What is known of a row, by type, and its results.
  const temporaries = (left > 0 ? 1 + types : 0) + 1;
  const shape = {
    sizes,
    band: parts.band,
    computesQueries: computesQueries(graph, parts, members),
    left,
    mayCut: bound + temporaries <= target.maxBindings,
    types,
  };
  const { tile, chunks, turns, workgroups, seen, partBytes, reached } = flashFactors(shape, target, named);
  const bands = Math.ceil(m / tile.m);
  const columns = Math.ceil(width / 4 / flashAcross(tile));
  const again = tile.queries ? 0 : m * head * (Math.ceil(n / tile.n) - 1);
  return {
    variant: "flash-tile",
    flash: tile,
    chunks,
    chunkLength: turns * tile.n,
    dispatches: chunks > 1 ? 2 : 1,
    temporaryBytes: partBytes,
    temporaries,
    reached,
    computedShare: seen,
    threadsPerWorkgroup: flashThreads(tile),
    workgroups,
    workgroupBytes: flashBytes(tile, sizes, types),
    registers: live + tile.rm * (1 + columns + folds) + 4,
    modelledBytes: 4 * batch * seen * (n * (head + width) * (bands - 1) + again),
  };
}
