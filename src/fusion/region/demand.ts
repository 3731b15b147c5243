/**
 * @file Which elements of a stored value a region touches. Demand flows from the outputs back to the loads:
 * everything, a union of strided boxes, or (where a reshape cuts a box) a bitmap.
 */
import { sizeOf, stridesOf, type Node, type Shape } from "../ir";
import { indexTables, opDef, type IndexTable, type Piece } from "../ops";
import { affineView, sourceOf, type AffineView } from "./affine";
import { reshapedBox } from "./reshaped-box";

/** Per axis: first index, count and step ≥ 1. */
export interface BoxAxis {
  readonly start: number;
  readonly count: number;
  readonly step: number;
}
export type Box = readonly BoxAxis[];
export type Demand =
  | { readonly kind: "all" }
  | { readonly kind: "boxes"; readonly boxes: readonly Box[] }
  | { readonly kind: "bits"; readonly bits: Uint8Array }
  /** At most so many, wherever a gather's data says. */
  | { readonly kind: "some"; readonly elements: number };

export const ALL: Demand = { kind: "all" };
const NOTHING: Demand = { kind: "boxes", boxes: [] };
/** Above this many elements a bitmap is not worth its memory: everything is assumed to be touched. */
const BITMAP_LIMIT = 1 << 22;

const boxSize = (box: Box): number => box.reduce((product, axis) => product * axis.count, 1);
export const wholeBox = (shape: Shape): Box => shape.map((extent) => ({ start: 0, count: extent, step: 1 }));
const covers = (box: Box, shape: Shape): boolean => boxSize(box) === sizeOf(shape);

const sameBox = (a: Box, b: Box): boolean =>
  a.every((axis, i) => axis.start === b[i]!.start && axis.count === b[i]!.count && axis.step === b[i]!.step);
/** True only when some axis surely keeps them apart. */
const apart = (a: Box, b: Box): boolean =>
  a.some((x, i) => {
    const y = b[i]!;
    const [xEnd, yEnd] = [x.start + (x.count - 1) * x.step, y.start + (y.count - 1) * y.step];
    return xEnd < y.start || yEnd < x.start || (x.step === y.step && (x.start - y.start) % x.step !== 0);
  });

/** Union of two demands on a value of `shape`. */
export function union(a: Demand, b: Demand, shape: Shape): Demand {
  if (a.kind === "all" || b.kind === "all") return ALL;
  if (a.kind === "some" || b.kind === "some") return some(count(a, shape) + count(b, shape), shape);
  if (a.kind === "boxes" && b.kind === "boxes") {
    const fresh = b.boxes.filter((box) => !a.boxes.some((other) => sameBox(box, other)));
    const boxes = [...a.boxes, ...fresh];
    if (fresh.every((box) => a.boxes.every((other) => apart(box, other)))) return tidy(boxes, shape);
  }
  const [x, y] = [bitsOf(a, shape), bitsOf(b, shape)];
  if (!x || !y) return ALL;
  return { kind: "bits", bits: x.map((bit, i) => bit | y[i]!) };
}

/** Of any number of demands; nothing at all when there are none. */
const unionOf = (demands: readonly Demand[], shape: Shape): Demand =>
  demands.length === 0 ? NOTHING : demands.reduce((a, b) => union(a, b, shape));

function tidy(boxes: readonly Box[], shape: Shape): Demand {
  const total = boxes.reduce((sum, box) => sum + boxSize(box), 0);
  return total === sizeOf(shape) ? ALL : { kind: "boxes", boxes };
}

export const boxDemand = (box: Box, shape: Shape): Demand =>
  covers(box, shape) ? ALL : { kind: "boxes", boxes: [box] };

const some = (elements: number, shape: Shape): Demand => (elements >= sizeOf(shape) ? ALL : { kind: "some", elements });

/** What a gather asks of its data: one element for each of its own, never more than there are. */
export const throughGather = (demand: Demand, outShape: Shape, shape: Shape): Demand =>
  some(count(demand, outShape), shape);

/** Distinct elements in a demand. */
export function count(demand: Demand, shape: Shape): number {
  switch (demand.kind) {
    case "all":
      return sizeOf(shape);
    case "boxes":
      return demand.boxes.reduce((sum, box) => sum + boxSize(box), 0);
    case "some":
      return demand.elements;
    case "bits":
      return demand.bits.reduce((sum, bit) => sum + bit, 0);
  }
}

function* indicesOf(box: Box): Generator<number[]> {
  const total = boxSize(box);
  for (let i = 0; i < total; i++) {
    let rest = i;
    const index = Array.from({ length: box.length }, () => 0);
    for (let axis = box.length - 1; axis >= 0; axis--) {
      const { start, count: extent, step } = box[axis]!;
      index[axis] = start + (rest % extent) * step;
      rest = Math.floor(rest / extent);
    }
    yield index;
  }
}

const linear = (index: readonly number[], strides: readonly number[]): number =>
  index.reduce((sum, value, axis) => sum + value * strides[axis]!, 0);

function bitsOf(demand: Demand, shape: Shape): Uint8Array | null {
  if (demand.kind === "some") return null;
  if (demand.kind === "bits") return demand.bits;
  if (sizeOf(shape) > BITMAP_LIMIT) return null;
  const bits = new Uint8Array(sizeOf(shape));
  const strides = stridesOf(shape);
  if (demand.kind === "all") bits.fill(1);
  else for (const box of demand.boxes) markBox(bits, box, strides);
  return bits;
}

/** Marks the elements of a box, the innermost axis in a loop of its own. */
function markBox(bits: Uint8Array, box: Box, strides: readonly number[]): void {
  const [inner, by] = [box.at(-1) ?? { start: 0, count: 1, step: 1 }, strides.at(-1) ?? 1];
  const [step, count] = [inner.step * by, inner.count];
  for (const index of indicesOf(box.slice(0, -1))) {
    let at = linear(index, strides) + inner.start * by;
    for (let i = 0; i < count; i++, at += step) bits[at] = 1;
  }
}

type Placed = Exclude<Demand, { kind: "some" }>;

function* elementsOf(demand: Placed, shape: Shape): Generator<number[]> {
  if (demand.kind === "boxes") {
    for (const box of demand.boxes) yield* indicesOf(box);
    return;
  }
  let i = 0;
  for (const index of indicesOf(wholeBox(shape))) {
    if (demand.kind === "all" || demand.bits[i] === 1) yield index;
    i++;
  }
}

/** What a broadcast operand of `shape` must supply when `demand` is asked of a value of `outShape`. */
export function throughBroadcast(demand: Demand, outShape: Shape, shape: Shape): Demand {
  if (count(demand, outShape) === 0) return NOTHING;
  if (demand.kind === "all" || sizeOf(shape) <= 1) return ALL;
  if (demand.kind === "some") return some(demand.elements, shape);
  const skip = outShape.length - shape.length;
  if (demand.kind === "boxes") {
    const boxes = demand.boxes.map((box) =>
      box.slice(skip).map((axis, i) => (shape[i] === 1 ? { start: 0, count: 1, step: 1 } : axis)),
    );
    return unionOf(
      boxes.map((box) => boxDemand(box, shape)),
      shape,
    );
  }
  return throughPoints(demand, outShape, shape, (index) =>
    index.slice(skip).map((value, i) => (shape[i] === 1 ? 0 : value)),
  );
}

/** What the index of a gather must supply: its axes stand where the data's axis was. */
export function throughIndex(demand: Demand, outShape: Shape, shape: Shape, axis: number): Demand {
  if (count(demand, outShape) === 0) return NOTHING;
  if (demand.kind === "all" || sizeOf(shape) <= 1) return ALL;
  if (demand.kind === "some") return some(demand.elements, shape);
  if (demand.kind === "bits")
    return throughPoints(demand, outShape, shape, (index) => index.slice(axis, axis + shape.length));
  const boxes = demand.boxes.map((box) => boxDemand(box.slice(axis, axis + shape.length), shape));
  return unionOf(boxes, shape);
}

/** What operand `operand` of a movement op must supply. */
export function throughMovement(demand: Demand, n: Node, inputs: readonly Shape[], operand: number): Demand {
  const shape = inputs[operand]!;
  const free = opDef(n.op).movement!.free === true;
  if (free && demand.kind === "all") return ALL;
  if (demand.kind === "some") return some(demand.elements, shape);
  if (free && demand.kind === "boxes") {
    const boxes = demand.boxes.map((box) => reshapedBox(box, n.type.shape, shape));
    if (boxes.every((box) => box !== null))
      return unionOf(
        boxes.map((box) => boxDemand(box, shape)),
        shape,
      );
  }
  // The same elements in the same order: what is marked stays marked.
  if (free) return marked(bitsOf(demand, n.type.shape));
  const product = demand.kind === "bits" ? null : throughTables(demand, n, inputs);
  if (product) return product;
  const pieced = demand.kind === "bits" ? null : throughPieces(demand, n, inputs, operand);
  if (pieced) return pieced;
  const view = free ? null : affineView(n, inputs);
  if (view && demand.kind !== "bits") {
    const boxes = (demand.kind === "all" ? [wholeBox(n.type.shape)] : demand.boxes).map((box) =>
      mapBox(box, view, shape),
    );
    if (boxes.every((box) => box !== null))
      return unionOf(
        boxes.map((box) => boxDemand(box, shape)),
        shape,
      );
  }
  const tables =
    demand.kind === "bits"
      ? null
      : indexTables(opDef(n.op).movement!, { inputs, output: n.type.shape, attrs: n.attrs });
  const byAxis = tables && throughTables(demand, n, inputs, tables);
  if (byAxis) return byAxis;
  return throughPoints(demand, n.type.shape, shape, (index) => {
    const from = sourceOf(n, inputs, index);
    return from && from.operand === operand ? from.index : null;
  });
}

/** Box by box, for ops that put operands side by side. */
function throughPieces(demand: Demand, n: Node, inputs: readonly Shape[], operand: number): Demand | null {
  const context = { inputs, output: n.type.shape, attrs: n.attrs };
  const pieces = opDef(n.op).movement!.pieces?.(context);
  if (!pieces || demand.kind === "bits" || demand.kind === "some") return null;
  const shape = inputs[operand]!;
  const asked = demand.kind === "all" ? [wholeBox(n.type.shape)] : demand.boxes;
  const found: Demand[] = [];
  for (const piece of pieces) {
    if (piece.operand !== operand) continue;
    const view = pieceView(n, inputs, piece);
    for (const box of asked) {
      const common = intersection(box, piece);
      if (!common) continue;
      const part = view && mapBox(common, view, shape);
      if (!part) return null;
      found.push(boxDemand(part, shape));
    }
  }
  return unionOf(found, shape);
}

/** The affine rule of one box, continued to the whole result. */
function pieceView(n: Node, inputs: readonly Shape[], { start, extent, operand }: Piece): AffineView | null {
  const at = (index: readonly number[]): readonly number[] | null => {
    const from = sourceOf(n, inputs, index);
    return from && from.operand === operand ? from.index : null;
  };
  const first = at(start);
  if (!first) return null;
  const columns: (readonly number[])[] = [];
  for (const [axis, size] of extent.entries()) {
    const next = size > 1 ? at(start.map((from, i) => (i === axis ? from + 1 : from))) : first;
    if (!next) return null;
    columns.push(next.map((value, d) => value - first[d]!));
  }
  const base = first.map((value, d) => value - columns.reduce((sum, column, o) => sum + column[d]! * start[o]!, 0));
  return { base, columns };
}

/** Elements of a box that lie in a piece, or null. */
function intersection(box: Box, { start, extent }: Piece): Box | null {
  const out: BoxAxis[] = [];
  for (const [axis, { start: from, count: length, step }] of box.entries()) {
    const low = Math.max(0, Math.ceil((start[axis]! - from) / step));
    const high = Math.min(length - 1, Math.floor((start[axis]! + extent[axis]! - 1 - from) / step));
    if (high < low) return null;
    out.push({ start: from + low * step, count: high - low + 1, step });
  }
  return out;
}

/** Axis by axis, for ops whose rule is one table an input axis: what is touched is the product of what each axis touches. */
function throughTables(
  demand: Demand,
  n: Node,
  inputs: readonly Shape[],
  given?: readonly IndexTable[],
): Demand | null {
  const tables = given ?? opDef(n.op).movement!.tables?.({ inputs, attrs: n.attrs });
  if (!tables || demand.kind === "bits" || demand.kind === "some") return null;
  const shape = inputs[0]!;
  const boxes = demand.kind === "all" ? [wholeBox(n.type.shape)] : demand.boxes;
  const parts = boxes.map((box): Demand => {
    const touched = tables.map(({ from, positions }, axis) => {
      const seen = new Uint8Array(shape[axis]!);
      const part = from.map((o) => box[o]!);
      const extents = from.map((o) => n.type.shape[o]!);
      if (covers(part, extents)) {
        for (let i = 0; i < positions.length; i++) if (positions[i]! >= 0) seen[positions[i]!] = 1;
        return seen;
      }
      const strides = stridesOf(extents);
      for (const index of indicesOf(part)) {
        const position = positions[linear(index, strides)]!;
        if (position >= 0) seen[position] = 1;
      }
      return seen;
    });
    return productOf(touched, shape);
  });
  return unionOf(parts, shape);
}

/** Elements whose index is marked on every axis. */
function productOf(touched: readonly Uint8Array[], shape: Shape): Demand {
  const marks = touched.map((seen) => [...seen.keys()].filter((index) => seen[index] === 1));
  const box = marks.map((indices) => evenly(indices));
  if (box.every((axis) => axis !== null)) return boxDemand(box, shape);
  if (sizeOf(shape) > BITMAP_LIMIT) return ALL;
  const bits = new Uint8Array(sizeOf(shape));
  const strides = stridesOf(shape);
  for (const place of indicesOf(marks.map((indices) => ({ start: 0, count: indices.length, step: 1 })))) {
    bits[place.reduce((sum, k, axis) => sum + marks[axis]![k]! * strides[axis]!, 0)] = 1;
  }
  return { kind: "bits", bits };
}

/** Indices with one step between neighbours, as a box axis. */
function evenly(indices: readonly number[]): BoxAxis | null {
  const [start = 0, second = start + 1] = indices;
  const step = second - start;
  const even = indices.every((index, i) => index === start + i * step);
  return even ? { start, count: indices.length, step } : null;
}

function mapBox(box: Box, view: AffineView, shape: Shape): Box | null {
  const out: BoxAxis[] = [];
  const used = new Set<number>();
  for (let d = 0; d < shape.length; d++) {
    const from = view.columns.flatMap((column, o) => (column[d] !== 0 && box[o]!.count > 1 ? [o] : []));
    if (from.length > 1 || from.some((o) => used.has(o))) return null;
    const start = view.base[d]! + view.columns.reduce((sum, column, o) => sum + column[d]! * box[o]!.start, 0);
    const o = from[0];
    if (o === undefined) out.push({ start, count: 1, step: 1 });
    else {
      used.add(o);
      const step = view.columns[o]![d]! * box[o]!.step;
      const extent = box[o]!.count;
      out.push(
        step > 0 ? { start, count: extent, step } : { start: start + step * (extent - 1), count: extent, step: -step },
      );
    }
  }
  return out;
}

function throughPoints(
  demand: Placed,
  outShape: Shape,
  shape: Shape,
  map: (index: readonly number[]) => readonly number[] | null,
): Demand {
  if (sizeOf(outShape) > BITMAP_LIMIT || sizeOf(shape) > BITMAP_LIMIT) return ALL;
  const bits = new Uint8Array(sizeOf(shape));
  const strides = stridesOf(shape);
  for (const index of elementsOf(demand, outShape)) {
    const from = map(index);
    if (from) bits[linear(from, strides)] = 1;
  }
  return marked(bits);
}

/** Everything where there are too many elements to mark them. */
const marked = (bits: Uint8Array | null): Demand =>
  bits === null || bits.every((bit) => bit === 1) ? ALL : { kind: "bits", bits };

/** What the reduced operand must supply: whole rows of every demanded result. */
export function throughReduce(demand: Demand, outShape: Shape, shape: Shape, axes: readonly number[]): Demand {
  if (demand.kind === "all") return ALL;
  const kept = outShape.length === shape.length;
  const at = (axis: number): number => (kept ? axis : axis - axes.filter((a) => a < axis).length);
  if (demand.kind === "boxes") {
    const boxes = demand.boxes.map((box) =>
      shape.map((extent, axis) => (axes.includes(axis) ? { start: 0, count: extent, step: 1 } : box[at(axis)]!)),
    );
    return unionOf(
      boxes.map((box) => boxDemand(box, shape)),
      shape,
    );
  }
  return ALL;
}
