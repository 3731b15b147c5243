/**
 * @file Which elements of a stored value a region touches. Demand flows from the outputs back to the loads:
 * everything, or a union of disjoint strided boxes.
 */
import { sizeOf, type Node, type Shape } from "../../ir";
import { opDef } from "../../ops";
import { boxSize, unionOfBoxes, type Box } from "./boxes";
import { imageOfBox } from "./index-image";

export type Footprint =
  | { readonly kind: "all" }
  | { readonly kind: "boxes"; readonly boxes: readonly Box[] }
  /** At most so many, wherever a gather's data says. */
  | { readonly kind: "some"; readonly elements: number };

export const ALL: Footprint = { kind: "all" };
const NOTHING: Footprint = { kind: "boxes", boxes: [] };
const wholeBox = (shape: Shape): Box => shape.map((extent) => ({ start: 0, count: extent, step: 1 }));
const covers = (box: Box, shape: Shape): boolean => boxSize(box) === sizeOf(shape);

/** Union of two demands on a value of `shape`. */
export function union(a: Footprint, b: Footprint, shape: Shape): Footprint {
  if (a.kind === "all" || b.kind === "all") return ALL;
  if (a.kind === "some" || b.kind === "some") return some(count(a, shape) + count(b, shape), shape);
  const boxes = unionOfBoxes(a.boxes, b.boxes);
  return boxes ? tidy(boxes, shape) : ALL;
}

/** Of any number of demands; nothing at all when there are none. */
const unionOf = (demands: readonly Footprint[], shape: Shape): Footprint =>
  demands.length === 0 ? NOTHING : demands.reduce((a, b) => union(a, b, shape));

function tidy(boxes: readonly Box[], shape: Shape): Footprint {
  const total = boxes.reduce((sum, box) => sum + boxSize(box), 0);
  return total === sizeOf(shape) ? ALL : { kind: "boxes", boxes };
}

const boxDemand = (box: Box, shape: Shape): Footprint => (covers(box, shape) ? ALL : { kind: "boxes", boxes: [box] });

const some = (elements: number, shape: Shape): Footprint =>
  elements >= sizeOf(shape) ? ALL : { kind: "some", elements };

/** Rows `first` to `last` along an axis, that included. */
export const rowsOf = (shape: Shape, axis: number, first: number, last: number): Footprint =>
  boxDemand(wholeBox(shape).toSpliced(axis, 1, { start: first, count: last - first + 1, step: 1 }), shape);

/** What a gather asks of its data: one element for each of its own, never more than there are. */
export const throughGather = (demand: Footprint, outShape: Shape, shape: Shape): Footprint =>
  some(count(demand, outShape), shape);

/** Distinct elements in a demand. */
export function count(demand: Footprint, shape: Shape): number {
  switch (demand.kind) {
    case "all":
      return sizeOf(shape);
    case "boxes":
      return demand.boxes.reduce((sum, box) => sum + boxSize(box), 0);
    case "some":
      return demand.elements;
  }
}

/** What a broadcast operand of `shape` must supply when `demand` is asked of a value of `outShape`. */
export function throughBroadcast(demand: Footprint, outShape: Shape, shape: Shape): Footprint {
  if (count(demand, outShape) === 0) return NOTHING;
  if (demand.kind === "all" || sizeOf(shape) <= 1) return ALL;
  if (demand.kind === "some") return some(demand.elements, shape);
  const skip = outShape.length - shape.length;
  const boxes = demand.boxes.map((box) =>
    box.slice(skip).map((axis, i) => (shape[i] === 1 ? { start: 0, count: 1, step: 1 } : axis)),
  );
  return unionOf(
    boxes.map((box) => boxDemand(box, shape)),
    shape,
  );
}

/** What the index of a gather must supply: its axes stand where the data's axis was. */
export function throughIndex(demand: Footprint, outShape: Shape, shape: Shape, axis: number): Footprint {
  if (count(demand, outShape) === 0) return NOTHING;
  if (demand.kind === "all" || sizeOf(shape) <= 1) return ALL;
  if (demand.kind === "some") return some(demand.elements, shape);
  const boxes = demand.boxes.map((box) => boxDemand(box.slice(axis, axis + shape.length), shape));
  return unionOf(boxes, shape);
}

/** What all of a movement op shows of an operand, and of which shape that was. */
interface Whole {
  readonly shape: Shape;
  readonly demand: Footprint;
}

/** Found once for each op and operand: every kernel that is priced around it asks. */
const wholes = new WeakMap<Node, (Whole | undefined)[]>();

/** What operand `operand` of a movement op must supply. */
export function throughMovement(demand: Footprint, n: Node, inputs: readonly Shape[], operand: number): Footprint {
  const shape = inputs[operand]!;
  const free = opDef(n.op).movement!.free === true;
  if (free && demand.kind === "all") return ALL;
  if (demand.kind === "some") return some(demand.elements, shape);
  if (demand.kind === "boxes") return imageOf(demand.boxes, n, inputs, operand);
  const known = wholes.get(n) ?? [];
  const whole = known[operand];
  if (whole?.shape === shape) return whole.demand;
  const found = imageOf([wholeBox(n.type.shape)], n, inputs, operand);
  known[operand] = { shape, demand: found };
  wholes.set(n, known);
  return found;
}

function imageOf(asked: readonly Box[], n: Node, inputs: readonly Shape[], operand: number): Footprint {
  let boxes: Box[] | null = [];
  for (const box of asked) {
    const image = imageOfBox(n, inputs, operand, box);
    boxes = boxes && image && unionOfBoxes(boxes, image);
  }
  const shape = inputs[operand]!;
  if (boxes) return tidy(boxes, shape);
  // The same elements in another shape: as many of them, wherever they lie there.
  return opDef(n.op).movement!.free === true
    ? some(
        asked.reduce((sum, box) => sum + boxSize(box), 0),
        shape,
      )
    : ALL;
}

/** What the reduced operand must supply: whole rows of every demanded result. */
export function throughReduce(demand: Footprint, outShape: Shape, shape: Shape, axes: readonly number[]): Footprint {
  if (demand.kind === "all") return ALL;
  const keepdim = outShape.length === shape.length;
  const at = (axis: number): number => (keepdim ? axis : axis - axes.filter((a) => a < axis).length);
  if (demand.kind === "some") return ALL;
  const boxes = demand.boxes.map((box) =>
    shape.map((extent, axis) => (axes.includes(axis) ? { start: 0, count: extent, step: 1 } : box[at(axis)]!)),
  );
  return unionOf(
    boxes.map((box) => boxDemand(box, shape)),
    shape,
  );
}
