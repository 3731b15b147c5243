/** @file Rows that no workgroup has room for, put in order digit by digit, the last digit first: what their keys are, and what their kernels take. */
import { node, type Graph, type Knobs, type NodeId, type Target } from "../../../ir";
import { digitFactors, digitMicros, launchesOf, movingBytes, type DigitFactors, type OrderShape } from "./sort-factors";
import { ANY_WHOLE, bitsOf, opDef, type Bounds } from "../../../ops";
import { mergedSort, partitionOf } from "./merge-sort";
import { readsOf, stridedReads } from "../../count/reads";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "../../schedule/schedule-parts";
import { machineOf } from "../../nest/machine";
import { MIN_SUBGROUP } from "../../nest/threads";
import type { RegionForm, RegionSchedule } from "../../types";
import { storedInputs } from "../../indices/views";

/** Bounds of keys that `members` compute, as far as these say them: what another kernel stored may be any number of its type. */
export function keyBounds(graph: Graph, members: readonly NodeId[], id: NodeId): Bounds {
  const { op, inputs, attrs, type } = node(graph, id);
  if (type.dtype === "bool") return { least: 0, most: 1 };
  if (!members.includes(id) || type.dtype !== "i32" || inputs.length !== 1) return ANY_WHOLE;
  const { movement, bounds } = opDef(op);
  const operand = (): Bounds => keyBounds(graph, members, inputs[0]!);
  if (movement && movement.fill === undefined) return operand();
  return bounds ? bounds(attrs, operand()) : ANY_WHOLE;
}

/** Whether the last pass stores every result where it belongs. */
export function storesDirectly(
  graph: Graph,
  outputs: readonly NodeId[],
  orders: readonly NodeId[],
  target: Target,
): boolean {
  return outputs.every((id) => orders.includes(id) && (target.shaderF16 || node(graph, id).type.dtype !== "f16"));
}

/** Lanes whose votes one word holds. */
export const WORD_LANES = 32;

/** What decides how rows of a region are sorted, whichever way. */
export function orderShape(graph: Graph, { members, outputs }: Body, form: RegionForm, target: Target): OrderShape {
  const { rows, columns } = form;
  const { operand, orders, indices, count } = mergedSort(graph, form);
  const sorted = partitionOf(graph, { members, outputs }, orders).before;
  const reads = storedInputs(graph, [...sorted, orders[0]!]);
  return {
    rows,
    columns,
    count,
    bits: bitsOf(keyBounds(graph, members, operand)),
    values: orders.some((id) => !opDef(node(graph, id).op).order!.indices),
    indices,
    direct: storesDirectly(graph, outputs, orders, target),
    readBytes: 4 * Math.max(1, reads.length),
    slice: target.subgroups ? Math.min(WORD_LANES, target.subgroupSizes?.[0] ?? MIN_SUBGROUP) : 1,
    strided: form.reducedAxes[0] !== form.space.length - 1,
  };
}

/** A tensor between the kernels of a digit sort. */
export interface DigitBuffer {
  readonly what: "counts" | "starts" | "totals" | "words" | "values" | "indices";
  readonly pass: number;
  readonly elements: number;
}

/** What each kernel leaves to those that follow, and the last that reads it. */
export function digitBuffers(
  shape: OrderShape,
  factors: DigitFactors,
): (DigitBuffer & { readonly made: number; readonly last: number })[] {
  const { rows, columns, count, direct, values, indices } = shape;
  const { digit, passes, parts, packed } = factors;
  const found: ReturnType<typeof digitBuffers> = [];
  for (let pass = 0; pass < passes; pass++) {
    const at = 3 * pass;
    const cells = rows * 2 ** digit;
    found.push(
      { what: "counts", pass, elements: cells * parts, made: at, last: at + 1 },
      { what: "starts", pass, elements: cells * parts, made: at + 1, last: at + 2 },
      { what: "totals", pass, elements: cells - rows, made: at + 1, last: at + 2 },
    );
    const end = pass === passes - 1;
    if (end && direct) continue;
    const left = { pass, elements: rows * (end ? count : columns), made: at + 2 };
    const last = end ? at + 3 : at + 5;
    if (packed && !end) found.push({ ...left, what: "words", last });
    else {
      if (values || !end) found.push({ ...left, what: "values", last });
      if (indices) found.push({ ...left, what: "indices", last });
    }
  }
  return found;
}

/** Most bytes alive at once, and all that are written and read. */
function handedOver(
  shape: OrderShape,
  factors: DigitFactors,
): { bytes: number; read: number; peak: number; tensors: number } {
  const buffers = digitBuffers(shape, factors);
  const kernels = launchesOf(shape, factors);
  const alive = Array.from({ length: kernels }, (_, at) =>
    buffers.reduce((sum, { made, last, elements }) => sum + (made <= at && at <= last ? 4 * elements : 0), 0),
  );
  const bytes = buffers.reduce((sum, { elements }) => sum + 4 * elements, 0);
  // Elements are read to count them, and to put them where they belong; where they stood only then.
  const twice = buffers.reduce(
    (sum, { what, last, made, elements }) => sum + (last - made === 3 && what !== "indices" ? 4 * elements : 0),
    0,
  );
  return { bytes, read: bytes + twice, peak: Math.max(...alive), tensors: buffers.length };
}

/** Factors of a digit sort on this machine; null where no workgroup has room for its counters. */
export const factorsOfDigits = (shape: OrderShape, target: Target, knobs: Knobs): DigitFactors | null =>
  digitFactors(shape, machineOf(target), knobs.threads === undefined ? undefined : Number(knobs.threads));

/** Three kernels for each digit: what parts of a row have of it, how many come before, and where each element belongs. */
export function scheduleDigits(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  const shape = orderShape(graph, region, form, target);
  const factors = factorsOfDigits(shape, target, knobs)!;
  const { orders } = mergedSort(graph, form);
  const micros = digitMicros(shape, factors, machineOf(target));
  const total = micros.reduce((sum, each) => sum + each, 0);
  const { bytes, read, peak, tensors } = handedOver(shape, factors);
  const before = new Set(storedInputs(graph, [...partitionOf(graph, region, orders).before, orders[0]!]));
  return blank({
    variant: "digit-sort",
    digits: factors,
    lane: "none",
    reads: readsOf(
      graph,
      region.members,
      region.outputs,
      stridedReads(graph, region.members, region.outputs, form, "columns"),
    ).map((each) => (before.has(each.value) ? { ...each, rereads: 1 } : each)),
    chunks: factors.parts,
    chunkLength: factors.threads * factors.each,
    threadsPerWorkgroup: factors.threads,
    workgroups: form.rows * factors.parts,
    workgroupBytes: movingBytes(shape, factors),
    registers: BASE_REGISTERS + liveScalars(graph, region) + 2 * factors.each + 8,
    dispatches: launchesOf(shape, factors),
    temporaryBytes: bytes,
    temporaryReads: read,
    temporaries: tensors,
    temporaryPeak: peak,
    shares: micros.map((each) => each / total),
    leastMicros: total,
  });
}
