/** @file Elements that are grouped by their keys: four kernels, what they hand over to one another, and their price. */
import { node, sizeOf, type Graph, type Node, type NodeId, type Target } from "../../../ir";
import { opDef } from "../../../ops";
import { readsOf, stridedReads } from "../../count/reads";
import { machineOf } from "../../nest/machine";
import type { Machine } from "../../nest/nest";
import { LOAD, MEETING, MEETING_PER_THREAD, SHARED_WAIT, START, takenMicros, WARP } from "../../nest/price";
import {
  countFactors,
  countingMicros,
  GROUP_THREADS,
  KEYS_IN_LINE,
  SCATTERED_PER_MICRO,
  type CountFactors,
  type GroupShape,
} from "./count-factors";
import { sumOf } from "../sort/sort-factors";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "../../schedule/schedule-parts";
import type { RegionForm, RegionSchedule } from "../../types";

/** Steps in which the threads of a workgroup learn how many elements their neighbours' keys have. */
export const SCAN_STEPS = Math.log2(GROUP_THREADS);

/**
 * µs from one addition of many threads to the next, where what they add to stands in one line of memory: on an H200, 65,536 elements of 64
 * keys take 26 µs and a million of 1,024 keys 98, with the kernel that clears the counts; a million of 65,536 keys take 18.
 */
const ADDED_IN_LINE = 0.002;
/** Threads of a multiprocessor that are under way. */
const THREADS = 2048;

/** The group op of a region. */
export const groupOf = (graph: Graph, members: readonly NodeId[]): Node =>
  members.map((id) => node(graph, id)).find(({ op }) => opDef(op).groups !== undefined)!;

export const targetsOf = ({ op, attrs }: Node): number => opDef(op).groups!.targets(attrs);

export const listsOf = ({ op, attrs }: Node): number => opDef(op).groups!.lists(attrs);

/** What is left of each key. */
export const leftOf = ({ op }: Pick<Node, "op">) => opDef(op).groups!.leaves;

/** Whether elements are put side by side by their keys. */
export const isListed = ({ op }: Node): boolean => leftOf({ op }) === "ranges";

/** µs of the kernels that clear the counts and count, without launches; with a list, of those that cut the ranges and fill them, too. */
export function groupMicros(
  shape: GroupShape,
  machine: Machine,
  counted: CountFactors | null = null,
): readonly number[] {
  const { elements, targets, readBytes, listed, lists } = shape;
  const flat = (items: number, moved: number, loads: number): number =>
    takenMicros(
      {
        workgroups: Math.ceil(items / GROUP_THREADS),
        threads: GROUP_THREADS,
        registers: BASE_REGISTERS,
        bytes: 0,
        moved,
        lines: (items / WARP) * loads,
        shared: 0,
        alone: START + loads * LOAD,
      },
      machine,
    );
  const scattered = elements / SCATTERED_PER_MICRO;
  const underWay = Math.min(elements, machine.multiprocessors * THREADS);
  const added = targets * Math.min(1, Math.max(1 / lists, underWay / elements));
  const inLine = (elements / Math.max(1, added / KEYS_IN_LINE)) * ADDED_IN_LINE;
  const all = Math.max(scattered, inLine, flat(elements, elements * (readBytes + (listed ? 4 : 0)), 2));
  const cells = listed ? targets + 1 : targets;
  const cleared = flat(cells % 4 === 0 ? cells / 4 : cells, 4 * cells, 0);
  const counting = [cleared, counted ? countingMicros(shape, counted, machine) : all];
  if (!listed) return counting;
  const cutting = takenMicros(
    {
      workgroups: Math.ceil((targets + 1) / GROUP_THREADS),
      threads: GROUP_THREADS,
      registers: BASE_REGISTERS,
      bytes: 4 * GROUP_THREADS,
      moved: 16 * targets,
      lines: (4 * targets) / WARP,
      shared: ((targets + 1) * 2 * SCAN_STEPS) / WARP,
      alone:
        START +
        2 * LOAD +
        2 * SCAN_STEPS * (MEETING + MEETING_PER_THREAD * GROUP_THREADS) +
        SCAN_STEPS * 2 * SHARED_WAIT,
    },
    machine,
  );
  return [...counting, cutting, Math.max(scattered, flat(elements, elements * (readBytes + 12), 3))];
}

/**
 * Two kernels: counts are cleared, and elements counted by their keys. With a list two more: ranges are cut, and each element is put
 * into its range by the number that it has among those of its key.
 */
export function scheduleGroups(graph: Graph, region: Body, form: RegionForm, target: Target): RegionSchedule {
  const grouped = groupOf(graph, region.members);
  const elements = sizeOf(form.space);
  const targets = targetsOf(grouped);
  const strided = stridedReads(graph, region.members, [grouped.inputs[0]!], form, "columns");
  const listed = isListed(grouped);
  const plain = readsOf(graph, region.members, region.outputs, strided);
  const reads = plain.map((each) => ({ ...each, rereads: listed ? 1 : 0 }));
  const read = reads.reduce((sum, each) => sum + 4 * each.elements, 0);
  const lists = listsOf(grouped);
  const shape = { elements, targets, readBytes: read / elements, listed, lists };
  const machine = machineOf(target);
  const among = groupMicros(shape, machine);
  const factors = leftOf(grouped) === "count" ? countFactors(shape, machine) : null;
  const apart = factors && groupMicros(shape, machine, factors);
  const counting = apart && sumOf(apart) < sumOf(among) ? factors : null;
  const micros = counting ? apart! : among;
  const total = sumOf(micros);
  const threads = Math.min(GROUP_THREADS, target.maxWorkgroupSize);
  const common = {
    variant: "groups",
    reads,
    threadsPerWorkgroup: threads,
    workgroups: Math.ceil(elements / threads),
    registers: BASE_REGISTERS + liveScalars(graph, region) + 2,
    dispatches: micros.length,
    shares: micros.map((each) => each / total),
    leastMicros: total,
  } as const;
  // What is added to is read, too.
  const own = counting && { counting, workgroups: counting.parts * lists, workgroupBytes: 4 * counting.bins };
  if (!listed) return blank({ ...common, ...own, temporaryReads: 4 * targets });
  // The counts, the number of each element among those of its key, where the range of each key starts, and how much of the list is given away.
  const [counts, ranks, starts, given] = [4 * (targets + 1), 4 * elements, 4 * (targets + 1), 4];
  return blank({
    ...common,
    workgroupBytes: 4 * threads,
    temporaryBytes: counts + ranks + starts + given,
    // Counts are read where they are added to as well.
    temporaryReads: 2 * counts + ranks + starts + given,
    temporaries: 4,
    temporaryPeak: counts + ranks + starts + given,
  });
}
