/** @file What layer_norm and rms_norm share: which trailing axes are normalised. */
import { sameShape, showShape, type Attrs, type NodeId, type Shape, type TensorType } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { isAbsent } from "./indices";
import { numbersOf, wrong, type Failed } from "./shapes";

export const NORMALISED: Param = {
  names: ["normalized_shape"],
  kind: "shape",
  default: null,
  doc: "Sizes of the trailing axes to normalise; the weight's, or the last one, when left out.",
};

/** Trailing axes: as many as the stated shape has, else as the weight has, else one. */
export function normalisedAxes(
  x: Shape,
  weight: NodeId | null,
  attrs: Attrs,
  b: Pick<GraphBuilder, "typeOf">,
): readonly number[] {
  const stated = isAbsent(attrs["normalized_shape"]) ? null : numbersOf(attrs["normalized_shape"]).length;
  const count = stated ?? (weight === null ? 1 : Math.max(1, b.typeOf(weight).shape.length));
  return x.map((_, axis) => axis).slice(Math.max(0, x.length - count));
}

/** Weight and bias have the normalised shape, and that is how x ends. */
export function checkNormalised(
  [x, ...rest]: readonly (TensorType | null)[],
  attrs: Attrs,
  names: readonly string[],
): Failed | null {
  if (x!.shape.length === 0) return wrong("shape-mismatch", `${names[0]} is a scalar: there is no axis to normalise.`);
  const stated = isAbsent(attrs["normalized_shape"]) ? null : numbersOf(attrs["normalized_shape"]);
  const parts = [
    ...(stated ? [{ shape: stated, name: "the normalised shape" }] : []),
    ...rest.flatMap((type, i) => (type ? [{ shape: type.shape, name: names[i + 1] ?? "weight" }] : [])),
  ];
  for (const { shape, name } of parts) {
    const tail = x!.shape.slice(Math.max(0, x!.shape.length - shape.length));
    const first = parts[0]!;
    if (
      sameShape(shape, tail) &&
      (shape.length > 0 || stated === null) &&
      shape.length === first.shape.length &&
      shape.length > 0
    )
      continue;
    const clash =
      shape.length === first.shape.length
        ? `${names[0]} is ${showShape(x!.shape)}`
        : `${first.name} is ${showShape(first.shape)}`;
    return wrong(
      "shape-mismatch",
      `${clash}, ${name} is ${showShape(shape)}: it must be the sizes of the trailing axes that are normalised.`,
    );
  }
  return null;
}
