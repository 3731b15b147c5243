/** @file Long convolutions of single rows: a workgroup stages what its outputs see, threads slide over it and keep vectors of outputs. */
import { programOf, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import { literal, type KernelProgram, type Reg, type SharedArray, type Value } from "../../../emit/kernel-ir";
import type { SlidingFactors } from "../../../types";
import { blockOf, staged, TOGETHER, vectorsSeen } from "../sliding";
import { Contraction, finishAll } from "./contraction";

/** Loads that are on their way to workgroup memory at once. */
const AT_ONCE = 4;

/** What a workgroup works on: outputs from `start` on of a row of windows, which begins at `origin` among the columns of its matrix. */
interface Block {
  readonly c: Contraction;
  readonly own: SlidingFactors;
  readonly tid: Index;
  readonly batch: Index;
  readonly origin: Index;
  readonly start: Index;
  readonly seen: SharedArray;
  readonly weights: SharedArray;
  readonly accs: readonly Reg[];
}

/** Variant `matmul-direct` where windows slide. */
export function lowerMatmulSliding(job: Job, own: SlidingFactors): KernelProgram {
  const c = new Contraction(job);
  const { low, space, sizes, scalar } = c;
  const { threads, vectors, part } = own;
  const { taps, positions } = own.axis;
  const [blocks, rows] = [Math.ceil(positions / blockOf(own)), sizes.n / positions];
  const grid = workgroupPerItem(low, sizes.batch * rows * blocks, threads, job.target, "block");
  const row = space.div(grid.index, blocks);
  const block: Block = {
    c,
    own,
    tid: grid.tid,
    batch: low.bind("batch", space.div(row, rows)),
    origin: space.mul(space.mod(row, rows), positions),
    start: space.mul(space.mod(grid.index, blocks), blockOf(own)),
    seen: low.sharedArray("seen", scalar, staged(own), 4),
    weights: low.sharedArray("weights", scalar, part / 4, 4),
    accs: Array.from({ length: vectors }, (_, i) => low.variable(`c_${i}`, scalar, 4, literal(0, scalar), [c.id])),
  };
  const whole = Math.floor(taps / part);
  low.loop("part", whole, (at) => {
    walk(block, space.mul(at, part), part);
    if (taps > part) low.barrier();
  });
  if (taps % part > 0) walk(block, space.int(whole * part), taps % part);
  const first = low.bind("first", space.add(space.exactly(block.start, 4)!, space.mul(grid.tid, vectors)));
  block.accs.forEach((acc, i) => {
    const quad = space.add(first, space.int(i));
    const inside = space.less(quad, positions / 4);
    low.branch(inside, () => {
      const unit = inside.kind === "always" ? quad : low.bind("unit", quad, positions / 4 - 1);
      finishAll([c], [acc], block.batch, space.int(0), space.add(space.exactly(block.origin, 4)!, unit));
    });
  });
  const { step } = own;
  return programOf(low, job, {
    template: "matmul",
    schedule: `One workgroup of ${threads} threads per ${blockOf(own)} neighbouring outputs: ${4 * vectors} a thread, ${step} of ${taps} taps at a time over what they see, which waits in workgroup memory.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** Taps `base` … +count−1: what is seen of them is staged, then multiplied. */
function walk(block: Block, base: Index, count: number): void {
  const { c, own, start } = block;
  const { low, space } = c;
  const { taps, positions } = own.axis;
  low.lean = true;
  stage(block, block.seen, 4 * (staged(own) - own.part / 4 + Math.ceil(count / 4)), (at) => {
    // What tap t of window p sees is what tap t + 1 sees of the window before it.
    const from = space.clamp(space.add(space.add(start, base), at), taps + positions - 2);
    const tap = low.bind("tap", space.clamp(from, taps - 1));
    const window = low.bind("window", space.add(from, space.mul(tap, -1)), positions - 1);
    return c.right(block.batch, tap, space.add(block.origin, window));
  });
  stage(block, block.weights, 4 * Math.ceil(count / 4), (at) =>
    c.left(block.batch, space.int(0), space.clamp(space.add(base, at), taps - 1)),
  );
  low.lean = false;
  low.barrier();
  const full = Math.floor(count / own.step);
  const { from, limit } = boundsOf(block, base, full);
  const slide = (step: Index): void => multiply(block, step, own.step);
  if (from === null && limit === null) low.loop("step", full, slide);
  else low.between("step", from ?? space.int(0), limit ?? space.int(full), slide);
  if (count % own.step > 0) multiply(block, space.int(full), count % own.step);
}

/** Elements 0 … count−1 of an array, a few of each thread at once, each thread beside the next. */
function stage({ c, own, tid }: Block, array: SharedArray, count: number, value: (at: Index) => Value): void {
  const { low, space } = c;
  const { threads } = own;
  const turns = Math.ceil(count / threads);
  const take = (turn: Index, most: number): void => {
    const cells = Array.from({ length: most }, (_, i) =>
      space.add(space.mul(space.add(space.mul(turn, AT_ONCE), space.int(i)), threads), tid),
    );
    // All loads are on their way before the first value is stored.
    const values = cells.map((cell) => value(space.clamp(cell, count - 1)));
    cells.forEach((cell, i) =>
      low.branch(space.less(cell, count), () => {
        const [index, lane] = [space.div(cell, 4), space.mod(cell, 4)];
        low.emit({ kind: "storeShared", array, index, value: values[i]!, lane, nodes: [c.id] });
      }),
    );
  };
  const full = Math.floor(turns / AT_ONCE);
  low.loop("turn", full, (turn) => take(turn, AT_ONCE));
  if (turns % AT_ONCE > 0) take(space.int(full), turns % AT_ONCE);
}

/** The steps of a part in which threads that walk together see more than zeros; null where those are all. */
function boundsOf(
  { c, own, tid, start }: Block,
  base: Index,
  full: number,
): { from: Index | null; limit: Index | null } {
  const { low, space } = c;
  const { step, vectors, axis } = own;
  const side = 4 * vectors * TOGETHER;
  // The first output of the threads that walk together, and the element that it sees first.
  const left = space.add(space.add(start, base), space.mul(space.div(tid, TOGETHER), side));
  const before = axis.first - (side - 1);
  const isLeft = before >= step;
  const isRight = axis.end + step <= axis.taps + axis.positions - 1;
  /** How much of `most` is left beyond where they begin. */
  const within = (most: number): Index => space.add(space.int(most), space.mul(space.clamp(left, most), -1));
  return {
    from: isLeft ? low.bind("begin", space.clamp(space.div(within(before), step), full)) : null,
    limit: isRight ? low.bind("end", space.clamp(space.div(within(axis.end + step - 1), step), full)) : null,
  };
}

/** `taps` taps of step number `step`. */
function multiply({ c, own, tid, seen, weights, accs }: Block, step: Index, taps: number): void {
  const { low, space, id, scalar } = c;
  const { vectors } = own;
  const at = space.mul(step, own.step / 4);
  const read = (name: string, array: SharedArray, index: Index): Reg =>
    low.let(name, scalar, 4, { kind: "loadShared", array, index }, [id]);
  const first = space.add(space.mul(tid, vectors), at);
  const cells = Array.from({ length: vectorsSeen(vectors, taps) }, (_, i) =>
    read(`x_${i}`, seen, space.add(first, space.int(i))),
  );
  const by = Array.from({ length: Math.ceil(taps / 4) }, (_, i) =>
    read(`w_${i}`, weights, space.add(at, space.int(i))),
  );
  const windows = new Map<number, Value>();
  const windowAt = (start: number): Value => {
    const known = windows.get(start);
    if (known) return known;
    const parts = [0, 1, 2, 3].map((lane) => low.part(cells[(start + lane) >> 2]!, (start + lane) % 4, [id]));
    const made =
      start % 4 === 0 ? cells[start / 4]! : low.let(`x_at_${start}`, scalar, 4, { kind: "pack", parts }, [id]);
    windows.set(start, made);
    return made;
  };
  for (let tap = 0; tap < taps; tap++)
    accs.forEach((acc, i) => c.fma(acc, by[tap >> 2]!, tap % 4, windowAt(4 * i + tap)));
}
