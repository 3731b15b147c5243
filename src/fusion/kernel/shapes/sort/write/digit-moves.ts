/**
 * @file Elements of a part of a row, moved by a digit: each takes a number of its digit, the workgroup puts them in order in its memory, and
 * neighbours of one digit go side by side to where they belong.
 */
import { node, type NodeId } from "../../../../ir";
import { digitsTogether, indexBits } from "../sort-factors";
import { WORD_LANES } from "../digit-sort";
import { opDef, shortened, wholeDigit } from "../../../../ops";
import type { Cond, Index } from "../../../emit/index-space";
import { literal, type KernelProgram, type Reg, type SharedArray, type Value } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import {
  type DigitSort,
  bufferOf,
  type Part,
  partKernel,
  counted,
  whole,
  added,
  shared,
  share,
  indexOf,
  digitOf,
  eachLoad,
  elementAt,
  cellOf,
  totalOf,
  finished,
  partsText,
} from "./digit-parts";

/** Workgroup memory of a kernel that moves. */
interface Moving extends Part {
  /** Numbers of each digit that a slice has taken; then those that the slices before it have. */
  readonly counters: SharedArray;
  /** Where the elements of each digit start among those of the workgroup, and how much further they go. */
  readonly firsts: SharedArray;
  readonly shifts: SharedArray;
  /** The workgroup's elements in order, and where in the row each of them stood. */
  readonly staged: SharedArray;
  readonly indices: SharedArray | null;
  /** A thread's elements, and their numbers. */
  readonly held: SharedArray;
  readonly ranks: SharedArray;
  /** Where its slice's counters start, and its first element. */
  readonly own: Index;
  readonly first: Index;
}

export function moveElements(all: DigitSort, pass: number): KernelProgram {
  const { factors, shape, sort } = all;
  const kernel = movingKernel(all, pass);
  const { low, counters } = kernel;
  const { space } = low;
  const cells = counters.length;
  low.loop("turn", Math.ceil(cells / factors.threads), (turn) => {
    const cell = space.add(space.mul(turn, factors.threads), kernel.grid.tid);
    low.branch(space.less(cell, cells), () => share(low, counters, cell, literal(0, "i32"), counted(all)));
  });
  low.barrier();
  low.comment("Each element takes a number of its digit.");
  takeNumbers(all, kernel, pass);
  low.barrier();
  placeDigits(all, kernel, pass);
  low.comment("The workgroup puts its elements in order.");
  stageElements(all, kernel, pass);
  low.barrier();
  low.comment("Neighbours of one digit go side by side.");
  storeStaged(all, kernel, pass);
  const last = pass === factors.passes - 1;
  const rest = last && shape.direct ? "it stores its own results" : sort.indices ? "with where it stood" : "as it is";
  return finished(
    all,
    low,
    kernel.grid,
    `moves${pass + 1}`,
    `${partsText(all)}: each element goes behind those before it with the same digit, ${rest}.`,
  );
}

function movingKernel(all: DigitSort, pass: number): Moving {
  const { factors, digits, sort, scalar } = all;
  const { threads, each, slice } = factors;
  const part = partKernel(all, pass);
  const { low, grid } = part;
  const { space } = low;
  const keepsIndices = sort.indices && (pass === 0 || !factors.packed);
  const [slices, lane] = [space.div(grid.tid, slice), space.mod(grid.tid, slice)];
  return {
    ...part,
    counters: low.sharedCounts("counters", (threads / slice) * digits),
    firsts: low.sharedArray("firsts", "i32", digits),
    shifts: low.sharedArray("shifts", "i32", digits),
    staged: low.sharedArray("staged", scalar, threads * each),
    indices: keepsIndices ? low.sharedArray("staged_indices", "i32", threads * each) : null,
    held: low.threadArray("held", scalar, each),
    ranks: low.threadArray("ranks", "i32", each),
    own: space.mul(slices, digits),
    // Slices of threads have neighbouring elements, in the order of their turns and lanes.
    first: space.add(space.mul(part.part, threads * each), space.add(space.mul(slices, slice * each), lane)),
  };
}

const columnOf =
  ({ factors: { slice } }: DigitSort, { low: { space }, first }: Moving) =>
  (iteration: Index): Index =>
    space.add(first, space.mul(iteration, slice));

function takeNumbers(all: DigitSort, kernel: Moving, pass: number): void {
  const { threads, digit, slice } = all.factors;
  const { low, counters, held, ranks, own } = kernel;
  const { space } = low;
  const nodes = counted(all);
  const lane = slice === 1 ? null : low.subgroupLane(threads);
  const oneWord = (all.job.target.subgroupSizes?.[1] ?? Infinity) <= WORD_LANES;
  eachLoad(
    all,
    kernel,
    columnOf(all, kernel),
    (column) => elementAt(all, kernel, pass, column),
    (iteration, _, when, value) => {
      share(low, held, iteration, value, nodes);
      const key = digitOf(all, low, pass, value);
      const rank = low.reg("rank", "i32", 1);
      const how = { bits: digit, slice, oneWord, lane, when };
      const index = space.add(own, key);
      low.emit({ kind: "takeNumber", reg: rank, array: counters, name: "take_number", index, key, ...how, nodes });
      share(low, ranks, iteration, rank, nodes);
    },
    all.factors.each,
  );
}

function stageElements(all: DigitSort, kernel: Moving, pass: number): void {
  const { factors, shape } = all;
  const { low, row, counters, firsts, staged, indices, held, ranks, own } = kernel;
  const { space } = low;
  const nodes = counted(all);
  const from = indices && pass > 0 ? bufferOf(all, low, "indices", pass - 1)! : null;
  eachLoad(
    all,
    kernel,
    columnOf(all, kernel),
    (column) => from && low.load(from, space.add(space.mul(row, shape.columns), column), nodes, "index"),
    (iteration, column, here, loaded) => {
      const x = shared(low, "element", held, iteration, nodes);
      const bin = digitOf(all, low, pass, x);
      const start = shared(low, "first", firsts, bin, nodes);
      const before = shared(low, "before", counters, space.add(own, bin), nodes);
      const rank = shared(low, "rank", ranks, iteration, nodes);
      const number = whole(low, "goes", "add", [whole(low, "goes", "add", [start, before], nodes), rank], nodes);
      const spot = indexOf(low, "spot", number, factors.threads * factors.each - 1, nodes);
      low.branch(here, () => {
        share(low, staged, spot, x, nodes);
        if (indices) share(low, indices, spot, loaded ?? low.indexReg("index", column, 1, nodes), nodes);
      });
    },
    factors.each,
  );
}

function storeStaged(all: DigitSort, kernel: Moving, pass: number): void {
  const { factors, shape } = all;
  const { threads, each } = factors;
  const { low, grid, part, shifts, staged, indices } = kernel;
  const { space } = low;
  const nodes = counted(all);
  const last = pass === factors.passes - 1;
  low.loop("turn", each, (turn) => {
    const slot = low.bind("slot", space.add(space.mul(turn, threads), grid.tid));
    low.branch(space.less(space.add(space.mul(part, threads * each), slot), shape.columns), () => {
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
}

/** Where an element stood, from the word that holds it below what is left of the key. */
function unpackedIndex(all: DigitSort, low: Lowering, word: Value): Reg {
  const attrs = { descending: false, least: 0, most: 0, shift: 0, radix: 2 ** indexBits(all.shape) };
  return low.let("index", "i32", 1, { kind: "op", def: wholeDigit, args: [word], attrs, index: null }, counted(all));
}

/** Adds up neighbouring counts, a group a thread. */
function sumGroups(
  low: Lowering,
  tid: Index,
  sums: readonly { readonly array: SharedArray; readonly sum: SharedArray }[],
  { together, groups }: { readonly together: number; readonly groups: number },
  nodes: readonly NodeId[],
): void {
  const { space } = low;
  low.branch(space.less(tid, groups), () => {
    for (const { array, sum } of sums) {
      const total = low.variable("sum", "i32", 1, literal(0, "i32"), nodes);
      low.loop("one", together, (one) => {
        // Threads that add up neighbouring groups meet in no bank.
        const digit = space.add(space.mul(tid, together), space.mod(space.add(one, tid), together));
        added(low, total, shared(low, "count", array, digit, nodes), nodes);
      });
      share(low, sum, tid, total, nodes);
    }
  });
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
  sumGroups(low, tid, sums, { together, groups }, nodes);
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
