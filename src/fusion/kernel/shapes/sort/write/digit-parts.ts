/** @file What the kernels of a digit sort share: their part of a row, its elements and their digits, and what they hand over. */
import { node, type NodeId, partialsId } from "../../../../ir";
import { indexBits } from "../sort-factors";
import { loadedTogether } from "../../../nest/price";
import type { orderShape } from "../digit-sort";
import { type DigitBuffer } from "../digit-sort";
import type { mergedSort } from "../merge-sort";
import { partitionOf } from "../merge-sort";
import { floatDigit, opDef, wholeDigit, type Bounds } from "../../../../ops";
import { wordFor } from "../../../emit/emitter";
import { programOf, workgroupPerItem, type Grid, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index } from "../../../emit/index-space";
import { type Buffer, type KernelProgram, type Reg, type SharedArray, type Value } from "../../../emit/kernel-ir";
import { Lowering } from "../../../emit/lowering";
import { pointAt } from "../../fold/write/rows";
import { gridFields, namesOf, type PartName } from "../../../emit/split";
import { lineOf } from "../../../types";

/** One order of long rows: what all of its kernels share. */
export interface DigitSort {
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

/** What pass `pass` leaves under this name, in the kernel that `low` writes; null where it leaves none. */
export function bufferOf(
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
export interface Part {
  readonly low: Lowering;
  readonly grid: Grid & { readonly tid: Index };
  readonly row: Index;
  readonly part: Index;
}

export function partKernel(all: DigitSort, pass: number): Part {
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

export const counted = ({ sort }: DigitSort): readonly NodeId[] => sort.orders;

/** An op on whole numbers. */
export const whole = (
  low: Lowering,
  name: string,
  def: string,
  args: readonly Value[],
  nodes: readonly NodeId[],
): Reg => low.let(name, "i32", 1, { kind: "op", def: opDef(def), args, attrs: {}, index: null }, nodes);

export const added = (low: Lowering, into: Reg, value: Value, nodes: readonly NodeId[]): void =>
  low.set(into, { kind: "op", def: opDef("add"), args: [into, value], attrs: {}, index: null }, nodes);

export const shared = (low: Lowering, name: string, array: SharedArray, index: Index, nodes: readonly NodeId[]): Reg =>
  low.let(name, array.scalar, 1, { kind: "loadShared", array, index }, nodes);

export const share = (low: Lowering, array: SharedArray, index: Index, value: Value, nodes: readonly NodeId[]): void =>
  low.emit({ kind: "storeShared", array, index, value, lane: null, nodes });

/** A number that is data as an index. */
export function indexOf(low: Lowering, name: string, value: Value, most: number, nodes: readonly NodeId[]): Index {
  const variable = low.space.variable(low.names.frame(name), most, low.level);
  low.emit({ kind: "bindValue", variable, value, nodes });
  return low.space.of(variable);
}

/** A digit of a key, or of what is left of one, as an index. */
export function digitOf(all: DigitSort, low: Lowering, pass: number, value: Value): Index {
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
 * @param together how many are loaded first: all, where the numbers of iterations are those of registers
 */
export function eachLoad<T>(
  all: DigitSort,
  { low }: Part,
  at: (iteration: Index) => Index,
  load: (column: Index) => T,
  visit: (iteration: Index, column: Index, here: Cond, loaded: T) => void,
  together = loadedTogether(all.factors.each),
): void {
  const { space } = low;
  const { each } = all.factors;
  const { columns } = all.shape;
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
export function elementAt(all: DigitSort, { low, row }: Part, pass: number, column: Index): Value {
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
export const cellOf = ({ digits, factors }: DigitSort, { low, row, part }: Part, bin: Index): Index => {
  const { space } = low;
  return space.add(space.mul(space.add(space.mul(row, digits), bin), factors.parts), part);
};

/** Where it stands how often a row has a digit. */
export const totalOf = ({ digits }: DigitSort, { space }: Lowering, row: Index, bin: Index): Index =>
  space.add(space.mul(row, digits - 1), bin);

export const finished = (all: DigitSort, low: Lowering, grid: Grid, part: PartName, schedule: string): KernelProgram =>
  programOf(low, all.job, { ...namesOf(all.job, part), template: "merge-sort", schedule, ...gridFields(grid) });

export const partsText = ({ job, factors, shape }: DigitSort): string =>
  `${factors.parts} workgroups of ${factors.threads} threads per ${lineOf(job.form)} of ${shape.columns}, ${factors.each} elements a thread`;
