/** @file How the threads of a fold meet rows and columns: which row is a thread's, which of the threads that share it, and where these meet. */
import { factorsOf, type FoldNest } from "../fold-factors";
import type { FoldFactors } from "../../../nest/price";
import { threadPerItem, workgroupPerItem, type Grid, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index } from "../../../emit/index-space";
import type { Lowering } from "../../../emit/lowering";
import type { Accumulator } from "../../../emit/accumulate";
import { JoinMemory, joinThreads } from "./join";
import { spread } from "./rows";

export class FoldThreads {
  readonly factors: FoldFactors;
  readonly grid: Grid;
  /** Threads of a workgroup. */
  readonly count: number;
  /** The row of this thread, or four of them; past the last one, the last again. */
  readonly row: Index;
  /** That it is one. */
  readonly exists: Cond;
  /** This thread's number among those that share the row. */
  readonly lane: Index;
  /** Which of the workgroup's rows that is. */
  readonly own: Index;
  /** Which part of the row it folds, where rows are cut. */
  readonly part: Index;
  /** Where in workgroup memory a thread of the same row has its slot. */
  readonly cell: (lane: Index) => Index;
  readonly #low: Lowering;
  readonly #memory: JoinMemory;

  /** @param item what a row is called */
  constructor(low: Lowering, { schedule, target }: Job, nest: FoldNest = schedule.fold!, item = "row") {
    const { space } = low;
    const factors = factorsOf(nest);
    const { lanes, beside, chunks, wide } = factors;
    const units = Math.ceil(nest.outer.extent / wide.outer);
    const tiles = Math.ceil(units / beside);
    const zero = space.int(0);
    this.#low = low;
    this.factors = factors;
    this.count = lanes * beside;
    this.#memory = new JoinMemory(low, this.count, schedule.joined);
    if (lanes === 1) {
      const grid = threadPerItem(low, units * chunks, this.count, target, chunks > 1 ? "i" : item);
      const unit = chunks > 1 ? low.bind(item, space.mod(grid.index, units)) : grid.index;
      this.grid = grid;
      this.row = spread(space, unit, wide.outer === 4);
      this.exists = { kind: "always" };
      this.lane = zero;
      this.own = zero;
      this.part = chunks > 1 ? low.bind("chunk", space.div(grid.index, units)) : zero;
      this.cell = (lane) => lane;
      return;
    }
    const name = chunks > 1 ? "part" : beside > 1 ? "group" : item;
    const grid = workgroupPerItem(low, tiles * chunks, this.count, target, name);
    const { tid } = grid;
    const along = factors.fastest === "folded";
    const own = along ? space.div(tid, lanes) : space.mod(tid, beside);
    this.own = own;
    const tile = space.mod(grid.index, tiles);
    const unit = space.add(space.mul(tile, beside), own);
    this.grid = grid;
    this.exists = space.less(unit, units);
    this.row = spread(space, beside === 1 ? tile : low.bind(item, space.clamp(unit, units - 1)), wide.outer === 4);
    this.lane = beside === 1 ? tid : low.bind("lane", along ? space.mod(tid, lanes) : space.div(tid, beside));
    this.part = space.div(grid.index, tiles);
    this.cell = (lane) => {
      if (lane === this.lane) return tid;
      return along ? space.add(space.mul(own, lanes), lane) : space.add(space.mul(lane, beside), own);
    };
  }

  /** The turns of one iteration: as many as a thread loads for before it folds. */
  turnsOf(iteration: Index): Index[] {
    const { space } = this.#low;
    const { ahead } = this.factors;
    return Array.from({ length: ahead }, (_, i) => space.add(space.mul(iteration, ahead), space.int(i)));
  }

  /** All threads' parts of a row become one value that each of them knows. */
  join(accs: readonly Accumulator[], stage: number): Accumulator[] {
    if (this.factors.lanes === 1) return [...accs];
    return joinThreads(accs, this.lane, this.#memory, stage, {
      slot: this.lane,
      slots: this.factors.lanes,
      cell: this.cell,
    });
  }
}
