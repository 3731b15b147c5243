/** @file What the flash kernels share: the contractions, where the elements of a row lie, and the results. */
import { node, type NodeId } from "../../../../ir";
import { flashSizes, type FlashSizes } from "../flash-factors";
import { onlineParts } from "../online";
import type { OnlineParts } from "../online-parts";
import { bug } from "../../../../ir";
import type { Job } from "../../../emit/kernel-frame";
import { ALWAYS, type Cond, type Index, type IndexSpace, type Tuple } from "../../../emit/index-space";
import { literal, type Reg, type Value } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { foldIn, type Accumulator } from "../../../emit/accumulate";
import { Contraction } from "../../matmul/write/contraction";
import { OnlineSoftmaxState, scale, type Quad } from "./online-softmax-state";

/** The parts of a region that was classified as attention. */
export function onlinePartsOf(job: Job): OnlineParts {
  const answer = onlineParts(job.graph, job.region.members, job.region.outputs);
  if (!answer.ok) throw bug(`region ${job.region.id} was classified as flash but is not`);
  return answer.parts;
}

export class Flash {
  readonly parts: OnlineParts;
  readonly sizes: FlashSizes;
  readonly values: Contraction;
  readonly scores: readonly Contraction[];
  readonly low: Lowering;
  readonly space: IndexSpace;
  readonly job: Job;

  /** @param low of a kernel that leaves the results to another, or takes them over */
  constructor(job: Job, low?: Lowering) {
    this.job = job;
    this.parts = onlinePartsOf(job);
    this.sizes = flashSizes(job.graph, this.parts);
    this.values = new Contraction(job, this.parts.values!, low);
    this.low = this.values.low;
    this.space = this.low.space;
    this.scores = this.parts.scores.map((id) => new Contraction(job, id, this.low));
  }

  /** The element in this row and column of a node of the row's shape, batch axes and all. */
  point(batch: Index, row: Index, column: Index): (id: NodeId) => Tuple {
    const { space, job } = this;
    return (id) => {
      const { shape } = node(job.graph, id).type;
      return space.tuple([...space.unravel(batch, shape.slice(0, -2)), row, column]);
    };
  }

  /** Columns 4·unit … +3 of a row; a row past the end is the last one again. */
  quad(batch: Index, row: Index, unit: Index, dots: readonly Reg[]): Quad {
    const { at, inside } = this.values.quad(unit, this.sizes.n);
    return { at: this.point(batch, this.held(row), at), inside, dots };
  }

  held(row: Index): Index {
    return this.space.clamp(row, this.sizes.m - 1);
  }

  row(number: string): OnlineSoftmaxState {
    return new OnlineSoftmaxState(this.low, this.parts, number);
  }

  /** Does one of `count` rows from `top` on see one of `width` columns from `first` on? All do, where no mask by position hides any. */
  sees(first: Index, width: number, top: Index, count: number): Cond {
    const { space, parts } = this;
    const { low, high } = parts.band;
    const ends: Cond = high === Infinity ? ALWAYS : space.below(first, space.add(top, space.int(count + high)));
    const begins: Cond = low === -Infinity ? ALWAYS : space.below(top, space.add(first, space.int(width - low)));
    return space.and(ends, begins);
  }

  /** An accumulator of four results. */
  result(name: string): Reg {
    return this.low.variable(name, "f32", 4, literal(0, "f32"), [this.values.id]);
  }

  rescale(accs: readonly Reg[], by: Value): void {
    if (!this.parts.weightsRescaled) return;
    for (const acc of accs) scale(this.low, acc, by, this.values.id);
  }

  /** Adds a row's four results at vector column `unit` to a fold of them. Its `OnlineSoftmaxState` must be entered. */
  foldResult(fold: Accumulator, acc: Reg, batch: Index, row: Index, unit: Index): void {
    const { values, low, sizes } = this;
    const { at, inside } = values.quad(unit, sizes.width);
    const point = values.outAt(batch, this.held(row), at);
    low.setRowValue(values.id, acc);
    foldIn(low, fold, values.pointOf(fold.operand, point), at, inside);
  }

  /** Results of one row at vector columns `units`. Its `OnlineSoftmaxState` must be complete. */
  store(batch: Index, row: Index, accs: readonly Reg[], units: readonly Index[]): void {
    const results = this.job.region.outputs.filter((id) => !this.parts.rows.has(id));
    units.forEach((unit, t) => this.values.finish(accs[t]!, batch, row, unit, results));
  }

  /** What else is known of the row: its peak, its sums and what follows from them. */
  storeRow(batch: Index, row: Index, mine: Cond): void {
    const { parts, job, low, space } = this;
    const rows = job.region.outputs.filter((id) => parts.rows.has(id));
    if (rows.length === 0) return;
    low.branch(space.and(space.less(row, this.sizes.m), mine), () => {
      const linear = space.add(space.mul(batch, this.sizes.m), this.held(row));
      for (const id of rows) {
        const { shape } = node(job.graph, id).type;
        low.store(low.buffer(id), linear, low.valueAt(id, space.tuple(space.unravel(linear, shape))), [id]);
      }
    });
  }
}
