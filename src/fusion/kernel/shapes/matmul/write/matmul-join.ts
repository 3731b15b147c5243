/**
 * @file The second kernel of a product whose k was cut into chunks: adds up the parts, always in the same order, and finishes the
 * outputs. Neighbouring threads read neighbouring outputs; where chunks are many, slices of a workgroup share them out.
 */
import { opDef } from "../../../../ops";
import { productsOf } from "../shared-operand";
import { programOf, threadPerItem, workgroupPerItem, type Grid, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import { literal, type KernelProgram, type Reg } from "../../../emit/kernel-ir";
import { Contraction, finishAll, finishOneOfEach, productsIn } from "./contraction";
import { finishLowering, namesOf } from "../../../emit/split";

/** Chunks up to which one thread adds them up. */
const FEW = 8;
/** Vectors of outputs that stand side by side in a workgroup that shares chunks out, and slices of chunks at most. */
const ACROSS = 8;
const MAX_SLICES = 16;

export function lowerJoin(job: Job): KernelProgram {
  const c = new Contraction(job, undefined, finishLowering(job, productsOf(job.graph, job.region.members)));
  const products = productsIn(job, c);
  const grid = job.schedule.chunks <= FEW ? byThread(c, products) : bySlices(c, products);
  return programOf(c.low, job, {
    ...namesOf(job, "finish"),
    template: "matmul",
    schedule: `Adds up the ${job.schedule.chunks} parts of each output.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

const widthOf = ({ sizes }: Contraction): 1 | 4 => (sizes.n % 4 === 0 ? 4 : 1);
const itemsOf = (c: Contraction): number => (c.sizes.batch * c.sizes.m * c.sizes.n) / widthOf(c);

/** The parts of item `item` from chunk `first` on, every `step`-th, added up for each product. */
function addedUp(c: Contraction, products: readonly Contraction[], item: Index, first: Index, step: number): Reg[] {
  const { low, space, job } = c;
  const width = widthOf(c);
  const { chunks } = job.schedule;
  const items = itemsOf(c);
  // One thread asks for all parts of its outputs at once.
  if (step === 1) {
    const parts = Array.from({ length: chunks }, (_, chunk) => {
      const unit = space.add(space.int(chunk * items), item);
      const at = width === 4 ? space.add(space.mul(unit, 4), space.of(space.lane)) : unit;
      return products.map((product) => low.load(product.parts(), at, [product.id], "part"));
    });
    return products.map(({ id, scalar }, p) => {
      const sum = low.variable("sum", scalar, width, parts[0]![p]!, [id]);
      for (const own of parts.slice(1)) low.set(sum, { kind: "combine", def: opDef("sum"), a: sum, b: own[p]! }, [id]);
      return sum;
    });
  }
  const sums = products.map(({ id, scalar }) => low.variable("sum", scalar, width, literal(0, scalar), [id]));
  low.loop("turn", Math.ceil(chunks / step), (iteration) => {
    const chunk = space.add(first, space.mul(iteration, step));
    low.branch(space.less(chunk, chunks), () => {
      const unit = space.add(space.mul(space.clamp(chunk, job.schedule.chunks - 1), items), item);
      const at = width === 4 ? space.add(space.mul(unit, 4), space.of(space.lane)) : unit;
      products.forEach((product, p) => {
        const part = low.load(product.parts(), at, [product.id], "part");
        low.set(sums[p]!, { kind: "combine", def: opDef("sum"), a: sums[p]!, b: part }, [product.id]);
      });
    });
  });
  return sums;
}

/** Stores what follows from the whole products at item `item`. */
function finishItem(c: Contraction, products: readonly Contraction[], sums: readonly Reg[], item: Index): void {
  const { space, sizes } = c;
  const across = sizes.n / widthOf(c);
  const unit = space.mod(item, across);
  const row = space.div(item, across);
  const [m, batch] = [space.mod(row, sizes.m), space.div(row, sizes.m)];
  if (widthOf(c) === 4) finishAll(products, sums, batch, m, unit);
  else finishOneOfEach(products, sums, batch, m, unit);
}

function byThread(c: Contraction, products: readonly Contraction[]): Grid {
  const { low, space, job } = c;
  const grid = threadPerItem(low, itemsOf(c), Math.min(64, job.target.maxWorkgroupSize), job.target);
  finishItem(c, products, addedUp(c, products, grid.index, space.int(0), 1), grid.index);
  return grid;
}

function bySlices(c: Contraction, products: readonly Contraction[]): Grid {
  const { low, space, job } = c;
  const width = widthOf(c);
  const room = job.target.maxWorkgroupBytes / (4 * width * ACROSS * products.length);
  const slices = Math.max(1, Math.min(MAX_SLICES, 2 ** Math.floor(Math.log2(Math.min(room, job.schedule.chunks)))));
  const items = itemsOf(c);
  const grid = workgroupPerItem(low, Math.ceil(items / ACROSS), slices * ACROSS, job.target, "block");
  const slice = low.bind("slice", space.div(grid.tid, ACROSS));
  const lane = low.bind("beside", space.mod(grid.tid, ACROSS));
  const open = space.add(space.mul(grid.index, ACROSS), lane);
  const item = low.bind("item", space.clamp(open, items - 1));
  const sums = addedUp(c, products, item, slice, slices);
  const arrays = products.map(({ scalar }, p) =>
    low.sharedArray(p === 0 ? "partial" : `partial_${p + 1}`, scalar, slices * ACROSS, width),
  );
  products.forEach(({ id }, p) =>
    low.emit({ kind: "storeShared", array: arrays[p]!, index: grid.tid, value: sums[p]!, lane: null, nodes: [id] }),
  );
  low.barrier();
  low.branch(space.and(space.less(slice, 1), space.less(open, items)), () => {
    const totals = products.map(({ id, scalar }, p) => {
      const total = low.variable("total", scalar, width, literal(0, scalar), [id]);
      low.loop("other", slices, (other) => {
        const index = space.add(space.mul(other, ACROSS), lane);
        const part = low.let("part", scalar, width, { kind: "loadShared", array: arrays[p]!, index }, [id]);
        low.set(total, { kind: "combine", def: opDef("sum"), a: total, b: part }, [id]);
      });
      return total;
    });
    finishItem(c, products, totals, item);
  });
  return grid;
}
