/** @file Where elements of a product and of its operands lie, by batch, row, column and k; and what of memory neighbouring threads ask for to load them. */
import { node, type Graph, type NodeId, type Shape } from "../../../ir";
import { probeLoads, runOf, strideOf, type ProbedLoad } from "../../emit/dry-run";
import type { Index, IndexSpace, IndexVar, Tuple } from "../../emit/index-space";
import type { MatmulAxes, MatmulSizes } from "./matmul";

/** Indices of a product whose axes are shared out as `axes` says. */
export class OperandIndices {
  readonly #space: IndexSpace;
  readonly #axes: MatmulAxes;
  readonly #shapes: readonly [Shape, Shape];

  constructor(graph: Graph, product: NodeId, space: IndexSpace, axes: MatmulAxes) {
    this.#space = space;
    this.#axes = axes;
    const [a, b] = node(graph, product).inputs.map((id) => node(graph, id).type.shape) as [Shape, Shape];
    this.#shapes = [a, b];
  }

  left(batch: Index, row: Index, k: Index): Tuple {
    return this.#within(this.#shapes[0].slice(0, -1), this.#outer(batch, row, null), [k]);
  }

  right(batch: Index, k: Index, column: Index): Tuple {
    const shape = this.#shapes[1];
    const own = this.#space.unravel(column, this.#axes.columns);
    const beside = this.#outer(batch, null, own).slice(0, this.#axes.rows.length === 0 ? undefined : -1);
    return this.#within(shape.slice(0, -2), beside, shape.length > 1 ? [k, own.at(-1)!] : [k]);
  }

  out(batch: Index, row: Index, column: Index): Tuple {
    const own = this.#space.unravel(column, this.#axes.columns);
    return this.#space.tuple([...this.#outer(batch, row, own), ...own.slice(-1)]);
  }

  /** An operand's own axes among all outer ones, aligned at the right; of one that it repeats it has the first. */
  #within(own: Shape, outer: readonly Index[], inner: readonly Index[]): Tuple {
    const first = outer.length - own.length;
    const at = own.map((extent, axis) => (extent === 1 ? this.#space.int(0) : outer[first + axis]!));
    return this.#space.tuple([...at, ...inner]);
  }

  /** The axes of the result before the last one of its columns; zero for what an operand does not ask for. */
  #outer(batch: Index, row: Index | null, column: readonly Index[] | null): Index[] {
    const space = this.#space;
    const { batch: shape, rows, columns } = this.#axes;
    const none = (axes: Shape): Index[] => axes.map(() => space.int(0));
    return [
      ...space.unravel(batch, shape),
      ...(column ?? none(columns)).slice(0, -1),
      ...(row === null ? none(rows) : space.unravel(row, rows)),
    ];
  }
}

/** How an operand lies in memory, as tiles of it are loaded: four neighbours of its other axis at one step of k by a thread. */
export interface OperandLies {
  /** Neighbouring threads go along k rather than along its other axis: that asks for fewer lines. */
  readonly alongK: boolean;
  /** Neighbours along k, or along the other axis, lie side by side: either way a warp's vectors are whole lines. */
  readonly inOrder: boolean;
  /** Lines of memory that a warp asks for, a vector of each thread. */
  readonly lines: number;
}

/** @param which operand of `product`, computed by `members` */
export function operandLies(
  graph: Graph,
  members: readonly NodeId[],
  product: NodeId,
  which: 0 | 1,
  axes: MatmulAxes,
  { m, n, k: depth }: Pick<MatmulSizes, "m" | "n" | "k">,
  space: IndexSpace,
): OperandLies {
  const [extent, zero] = [which === 0 ? m : n, space.int(0)];
  const [k, other] = [space.variable("k", depth - 1, 0), space.variable("other", extent - 1, 0)];
  const indices = new OperandIndices(graph, product, space, axes);
  const at =
    which === 0 ? indices.left(zero, space.of(other), space.of(k)) : indices.right(zero, space.of(k), space.of(other));
  const loads = probeLoads(graph, members, space, [{ id: node(graph, product).inputs[which]!, at }]);
  // What most elements come from decides.
  const largest = loads.toSorted((a, b) => b.elements - a.elements)[0];
  const inOrder = { inOrder: true, lines: WHOLE };
  if (largest === undefined) return { alongK: false, ...inOrder };
  const [stepK, stepOther] = [strideOf(largest.offset, k), strideOf(largest.offset, other)];
  if (stepK === 1 || stepOther === 1) return { alongK: stepK === 1, ...inOrder };
  // Windows, heads that lie apart, weights of which taps are taken.
  const own = loads.filter(({ value }) => value === largest.value);
  const [along, across] = [true, false].map((byK) => linesOf(own, k, other, byK)) as [number, number];
  if (along !== across) return { alongK: along < across, inOrder: false, lines: Math.min(along, across) };
  const runs = [k, other].map((variable) => runOf(space, largest.offset, variable)) as [number, number];
  return { alongK: runs[0] > runs[1], inOrder: false, lines: along };
}

/** Threads that ask together, steps of k of a tile, elements of a line. */
const [WARP, STEPS, LINE] = [32, 16, 32];
/** Lines of a vector of each of them, side by side. */
const WHOLE = (4 * WARP) / LINE;

/** Lines that a warp asks for to load a vector each, element by element where these lie apart. */
function linesOf(loads: readonly ProbedLoad[], k: IndexVar, other: IndexVar, byK: boolean): number {
  const steps = Math.min(STEPS, k.max + 1);
  const vectors = Math.min(WARP, Math.ceil((other.max + 1) / 4));
  const threads = Array.from({ length: WARP }, (_, t): [step: number, vector: number] =>
    byK ? [t % steps, Math.floor(t / steps)] : [Math.floor(t / vectors), t % vectors],
  );
  let lines = 0;
  for (const { offset } of loads) {
    const lanes = [0, 1, 2, 3].map((lane) =>
      threads.map(([step, vector]) => {
        const at = new Map([
          [k, Math.min(step, k.max)],
          [other, Math.min(4 * vector + lane, other.max)],
        ]);
        return valueAt(offset, at);
      }),
    );
    const isVector = lanes[0]!.every(
      (first, t) => first % 4 === 0 && lanes.every((own, lane) => own[t] === first + lane),
    );
    for (const own of isVector ? lanes.slice(0, 1) : lanes)
      lines += new Set(own.map((each) => Math.floor(each / LINE))).size;
  }
  return lines;
}

/** An index where `at` says what its variables are; others are 0. */
function valueAt(index: Index, at: ReadonlyMap<IndexVar, number>): number {
  let sum = index.constant;
  for (const { atom, by } of index.terms) {
    if (atom.kind === "var") sum += by * (at.get(atom) ?? 0);
    else {
      const of = valueAt(atom.of, at);
      const own =
        atom.kind === "min" ? Math.min(of, atom.by) : atom.kind === "div" ? Math.floor(of / atom.by) : of % atom.by;
      sum += by * own;
    }
  }
  return sum;
}
