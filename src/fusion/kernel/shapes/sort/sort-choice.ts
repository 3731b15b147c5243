/** @file Which way rows are put in order that no workgroup has room for: what each takes, and why it is not taken. */
import { node, showMicros, type Graph, type Knobs, type Target, type Verdict, nodeName } from "../../../ir";
import { mergedMicros, mergeFactors } from "./merge-factors";
import { digitMicros, launchesOf, sumOf, type DigitFactors } from "./sort-factors";
import { networkMicros } from "./network-price";
import { MAX_SORTED, MAX_SELECTED } from "../../../ops";
import { factorsOfDigits, orderShape } from "./digit-sort";
import { machineOf } from "../../nest/machine";
import { classifyMerged, mergedSort, mergeShape } from "./merge-sort";
import { refusal } from "../../refusal";
import { walksRows } from "../fold/rows/row-ops";
import type { Body } from "../../schedule/schedule-parts";
import { networksOf, sortsOf } from "../../nest/threads";
import type { OrderWay, RegionForm, RegionSchedule } from "../../types";

/** A way to put rows in order: predicted µs with its launches, and its schedule. */
interface Way {
  readonly way: OrderWay;
  readonly micros: number;
  readonly launches: number;
}

const ALL_WAYS: readonly OrderWay[] = ["selected", "merged", "digits"];

/**
 * How long rows are put in order, and why not in other ways; null where a workgroup has room for them, or nothing is put in order.
 * @param selected the schedule that keeps the first few of a row
 */
export function orderWay(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
  selected: () => RegionSchedule,
): RegionSchedule["order"] | null {
  const { columns } = form;
  const ids = form.orders.map(({ node: id }) => id);
  if (ids.length === 0 || columns <= MAX_SORTED) return null;
  const refused = refusedWays(graph, region, form, target, knobs);
  const ways = ALL_WAYS.filter((way) => !refused.has(way)).map((way) =>
    wayOf(way, graph, region, form, target, knobs, selected),
  );
  const cheapest = ways.reduce((best, each) => (each.micros < best.micros ? each : best));
  const taken = ways.find(({ way }) => way === knobs.order) ?? cheapest;
  const against = new Map(refused);
  for (const other of ways)
    if (other !== taken)
      against.set(
        other.way,
        refusal(
          "C_NEGATIVE",
          ids,
          `${WAYS[other.way]} ${took(other)}, ${WAYS[taken.way].toLowerCase()} ${took(taken)}.`,
          "Choose it anyway and time both.",
          { micros: other.micros, otherMicros: taken.micros },
        ),
      );
  return { way: taken.way, against };
}

const WAYS: Readonly<Record<OrderWay, string>> = {
  selected: "Keeping the first few of a row while it goes by takes",
  merged: "Sorting runs and merging them takes",
  digits: "Sorting by one digit after another takes",
};
const took = ({ micros, launches }: Way): string =>
  `${showMicros(micros)} in ${launches === 1 ? "one kernel" : `${launches} kernels`}`;

/** Ways in which these rows can't be put in order. */
function refusedWays(
  graph: Graph,
  { members, outputs }: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): ReadonlyMap<OrderWay, Verdict> {
  const { columns, template } = form;
  const ids = form.orders.map(({ node: id }) => id);
  const label = nodeName(node(graph, ids[0]!));
  const found = new Map<OrderWay, Verdict>();
  const { count } = mergedSort(graph, form);
  if (template === "merge-sort")
    found.set(
      "selected",
      refusal(
        "L_WGMEM",
        ids,
        `\`${label}\` wants ${count} of ${columns} elements in order: while a row goes by, a workgroup keeps its first ${MAX_SELECTED} at most.`,
        "Ask for fewer elements.",
        { elements: count, limit: MAX_SELECTED },
      ),
    );
  else {
    const walks = members.filter((id) => walksRows(node(graph, id)));
    const classified = classifyMerged(graph, members, outputs, walks);
    if (!classified.ok) found.set("merged", classified.verdict).set("digits", classified.verdict);
  }
  if (found.has("digits")) return found;
  if (!digitsFor(graph, { members, outputs }, form, target, knobs))
    found.set(
      "digits",
      refusal(
        "L_WGMEM",
        ids,
        `A workgroup has ${target.maxWorkgroupBytes} bytes of memory on this machine: too few for its elements and for a counter of each digit in every subgroup.`,
        "Choose fewer threads.",
        { limit: target.maxWorkgroupBytes },
      ),
    );
  return found;
}

const digitsFor = (graph: Graph, region: Body, form: RegionForm, target: Target, knobs: Knobs): DigitFactors | null =>
  factorsOfDigits(orderShape(graph, region, form, target), target, knobs);

function wayOf(
  way: OrderWay,
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
  selected: () => RegionSchedule,
): Way {
  const machine = machineOf(target);
  const priced = (micros: number, launches: number): Way => ({
    way,
    micros: micros + launches * machine.launchMicros,
    launches,
  });
  if (way === "digits") {
    const shape = orderShape(graph, region, form, target);
    const factors = factorsOfDigits(shape, target, knobs)!;
    return priced(sumOf(digitMicros(shape, factors, machine)), launchesOf(shape, factors));
  }
  if (way === "merged") {
    const shape = mergeShape(graph, region, form);
    const micros = mergedMicros(shape, mergeFactors(shape, machine, knobs), machine);
    return priced(sumOf(micros), micros.length);
  }
  const { leastMicros, dispatches, threadsPerWorkgroup: threads, lane } = selected();
  const networks = networksOf(form, sortsOf(graph, form)).map((each) =>
    networkMicros(each, threads, lane === "columns" ? 4 : 1, machine),
  );
  return priced(leastMicros ?? sumOf(networks), dispatches);
}
