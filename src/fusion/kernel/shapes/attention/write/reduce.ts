/** @file What the kernels share that fold a product while they make it: where its elements lie, and one value per row stored. */
import { bug, node, type NodeId } from "../../../../ir";
import { onlineParts } from "../online";
import { reduceSizes, type ReduceSizes } from "../reduce-schedule";
import { endsOf, type OnlineParts } from "../online-parts";
import type { Job } from "../../../emit/kernel-frame";
import type { Cond, Index, IndexSpace } from "../../../emit/index-space";
import type { Reg, Value } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { Contraction } from "../../matmul/write/contraction";
import { OnlineSoftmaxState, type Quad } from "./online-softmax-state";

export class Reduce {
  readonly parts: OnlineParts;
  readonly sizes: ReduceSizes;
  readonly product: Contraction;
  readonly low: Lowering;
  readonly space: IndexSpace;
  readonly job: Job;
  /** Outputs with one value a row. */
  readonly #perRow: readonly NodeId[];

  /** @param low of a kernel that leaves the results to another */
  constructor(job: Job, low?: Lowering) {
    const answer = onlineParts(job.graph, job.region.members, job.region.outputs);
    if (!answer.ok) throw bug(`region ${job.region.id} was classified as contract-reduce but is not`);
    this.job = job;
    this.parts = answer.parts;
    const elements = [...answer.parts.passing, ...answer.parts.again];
    this.#perRow = job.region.outputs.filter((id) => !elements.includes(id));
    this.sizes = reduceSizes(job.graph, answer.parts);
    this.product = new Contraction(job, answer.parts.scores[0]!, low);
    this.low = this.product.low;
    this.space = this.low.space;
  }

  /** The product is made twice: the second time for elements that need complete rows. */
  get twice(): boolean {
    return this.job.schedule.again !== undefined;
  }

  /** What that adds to the sentence about threads. */
  get says(): string {
    return this.twice ? ", and computed once more for what needs whole rows" : "";
  }

  /** From here on rows are complete: what was computed of them before is asked for anew. */
  completed(): void {
    const doing = this.twice ? "compute the matmul once more, and store what needs them" : "store what needs them";
    this.low.comment(`Whole rows are known: ${doing}.`);
    for (const id of endsOf(this.parts)) this.low.forget(id);
  }

  /** The fold of one row, or of four neighbouring columns at once. */
  row(number: string): OnlineSoftmaxState {
    return new OnlineSoftmaxState(this.low, this.parts, number, this.sizes.alongColumns ? 1 : 4);
  }

  /** A row past the end is the last one again. */
  held(m: Index): Index {
    return this.space.clamp(m, this.product.sizes.m - 1);
  }

  /** Row m and columns 4·unit … +3 of the product, held in `dots`. */
  quad(batch: Index, m: Index, unit: Index, dots: Reg): Quad {
    const { space, product, job } = this;
    const { at, inside } = product.quad(unit, product.sizes.n);
    const row = this.held(m);
    return {
      at: (id) => {
        const { shape } = node(job.graph, id).type;
        if (shape.at(-2) === product.sizes.m)
          return space.tuple([...space.unravel(batch, shape.slice(0, -2)), row, at]);
        const through = space.add(space.mul(batch, product.sizes.m), row);
        return space.tuple([...space.unravel(through, shape.slice(0, -1)), at]);
      },
      inside: this.sizes.alongColumns ? inside : space.less(m, product.sizes.m),
      dots: [dots],
    };
  }

  /** Visits the number of one row among all, where it exists. */
  atRow(batch: Index, m: Index, mine: Cond, visit: (linear: Index) => void): void {
    const { low, space, sizes } = this;
    const inside = space.and(space.less(m, sizes.outer), mine);
    low.branch(inside, () => visit(space.add(space.mul(batch, sizes.outer), space.clamp(m, sizes.outer - 1))));
  }

  /**
   * Visits the numbers of columns 4·unit … +3 among all: four at once, or those that exist one by one.
   * @param visitor told the number of all four before; `lane`: which of them
   */
  atColumns(batch: Index, unit: Index, mine: Cond, visitor: (whole: Index) => ColumnVisit): void {
    const { low, space, sizes } = this;
    const first = space.mul(batch, sizes.outer);
    low.branch(space.and(space.less(space.mul(unit, 4), sizes.outer), mine), () => {
      const whole = space.add(first, this.product.quad(unit, sizes.outer).at);
      const visit = visitor(whole);
      if (sizes.outer % 4 === 0) return visit(whole, null);
      for (const lane of [0, 1, 2, 3]) {
        const column = space.add(space.mul(unit, 4), space.int(lane));
        low.branch(space.less(column, sizes.outer), () => visit(space.add(first, column), lane));
      }
    });
  }

  /** Stores elements of row m and columns 4·unit … +3, whose product is in `acc`. What is known of the row must have been entered. */
  storeElements(ids: readonly NodeId[], acc: Reg, batch: Index, m: Index, unit: Index): void {
    if (ids.length > 0) this.product.finish(acc, batch, m, unit, ids);
  }

  /** Stores what is known of one row. Its `OnlineSoftmaxState` must be complete. */
  storeRow(batch: Index, m: Index, mine: Cond): void {
    if (this.#perRow.length > 0)
      this.atRow(batch, m, mine, (linear) => storeResults(this.low, this.job, linear, this.#perRow));
  }

  /** Stores what is known of columns 4·unit … +3. */
  storeColumns(batch: Index, unit: Index, mine: Cond): void {
    if (this.#perRow.length === 0) return;
    this.atColumns(batch, unit, mine, (whole) => {
      const values = resultsAt(this.low, this.job, whole, this.#perRow);
      return (linear, lane) => {
        for (const { id, value } of values)
          this.low.store(this.low.buffer(id), linear, lane === null ? value : this.low.part(value, lane, [id]), [id]);
      };
    });
  }
}

type ColumnVisit = (linear: Index, lane: number | null) => void;

/** Each of `ids` for the row (or four of them) with this number. */
const resultsAt = (
  low: Lowering,
  { graph }: Job,
  linear: Index,
  ids: readonly NodeId[],
): { id: NodeId; value: Value }[] =>
  ids.map((id) => {
    const at = low.space.unravel(linear, node(graph, id).type.shape);
    return { id, value: low.valueAt(id, low.space.tuple(at)) };
  });

/** Stores them. */
export function storeResults(low: Lowering, job: Job, linear: Index, ids: readonly NodeId[]): void {
  for (const { id, value } of resultsAt(low, job, linear, ids)) low.store(low.buffer(id), linear, value, [id]);
}
