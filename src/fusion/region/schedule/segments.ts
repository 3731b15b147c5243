/** @file Elementwise results of several sizes in one grid: each size has workgroups of its own, one after another. */
import { node, sizeOf, type Graph, type NodeId } from "../../ir";
import { neededBy } from "../needed";
import type { Body } from "./schedule-parts";
import type { Segment } from "../types";

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
