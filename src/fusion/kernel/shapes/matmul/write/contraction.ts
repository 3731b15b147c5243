/** @file What the matmul kernels share: where operands and results lie, edges, and the epilogue on accumulators. */
import { node, type DType, type NodeId, type Shape, partialsId } from "../../../../ir";
import { opDef } from "../../../../ops";
import { followersPastFolds, isStoredTransposed, permutationOf, type Follower } from "../../../indices/alignment";
import { isFreeView } from "../../../indices/views";
import { batchAs, matmulAxes, matmulSizes, type MatmulAxes, type MatmulSizes } from "../matmul";
import { OperandIndices, operandLies, type OperandLies } from "../operand-indices";
import { productsOf } from "../shared-operand";
import { loweringOf, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index, IndexSpace, Tuple } from "../../../emit/index-space";
import { literal, type Buffer, type Reg, type Value } from "../../../emit/kernel-ir";
import { registerScalar, wordFor } from "../../../emit/emitter";
import type { Lowering } from "../../../emit/lowering";
import { dependsOnLane, masked } from "../../../emit/accumulate";

export class Contraction {
  readonly low: Lowering;
  readonly space: IndexSpace;
  readonly sizes: MatmulSizes;
  readonly id: NodeId;
  readonly scalar: DType;
  readonly #operands: readonly [NodeId, NodeId];
  readonly #indices: OperandIndices;
  /** One column, taken as the only row of (bᵀ·aᵀ)ᵀ: `left` and `right`, m and n are swapped. */
  readonly #swapped: boolean;
  readonly #out: Shape;
  readonly #axes: MatmulAxes;
  readonly #followers: ReadonlyMap<NodeId, Follower>;

  readonly job: Job;

  /** @param id one of several contractions of the region, which then share `low` */
  constructor(job: Job, id: NodeId = job.form.contraction!, low: Lowering = loweringOf(job)) {
    this.job = job;
    this.#swapped = job.schedule.thin?.along === "m";
    const { graph } = job;
    this.low = low;
    this.space = this.low.space;
    this.id = id;
    const n = node(graph, this.id);
    this.#followers = followersPastFolds(graph, job.region.members, this.id).followers;
    const as = batchAs(job.schedule.variant);
    const products = as === "batch" ? [this.id] : productsOf(graph, job.region.members);
    const sizes = matmulSizes(graph, this.id, as, products);
    this.sizes = this.#swapped ? { ...sizes, m: sizes.n, n: sizes.m } : sizes;
    this.#operands = [n.inputs[0]!, n.inputs[1]!];
    this.#out = n.type.shape;
    this.#axes = matmulAxes(graph, this.id, as, products);
    this.#indices = new OperandIndices(graph, this.id, this.space, this.#axes);
    const dtypes = this.#operands.map((id) => node(graph, id).type.dtype);
    this.scalar = registerScalar(opDef(n.op).operandTypes?.(dtypes, n.attrs)[0] ?? n.type.dtype);
  }

  /** Element (m, k) of the left operand. */
  left(batch: Index, m: Index, k: Index): Value {
    return this.#swapped ? this.#b(batch, k, m) : this.#a(batch, m, k);
  }

  /** Element (k, n) of the right operand. */
  right(batch: Index, k: Index, n: Index): Value {
    return this.#swapped ? this.#a(batch, n, k) : this.#b(batch, k, n);
  }

  #a(batch: Index, row: Index, k: Index): Value {
    return this.#operand(0, this.#indices.left(batch, row, k));
  }

  #b(batch: Index, k: Index, column: Index): Value {
    return this.#operand(1, this.#indices.right(batch, k, column));
  }

  #operand(which: 0 | 1, at: Tuple): Value {
    const id = this.#operands[which];
    return this.low.converted(this.low.valueAt(id, at), this.scalar, id);
  }

  outAt(batch: Index, m: Index, n: Index): Tuple {
    return this.#swapped ? this.#indices.out(batch, n, m) : this.#indices.out(batch, m, n);
  }

  /** Do neighbouring threads load `left` or `right` along k rather than along its other axis? */
  alongK(side: 0 | 1): boolean {
    return this.lies(side).alongK;
  }

  /** How `left` or `right` lies in memory. */
  lies(side: 0 | 1): OperandLies {
    const { job, space, sizes } = this;
    const which = this.#swapped ? ((1 - side) as 0 | 1) : side;
    const own = this.#swapped ? { ...sizes, m: sizes.n, n: sizes.m } : sizes;
    return operandLies(job.graph, job.region.members, this.id, which, this.#axes, own, space);
  }

  /** Four columns from a multiple of four on lie side by side in the result. */
  get #inFours(): boolean {
    return (this.#axes.columns.at(-1) ?? 1) % 4 === 0;
  }

  /** Zero where `edge` fails. */
  masked(value: Value, edge: Cond): Value {
    if (edge.kind === "always") return value;
    const { low, scalar, id } = this;
    const inside = dependsOnLane(edge) ? edge : low.namedCond(edge);
    return masked(low, value, { inside, no: literal(0, scalar), name: "masked", scalar, id });
  }

  /** `4·unit + lane` held inside 0 … size−1: whole vectors where the size divides, lane by lane elsewhere. */
  quad(unit: Index, size: number): { at: Index; inside: Cond } {
    const { space } = this;
    const lane = space.of(space.lane);
    if (size % 4 === 0) {
      const at = space.add(space.mul(space.clamp(unit, size / 4 - 1), 4), lane);
      return { at, inside: space.less(unit, size / 4) };
    }
    const open = space.add(space.mul(unit, 4), lane);
    return { at: space.clamp(open, size - 1), inside: space.less(open, size) };
  }

  /** Stores every output at row m and columns 4·unit … +3, computed from the accumulator. */
  finish(acc: Reg, batch: Index, m: Index, unit: Index, outputs: readonly NodeId[] = this.job.region.outputs): void {
    const { low, space, sizes, job } = this;
    const row = space.clamp(m, sizes.m - 1);
    const { at, inside } = this.quad(unit, sizes.n);
    const point = this.outAt(batch, row, at);
    const whole = space.and(space.less(m, sizes.m), this.#inFours ? inside : space.less(space.mul(unit, 4), sizes.n));
    low.branch(whole, () => {
      low.setRowValue(this.id, acc);
      for (const id of outputs) {
        const value = low.valueAt(id, this.pointOf(id, point));
        const buffer = low.buffer(id);
        const shape = node(job.graph, id).type.shape;
        if (this.#inFours) {
          low.store(buffer, space.ravel(this.pointOf(id, point).at, shape), value, [id]);
          continue;
        }
        for (const lane of [0, 1, 2, 3]) {
          const column = space.add(space.mul(unit, 4), space.int(lane));
          low.branch(space.less(column, sizes.n), () => {
            const offset = space.ravel(this.pointOf(id, this.outAt(batch, row, column)).at, shape);
            low.store(buffer, offset, low.part(value, lane, [id]), [id]);
          });
        }
      }
    });
  }

  /** Outputs that follow this product and in which its rows lie side by side. */
  transposed(outputs: readonly NodeId[]): NodeId[] {
    if (this.#swapped) return [];
    return outputs.filter((id) => isStoredTransposed(this.job.graph, this.id, this.#followers.get(id)!));
  }

  /** Stores what is known at rows 4·quad … +3 and columns 4·unit … +3, which exist; `transposed`: column by column. */
  storeBlock(
    batch: Index,
    quad: Index,
    unit: Index,
    id: NodeId,
    transposed: boolean,
    enter: (row: number) => void,
  ): void {
    const { low, space, sizes, job } = this;
    const { shape } = node(job.graph, id).type;
    const buffer = low.buffer(id);
    const first = space.mul(quad, 4);
    const { at } = this.quad(unit, sizes.n);
    const points = [0, 1, 2, 3].map((row) => this.pointOf(id, this.outAt(batch, space.add(first, space.int(row)), at)));
    const values = points.map((point, row) => {
      enter(row);
      return low.valueAt(id, point);
    });
    if (!transposed)
      return points.forEach((point, row) => low.store(buffer, space.ravel(point.at, shape), values[row]!, [id]));
    for (const column of [0, 1, 2, 3]) {
      const parts = values.map((value) => low.part(value, column, [id]));
      const whole = low.let("transposed", parts[0]!.scalar, 4, { kind: "pack", parts }, [id]);
      low.store(buffer, space.ravel(this.#down(id, batch, quad, unit, column).at, shape), whole, [id]);
    }
  }

  /** Stores rows 4·quad … +3 of one column, which lie side by side in `id`; its accumulators are set before. */
  storeColumn(batch: Index, quad: Index, unit: Index, column: number, id: NodeId): void {
    const { low, space, job } = this;
    const point = this.#down(id, batch, quad, unit, column);
    low.store(low.buffer(id), space.ravel(point.at, node(job.graph, id).type.shape), low.valueAt(id, point), [id]);
  }

  /** Where in `id` rows 4·quad … +3 of column 4·unit + `column` are. */
  #down(id: NodeId, batch: Index, quad: Index, unit: Index, column: number): Tuple {
    const { low, space, sizes } = this;
    const rows = space.add(space.mul(quad, 4), space.of(space.lane));
    return this.pointOf(id, this.outAt(batch, rows, low.atLane(this.quad(unit, sizes.n).at, column)));
  }

  /** Stores `outputs` at row m and column n, computed from what the products are known to be there. */
  finishOne(batch: Index, m: Index, n: Index, outputs: readonly NodeId[]): void {
    const { low, space, job, sizes } = this;
    [m, n] = [space.clamp(m, sizes.m - 1), space.clamp(n, sizes.n - 1)];
    for (const id of outputs) {
      const at = this.#pointOf(id, this.outAt(batch, m, n));
      low.store(low.buffer(id), space.ravel(at.at, node(job.graph, id).type.shape), low.valueAt(id, at), [id]);
    }
  }

  /** What the chunks of k leave for the kernel that joins them: a product for each. */
  parts(): Buffer {
    const { batch, m, n } = this.sizes;
    const name = `${wordFor(node(this.job.graph, this.id))}_partials`;
    return this.low.temporary(partialsId(this.id), name, this.scalar, this.job.schedule.chunks * batch * m * n);
  }

  /** Where in the parts row m and column n of a chunk are. */
  partAt(chunk: Index, batch: Index, m: Index, n: Index): Index {
    const { space, sizes } = this;
    const row = space.add(space.mul(space.add(space.mul(chunk, sizes.batch), batch), sizes.m), m);
    return space.add(space.mul(row, sizes.n), n);
  }

  /** Stores a chunk's part at row m and columns 4·unit … +3. */
  leave(acc: Reg, chunk: Index, batch: Index, m: Index, unit: Index): void {
    const { low, space, sizes } = this;
    const row = space.clamp(m, sizes.m - 1);
    if (sizes.n % 4 === 0) {
      const { at, inside } = this.quad(unit, sizes.n);
      low.branch(space.and(space.less(m, sizes.m), inside), () =>
        low.store(this.parts(), this.partAt(chunk, batch, row, at), acc, [this.id]),
      );
      return;
    }
    for (const lane of [0, 1, 2, 3]) {
      const column = space.add(space.mul(unit, 4), space.int(lane));
      low.branch(space.and(space.less(m, sizes.m), space.less(column, sizes.n)), () => {
        const at = this.partAt(chunk, batch, row, space.clamp(column, sizes.n - 1));
        low.store(this.parts(), at, low.part(acc, lane, [this.id]), [this.id]);
      });
    }
  }

  /** Outputs that follow this product; of several products, a later one stores only what does not follow those before. */
  outputs(before: readonly Contraction[] = []): NodeId[] {
    return this.job.region.outputs.filter((id) => this.follows(id) && !before.some((other) => other.follows(id)));
  }

  follows(id: NodeId): boolean {
    return this.#followers.has(id);
  }

  /** Where in `id`, which has the product's elements in their order or follows it, the element of this accumulator lies. */
  pointOf(id: NodeId, point: Tuple): Tuple {
    if (this.#followers.has(id)) return this.#pointOf(id, point);
    const { shape } = node(this.job.graph, id).type;
    if (shape.join() === this.#out.join()) return point;
    return this.space.tuple(this.space.unravel(this.space.ravel(point.at, this.#out), shape));
  }

  /** Where in `id` the element of this accumulator lies: along the views and permutations between them. */
  #pointOf(id: NodeId, point: Tuple): Tuple {
    const { space, job } = this;
    return this.#followers.get(id)!.through.reduce((at, step) => {
      const n = node(job.graph, step);
      const from = node(job.graph, n.inputs[0]!).type.shape;
      if (isFreeView(n)) return space.tuple(space.unravel(space.ravel(at.at, from), n.type.shape));
      const perm = permutationOf(job.graph, n)!;
      return space.tuple(perm.map((axis) => (axis === null ? space.int(0) : at.at[axis]!)));
    }, point);
  }

  /** Stores a chunk's part at row m and column n, which exist. */
  leaveOne(value: Value, chunk: Index, batch: Index, m: Index, n: Index): void {
    const { low, space, sizes } = this;
    const at = this.partAt(chunk, batch, space.clamp(m, sizes.m - 1), space.clamp(n, sizes.n - 1));
    low.store(this.parts(), at, value, [this.id]);
  }

  /** acc ← a·b + acc */
  fma(acc: Reg, a: Value, lane: number | null, b: Value): void {
    this.low.set(acc, { kind: "fma", a, lane, b, c: acc }, [this.id]);
  }
}

/** The region's products, all over one left operand: the first, and those that share its kernel. */
export const productsIn = (job: Job, first: Contraction): readonly Contraction[] => [
  first,
  ...productsOf(job.graph, job.region.members)
    .filter((id) => id !== first.id)
    .map((id) => new Contraction(job, id, first.low)),
];

/** Outputs of each product, without those that follow one before it. */
const ownOutputs = (products: readonly Contraction[]): NodeId[][] =>
  products.map((c, p) => c.outputs(products.slice(0, p)));

/** Do rows of the products lie side by side in every output that follows one? */
export function liesAlongRows(products: readonly Contraction[]): boolean {
  const own = ownOutputs(products);
  return own.flat().length > 0 && own.every((ids, p) => ids.length === products[p]!.transposed(ids).length);
}

/** Stores what follows the products at row m and columns 4·unit … +3, computed from their accumulators. */
export function finishAll(
  products: readonly Contraction[],
  accs: readonly Reg[],
  batch: Index,
  m: Index,
  unit: Index,
): void {
  products.forEach(({ low, id }, p) => low.setRowValue(id, accs[p]!));
  products.forEach((c, p) => c.finish(accs[p]!, batch, m, unit, c.outputs(products.slice(0, p))));
}

/**
 * The same at rows 4·quad … +3 where some outputs lie along the rows of the products; false where none does, and nothing is stored.
 * @param accs of each row, of each product
 */
export function finishTransposed(
  products: readonly Contraction[],
  accs: readonly (readonly Reg[])[],
  batch: Index,
  quad: Index,
  unit: Index,
): boolean {
  const own = ownOutputs(products);
  const transposed = new Set(products.flatMap((c, p) => c.transposed(own[p]!)));
  const [{ low, space, sizes }] = products as [Contraction];
  if (transposed.size === 0) return false;
  // Where all lie along the rows, so does what else they read: blocks are transposed before anything is computed from them.
  const all = liesAlongRows(products);
  low.branch(space.and(space.less(quad, sizes.m / 4), space.less(unit, sizes.n / 4)), () => {
    const held = space.clamp(quad, sizes.m / 4 - 1);
    const enter = (row: number): void => products.forEach(({ id }, p) => low.setRowValue(id, accs[row]![p]!));
    if (all) {
      for (const column of [0, 1, 2, 3]) {
        products.forEach(({ id, scalar }, p) => {
          const parts = accs.map((row) => low.part(row[p]!, column, [id]));
          low.setRowValue(id, low.let("transposed", scalar, 4, { kind: "pack", parts }, [id]));
        });
        products.forEach((c, p) => own[p]!.forEach((id) => c.storeColumn(batch, held, unit, column, id)));
      }
      return;
    }
    products.forEach((c, p) => {
      for (const id of own[p]!) c.storeBlock(batch, held, unit, id, transposed.has(id), enter);
    });
  });
  return true;
}

/** Stores what follows the products at row m and column n, computed from a value of each. */
export function finishOneOfEach(
  products: readonly Contraction[],
  values: readonly Value[],
  batch: Index,
  m: Index,
  n: Index,
): void {
  products.forEach(({ low, id }, p) => low.setRowValue(id, values[p]!));
  products.forEach((c, p) => c.finishOne(batch, m, n, c.outputs(products.slice(0, p))));
}
