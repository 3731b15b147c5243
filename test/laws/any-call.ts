/** @file Statements of random programs that are one call with more than tensors of one shape: makers, choices by masks, parts of tensors. */
import { sizeOf } from "../../src/fusion/ir";
import type { Dice, Proposal, Value, Writing } from "./any-program";

/** `$` is the value; `@` stands for fresh operands, made by `fresh` from the value's shape. */
type Call = (x: Value, writing: Writing, dice: Dice) => Proposal | null;

const plain =
  (text: string, exact = false): Call =>
  (x) => ({ text, operands: [x], exact });
/** With a partner of the same shape. */
const paired =
  (text: string, exact = false): Call =>
  (x, writing) => ({ text, operands: [x, writing.input(x.type.shape)], exact });
/** For values with at least so many axes. */
const ranked =
  (rank: number, call: Call): Call =>
  (x, writing, dice) =>
    x.type.shape.length >= rank ? call(x, writing, dice) : null;

const CALLS: readonly Call[] = [
  plain("$0 + full((2, 1), 0.5).sum()"),
  plain("$0 * zeros(1) + ones(1)"),
  plain("$0 - eye(3, 4).mean()"),
  plain("$0.sum() + linspace(-1, 1, 7)"),
  plain("zeros_like($0) + $0"),
  plain("full_like($0, 1.5) * $0"),
  plain("$0 + new_zeros($0, 1) + new_ones($0, 1) + new_full($0, (1,), 2.0)"),
  (x, writing) => ({
    text: "masked_fill($0, $1, -2.0)",
    operands: [x, writing.input(x.type.shape, "bool")],
    exact: true,
  }),
  paired("lerp($0, $1, 0.25)"),
  paired("addcmul($0, $1, $1, value=0.5)"),
  paired("addcdiv($0, $1, abs($1) + 1, value=0.5)"),
  paired("hypot($0, $1)"),
  paired("rsub($0, $1, alpha=2.0)"),
  paired("clamp_min($0, 0.25) + clamp_max($1, 0.25)"),
  paired("float_power(abs($0) + 0.5, tanh($1))"),
  paired("expand_as($0, $1) + view_as($0, $1) + type_as($0, $1)"),
  (x, writing, dice) =>
    writing.demands.tame && !x.exact
      ? null
      : {
          text: dice.pick([
            "fmod($0, 2.5)",
            "heaviside($0, 0.5)",
            "isclose($0, $0 * 2) * $0",
            "allclose($0, $0 * 2) * $0",
            "threshold($0, 0.25, 1.0)",
          ]),
          operands: [x],
        },
  ranked(1, (x, writing) =>
    sizeOf(x.type.shape) > 300 ? null : { text: "outer($0, $1)", operands: [x, writing.input([3])] },
  ),
  ranked(1, paired("vdot($0, $1) + $0")),
  ranked(2, (x, writing) => {
    const [k] = x.type.shape.slice(-1);
    return x.type.shape.length === 2
      ? { text: "addmm($1, $0, $2, beta=0.5, alpha=2.0)", operands: [x, writing.input([3]), writing.input([k!, 3])] }
      : null;
  }),
  ranked(1, (x, _, dice) => {
    const axis = dice.roll(x.type.shape.length);
    const extent = x.type.shape[axis]!;
    const text = dice.pick([
      `narrow($0, ${axis}, ${extent >> 1}, ${extent - (extent >> 1)})`,
      `select($0, ${axis}, -1)`,
      `unflatten($0, ${axis}, (1, -1))`,
    ]);
    return { text, operands: [x], exact: true };
  }),
  ranked(1, (x, writing, dice) => {
    const axis = dice.roll(x.type.shape.length);
    const indices = writing.input([3], "i32", `uniform(0, ${Math.max(1, x.type.shape[axis]!)})`);
    return { text: `index_select($0, ${axis}, $1)`, operands: [x, indices], exact: true };
  }),
  ranked(2, plain("movedim($0, 0, -1)", true)),
  paired("vstack([$0, $1])", true),
  paired("hstack([$0, $1])", true),
  paired("dstack([$0, $1])", true),
  ranked(2, (x, _, dice) => ({
    text: dice.pick(["diagonal($0, 1)", "trace($0) * 0.5", "rot90($0)", "diagonal($0, -1)"]),
    operands: [x],
  })),
  ranked(1, plain("standardize($0)")),
  (x, writing, dice) => {
    const how = dice.pick(["mean", "sum", "none"]);
    const name = dice.pick(["l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits"]);
    return { text: `${name}($0, $1, reduction="${how}")`, operands: [x, writing.input(x.type.shape)] };
  },
  paired("sigmoid_binary_cross_entropy($0, $1)"),
  (x, writing) => ({
    text: "binary_cross_entropy(sigmoid($0), $1)",
    operands: [x, writing.input(x.type.shape, "f32", "uniform(0, 1)")],
  }),
  (x, writing) => ({ text: "kl_div($0, $1)", operands: [x, writing.input(x.type.shape, "f32", "uniform(0.1, 1)")] }),
  ranked(1, paired("softmax_cross_entropy($0, $1)")),
  ranked(1, (x, writing) => {
    const labels = writing.input(x.type.shape.slice(0, -1), "i32", `uniform(0, ${x.type.shape.at(-1)!})`);
    return { text: "softmax_cross_entropy_with_integer_labels($0, $1)", operands: [x, labels] };
  }),
  ranked(1, plain("normalize($0 + 0.25, dim=-1)")),
  ranked(1, paired("cosine_similarity($0 + 0.25, $1 + 0.25, dim=-1)")),
  ranked(2, (x, _, dice) => {
    const size = 1 + dice.roll(3);
    return {
      text: dice.pick([`adaptive_avg_pool1d($0, (${size},))`, `adaptive_max_pool1d($0, (${size},))`]),
      operands: [x],
    };
  }),
  ranked(3, (x, writing) => {
    const { shape } = x.type;
    const image = writing.input([1, 4, 2, 6]);
    const text = "pixel_shuffle($1, 2).mean() + pixel_unshuffle($1, 2).max() + $0";
    return shape.length === 4
      ? { text: 'interpolate($0, scale_factor=2, mode="bilinear")', operands: [x] }
      : { text, operands: [x, image] };
  }),
  ranked(3, (x) => (sizeOf(x.type.shape) > 400 ? null : { text: "interpolate($0, scale_factor=3)", operands: [x] })),
  ranked(1, (x, writing) =>
    sizeOf(x.type.shape) > 700
      ? null
      : { text: "inner($0, $1)", operands: [x, writing.input([3, x.type.shape.at(-1)!])] },
  ),
  ranked(1, (x, writing) =>
    sizeOf(x.type.shape) > 700
      ? null
      : { text: "tensordot($0, $1, dims=1)", operands: [x, writing.input([x.type.shape.at(-1)!, 3])] },
  ),
  ranked(1, (x, writing) => {
    const [first, ...rest] = x.type.shape;
    if (first! * sizeOf(x.type.shape) > writing.demands.mostProducts) return null;
    const indices = writing.input([2], "i32", `uniform(0, ${first!})`);
    return { text: "index_add($0, 0, $1, tanh($2))", operands: [x, indices, writing.input([2, ...rest])] };
  }),
];

/** One of the calls above. */
export function call(writing: Writing, x: Value, _second: number, dice: Dice): Proposal | null {
  if (x.type.dtype !== "f32") return null;
  return dice.pick(CALLS)(x, writing, dice);
}
