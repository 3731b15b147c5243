/**
 * @file Long rows in order, digit by digit (Knuth, 5.2.5): each part of a row counts its digits, a kernel adds up how many
 * come before, and every element goes behind those with a smaller digit and those with the same one that stood before it.
 */
import { node, sizeOf } from "../../../../ir";
import { ADDERS, addersOf } from "../sort-factors";
import { digitBuffers, keyBounds, orderShape } from "../digit-sort";
import { mergedSort, partitionOf } from "../merge-sort";
import { storedInputs } from "../../../indices/views";
import { opDef } from "../../../../ops";
import { wordFor } from "../../../emit/emitter";
import { threadPerItem, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import type { Index, Tuple } from "../../../emit/index-space";
import { literal, type KernelProgram } from "../../../emit/kernel-ir";
import { Lowering } from "../../../emit/lowering";
import { storeFlat } from "../../map/write/pointwise";
import { scalarOf } from "./runs";
import { lineOf } from "../../../types";
import {
  type DigitSort,
  bufferOf,
  partKernel,
  counted,
  added,
  shared,
  share,
  digitOf,
  eachLoad,
  elementAt,
  cellOf,
  totalOf,
  finished,
  partsText,
} from "./digit-parts";
import { moveElements } from "./digit-moves";

/** Variant `digit-sort`: for each digit a kernel that counts, one that adds up, and one that moves; the last one stores the results, or one more computes them. */
export function lowerDigitSort(job: Job): KernelProgram[] {
  const { graph, form, region, target, schedule } = job;
  const sort = mergedSort(graph, form);
  const factors = schedule.digits!;
  const shape = orderShape(graph, region, form, target);
  const all: DigitSort = {
    job,
    sort,
    shape,
    factors,
    range: keyBounds(graph, region.members, sort.operand),
    buffers: digitBuffers(shape, factors),
    digits: 2 ** factors.digit,
    scalar: scalarOf(graph, sort) === "f32" ? "f32" : "i32",
  };
  const passes = Array.from({ length: factors.passes }, (_, pass) => [
    countDigits(all, pass),
    addCounts(all, pass),
    moveElements(all, pass),
  ]);
  return [...passes.flat(), ...(shape.direct ? [] : [storeRest(all)])];
}

function countDigits(all: DigitSort, pass: number): KernelProgram {
  const kernel = partKernel(all, pass);
  const { low, grid, part } = kernel;
  const { space } = low;
  const { digits, factors } = all;
  const { threads, each } = factors;
  const nodes = counted(all);
  const counts = bufferOf(all, low, "counts", pass)!;
  const counters = low.sharedCounts("counters", digits);
  const isDigit = space.less(grid.tid, digits);
  low.branch(isDigit, () => share(low, counters, grid.tid, literal(0, "i32"), nodes));
  low.barrier();
  const first = space.add(space.mul(part, threads * each), grid.tid);
  eachLoad(
    all,
    kernel,
    (iteration) => space.add(first, space.mul(iteration, threads)),
    (column) => elementAt(all, kernel, pass, column),
    (_, __, here, value) => {
      const index = digitOf(all, low, pass, value);
      low.branch(here, () => low.emit({ kind: "addShared", array: counters, index, value: literal(1, "i32"), nodes }));
    },
  );
  low.barrier();
  low.branch(isDigit, () =>
    low.store(counts, cellOf(all, kernel, grid.tid), shared(low, "count", counters, grid.tid, nodes), nodes),
  );
  return finished(
    all,
    low,
    grid,
    `digits${pass + 1}`,
    `${partsText(all)}: each part counts how often it has each of ${digits} digits.`,
  );
}

function addCounts(all: DigitSort, pass: number): KernelProgram {
  const { job, factors, shape, digits } = all;
  const { parts } = factors;
  const nodes = counted(all);
  const low = new Lowering(job.graph, [], []);
  const { space } = low;
  const counts = bufferOf(all, low, "counts", pass)!;
  const [starts, totals] = [bufferOf(all, low, "starts", pass)!, bufferOf(all, low, "totals", pass)!];
  const { each, threads } = addersOf(parts);
  const lists = shape.rows * digits;
  const grid =
    threads === 1
      ? { ...threadPerItem(low, lists, ADDERS, job.target, "list"), tid: space.int(0) }
      : workgroupPerItem(low, lists, threads, job.target, "list");
  const held = low.threadArray("held", "i32", each);
  const eachPart = (visit: (iteration: Index, at: Index) => void): void =>
    low.loop("turn", each, (iteration) => {
      const part = space.add(space.mul(grid.tid, each), iteration);
      low.branch(space.less(part, parts), () => visit(iteration, space.add(space.mul(grid.index, parts), part)));
    });
  const own = low.variable("own", "i32", 1, literal(0, "i32"), nodes);
  eachPart((iteration, at) => {
    const value = low.load(counts, at, nodes, "count");
    share(low, held, iteration, value, nodes);
    added(low, own, value, nodes);
  });
  const before = low.variable("before", "i32", 1, literal(0, "i32"), nodes);
  if (threads > 1) {
    const sums = low.sharedArray("sums", "i32", threads);
    share(low, sums, grid.tid, own, nodes);
    low.barrier();
    low.loop("thread", threads, (thread) =>
      low.branch(space.below(thread, grid.tid), () =>
        added(low, before, shared(low, "sum", sums, thread, nodes), nodes),
      ),
    );
  }
  eachPart((iteration, at) => {
    low.store(starts, at, before, nodes);
    added(low, before, shared(low, "count", held, iteration, nodes), nodes);
  });
  // Nothing comes after the last digit.
  const bin = space.mod(grid.index, digits);
  const known = space.and(space.atLeast(grid.tid, threads - 1), space.less(bin, digits - 1));
  low.branch(known, () => low.store(totals, totalOf(all, low, space.div(grid.index, digits), bin), before, nodes));
  return finished(
    all,
    low,
    grid,
    `starts${pass + 1}`,
    `One ${threads === 1 ? "thread" : `workgroup of ${threads} threads`} per digit of a ${lineOf(all.job.form)}: how many of it come before each part.`,
  );
}

/** What follows the order, computed from it and stored. */
function storeRest(all: DigitSort): KernelProgram {
  const { job, sort, shape, factors } = all;
  const { graph, region, schedule, target } = job;
  const { after } = partitionOf(graph, region, sort.orders);
  const ours = new Set(sort.orders);
  const reads = storedInputs(graph, after).filter((id) => !ours.has(id));
  const low = new Lowering(graph, [...sort.orders, ...after], [...reads, ...region.outputs]);
  const { space } = low;
  const pass = factors.passes - 1;
  for (const id of sort.orders) {
    const { op, attrs, type } = node(graph, id);
    const { axis: axisOf, indices } = opDef(op).order!;
    const axis = axisOf(attrs, type.shape);
    const rowShape = type.shape.map((extent, i) => (i === axis ? 1 : extent));
    low.setReader(id, ({ at }: Tuple) => {
      const row = space.ravel(
        at.map((index, i) => (i === axis ? space.int(0) : index)),
        rowShape,
      );
      const from = bufferOf(all, low, indices ? "indices" : "values", pass)!;
      return low.load(from, space.add(space.mul(row, shape.count), at[axis]!), [id], wordFor(node(graph, id)));
    });
  }
  const size = sizeOf(node(graph, region.outputs[0]!).type.shape);
  const paired = !target.shaderF16 && region.outputs.some((id) => node(graph, id).type.dtype === "f16");
  const width = paired ? 2 : 1;
  const grid = threadPerItem(low, Math.ceil(size / width), schedule.threadsPerWorkgroup, target);
  storeFlat(low, region.outputs, size, width, grid.index);
  return finished(
    all,
    low,
    grid,
    "ordered",
    `One thread per ${width === 2 ? "two elements, which share a word" : "element"} of the row in order.`,
  );
}
