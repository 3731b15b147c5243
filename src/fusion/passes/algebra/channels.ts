/** @file Which digits of a product's index the weight owns, and how a value that broadcasts along them looks in the weight's own axes. */
import { sizeOf, stridesOf, type Shape } from "../../ir";
import type { Recipe } from "./recipe";
import type { NodeId } from "../../ir";

/** The outputs of a weight: its rows or columns, with its batch axes before them. */
export interface Channels {
  /** Extents in the weight's own axes, the folded axis left out. */
  readonly extents: Shape;
  /** [stride, end) of the product's row-major index that they make up. */
  readonly spans: readonly (readonly [number, number])[];
  /** The same extents where the weight has them, 1 along the axis that the product sums over. */
  readonly inWeight: Shape;
}

/**
 * @param product shape of the product
 * @param weight shape of the operand that stands still; both operands have rank 2 or more
 * @param side 0: the weight is the left operand, its rows are outputs; 1: the right one, its columns are
 */
export function channelsOf(product: Shape, weight: Shape, side: 0 | 1): Channels {
  const batch = weight.slice(0, -2);
  const outputs = weight.at(side === 0 ? -2 : -1)!;
  const strides = stridesOf(product);
  const axes = batch.map((_, i) => product.length - weight.length + i);
  const owned = [...axes.filter((_, i) => batch[i]! > 1), product.length - (side === 0 ? 2 : 1)];
  const spans: [number, number][] = [];
  for (const axis of owned.toReversed()) {
    if (product[axis] === 1) continue;
    const [from, to] = [strides[axis]!, strides[axis]! * product[axis]!];
    const last = spans.at(-1);
    if (last?.[1] === from) last[1] = to;
    else spans.push([from, to]);
  }
  return {
    extents: [...batch, outputs],
    spans,
    inWeight: side === 0 ? [...batch, outputs, 1] : [...batch, 1, outputs],
  };
}

/** Extents of `shape`, a free view of the product, where the weight owns the axis; 1 elsewhere. Null when an axis is the weight's only in part. */
export function ownShape({ extents, spans }: Channels, shape: Shape): Shape | null {
  const strides = stridesOf(shape);
  const own = shape.map((extent, axis) => (isOwned(spans, strides[axis]!, extent) ? extent : 1));
  return sizeOf(own) === sizeOf(extents) ? own : null;
}

const isOwned = (spans: Channels["spans"], stride: number, extent: number): boolean =>
  spans.some(
    ([from, to]) => stride >= from && stride % from === 0 && stride * extent <= to && to % (stride * extent) === 0,
  );

const aligned = (shape: Shape, rank: number): Shape => [
  ...Array.from({ length: rank - shape.length }, () => 1),
  ...shape,
];

/** Does a value of shape `operand`, broadcast against `shape`, differ along the weight's axes alone? */
export function isChannelwise(channels: Channels, operand: Shape, shape: Shape): boolean {
  if (sizeOf(operand) === 1) return true;
  const own = ownShape(channels, shape);
  return (
    own !== null &&
    operand.length <= shape.length &&
    aligned(operand, shape.length).every((extent, i) => extent === 1 || own[i] === extent)
  );
}

/** The same value in the weight's own extents. `isChannelwise` said yes and the value is no single number. */
export function intoChannels(recipe: Recipe, channels: Channels, value: NodeId, shape: Shape): NodeId {
  const own = ownShape(channels, shape)!;
  const operand = recipe.op("reshape", [value], { shape: aligned(recipe.typeOf(value).shape, shape.length) });
  return recipe.op("reshape", [recipe.op("expand", [operand], { shape: own })], { shape: channels.extents });
}
