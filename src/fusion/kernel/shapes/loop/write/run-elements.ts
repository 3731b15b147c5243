/** @file Which elements of its operands each element of a value of a loop's body is computed of, where all of them have registers. */
import { nodeId, sizeOf, stridesOf, type Attrs, type Node, type Shape } from "../../../../ir";
import type { OpDef } from "../../../../ops";
import { sourceOf } from "../../../indices/affine";
import type { Value } from "../../../emit/kernel-ir";

/** The elements of a value, row-major. */
export type Elements = readonly Value[];

/** An element of an operand. */
export interface ElementRef {
  readonly operand: number;
  readonly at: number;
}

const coordinates = (flat: number, shape: Shape): number[] => {
  const strides = stridesOf(shape);
  return shape.map((extent, axis) => Math.floor(flat / strides[axis]!) % extent);
};

/** Row-major index of `at`, whose last axes are those of `shape`; axes of one element count once. */
const flatIndex = (at: readonly number[], shape: Shape): number => {
  const strides = stridesOf(shape);
  return shape.reduce(
    (sum, extent, axis) => sum + (extent === 1 ? 0 : at[at.length - shape.length + axis]! * strides[axis]!),
    0,
  );
};

/**
 * For each element of the result the elements that it takes: one of each operand where it works element by element, those of a row
 * where it adds up, factors in pairs where it multiplies matrices, one or none where it moves.
 */
export function elementRefs(
  def: OpDef,
  attrs: Attrs,
  shapes: readonly Shape[],
  out: Shape,
): readonly (readonly ElementRef[])[] {
  const all = Array.from({ length: sizeOf(out) }, (_, flat) => coordinates(flat, out));
  if (def.kind === "movement") {
    const n: Node = {
      id: nodeId(def.name),
      op: def.name,
      inputs: [],
      attrs,
      type: { dtype: "f32", shape: out },
      label: def.name,
      origins: [],
      groups: [],
    };
    return all.map((at) => {
      const from = sourceOf(n, shapes, at);
      return from ? [{ operand: from.operand, at: flatIndex(from.index, shapes[from.operand]!) }] : [];
    });
  }
  if (def.kind === "reduce") {
    const [shape] = shapes as [Shape];
    const axes = def.reduce!.axes(attrs, shape);
    const keepdimShape = shape.map((extent, axis) => (axes.includes(axis) ? 1 : extent));
    const found = all.map((): ElementRef[] => []);
    for (let flat = 0; flat < sizeOf(shape); flat++)
      found[flatIndex(coordinates(flat, shape), keepdimShape)]!.push({ operand: 0, at: flat });
    return found;
  }
  if (def.kind === "contraction") {
    const [a, b] = shapes as [Shape, Shape];
    const [left, right] = [a.length === 1 ? [1, ...a] : a, b.length === 1 ? [...b, 1] : b];
    const whole = [...out];
    if (a.length === 1) whole.splice(b.length === 1 ? whole.length : whole.length - 1, 0, 1);
    if (b.length === 1) whole.push(1);
    return Array.from({ length: sizeOf(whole) }, (_, flat) => {
      const at = coordinates(flat, whole);
      const [row, column] = [at.at(-2)!, at.at(-1)!];
      const batch = at.slice(0, -2);
      return Array.from({ length: left.at(-1)! }, (_, k) => [
        { operand: 0, at: flatIndex([...batch, row, k], left) },
        { operand: 1, at: flatIndex([...batch, k, column], right) },
      ]).flat();
    });
  }
  return all.map((at) => shapes.map((shape, operand) => ({ operand, at: flatIndex(at, shape) })));
}
