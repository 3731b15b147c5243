/**
 * @file Long rows of whole numbers in order, digit by digit (Knuth, 5.2.5): each part of a row counts its digits, a kernel adds up how many
 * come before, and every element goes behind those with a smaller digit and those with the same one that stood before it.
 */
import { knobsFor, node, type NodeId, partialsId, sizeOf } from "../../../../ir";
import { ADDERS, indexBits } from "../sort-factors";
import { loadedTogether } from "../../../nest/price";
import { digitBuffers, keyBounds, orderShape, type DigitBuffer } from "../digit-sort";
import { mergedSort, partitionOf } from "../merge-sort";
import { storedInputs } from "../../../indices/views";
import { opDef, shortened, wholeDigit, type Bounds } from "../../../../ops";
import { wordFor } from "../../../emit/emitter";
import { programOf, threadPerItem, workgroupPerItem, type Grid, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index, Tuple } from "../../../emit/index-space";
import {
  literal,
  widthOf,
  type Buffer,
  type KernelProgram,
  type Reg,
  type SharedArray,
  type Value,
} from "../../../emit/kernel-ir";
import { Lowering } from "../../../emit/lowering";
import { storeFlat } from "../../map/write/pointwise";
import { pointAt, spread } from "../../fold/write/rows";
import { gridFields, namesOf, type PartName } from "../../../emit/split";
import { lineOf } from "../../../types";

/** One order of long rows: what all of its kernels share. */
interface DigitSort {
  readonly job: Job;
  readonly sort: ReturnType<typeof mergedSort>;
  readonly shape: ReturnType<typeof orderShape>;
  readonly factors: NonNullable<Job["schedule"]["digits"]>;
  readonly range: Bounds;
  readonly buffers: readonly DigitBuffer[];
  readonly digits: number;
}

/** Variant `digit-sort`: for each digit a kernel that counts, one that adds up, and one that moves; the last one stores the results, or one more computes them. */
export function lowerDigitSort(job: Job): KernelProgram[] {
  const { graph, form, region, target, schedule } = job;
  const sort = mergedSort(graph, form);
  const factors = schedule.digits!;
  const shape = orderShape(graph, region, form, target, knobsFor(target.knobs, region.outputs));
  const all: DigitSort = {
    job,
    sort,
    shape,
    factors,
    range: keyBounds(graph, region.members, sort.operand),
    buffers: digitBuffers(shape, factors),
    digits: 2 ** factors.digit,
  };
  const passes = Array.from({ length: factors.passes }, (_, pass) => [
    countDigits(all, pass),
    addCounts(all, pass),
    moveElements(all, pass),
  ]);
  return [...passes.flat(), ...(shape.direct ? [] : [storeRest(all)])];
}

/** What pass `pass` leaves under this name, in the kernel that `low` writes; null where it leaves none. */
function bufferOf({ sort, buffers }: DigitSort, low: Lowering, what: DigitBuffer["what"], pass: number): Buffer | null {
  const found = buffers.find((each) => each.what === what && each.pass === pass);
  if (!found) return null;
  const first = sort.orders[0]!;
  return low.temporary(
    partialsId(`${first}~${what}${pass}`),
    `${wordFor(node(low.graph, first))}_${what}`,
    "i32",
    found.elements,
  );
}

/** The kernel of one part of a row. */
interface Part {
  readonly low: Lowering;
  readonly grid: Grid & { readonly tid: Index };
  readonly row: Index;
  readonly part: Index;
  /** Lanes of a load. */
  readonly width: 1 | 4;
  readonly counters: SharedArray;
}

function partKernel(all: DigitSort, pass: number): Part {
  const { job, sort, shape, factors, digits } = all;
  const { graph, region, form, target } = job;
  const { threads, parts } = factors;
  const before = pass === 0 ? partitionOf(graph, region, sort.orders).before : [];
  const low = new Lowering(graph, before, []);
  const grid = workgroupPerItem(low, form.rows * parts, threads, target, "part");
  const counters = low.sharedArray("counters", "i32", digits * threads);
  const { space } = low;
  const [row, part] = [space.div(grid.index, parts), space.mod(grid.index, parts)];
  return { low, grid, row, part, width: pass === 0 ? shape.wide : shape.between, counters };
}

/** A thread's counter of a digit: threads of a warp that count one digit, or add up neighbouring ones, meet in no bank. */
const counterAt = ({ low }: Part, { threads }: DigitSort["factors"], digit: Index, thread: Index): Index =>
  low.space.add(low.space.mul(digit, threads), low.space.mod(low.space.add(digit, thread), threads));

const counted = ({ sort }: DigitSort): readonly NodeId[] => sort.orders;

/** An op on whole numbers. */
const whole = (low: Lowering, name: string, def: string, args: readonly Value[], nodes: readonly NodeId[]): Reg =>
  low.let(name, "i32", 1, { kind: "op", def: opDef(def), args, attrs: {}, index: null }, nodes);

/** Adds to a counter; what stood there. */
function addTo({ low, counters }: Part, at: Index, nodes: readonly NodeId[]): Reg {
  const known = low.let("known", "i32", 1, { kind: "loadShared", array: counters, index: at }, nodes);
  const value = whole(low, "next", "add", [known, literal(1, "i32")], nodes);
  low.emit({ kind: "storeShared", array: counters, index: at, value, lane: null, nodes });
  return known;
}

/** A digit of a key, or of what is left of one, as an index. */
function digitOf(all: DigitSort, { low }: Part, pass: number, value: Value): Index {
  const { factors, range, sort, digits, shape } = all;
  const { packed, digit } = factors;
  const attrs =
    packed && pass > 0
      ? { descending: false, least: 0, most: 0, shift: indexBits(shape) + digit * (pass - 1), radix: digits }
      : { descending: sort.descending, ...range, shift: digit * pass, radix: digits };
  const nodes = counted(all);
  const found = low.let("digit", "i32", 1, { kind: "op", def: wholeDigit, args: [value], attrs, index: null }, nodes);
  const variable = low.space.variable(low.names.frame("bin"), digits - 1, low.level);
  low.emit({ kind: "bindValue", variable, value: found, nodes });
  return low.space.of(variable);
}

/**
 * Visits a thread's elements in their order: loads, which are four neighbours at a time where they can be, several of them before the
 * first is visited. Past the end of a row its last elements are loaded, and not visited.
 */
function eachLoad<T>(
  all: DigitSort,
  kernel: Part,
  load: (column: Index) => T,
  visit: (iteration: Index, column: Index, loaded: T) => void,
): void {
  const { low, grid, part, width } = kernel;
  const { space } = low;
  const { each, threads } = all.factors;
  const { columns } = all.shape;
  const units = each / width;
  const together = loadedTogether(units);
  const first = space.add(space.mul(part, threads * units), space.mul(grid.tid, units));
  low.loop("turn", units / together, (turn) => {
    const loads = Array.from({ length: together }, (_, i) => {
      const iteration = space.add(space.mul(turn, together), space.int(i));
      const unit = low.bind("unit", space.add(first, iteration));
      const column = spread(space, space.clamp(unit, columns / width - 1), width === 4);
      return { iteration, unit, column, loaded: load(column) };
    });
    for (const { iteration, unit, column, loaded } of loads)
      low.branch(space.less(unit, columns / width), () => visit(iteration, column, loaded));
  });
}

/** Elements of a pass, and of each the element number in its row. */
function elementAt(all: DigitSort, { low, row, width }: Part, pass: number, column: Index): Value {
  const { job, sort, shape } = all;
  const { form } = job;
  const { space } = low;
  if (pass === 0) {
    const rowShape = form.space.map((extent, axis) => (form.reducedAxes.includes(axis) ? 1 : extent));
    const folded = form.space.map((extent, axis) => (form.reducedAxes.includes(axis) ? extent : 1));
    const x = low.valueAt(sort.operand, pointAt(space, { rowShape, folded }, row, column));
    const value = low.converted(x, "i32", sort.operand);
    return widthOf(value) === width ? value : low.let("element", "i32", 4, { kind: "splat", a: value }, counted(all));
  }
  const from = bufferOf(all, low, "words", pass - 1) ?? bufferOf(all, low, "values", pass - 1)!;
  return low.load(from, space.add(space.mul(row, shape.columns), column), counted(all), "element");
}

/** Every thread counts the digits of its elements. */
function countOwn(all: DigitSort, kernel: Part, pass: number, keep: (iteration: Index, value: Value) => void): void {
  const { low, grid, counters, width } = kernel;
  const nodes = counted(all);
  low.loop("bin", all.digits, (bin) => {
    const index = counterAt(kernel, all.factors, bin, grid.tid);
    low.emit({ kind: "storeShared", array: counters, index, value: literal(0, "i32"), lane: null, nodes });
  });
  const load = (column: Index): Value => elementAt(all, kernel, pass, column);
  eachLoad(all, kernel, load, (iteration, _, value) => {
    keep(iteration, value);
    for (let lane = 0; lane < width; lane++) {
      const bin = digitOf(all, kernel, pass, low.part(value, lane, nodes));
      addTo(kernel, counterAt(kernel, all.factors, bin, grid.tid), nodes);
    }
  });
  low.barrier();
}

/** Shares the digits out among the threads. */
function eachDigit(all: DigitSort, { low, grid }: Part, visit: (bin: Index) => void): void {
  const { threads } = all.factors;
  low.loop("turn", Math.ceil(all.digits / threads), (iteration) => {
    const bin = low.space.add(grid.tid, low.space.mul(iteration, threads));
    low.branch(low.space.less(bin, all.digits), () => visit(low.bind("bin", bin, all.digits - 1)));
  });
}

/** Where the count of a digit in a part of a row stands: those of all parts of a row side by side. */
const cellOf = ({ digits, factors }: DigitSort, { low, row, part }: Part, bin: Index): Index => {
  const { space } = low;
  return space.add(space.mul(space.add(space.mul(row, digits), bin), factors.parts), part);
};

/** Where it stands how often a row has a digit. */
const totalOf = ({ digits }: DigitSort, { space }: Lowering, row: Index, bin: Index): Index =>
  space.add(space.mul(row, digits - 1), bin);

const finished = (all: DigitSort, low: Lowering, grid: Grid, part: PartName, schedule: string): KernelProgram =>
  programOf(low, all.job, { ...namesOf(all.job, part), template: "merge-sort", schedule, ...gridFields(grid) });

const partsText = ({ job, factors, shape }: DigitSort): string =>
  `${factors.parts} workgroups of ${factors.threads} threads per ${lineOf(job.form)} of ${shape.columns}, ${factors.each} neighbours a thread`;

function countDigits(all: DigitSort, pass: number): KernelProgram {
  const kernel = partKernel(all, pass);
  const { low, counters } = kernel;
  const nodes = counted(all);
  const counts = bufferOf(all, low, "counts", pass)!;
  countOwn(all, kernel, pass, () => {});
  low.comment("Add up what all threads have counted of a digit.");
  eachDigit(all, kernel, (bin) => {
    const total = low.variable("total", "i32", 1, literal(0, "i32"), nodes);
    low.loop("thread", all.factors.threads, (thread) => {
      const index = counterAt(kernel, all.factors, bin, thread);
      const known = low.let("known", "i32", 1, { kind: "loadShared", array: counters, index }, nodes);
      low.set(total, { kind: "op", def: opDef("add"), args: [total, known], attrs: {}, index: null }, nodes);
    });
    low.store(counts, cellOf(all, kernel, bin), total, nodes);
  });
  return finished(
    all,
    low,
    kernel.grid,
    `digits${pass + 1}`,
    `${partsText(all)}: each part counts how often it has each of ${all.digits} digits.`,
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
  const each = Math.ceil(parts / ADDERS);
  const threads = Math.ceil(parts / each);
  const grid = workgroupPerItem(low, shape.rows * digits, threads, job.target, "list");
  const held = low.threadArray("held", "i32", each);
  const eachPart = (visit: (iteration: Index, at: Index) => void): void =>
    low.loop("turn", each, (iteration) => {
      const part = space.add(space.mul(grid.tid, each), iteration);
      low.branch(space.less(part, parts), () => visit(iteration, space.add(space.mul(grid.index, parts), part)));
    });
  const add = (into: Reg, value: Value): void =>
    low.set(into, { kind: "op", def: opDef("add"), args: [into, value], attrs: {}, index: null }, nodes);
  const own = low.variable("own", "i32", 1, literal(0, "i32"), nodes);
  eachPart((iteration, at) => {
    const value = low.load(counts, at, nodes, "count");
    low.emit({ kind: "storeShared", array: held, index: iteration, value, lane: null, nodes });
    add(own, value);
  });
  const before = low.variable("before", "i32", 1, literal(0, "i32"), nodes);
  if (threads > 1) {
    const sums = low.sharedArray("sums", "i32", threads);
    low.emit({ kind: "storeShared", array: sums, index: grid.tid, value: own, lane: null, nodes });
    low.barrier();
    low.loop("thread", threads, (thread) =>
      low.branch(space.below(thread, grid.tid), () =>
        add(before, low.let("sum", "i32", 1, { kind: "loadShared", array: sums, index: thread }, nodes)),
      ),
    );
  }
  eachPart((iteration, at) => {
    low.store(starts, at, before, nodes);
    add(before, low.let("count", "i32", 1, { kind: "loadShared", array: held, index: iteration }, nodes));
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
    `One workgroup of ${threads} threads per digit of a ${lineOf(all.job.form)}: how many of it come before each part.`,
  );
}

function moveElements(all: DigitSort, pass: number): KernelProgram {
  const { factors, shape, digits, sort } = all;
  const kernel = partKernel(all, pass);
  const { low, grid, counters, width, row } = kernel;
  const { space } = low;
  const nodes = counted(all);
  const [starts, totals] = [bufferOf(all, low, "starts", pass)!, bufferOf(all, low, "totals", pass)!];
  const last = pass === factors.passes - 1;
  const held = low.threadArray("held", "i32", factors.each / width, width);
  countOwn(all, kernel, pass, (index, value) =>
    low.emit({ kind: "storeShared", array: held, index, value, lane: null, nodes }),
  );
  const set = (into: Reg, value: Value): void =>
    low.set(into, { kind: "op", def: opDef("add"), args: [into, value], attrs: {}, index: null }, nodes);
  low.comment("Where the first of each digit goes, thread by thread.");
  eachDigit(all, kernel, (bin) => {
    const next = low.variable("goes", "i32", 1, low.load(starts, cellOf(all, kernel, bin), nodes, "start"), nodes);
    // No load waits for a branch.
    low.loop("smaller", digits - 1, (smaller) => {
      const yes = low.load(totals, totalOf(all, low, row, smaller), nodes, "total");
      const when = space.below(smaller, bin);
      set(next, low.let("counts", "i32", 1, { kind: "select", when, yes, no: literal(0, "i32") }, nodes));
    });
    const together = loadedTogether(factors.threads);
    low.loop("thread", factors.threads / together, (turn) => {
      const cells = Array.from({ length: together }, (_, i) => {
        const index = counterAt(kernel, factors, bin, space.add(space.mul(turn, together), space.int(i)));
        return { index, known: low.let("known", "i32", 1, { kind: "loadShared", array: counters, index }, nodes) };
      });
      for (const { index, known } of cells) {
        low.emit({ kind: "storeShared", array: counters, index, value: next, lane: null, nodes });
        set(next, known);
      }
    });
  });
  low.barrier();
  const indicesFrom = pass === 0 || factors.packed ? null : bufferOf(all, low, "indices", pass - 1);
  const indicesAt = (column: Index): Value | null =>
    indicesFrom && low.load(indicesFrom, space.add(space.mul(row, shape.columns), column), nodes, "index");
  eachLoad(all, kernel, indicesAt, (iteration, column, indices) => {
    const value = low.let("element", "i32", width, { kind: "loadShared", array: held, index: iteration }, nodes);
    for (let lane = 0; lane < width; lane++) {
      const x = low.part(value, lane, nodes);
      const bin = digitOf(all, kernel, pass, x);
      const goes = addTo(kernel, counterAt(kernel, factors, bin, grid.tid), nodes);
      const variable = space.variable(low.names.frame("spot"), shape.columns - 1, low.level);
      low.emit({ kind: "bindValue", variable, value: goes, nodes });
      const indexValue = (): Value =>
        indices
          ? low.part(indices, lane, nodes)
          : factors.packed && pass > 0
            ? low.let(
                "index",
                "i32",
                1,
                {
                  kind: "op",
                  def: wholeDigit,
                  args: [x],
                  attrs: { descending: false, least: 0, most: 0, shift: 0, radix: 2 ** indexBits(shape) },
                  index: null,
                },
                nodes,
              )
            : low.let("index", "i32", 1, { kind: "index", index: low.atLane(column, lane) }, nodes);
      const spot = space.of(variable);
      const wanted: Cond = last ? space.less(spot, shape.count) : { kind: "always" };
      low.branch(wanted, () => put(all, kernel, pass, spot, x, indexValue));
    }
  });
  const rest = last && shape.direct ? "it stores its own results" : sort.indices ? "with where it stood" : "as it is";
  return finished(
    all,
    low,
    grid,
    `moves${pass + 1}`,
    `${partsText(all)}: each element goes behind those before it with the same digit, ${rest}.`,
  );
}

/** Stores an element, or where it stood, or both in one word, in its row. */
function put(all: DigitSort, { low, row }: Part, pass: number, spot: Index, x: Value, indexValue: () => Value): void {
  const { job, shape, factors, sort, range } = all;
  const { graph, form } = job;
  const { space } = low;
  const nodes = counted(all);
  const last = pass === factors.passes - 1;
  if (last && shape.direct) {
    const axis = form.reducedAxes[0]!;
    const rowShape = form.space.map((extent, at) => (at === axis ? 1 : extent));
    const rows = space.unravel(row, rowShape);
    for (const id of sort.orders) {
      const n = node(graph, id);
      const at = space.ravel(
        rows.map((index, i) => (i === axis ? spot : index)),
        n.type.shape,
      );
      low.store(low.buffer(id), at, opDef(n.op).order!.indices ? indexValue() : x, [id]);
    }
    return;
  }
  const at = space.add(space.mul(row, last ? shape.count : shape.columns), spot);
  const words = bufferOf(all, low, "words", pass);
  if (words) {
    let value = x;
    if (pass === 0) {
      const attrs = { descending: sort.descending, ...range, shift: factors.digit, radix: 2 ** indexBits(shape) };
      const key = low.let("key", "i32", 1, { kind: "op", def: shortened, args: [x], attrs, index: null }, nodes);
      value = whole(low, "word", "add", [key, indexValue()], nodes);
    }
    low.store(words, at, value, nodes);
  }
  const [values, indices] = [bufferOf(all, low, "values", pass), bufferOf(all, low, "indices", pass)];
  if (values) low.store(values, at, x, nodes);
  if (indices) low.store(indices, at, indexValue(), nodes);
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
