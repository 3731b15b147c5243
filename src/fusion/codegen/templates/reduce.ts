/** @file What the kernels share that fold a product while they make it: where its elements lie, and one value per row stored. */
import { bug, node, type NodeId } from "../../ir";
import { onlineParts, reduceSizes, type OnlineParts, type ReduceSizes } from "../../region";
import type { Job } from "../frame";
import type { Cond, Index, IndexSpace, Tuple } from "../index-space";
import type { Reg } from "../kernel-ir";
import type { Lowering } from "../lowering";
import { Contraction } from "./contraction";
import { RunningRow, type Quad } from "./running-row";

export class Reduce {
  readonly parts: OnlineParts;
  readonly sizes: ReduceSizes;
  readonly product: Contraction;
  readonly low: Lowering;
  readonly space: IndexSpace;
  readonly job: Job;

  constructor(job: Job) {
    const answer = onlineParts(job.graph, job.region.members, job.region.outputs);
    if (!answer.ok) throw bug(`region ${job.region.id} was classified as contract-reduce but is not`);
    this.job = job;
    this.parts = answer.parts;
    this.sizes = reduceSizes(job.graph, answer.parts);
    this.product = new Contraction(job, answer.parts.scores!);
    this.low = this.product.low;
    this.space = this.low.space;
  }

  /** The fold of one row, or of four neighbouring columns at once. */
  row(number: string): RunningRow {
    return new RunningRow(this.low, this.parts, number, this.sizes.alongColumns ? 1 : 4);
  }

  /** Row m and columns 4·unit … +3 of the product, held in `dots`. */
  quad(batch: Index, m: Index, unit: Index, dots: Reg): Quad {
    const { space, product, job } = this;
    const { at, inside } = product.quad(unit, product.sizes.n);
    const row = space.clamp(m, product.sizes.m - 1);
    return {
      at: (id) => space.tuple([...space.unravel(batch, node(job.graph, id).type.shape.slice(0, -2)), row, at]),
      inside: this.sizes.alongColumns ? inside : space.less(m, product.sizes.m),
      dots,
    };
  }

  /** Stores what is known of one row. Its `RunningRow` must be complete. */
  storeRow(batch: Index, m: Index, mine: Cond): void {
    const { low, space, sizes } = this;
    const inside = space.and(space.less(m, sizes.kept), mine);
    low.branch(inside, () => this.#store(space.add(space.mul(batch, sizes.kept), space.clamp(m, sizes.kept - 1))));
  }

  /** Stores what is known of columns 4·unit … +3. */
  storeColumns(batch: Index, unit: Index, mine: Cond): void {
    const { low, space, sizes } = this;
    const { at } = this.product.quad(unit, sizes.kept);
    const first = space.mul(batch, sizes.kept);
    low.branch(space.and(space.less(space.mul(unit, 4), sizes.kept), mine), () => {
      if (sizes.kept % 4 === 0) return this.#store(space.add(first, at));
      for (const id of this.job.region.outputs) {
        const value = low.valueAt(id, this.#tuple(id, space.add(first, at)));
        for (const lane of [0, 1, 2, 3]) {
          const column = space.add(space.mul(unit, 4), space.int(lane));
          low.branch(space.less(column, sizes.kept), () =>
            low.store(low.buffer(id), space.add(first, column), low.part(value, lane, [id]), [id]),
          );
        }
      }
    });
  }

  #tuple(id: NodeId, linear: Index): Tuple {
    return this.space.tuple(this.space.unravel(linear, node(this.job.graph, id).type.shape));
  }

  #store(linear: Index): void {
    const { low, job } = this;
    const values = job.region.outputs.map((id) => ({ id, value: low.valueAt(id, this.#tuple(id, linear)) }));
    for (const { id, value } of values) low.store(low.buffer(id), linear, value, [id]);
  }
}
