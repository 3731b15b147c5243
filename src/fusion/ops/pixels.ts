/** @file Pixels and channels: blocks of r by r pixels to r² channels and back, as permutations of the same elements. */
import { showShape, type NodeId, type Shape, type TensorType } from "../ir";
import { composite, type CompositeSpec } from "./compose";
import type { CompositeDef } from "./define";
import { ONE_TENSOR } from "./families";
import { numberOf, wrong } from "./shapes";

/** Channels, height, width. */
type Image = readonly [c: number, h: number, w: number];

interface Weaving {
  /** The channels, height and width written out in five axes. */
  readonly split: (image: Image, r: number) => readonly number[];
  /** Order of the five axes. */
  readonly order: readonly number[];
  readonly woven: (image: Image, r: number) => Image;
  readonly fits: (image: Image, r: number) => boolean;
  /** What the sizes must be. */
  readonly rule: (r: number) => string;
}

const imageOf = (shape: Shape): Image => shape.slice(-3) as unknown as Image;

/** A composite that splits the last three axes, puts the parts in another order and joins them. */
export const weaving = (
  { formula, ...names }: Pick<CompositeSpec, "name"> & { readonly formula: string },
  { split, order, woven, fits, rule }: Weaving,
): CompositeDef =>
  composite({
    ...names,
    doc: { formula, teaches: "A reshape, a transpose and a reshape: only the index changes." },
    params: [
      ONE_TENSOR,
      { names: ["factor", "upscale_factor", "downscale_factor"], kind: "int", doc: "How many pixels a side." },
    ],
    check([x]: readonly (TensorType | null)[], attrs, operands) {
      const [shape, r] = [x!.shape, numberOf(attrs["factor"], 1)];
      if (shape.length >= 3 && fits(imageOf(shape), r)) return null;
      return wrong("shape-mismatch", `${operands[0]} is ${showShape(shape)}: its ${rule(r)}.`);
    },
    build(b, [x], attrs): NodeId {
      const { shape } = b.typeOf(x!);
      const [lead, image, r] = [shape.slice(0, -3), imageOf(shape), numberOf(attrs["factor"], 1)];
      const parts = b.op("split", "reshape", [x!], { shape: [...lead, ...split(image, r)] });
      const perm = [...lead.keys(), ...order.map((axis) => lead.length + axis)];
      const transposed = b.op("woven", "transpose", [parts], { perm, dim1: null });
      return b.op("image", "reshape", [transposed], { shape: [...lead, ...woven(image, r)] });
    },
  });
