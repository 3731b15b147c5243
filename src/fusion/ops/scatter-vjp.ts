/**
 * @file The derivatives of folds of scattered updates: what an update needs of its target is loaded at its index, and what a target needs
 * of its updates is scattered again, so that nothing else than the comparison of targets and updates is as large as that.
 */
import type { NodeId, Shape } from "../ir";
import type { Derivative, DerivativeContext } from "./define";
import { like } from "./derivatives";
import { countsAlong } from "./linear-indices";
import { chosenUpdate } from "./scattering";
import { axesOf } from "./shapes";

/** The updates of a fold, each of which names one target. */
interface Updates {
  /** One value for each update, 1 along the targets. */
  readonly value: NodeId;
  /** Σ of a value of each update over those that name a target, 1 along the updates. */
  readonly scattered: (value: NodeId) => NodeId;
  /** The same folded by the op itself, from `nothing` on. */
  readonly folded: (value: NodeId, nothing: number) => NodeId;
  /** The value of the target that an update names, 1 along the targets; 0 where it names none. */
  readonly picked: (value: NodeId) => NodeId;
  /** A value of the result, 1 along the updates. */
  readonly standing: (value: NodeId) => NodeId;
}

/** The updates that a fold of `context` takes, where it compares all targets with all of them; null of any other fold. */
function updatesOf(op: string, context: DerivativeContext): Updates | null {
  const { inputs, attrs, node, of, typeOf, literal } = context;
  const x = inputs[0]!;
  const space = typeOf(x).shape;
  const [axis, ...others] = axesOf(attrs["axes"], space.length);
  const found = chosenUpdate(node, x, op, (id) => literal(id) !== null);
  if (axis === undefined || others.length > 0 || found?.value == null) return null;
  const aligned = (shape: Shape): Shape => [...Array.from({ length: space.length - shape.length }, () => 1), ...shape];
  const [match] = node(x).inputs;
  const value = aligned(typeOf(found.value).shape);
  const [one, other] = found.match.inputs;
  const targets = space.findIndex(
    (extent, at) =>
      at !== axis &&
      extent > 1 &&
      value[at] === 1 &&
      [
        [one!, other!],
        [other!, one!],
      ].some(
        ([counted, index]) =>
          countsAlong(node, counted!, at, extent, 1) &&
          aligned(typeOf(index!).shape)[at] === 1 &&
          aligned(typeOf(index!).shape)[axis]! > 1,
      ),
  );
  if (targets < 0) return null;
  const named = (each: NodeId, nothing: number): NodeId => of("where", [match!, each, nothing]);
  return {
    value:
      typeOf(found.value).shape.length === space.length ? found.value : of("reshape", [found.value], { shape: value }),
    scattered: (each) => of("sum", [named(each, 0)], { axes: [axis], keepdims: true }),
    folded: (each, nothing) => of(op, [named(each, nothing)], { axes: [axis], keepdims: true }),
    picked: (each) => of("sum", [named(each, 0)], { axes: [targets], keepdims: true }),
    standing: (each) =>
      like(context, each, { dtype: "f32", shape: space.map((extent, at) => (at === axis ? 1 : extent)) }),
  };
}

/** A fold whose updates change it as `slope` says; any other as `plain` does. */
const scattered = (
  op: string,
  plain: Derivative,
  slope: (updates: Updates, context: DerivativeContext, cotangent: NodeId) => NodeId,
): Derivative => ({
  ...plain,
  vjp(context, cotangent, operand) {
    const updates = updatesOf(op, context);
    if (!updates) return plain.vjp!(context, cotangent, operand);
    return context.of("expand", [slope(updates, context, updates.standing(cotangent))], {
      shape: context.typeOf(context.inputs[0]!).shape,
    });
  },
});

/** Largest or smallest: updates that are equal to it share. */
export const scatteredExtremum = (op: "max" | "min", plain: Derivative): Derivative =>
  scattered(op, plain, ({ value, scattered: sum, picked, standing }, { of, output }, cotangent) => {
    const wins = of("eq", [value, picked(standing(output))]);
    return of("where", [wins, picked(of("div", [cotangent, sum(of("where", [wins, 1, 0]))])), 0]);
  });

/** A product of others: all of them divided by one, or, where that is 0, all but the zeros, if there are no others. */
export const scatteredProduct = (plain: Derivative): Derivative =>
  scattered("prod", plain, ({ value, scattered: sum, folded, picked }, { of }, cotangent) => {
    const none = of("eq", [value, 0]);
    const zeros = picked(sum(of("where", [none, 1, 0])));
    const others = picked(of("mul", [cotangent, folded(of("where", [none, 1, value]), 1)]));
    const divided = of("div", [others, of("where", [none, 1, value])]);
    return of("where", [of("eq", [zeros, of("where", [none, 1, 0])]), divided, 0]);
  });
