/** @file Single elements of large outputs: first which elements of every value they need, backwards, then their values, forwards. */
import {
  bug,
  type DType,
  type Graph,
  isLiteral,
  type Node,
  node as nodeOf,
  type NodeId,
  type Shape,
  sizeOf,
  type TensorType,
  topological,
} from "../ir";
import { opDef } from "../ops";
import { inputElement } from "./data";
import { ruleOf } from "./elementwise";
import { batchOffsets, productOf } from "./matmul";
import { clampIndex } from "./gather";
import { flatIndex, numbers } from "./movement";
import { sortIndices } from "./order";
import { keepdimShape } from "./reduce";
import { roundingOf } from "./rounding";
import { rowsAlong } from "./scan";
import { rowLoopPoint } from "./row-loop";
import { evaluate } from "./run";
import { coordinatesOf, stridesIn } from "./strided-loops";
import { readsNothing } from "./tolerance";

/** Answers with element `flat` of operand `operand`. */
type Get = (operand: number, flat: number) => number;
/** What becomes of each value that is computed, by the node that computes it. */
type Disturb = (value: number, node: Node) => number;
/** Value of element `flat` of a node, asking for the operands' elements it needs. */
type Point = (flat: number, get: Get, disturb: Disturb) => number;
const undisturbed: Disturb = (value) => value;
/** Only which elements are asked for is of interest. */
const unasked: Disturb = () => 1;

/** A set of indices as a bitmap: sorted for free, and a rank by counting. */
class Wanted {
  private readonly words: Uint32Array;
  private ranks: Uint32Array | null = null;
  count = 0;

  constructor(size: number) {
    this.words = new Uint32Array((size + 31) >>> 5);
  }
  add(flat: number): void {
    const bit = 1 << (flat & 31);
    if ((this.words[flat >>> 5]! & bit) !== 0) return;
    this.words[flat >>> 5]! |= bit;
    this.count++;
  }
  /** Position of `flat` among the wanted ones. */
  rank(flat: number): number {
    this.ranks ??= this.sums();
    const below = this.words[flat >>> 5]! & ((1 << (flat & 31)) - 1);
    return this.ranks[flat >>> 5]! + ones(below);
  }
  each(visit: (flat: number) => void): void {
    // Most words of a large set are empty.
    for (let i = 0; i < this.words.length; i++) {
      for (let rest = this.words[i]!; rest !== 0; rest &= rest - 1) visit(i * 32 + 31 - Math.clz32(rest & -rest));
    }
  }
  /** All of them, in order. */
  list(): Uint32Array {
    const list = new Uint32Array(this.count);
    let next = 0;
    this.each((flat) => (list[next++] = flat));
    return list;
  }
  private sums(): Uint32Array {
    const ranks = new Uint32Array(this.words.length);
    for (let i = 1; i < ranks.length; i++) ranks[i] = ranks[i - 1]! + ones(this.words[i - 1]!);
    return ranks;
  }
}

/** Bits that are set. */
function ones(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Dot product of index and strides. */
const index = (at: readonly number[], strides: readonly number[]): number =>
  at.reduce((sum, index, axis) => sum + index * strides[axis]!, 0);

function elementwisePoint(node: Node, types: readonly TensorType[]): Point {
  const rule = ruleOf(node);
  const { shape } = node.type;
  const strides = types.map((type) => stridesIn(type.shape, shape));
  const straight = types.map((type) => sizeOf(type.shape) === sizeOf(shape));
  const { scalar, loop } = opDef(node.op);
  const usesIndex = scalar!.usesIndex === true;
  const as = (dtype: DType): Node => ({ ...node, type: { dtype, shape: [] } });
  const computing = { f32: as("f32"), f16: as("f16"), i32: as("i32"), bool: as("bool") };
  return (flat, get, disturb) => {
    const at = straight.every(Boolean) ? [] : coordinatesOf(flat, shape);
    const args = types.map((_, k) => get(k, straight[k] ? flat : index(at, strides[k]!)));
    if (loop && disturb === unasked) return 1;
    // A loop rounds in every iteration.
    if (loop && disturb !== undisturbed)
      return loop.run(args, node.attrs, (value, dtype) => disturb(value, computing[dtype]));
    return rule(usesIndex ? [...args, flat] : args);
  };
}

function movementPoint(node: Node, shapes: readonly Shape[]): Point {
  const movement = opDef(node.op).movement!;
  if (movement.free) return (flat, get) => get(0, flat);
  const context = { inputs: shapes, output: node.type.shape, attrs: node.attrs };
  const fill = movement.fill?.(node.attrs) ?? 0;
  return (flat, get) => {
    const cases = movement.source(coordinatesOf(flat, context.output), context, numbers);
    const found = cases.find(({ when }) => when !== false);
    return found ? get(found.operand, flatIndex(found.index, shapes[found.operand]!)) : fill;
  };
}

function reducePoint(node: Node, { shape }: TensorType): Point {
  const reduce = opDef(node.op).reduce!;
  const axes = reduce.axes(node.attrs, shape);
  const outShape = keepdimShape(shape, axes);
  const own = stridesIn(shape, shape);
  const extents = axes.map((axis) => shape[axis]!);
  const strides = axes.map((axis) => own[axis]!);
  const count = sizeOf(extents);
  return (flat, get) => {
    const base = index(coordinatesOf(flat, outShape), own);
    let total = reduce.identity(node.type.dtype);
    let best = 0;
    for (let i = 0; i < count; i++) {
      const element = get(0, base + index(coordinatesOf(i, extents), strides));
      const value = reduce.map ? reduce.map.js(element) : element;
      if (reduce.arg) {
        if (i > 0 && !reduce.arg.js(value, total)) continue;
        total = value;
        best = i;
      } else total = i === 0 ? value : reduce.combine.js(total, value);
    }
    if (reduce.arg) return best;
    return reduce.finish ? reduce.finish.js(total, count) : total;
  };
}

function scanPoint(node: Node, type: TensorType): Point {
  const { fold, axis, reverse, exclusive } = opDef(node.op).scan!;
  const { extent, inner } = rowsAlong(type, axis(node.attrs, type.shape));
  const meaning = fold.reduce!;
  const step = reverse(node.attrs) ? -inner : inner;
  const rest = exclusive(node.attrs) ? 0 : 1;
  return (flat, get) => {
    const index = Math.floor(flat / inner) % extent;
    const count = (step < 0 ? extent - 1 - index : index) + rest;
    const first = flat - (count - rest) * step;
    let total = meaning.identity(node.type.dtype);
    for (let i = 0; i < count; i++) {
      const value = get(0, first + i * step);
      total = i === 0 ? value : meaning.combine.js(total, value);
    }
    return total;
  };
}

function orderPoint(node: Node, type: TensorType): Point {
  const order = opDef(node.op).order!;
  const axis = order.axis(node.attrs, type.shape);
  const { extent, inner } = rowsAlong(type, axis);
  const count = node.type.shape[axis]!;
  return (flat, get) => {
    const [lane, at, block] = [flat % inner, Math.floor(flat / inner) % count, Math.floor(flat / (inner * count))];
    const row = Float64Array.from({ length: extent }, (_, i) => get(0, (block * extent + i) * inner + lane));
    const index = sortIndices(row, order.descending(node.attrs))[at]!;
    return order.indices ? index : row[index]!;
  };
}

function matmulPoint(types: readonly [TensorType, TensorType]): Point {
  const product = productOf(...types);
  const { m, n, k } = product;
  return (flat, get) => {
    const from = batchOffsets(product, Math.floor(flat / (m * n)));
    const [i, j] = [Math.floor(flat / n) % m, flat % n];
    let sum = 0;
    for (let p = 0; p < k; p++) sum += get(0, from.a + i * k + p) * get(1, from.b + p * n + j);
    return sum;
  };
}

function gatherPoint(node: Node, { shape }: TensorType, index: TensorType): Point {
  const axis = opDef(node.op).gather!.axis(node.attrs, shape);
  const [inner, count, extent] = [sizeOf(shape.slice(axis + 1)), sizeOf(index.shape), shape[axis]!];
  return (flat, get) => {
    const [k, i, outer] = [flat % inner, Math.floor(flat / inner) % count, Math.floor(flat / (inner * count))];
    return get(0, (outer * extent + clampIndex(get(1, i), extent)) * inner + k);
  };
}

/** Of keys in order as many come before a value as of all keys: which of them a search would look at is data. */
function searchPoint({ op, attrs }: Node, keys: TensorType): Point {
  const comesBefore = opDef(op).search!.comesBefore(attrs);
  const count = sizeOf(keys.shape);
  return (flat, get) => {
    const value = get(1, flat);
    let found = 0;
    for (let i = 0; i < count; i++) {
      const key = get(0, i);
      if (comesBefore === "lt" ? key < value : key <= value) found++;
    }
    return found;
  };
}

/** Which elements a gather asks for is data: only of an input, where all are there, need nobody know in advance. Ranges ask for any. */
const isOpen = (graph: Graph, id: NodeId): boolean => {
  const { op, inputs } = nodeOf(graph, id);
  const { kind } = opDef(op);
  if (kind === "ranges" || kind === "groups") return true;
  return kind === "gather" && opDef(nodeOf(graph, inputs[0]!).op).kind !== "source";
};

function pointOf(node: Node, types: readonly TensorType[]): Point {
  const point = plainPointOf(node, types);
  const round = roundingOf(node.type.dtype, "f32");
  return node.rounded ? (flat, get, disturb) => round(point(flat, get, disturb)) : point;
}

function plainPointOf(node: Node, types: readonly TensorType[]): Point {
  const { kind } = opDef(node.op);
  switch (kind) {
    case "elementwise":
    case "random":
    case "opaque":
      return elementwisePoint(node, types);
    case "movement":
      return movementPoint(
        node,
        types.map((type) => type.shape),
      );
    case "reduce":
      return reducePoint(node, types[0]!);
    case "scan":
      return scanPoint(node, types[0]!);
    case "loop":
      return rowLoopPoint(node, types, (of, args, own) => evaluate(of, args, own, "f64", new Map()), unasked);
    case "order":
      return orderPoint(node, types[0]!);
    case "gather":
      return gatherPoint(node, types[0]!, types[1]!);
    case "contraction":
      return matmulPoint([types[0]!, types[1]!]);
    case "search":
      return searchPoint(node, types[0]!);
    case "ranges":
    case "groups":
    case "source":
      throw bug(`${node.op} is not computed from operands that are known`);
  }
}

/** Values that one element of a loop takes beside its operands. */
function valuesWithin({ op, attrs }: Node): number {
  const { loop } = opDef(op);
  return loop ? loop.iterations(attrs) * loop.bodyOf(attrs).values.length : 0;
}

/** Elements of a graph's sources, by node; undefined where they are not known in advance. */
export type Known = (id: NodeId) => ((flat: number) => number) | undefined;

/** Chosen elements of a graph whose values are still to be computed. */
export interface Sampling {
  /** Elements that were touched on the way: what computing the values costs. */
  readonly touched: number;
  /** Which elements of sources that are not known it needs, row-major, in order. */
  readonly needs: ReadonlyMap<NodeId, Uint32Array>;
  /**
   * The values in f64, in the order they were asked for.
   * @param found the elements of `needs`, in their order
   * @param disturb changes each value that an op computes or a source gives: an estimate of what rounding does
   */
  values(found: ReadonlyMap<NodeId, ArrayLike<number>>, disturb?: Disturb): Map<NodeId, Float64Array>;
}

/**
 * Finds which elements chosen elements of values depend on.
 * @param wanted flat row-major indices by node
 * @param budget elements it may touch in all
 * @returns null when the elements depend on more than the budget or on indices that are computed on the way
 */
export function planSampling(
  graph: Graph,
  known: Known,
  wanted: ReadonlyMap<NodeId, ArrayLike<number>>,
  budget: number,
): Sampling | null {
  const order = topological(graph);
  const needed = new Map<NodeId, Wanted>();
  const demand = (id: NodeId): Wanted => {
    const set = needed.get(id) ?? new Wanted(sizeOf(nodeOf(graph, id).type.shape));
    needed.set(id, set);
    return set;
  };
  for (const [id, flats] of wanted) {
    const set = demand(id);
    for (let i = 0; i < flats.length; i++) set.add(flats[i]!);
  }
  const computed = order.filter((id) => !readsNothing(graph, id));
  const isOpenHere = (id: NodeId): boolean => {
    const { op, inputs } = nodeOf(graph, id);
    return opDef(op).kind === "gather" && !known(inputs[0]!) && !known(inputs[1]!);
  };
  if (computed.some((id) => isOpen(graph, id) || isOpenHere(id))) return null;
  const points = new Map(
    computed.map((id) => [
      id,
      pointOf(
        nodeOf(graph, id),
        nodeOf(graph, id).inputs.map((input) => nodeOf(graph, input).type),
      ),
    ]),
  );
  let touched = 0;
  for (const id of computed.toReversed()) {
    const { inputs: operands } = nodeOf(graph, id);
    if (!needed.has(id)) continue;
    const sets = operands.map(demand);
    // Which elements a gather reads is data.
    const index = opDef(nodeOf(graph, id).op).kind === "gather" ? known(operands[1]!) : undefined;
    const mark: Get = (operand, flat) => {
      touched++;
      sets[operand]!.add(flat);
      return index && operand === 1 ? index(flat) : 1;
    };
    const within = valuesWithin(nodeOf(graph, id));
    let over = false;
    needed.get(id)!.each((flat) => {
      over ||= touched > budget;
      touched += within;
      if (!over) points.get(id)!(flat, mark, unasked);
    });
    if (over) return null;
  }
  const open = [...needed].filter(([id]) => readsNothing(graph, id) && !isLiteral(nodeOf(graph, id)) && !known(id));
  return {
    touched,
    needs: new Map(open.map(([id, set]) => [id, set.list()])),
    values: (found, disturb) => valuesOf(graph, order, { known, found, wanted, needed, points }, disturb),
  };
}

interface Sampled {
  readonly known: Known;
  readonly found: ReadonlyMap<NodeId, ArrayLike<number>>;
  readonly wanted: ReadonlyMap<NodeId, ArrayLike<number>>;
  readonly needed: ReadonlyMap<NodeId, Wanted>;
  readonly points: ReadonlyMap<NodeId, Point>;
}

function valuesOf(
  graph: Graph,
  order: readonly NodeId[],
  { known, found, wanted, needed, points }: Sampled,
  disturb = undisturbed,
): Map<NodeId, Float64Array> {
  const read = new Map<NodeId, (flat: number) => number>();
  for (const id of order) {
    const node = nodeOf(graph, id);
    const set = needed.get(id);
    if (!set) continue;
    if (isLiteral(node)) read.set(id, () => Number(node.attrs["value"]));
    else if (!points.has(id)) {
      const [all, some] = [known(id), found.get(id)];
      const at = all ?? ((flat: number) => some![set.rank(flat)]!);
      // Disturbed once for each element, wherever it is read.
      const list = set.list();
      const values = Float64Array.from(list, (flat) => disturb(at(flat), node));
      read.set(id, (flat) => values[set.rank(flat)]!);
    } else {
      const operands = node.inputs.map((input) => read.get(input)!);
      const [values, round, point] = [new Float64Array(set.count), roundingOf(node.type.dtype, "f64"), points.get(id)!];
      const get: Get = (operand, flat) => operands[operand]!(flat);
      let next = 0;
      set.each((flat) => (values[next++] = disturb(round(point(flat, get, disturb)), node)));
      read.set(id, (flat) => values[set.rank(flat)]!);
    }
  }
  return new Map([...wanted].map(([id, flats]) => [id, Float64Array.from(flats, (flat) => read.get(id)!(flat))]));
}

/**
 * Chosen elements of outputs, in f64, without computing the rest.
 * @param inputs data of `input` nodes; those left out get `inputData`'s
 * @param wanted flat row-major indices by node
 * @param budget elements it may touch in all
 * @returns values in the order asked for; null when the elements depend on more than the budget or on computed indices
 */
export function sampleReference(
  graph: Graph,
  inputs: ReadonlyMap<NodeId, ArrayLike<number>>,
  wanted: ReadonlyMap<NodeId, readonly number[]>,
  budget = 5e7,
): Map<NodeId, Float64Array> | null {
  const known = knownInputs(graph, inputs);
  return planSampling(graph, known, wanted, budget)?.values(new Map()) ?? null;
}

/** Every input of a graph, element by element: what is given, else what its seed draws. */
export function knownInputs(graph: Graph, inputs: ReadonlyMap<NodeId, ArrayLike<number>>): Known {
  const drawn = new Map<NodeId, (flat: number) => number>();
  return (id) => {
    const node = graph.nodes.get(id);
    if (!node || opDef(node.op).kind !== "source" || isLiteral(node)) return undefined;
    const given = inputs.get(id);
    if (given) return (flat) => given[flat]!;
    const known = drawn.get(id) ?? inputElement(node);
    drawn.set(id, known);
    return known;
  };
}
