/**
 * @file The derivatives of folds of scattered updates: what an update needs of its target is loaded at its index, and what a target needs
 * of its updates is scattered again, so that nothing else than the comparison of targets and updates is as large as that.
 */
import { sameShape, type NodeId, type Shape } from "../ir";
import type { Derivative, DerivativeContext } from "./define";
import { like, share } from "./derivatives";
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
  /** The change of each update, 1 along the targets, given that of what is folded; null where that is no choice of an update. */
  readonly changeOf: (tangent: NodeId) => NodeId | null;
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
  const ranked = (each: NodeId): NodeId =>
    typeOf(each).shape.length === space.length ? each : of("reshape", [each], { shape: value });
  return {
    value: ranked(found.value),
    scattered: (each) => of("sum", [named(each, 0)], { axes: [axis], keepdims: true }),
    folded: (each, nothing) => of(op, [named(each, nothing)], { axes: [axis], keepdims: true }),
    picked: (each) => of("sum", [named(each, 0)], { axes: [targets], keepdims: true }),
    standing: (each) =>
      like(context, each, { dtype: "f32", shape: space.map((extent, at) => (at === axis ? 1 : extent)) }),
    changeOf: (tangent) => {
      const { op: choice, inputs: operands } = node(tangent);
      const [asked, change, nothing] = operands;
      const isChosen = choice === "where" && asked === match && literal(nothing!) === 0;
      return isChosen && sameShape(aligned(typeOf(change!).shape), value) ? ranked(change!) : null;
    },
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
  jvp(context, tangents) {
    const updates = updatesOf(op, context);
    const change = updates?.changeOf(tangents[0]!) ?? null;
    if (!updates || change === null) return plain.jvp!(context, tangents);
    const { of, output, typeOf } = context;
    const one = of("expand", [1], { shape: typeOf(output).shape });
    const slopes = slope(updates, context, updates.standing(one));
    return like(context, updates.scattered(of("mul", [change, slopes])), typeOf(output));
  },
});

/** Which updates are equal to the extreme of their target, and how many of each target's are. */
function winnersOf(
  { value, scattered: sum, picked, standing }: Updates,
  { of }: Pick<DerivativeContext, "of">,
  extreme: NodeId,
): { readonly wins: NodeId; readonly count: NodeId } {
  const wins = of("eq", [value, picked(standing(extreme))]);
  return { wins, count: sum(of("where", [wins, 1, 0])) };
}

/** Largest or smallest: updates that are equal to it share. */
export const scatteredExtremum = (op: "max" | "min", plain: Derivative): Derivative =>
  scattered(op, plain, (updates, context, cotangent) => {
    const { wins, count } = winnersOf(updates, context, context.output);
    return context.of("where", [wins, updates.picked(context.of("div", [cotangent, count])), 0]);
  });

/** The larger or smaller of two that are equal: a half of the change each. What updates are folded into is one of all that are equal, as in PyTorch and JAX. */
export const extremumOfTwo = (op: "max" | "min"): Derivative => ({
  partials(context) {
    const { inputs, of, node, typeOf } = context;
    const [a, b] = inputs as [NodeId, NodeId];
    const wins = op === "max" ? "gt" : "lt";
    const loses = op === "max" ? "lt" : "gt";
    const folded = node(b);
    const updates = folded.op === op ? updatesOf(op, { ...context, inputs: folded.inputs, attrs: folded.attrs }) : null;
    if (!updates) return [share(of, wins, a, b), share(of, loses, a, b)];
    const all = of("add", [like(context, winnersOf(updates, context, b).count, typeOf(b)), 1]);
    const own = of("div", [1, all]);
    return [share(of, wins, a, b, own), share(of, loses, a, b, of("sub", [1, own]))];
  },
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
