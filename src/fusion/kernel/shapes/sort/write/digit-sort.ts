/**
 * @file Long rows in order, digit by digit (Knuth, 5.2.5): each part of a row counts its digits, a kernel adds up how many
 * come before, and every element goes behind those with a smaller digit and those with the same one that stood before it.
 */
import { node, type NodeId, partialsId, sizeOf } from "../../../../ir";
import { ADDERS, digitsTogether, indexBits } from "../sort-factors";
import { loadedTogether } from "../../../nest/price";
import { digitBuffers, keyBounds, orderShape, type DigitBuffer } from "../digit-sort";
import { mergedSort, partitionOf } from "../merge-sort";
import { storedInputs } from "../../../indices/views";
import { floatDigit, opDef, shortened, wholeDigit, type Bounds } from "../../../../ops";
import { wordFor } from "../../../emit/emitter";
import { programOf, threadPerItem, workgroupPerItem, type Grid, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index, Tuple } from "../../../emit/index-space";
import {
  literal,
  type Buffer,
  type KernelProgram,
  type Reg,
  type SharedArray,
  type Value,
} from "../../../emit/kernel-ir";
import { Lowering } from "../../../emit/lowering";
import { storeFlat } from "../../map/write/pointwise";
import { pointAt } from "../../fold/write/rows";
import { scalarOf } from "./runs";
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
  /** What is compared and handed over. */
  readonly scalar: "f32" | "i32";
}

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

/** What pass `pass` leaves under this name, in the kernel that `low` writes; null where it leaves none. */
function bufferOf(
  { sort, buffers, scalar }: DigitSort,
  low: Lowering,
  what: DigitBuffer["what"],
  pass: number,
): Buffer | null {
  const found = buffers.find((each) => each.what === what && each.pass === pass);
  if (!found) return null;
  const first = sort.orders[0]!;
  return low.temporary(
    partialsId(`${first}~${what}${pass}`),
    `${wordFor(node(low.graph, first))}_${what}`,
    what === "values" ? scalar : "i32",
    found.elements,
  );
}

/** The kernel of one part of a row. */
interface Part {
  readonly low: Lowering;
  readonly grid: Grid & { readonly tid: Index };
  readonly row: Index;
  readonly part: Index;
}

function partKernel(all: DigitSort, pass: number): Part {
  const { job, sort, factors } = all;
  const { graph, region, form, target } = job;
  const { threads, parts } = factors;
  const before = pass === 0 ? partitionOf(graph, region, sort.orders).before : [];
  const low = new Lowering(graph, before, []);
  const grid = workgroupPerItem(low, form.rows * parts, threads, target, "part");
  const { space } = low;
  const [row, part] = [space.div(grid.index, parts), space.mod(grid.index, parts)];
  return { low, grid, row, part };
}

const counted = ({ sort }: DigitSort): readonly NodeId[] => sort.orders;

/** An op on whole numbers. */
const whole = (low: Lowering, name: string, def: string, args: readonly Value[], nodes: readonly NodeId[]): Reg =>
  low.let(name, "i32", 1, { kind: "op", def: opDef(def), args, attrs: {}, index: null }, nodes);

const added = (low: Lowering, into: Reg, value: Value, nodes: readonly NodeId[]): void =>
  low.set(into, { kind: "op", def: opDef("add"), args: [into, value], attrs: {}, index: null }, nodes);

const shared = (low: Lowering, name: string, array: SharedArray, index: Index, nodes: readonly NodeId[]): Reg =>
  low.let(name, array.scalar, 1, { kind: "loadShared", array, index }, nodes);

const share = (low: Lowering, array: SharedArray, index: Index, value: Value, nodes: readonly NodeId[]): void =>
  low.emit({ kind: "storeShared", array, index, value, lane: null, nodes });

/** A number that is data as an index. */
function indexOf(low: Lowering, name: string, value: Value, most: number, nodes: readonly NodeId[]): Index {
  const variable = low.space.variable(low.names.frame(name), most, low.level);
  low.emit({ kind: "bindValue", variable, value, nodes });
  return low.space.of(variable);
}

/** A digit of a key, or of what is left of one, as an index. */
function digitOf(all: DigitSort, low: Lowering, pass: number, value: Value): Index {
  const { factors, range, sort, digits, shape, scalar } = all;
  const { packed, digit } = factors;
  const attrs =
    packed && pass > 0
      ? { descending: false, least: 0, most: 0, shift: indexBits(shape) + digit * (pass - 1), radix: digits }
      : { descending: sort.descending, ...range, shift: digit * pass, radix: digits };
  const nodes = counted(all);
  const def = scalar === "f32" ? floatDigit : wholeDigit;
  const found = low.let("digit", "i32", 1, { kind: "op", def, args: [value], attrs, index: null }, nodes);
  return indexOf(low, "bin", found, digits - 1, nodes);
}

/**
 * Visits a thread's elements: several are loaded before the first is visited. Past the end of a row its last element is loaded, and
 * `here` fails.
 * @param at the column of an iteration
 */
function eachLoad<T>(
  all: DigitSort,
  { low }: Part,
  at: (iteration: Index) => Index,
  load: (column: Index) => T,
  visit: (iteration: Index, column: Index, here: Cond, loaded: T) => void,
): void {
  const { space } = low;
  const { each } = all.factors;
  const { columns } = all.shape;
  const together = loadedTogether(each);
  low.loop("turn", each / together, (turn) => {
    const loads = Array.from({ length: together }, (_, i) => {
      const iteration = space.add(space.mul(turn, together), space.int(i));
      const unit = low.bind("unit", at(iteration));
      const column = space.clamp(unit, columns - 1);
      return { iteration, unit, column, loaded: load(column) };
    });
    for (const { iteration, unit, column, loaded } of loads)
      visit(iteration, column, space.less(unit, columns), loaded);
  });
}

/** Elements of a pass, and of each the element number in its row. */
function elementAt(all: DigitSort, { low, row }: Part, pass: number, column: Index): Value {
  const { job, sort, shape, scalar } = all;
  const { form } = job;
  const { space } = low;
  if (pass === 0) {
    const rowShape = form.space.map((extent, axis) => (form.reducedAxes.includes(axis) ? 1 : extent));
    const folded = form.space.map((extent, axis) => (form.reducedAxes.includes(axis) ? extent : 1));
    const x = low.valueAt(sort.operand, pointAt(space, { rowShape, folded }, row, column));
    return low.converted(x, scalar, sort.operand);
  }
  const from = bufferOf(all, low, "words", pass - 1) ?? bufferOf(all, low, "values", pass - 1)!;
  return low.load(from, space.add(space.mul(row, shape.columns), column), counted(all), "element");
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
  `${factors.parts} workgroups of ${factors.threads} threads per ${lineOf(job.form)} of ${shape.columns}, ${factors.each} elements a thread`;

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

/** Workgroup memory of a kernel that moves. */
interface Moving extends Part {
  /** Numbers of each digit that a slice has taken; then those that the slices before it have. */
  readonly counters: SharedArray;
  /** Where the elements of each digit start among those of the workgroup, and how much further they go. */
  readonly firsts: SharedArray;
  readonly shifts: SharedArray;
}

function moveElements(all: DigitSort, pass: number): KernelProgram {
  const { factors, shape, digits, sort, scalar } = all;
  const { threads, each, slice } = factors;
  const part = partKernel(all, pass);
  const { low, grid } = part;
  const { space } = low;
  const nodes = counted(all);
  const slices = threads / slice;
  const kernel: Moving = {
    ...part,
    counters: low.sharedCounts("counters", slices * digits),
    firsts: low.sharedArray("firsts", "i32", digits),
    shifts: low.sharedArray("shifts", "i32", digits),
  };
  const { counters, firsts, shifts } = kernel;
  const keepsIndices = sort.indices && (pass === 0 || !factors.packed);
  const staged = low.sharedArray("staged", scalar, threads * each);
  const indices = keepsIndices ? low.sharedArray("staged_indices", "i32", threads * each) : null;
  const held = low.threadArray("held", scalar, each);
  const ranks = low.threadArray("ranks", "i32", each);
  low.loop("turn", Math.ceil((slices * digits) / threads), (turn) => {
    const cell = space.add(space.mul(turn, threads), grid.tid);
    low.branch(space.less(cell, slices * digits), () => share(low, counters, cell, literal(0, "i32"), nodes));
  });
  low.barrier();
  low.comment("Each element takes a number of its digit.");
  const own = space.mul(space.div(grid.tid, slice), digits);
  const lane = slice === 1 ? null : low.subgroupLane(threads);
  // Slices of threads have neighbouring elements, in the order of their turns and lanes.
  const first = space.add(
    space.mul(part.part, threads * each),
    space.add(space.mul(space.div(grid.tid, slice), slice * each), space.mod(grid.tid, slice)),
  );
  const columnAt = (iteration: Index): Index => space.add(first, space.mul(iteration, slice));
  eachLoad(
    all,
    kernel,
    columnAt,
    (column) => elementAt(all, kernel, pass, column),
    (iteration, _, here, value) => {
      share(low, held, iteration, value, nodes);
      const key = digitOf(all, low, pass, value);
      const rank = low.takeNumber(counters, own, key, { bits: factors.digit, slice, lane, when: here }, nodes);
      share(low, ranks, iteration, rank, nodes);
    },
  );
  low.barrier();
  placeDigits(all, kernel, pass);
  low.comment("The workgroup puts its elements in order.");
  const indicesFrom = keepsIndices && pass > 0 ? bufferOf(all, low, "indices", pass - 1)! : null;
  eachLoad(
    all,
    kernel,
    columnAt,
    (column) =>
      indicesFrom && low.load(indicesFrom, space.add(space.mul(part.row, shape.columns), column), nodes, "index"),
    (iteration, column, here, loaded) => {
      const x = shared(low, "element", held, iteration, nodes);
      const bin = digitOf(all, low, pass, x);
      const start = shared(low, "first", firsts, bin, nodes);
      const before = shared(low, "before", counters, space.add(own, bin), nodes);
      const rank = shared(low, "rank", ranks, iteration, nodes);
      const number = whole(low, "goes", "add", [whole(low, "goes", "add", [start, before], nodes), rank], nodes);
      const spot = indexOf(low, "spot", number, threads * each - 1, nodes);
      low.branch(here, () => {
        share(low, staged, spot, x, nodes);
        if (indices) share(low, indices, spot, loaded ?? low.indexReg("index", column, 1, nodes), nodes);
      });
    },
  );
  low.barrier();
  low.comment("Neighbours of one digit go side by side.");
  const last = pass === factors.passes - 1;
  low.loop("turn", each, (turn) => {
    const slot = low.bind("slot", space.add(space.mul(turn, threads), grid.tid));
    low.branch(space.less(space.add(space.mul(part.part, threads * each), slot), shape.columns), () => {
      const x = shared(low, "element", staged, slot, nodes);
      const bin = digitOf(all, low, pass, x);
      const shift = shared(low, "shift", shifts, bin, nodes);
      const goes = whole(low, "goes", "add", [shift, low.indexReg("slot", slot, 1, nodes)], nodes);
      const spot = indexOf(low, "spot", goes, shape.columns - 1, nodes);
      const indexValue = (): Value =>
        indices ? shared(low, "index", indices, slot, nodes) : unpackedIndex(all, low, x);
      const wanted: Cond = last ? space.less(spot, shape.count) : { kind: "always" };
      low.branch(wanted, () => put(all, kernel, pass, spot, x, indexValue));
    });
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

/** Where an element stood, from the word that holds it below what is left of the key. */
function unpackedIndex(all: DigitSort, low: Lowering, word: Value): Reg {
  const attrs = { descending: false, least: 0, most: 0, shift: 0, radix: 2 ** indexBits(all.shape) };
  return low.let("index", "i32", 1, { kind: "op", def: wholeDigit, args: [word], attrs, index: null }, counted(all));
}

/** From how often slices, the workgroup and all have each digit: where the first of each slice, of the workgroup and of all goes. */
function placeDigits(all: DigitSort, kernel: Moving, pass: number): void {
  const { factors, digits } = all;
  const { low, grid, row, counters, firsts, shifts } = kernel;
  const { space } = low;
  const { tid } = grid;
  const nodes = counted(all);
  const [starts, totals] = [bufferOf(all, low, "starts", pass)!, bufferOf(all, low, "totals", pass)!];
  const zero = literal(0, "i32");
  const isDigit = space.less(tid, digits);
  const [ours, everyones] = ["ours", "everyones"].map((name) => low.sharedArray(name, "i32", digits)) as [
    SharedArray,
    SharedArray,
  ];
  low.comment("How many of each digit come before, in slices, in the workgroup and in all.");
  low.branch(isDigit, () => {
    const before = low.variable("before", "i32", 1, zero, nodes);
    low.loop("slice", factors.threads / factors.slice, (slice) => {
      const cell = space.add(space.mul(slice, digits), tid);
      const known = shared(low, "known", counters, cell, nodes);
      share(low, counters, cell, before, nodes);
      added(low, before, known, nodes);
    });
    share(low, ours, tid, before, nodes);
    // Nothing comes after the last digit.
    const total = low.variable("total", "i32", 1, zero, nodes);
    low.branch(space.less(tid, digits - 1), () =>
      low.set(total, low.load(totals, totalOf(all, low, row, tid), nodes, "total"), nodes),
    );
    share(low, everyones, tid, total, nodes);
  });
  low.barrier();
  const together = digitsTogether(factors);
  const groups = digits / together;
  const sums = [ours, everyones].map((array) => ({ array, sum: low.sharedArray("sums", "i32", groups) }));
  low.branch(space.less(tid, groups), () => {
    for (const { array, sum } of sums) {
      const all_ = low.variable("sum", "i32", 1, zero, nodes);
      low.loop("one", together, (one) => {
        // Threads that add up neighbouring groups meet in no bank.
        const digit = space.add(space.mul(tid, together), space.mod(space.add(one, tid), together));
        added(low, all_, shared(low, "count", array, digit, nodes), nodes);
      });
      share(low, sum, tid, all_, nodes);
    }
  });
  low.barrier();
  low.branch(isDigit, () => {
    const [own, others] = sums.map(({ array, sum }) => {
      const before = low.variable("before", "i32", 1, zero, nodes);
      const add = (from: SharedArray, at: Index, when: Cond): void => {
        const yes = shared(low, "count", from, at, nodes);
        added(low, before, low.let("counts", "i32", 1, { kind: "select", when, yes, no: zero }, nodes), nodes);
      };
      low.loop("group", groups, (group) => add(sum, group, space.below(group, space.div(tid, together))));
      low.loop("one", together, (one) =>
        add(
          array,
          space.add(space.mul(space.div(tid, together), together), one),
          space.below(one, space.mod(tid, together)),
        ),
      );
      return before;
    }) as [Reg, Reg];
    const start = low.load(starts, cellOf(all, kernel, tid), nodes, "start");
    share(low, firsts, tid, own, nodes);
    const goes = whole(low, "goes", "add", [start, others], nodes);
    share(low, shifts, tid, whole(low, "shift", "sub", [goes, own], nodes), nodes);
  });
  low.barrier();
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
