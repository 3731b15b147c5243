/**
 * @file How the threads of a flat kernel share out its results. Several sizes in one grid have workgroups of their own, one after
 * another. Of values that stand side by side in memory and are computed differently a thread takes all, so that none asks which is its own.
 */
import { node, sizeOf, type Graph, type NodeId } from "../../../ir";
import { opDef } from "../../../ops";
import { neededBy } from "../../count/needed";
import { joinedParts, runLines } from "../../count/warps";
import { BASE_REGISTERS, MAX_REGISTERS, type Body } from "../../schedule/schedule-parts";
import type { Segment } from "../../types";

/** Outputs by size, the largest first; those without an element are nobody's work. */
export function bySize(
  graph: Graph,
  outputs: readonly NodeId[],
): { readonly size: number; readonly which: number[] }[] {
  const groups = new Map<number, number[]>();
  outputs.forEach((id, at) => {
    const size = sizeOf(node(graph, id).type.shape);
    if (size > 0) groups.set(size, [...(groups.get(size) ?? []), at]);
  });
  return [...groups].map(([size, which]) => ({ size, which })).toSorted((a, b) => b.size - a.size);
}

/** What one segment computes: its outputs and the members behind them. */
export function segmentBody(graph: Graph, { members, outputs }: Body, { which }: Pick<Segment, "which">): Body {
  const own = which.map((at) => outputs[at]!);
  return { members: neededBy((id) => node(graph, id), members, own), outputs: own };
}

/**
 * Segments in a row. A segment begins with a workgroup, so that no workgroup does two things.
 * @param unitOf neighbours that a thread takes at once, by size
 * @param turnsOf how often it does, by units of work
 */
export function segmentsOf(
  graph: Graph,
  outputs: readonly NodeId[],
  threads: number,
  unitOf: (size: number, which: readonly number[]) => Pick<Segment, "width" | "run">,
  turnsOf: (units: number) => number,
): Segment[] {
  let first = 0;
  return bySize(graph, outputs).map(({ size, which }) => {
    const { width, run } = unitOf(size, which);
    const units = unitsOf({ size, width, run });
    const turns = turnsOf(units);
    const segment = { which, size, width, run, turns, first };
    first += Math.ceil(Math.ceil(units / turns) / threads);
    return segment;
  });
}

/** What the threads of a segment share out. */
export const unitsOf = ({ size, width, run }: Pick<Segment, "size" | "width" | "run">): number =>
  Math.ceil(size / (width * run));

/** Elements that a thread computes at most, each by statements of its own. */
const MAX_RUN = 20;

/** What a thread of a flat kernel takes at once: `run` times `width` neighbours, which are so many of the region's points. */
export interface FlatUnit {
  readonly width: 1 | 2 | 4;
  readonly run: number;
  /** How often it computes what the joined values are made of; null where nothing is joined in neighbours. */
  readonly points: number | null;
}

/** What a thread holds at once, where a point takes `live` values. */
export const heldAtOnce = ({ width, run, points }: FlatUnit, live: number): number =>
  points === null ? live * width : live * points + width * run;

/**
 * `width` neighbours, or as many as complete what is joined among so many elements (the three values of a point, nine of a matrix): in
 * whole vectors where registers allow, else one point.
 * @param live how many values one point takes
 */
export function flatUnit(
  graph: Graph,
  { members, outputs }: Body,
  size: number,
  width: 1 | 2 | 4,
  live: number,
): FlatUnit {
  const alone: FlatUnit = { width, run: 1, points: null };
  if (width === 2) return alone;
  const periods = members.flatMap((id) => periodOf(graph, id, size) ?? []);
  const period = Math.max(...periods);
  if (periods.length === 0 || periods.some((each) => period % each !== 0)) return alone;
  const together = leastCommon(period, width);
  const vectors: FlatUnit = { width, run: together / width, points: together / period };
  const isWhole = together <= MAX_RUN && size % together === 0;
  const mayVectors = isWhole && BASE_REGISTERS + heldAtOnce(vectors, live) <= MAX_REGISTERS;
  if (period > MAX_RUN) return mayVectors ? vectors : alone;
  const point: FlatUnit = { width: 1, run: period, points: 1 };
  const lines = (unit: FlatUnit): number => runLines(graph, { members, outputs }, { size, ...unit });
  return mayVectors && lines(vectors) <= lines(point) ? vectors : point;
}

/** After how many elements a join begins anew, where four neighbours may lie in several of its parts. */
function periodOf(graph: Graph, id: NodeId, size: number): number | null {
  const n = node(graph, id);
  if (!opDef(n.op).movement?.joins || sizeOf(n.type.shape) !== size) return null;
  const { parts, whole } = joinedParts(graph, n);
  return parts.every((part) => part % 4 === 0) ? null : whole;
}

function leastCommon(a: number, b: number): number {
  let [high, low] = [a, b];
  while (low > 0) [high, low] = [low, high % low];
  return (a / high) * b;
}
