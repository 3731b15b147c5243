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
  /** Lines of memory that a warp asks for, a vector of each thread, beyond those of whole vectors. */
  readonly lines: number;
  /** Single elements, neighbouring threads beside one another along k or along the other axis, ask for fewer. Absent: they don't. */
  readonly elements?: { readonly alongK: boolean; readonly lines: number };
}

const IN_ORDER = { lines: 0 } as const;

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
  if (largest === undefined) return { alongK: false, ...IN_ORDER };
  const [stepK, stepOther] = [strideOf(largest.offset, k), strideOf(largest.offset, other)];
  if (stepK === 1 || stepOther === 1) return { alongK: stepK === 1, ...IN_ORDER };
  // Windows, heads that lie apart, weights of which taps are taken.
  const own = loads.filter(({ value }) => value === largest.value);
  const asked = (byK: boolean, byElement: boolean): number => linesOf(own, k, other, byK, byElement);
  const [along, across] = [asked(true, false), asked(false, false)];
  const runs = [k, other].map((variable) => runOf(space, largest.offset, variable)) as [number, number];
  const alongK = along === across ? runs[0] > runs[1] : along < across;
  const [singleAlong, singleAcross] = [asked(true, true), asked(false, true)];
  const [lines, single] = [Math.min(along, across), Math.min(singleAlong, singleAcross)];
  const elements = { alongK: singleAlong < singleAcross, lines: single };
  const fewer = single * FEWER < lines && own.every(({ offset }) => isSteady(offset, k));
  return { alongK, lines, ...(fewer && { elements }) };
}

/** Least steps of k of a tile. */
const LEAST_STEPS = 8;

/** Whether each tile lies as far behind the one before it, wherever in k: single elements, each with a step of its own, then cost one addition each. */
function isSteady(offset: Index, k: IndexVar): boolean {
  const at = (step: number): number => valueAt(offset, new Map([[k, step]]));
  const far = at(LEAST_STEPS) - at(0);
  const last = Math.min(k.max - LEAST_STEPS, 4 * STEPS);
  for (let step = 1; step <= last; step++) if (at(step + LEAST_STEPS) - at(step) !== far) return false;
  return k.max >= LEAST_STEPS;
}

/** Threads that ask together, steps of k of a tile, elements of a line. */
const [WARP, STEPS, LINE] = [32, 16, 32];
/** How many times fewer lines single elements must ask for: they are stored one by one. */
const FEWER = 1.5;

/** Lines that a warp asks for to load four elements each: a vector, or one by one where these lie apart, or single elements in turn. */
function linesOf(loads: readonly ProbedLoad[], k: IndexVar, other: IndexVar, byK: boolean, byElement: boolean): number {
  const wide = byElement ? 1 : 4;
  const steps = Math.min(STEPS, k.max + 1);
  const beside = Math.min(wide * WARP, 4 * Math.ceil((other.max + 1) / 4)) / wide;
  /** Step of k and unit of the other axis of a thread in its turn. */
  const unitOf = (at: number): [step: number, unit: number] =>
    byK ? [at % steps, Math.floor(at / steps)] : [Math.floor(at / beside), at % beside];
  let lines = 0;
  for (const { offset } of loads) {
    const requests = [0, 1, 2, 3].map((i) =>
      Array.from({ length: WARP }, (_, thread) => {
        const [step, unit] = unitOf(byElement ? WARP * i + thread : thread);
        const at = new Map([
          [k, Math.min(step, k.max)],
          [other, Math.min(byElement ? unit : 4 * unit + i, other.max)],
        ]);
        return valueAt(offset, at);
      }),
    );
    const isVector =
      !byElement &&
      requests[0]!.every((first, t) => first % 4 === 0 && requests.every((own, i) => own[t] === first + i));
    for (const own of isVector ? requests.slice(0, 1) : requests)
      lines += new Set(own.map((each) => Math.floor(each / LINE))).size;
  }
  return lines;
}

/** An index where `at` says what its variables are; others are 0. */
export function valueAt(index: Index, at: ReadonlyMap<IndexVar, number>): number {
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
