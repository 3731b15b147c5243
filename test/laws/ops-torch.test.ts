/** @file Calls as PyTorch and JAX code writes them, against their documented formulas. */
import { describe, expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion";
import { holds, type Case } from "../torch";

const table = (cases: readonly Case[]): void => {
  test.each(cases.map((one) => [one[0], one] as const))("%s", (_call, one) => holds(one));
};

describe("makers", () => {
  table([
    ["zeros(2, 3) + 1", [2, 3], () => 1],
    ["torch.zeros((2, 3), dtype=torch.int32)", [2, 3], () => 0],
    ["torch.ones(5)", [5], () => 1],
    ["jnp.ones((2, 2), dtype=jnp.float32) * x[:2, :2]", [2, 2], (at, i, j) => at("x", i, j)],
    ["torch.full((3, 2), -2.5)", [3, 2], () => -2.5],
    ["torch.full((8, 8), float('-inf')).triu(1)", [8, 8], (_, i, j) => (j > i ? -Infinity : 0)],
    ["jnp.full((2,), x[1, 2])", [2], (at) => at("x", 1, 2)],
    ["torch.eye(3)", [3, 3], (_, i, j) => Number(i === j)],
    ["jnp.eye(2, 4, k=1)", [2, 4], (_, i, j) => Number(j === i + 1)],
    ["torch.linspace(-1, 2, 7)", [7], (_, i) => -1 + i * 0.5],
    ["jnp.linspace(0, 1, 4, endpoint=False)", [4], (_, i) => i / 4],
    ["torch.linspace(3, 9, 1)", [1], () => 3],
    ["torch.zeros_like(x) + y", [4, 8], (at, i, j) => at("y", i, j)],
    ["torch.ones_like(k)", [4, 8], () => 1],
    ["torch.full_like(x, 7)", [4, 8], () => 7],
    ["x.new_zeros(2, 2)", [2, 2], () => 0],
    ["x.new_ones((2, 2))", [2, 2], () => 1],
    ["x.new_full((2,), 1.5)", [2], () => 1.5],
    [
      "torch.tril(torch.ones(4, 4)) @ x",
      [4, 8],
      (at, i, j) => {
        let sum = 0;
        for (let p = 0; p <= i; p++) sum += at("x", p, j);
        return sum;
      },
    ],
  ]);
});

/** Σ of f over 0 … n − 1. */
const total = (n: number, f: (i: number) => number): number => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += f(i);
  return sum;
};
const sigmoid = (v: number): number => 1 / (1 + Math.exp(-v));

describe("products", () => {
  table([
    [
      "torch.addmm(x[:, :4], x, y.T, beta=0.5, alpha=2)",
      [4, 4],
      (at, i, j) => 0.5 * at("x", i, j) + 2 * total(8, (p) => at("x", i, p) * at("y", j, p)),
    ],
    [
      "torch.baddbmm(x.reshape(2, 4, 4), x.reshape(2, 4, 4), y.reshape(2, 4, 4))",
      [2, 4, 4],
      (at, n, i, j) =>
        at("x", 2 * n + (i >> 1), 4 * (i % 2) + j) +
        total(4, (p) => at("x", 2 * n + (i >> 1), 4 * (i % 2) + p) * at("y", 2 * n + (p >> 1), 4 * (p % 2) + j)),
    ],
    ["torch.addmm(x[:, :4], x, y.T, beta=0)", [4, 4], (at, i, j) => total(8, (p) => at("x", i, p) * at("y", j, p))],
    ["torch.outer(x[0], y[:, 1])", [8, 4], (at, i, j) => at("x", 0, i) * at("y", j, 1)],
    ["torch.vdot(x[1], y[2])", [], (at) => total(8, (p) => at("x", 1, p) * at("y", 2, p))],
  ]);
});

describe("choices and sums", () => {
  table([
    ["x.masked_fill(b, -1e9)", [4, 8], (at, i, j) => (at("b", i, j) ? -1e9 : at("x", i, j))],
    [
      "torch.masked_fill(x, x > 0, float('-inf'))",
      [4, 8],
      (at, i, j) => (at("x", i, j) > 0 ? -Infinity : at("x", i, j)),
    ],
    ["k.masked_fill(k == 2, -7)", [4, 8], (at, i, j) => (at("k", i, j) === 2 ? -7 : at("k", i, j))],
    ["x.masked_fill(b[0], y[0, 0])", [4, 8], (at, i, j) => (at("b", 0, j) ? at("y", 0, 0) : at("x", i, j))],
    ["torch.lerp(x, y, 0.25)", [4, 8], (at, i, j) => at("x", i, j) + 0.25 * (at("y", i, j) - at("x", i, j))],
    ["x.lerp(y, y)", [4, 8], (at, i, j) => at("x", i, j) + at("y", i, j) * (at("y", i, j) - at("x", i, j))],
    ["torch.addcmul(x, y, y, value=0.1)", [4, 8], (at, i, j) => at("x", i, j) + 0.1 * at("y", i, j) ** 2],
    ["x.addcdiv(x, y, value=-2)", [4, 8], (at, i, j) => at("x", i, j) - (2 * at("x", i, j)) / at("y", i, j)],
  ]);
});

describe("movements", () => {
  table([
    ["x[0].expand_as(y)", [4, 8], (at, _i, j) => at("x", 0, j)],
    ["x.view_as(y.T)", [8, 4], (at, i, j) => at("x", i >> 1, 4 * (i % 2) + j)],
    ["k.type_as(x) / 2", [4, 8], (at, i, j) => at("k", i, j) / 2],
    ["x.narrow(1, 2, 3)", [4, 3], (at, i, j) => at("x", i, j + 2)],
    ["torch.narrow(x, 0, -2, 2)", [2, 8], (at, i, j) => at("x", i + 2, j)],
    ["x.select(1, -1)", [4], (at, i) => at("x", i, 7)],
    ["lax.select(b, x, y)", [4, 8], (at, i, j) => (at("b", i, j) ? at("x", i, j) : at("y", i, j))],
    ["torch.index_select(x, 1, k[0])", [4, 8], (at, i, j) => at("x", i, at("k", 0, j))],
    ["torch.movedim(x.reshape(2, 2, 8), 0, -1)", [2, 8, 2], (at, i, j, n) => at("x", 2 * n + i, j)],
    ["jnp.moveaxis(x.reshape(2, 2, 8), (0, 2), (2, 0))", [8, 2, 2], (at, i, j, n) => at("x", 2 * n + j, i)],
    ["x.unflatten(1, (2, -1))", [4, 2, 4], (at, i, n, j) => at("x", i, 4 * n + j)],
    ["torch.vstack([x[0], y])", [5, 8], (at, i, j) => (i === 0 ? at("x", 0, j) : at("y", i - 1, j))],
    ["torch.hstack((x, y))", [4, 16], (at, i, j) => (j < 8 ? at("x", i, j) : at("y", i, j - 8))],
    ["jnp.hstack([x[0], y[1]])", [16], (at, j) => (j < 8 ? at("x", 0, j) : at("y", 1, j - 8))],
    ["torch.dstack([x, y])", [4, 8, 2], (at, i, j, n) => at(n === 0 ? "x" : "y", i, j)],
    ["torch.diff(x)", [4, 7], (at, i, j) => at("x", i, j + 1) - at("x", i, j)],
    ["jnp.diff(x, n=2, axis=0)", [2, 8], (at, i, j) => at("x", i + 2, j) - 2 * at("x", i + 1, j) + at("x", i, j)],
    ["torch.diagonal(x, 1)", [4], (at, i) => at("x", i, i + 1)],
    ["torch.diagonal(x, -2)", [2], (at, i) => at("x", i + 2, i)],
    ["x.reshape(2, 2, 8).diagonal(dim1=1, dim2=2)", [2, 2], (at, n, i) => at("x", 2 * n + i, i)],
    ["torch.trace(x)", [], (at) => total(4, (i) => at("x", i, i))],
    ["torch.rot90(x)", [8, 4], (at, i, j) => at("x", j, 7 - i)],
    ["jnp.rot90(x, k=-1)", [8, 4], (at, i, j) => at("x", 3 - j, i)],
    ["torch.rot90(x, 2, (0, 1))", [4, 8], (at, i, j) => at("x", 3 - i, 7 - j)],
    ["x.swapdims(0, 1)", [8, 4], (at, i, j) => at("x", j, i)],
    [
      "torch.searchsorted(torch.sort(x)[0], y)",
      [4, 8],
      (at, i, j) => total(8, (n) => +(at("x", i, n) < at("y", i, j))),
    ],
    [
      "torch.searchsorted(torch.sort(x)[0][:, :5], x, right=True)",
      [4, 8],
      (at, i, j) =>
        Math.min(
          5,
          total(8, (n) => +(at("x", i, n) <= at("x", i, j))),
        ),
    ],
  ]);
});

/** An op of one tensor, of x, as the formula of one number. */
const each = (call: string, f: (v: number) => number): Case => [call, [4, 8], (at, i, j) => f(at("x", i, j))];

describe("activations", () => {
  table([
    each("F.relu6(x * 4)", (v) => Math.min(Math.max(4 * v, 0), 6)),
    each("F.hardtanh(x)", (v) => Math.min(Math.max(v, -1), 1)),
    each("F.hardtanh(x, -0.5, 2.0)", (v) => Math.min(Math.max(v, -0.5), 2)),
    ["F.glu(x)", [4, 4], (at, i, j) => at("x", i, j) * sigmoid(at("x", i, j + 4))],
    ["jax.nn.glu(x, axis=0)", [2, 8], (at, i, j) => at("x", i, j) * sigmoid(at("x", i + 2, j))],
    ["F.softmin(x, dim=1)", [4, 8], (at, i, j) => Math.exp(-at("x", i, j)) / total(8, (p) => Math.exp(-at("x", i, p)))],
    each("F.logsigmoid(x)", (v) => Math.log(sigmoid(v))),
    each("jax.nn.log_sigmoid(x * 20)", (v) => (v < 0 ? 20 * v : 0) - Math.log1p(Math.exp(-20 * Math.abs(v)))),
    each("F.tanhshrink(x)", (v) => v - Math.tanh(v)),
    each("F.hardshrink(x)", (v) => (Math.abs(v) > 0.5 ? v : 0)),
    each("F.softshrink(x, lambd=0.3)", (v) => (v > 0.3 ? v - 0.3 : v < -0.3 ? v + 0.3 : 0)),
    each("F.threshold(x, 0.2, -3.0)", (v) => (v > 0.2 ? v : -3)),
    each("quick_gelu(x)", (v) => v * sigmoid(1.702 * v)),
    each("jax.nn.squareplus(x)", (v) => (v + Math.sqrt(v * v + 4)) / 2),
    each("lax.logistic(x)", sigmoid),
    each("jax.nn.hard_silu(x * 3)", (v) => (3 * v * Math.min(Math.max(3 * v + 3, 0), 6)) / 6),
  ]);
});

const truncated = (a: number, m: number): number => a - m * Math.trunc(a / m);

describe("elementwise", () => {
  table([
    ["torch.log10(y)", [4, 8], (at, i, j) => Math.log10(at("y", i, j))],
    each("torch.log10(torch.exp(x))", (v) => v / Math.LN10),
    ["torch.erfc(y) + torch.erf(y)", [4, 8], () => 1],
    each("torch.trunc(x * 3)", (v) => Math.trunc(Math.fround(3 * v))),
    each("torch.frac(x * 3)", (v) => Math.fround(3 * v) - Math.trunc(Math.fround(3 * v))),
    each("torch.fmod(x, 0.75)", (v) => truncated(v, 0.75)),
    ["torch.fmod(k - 2, 2)", [4, 8], (at, i, j) => ((at("k", i, j) - 2) % 2) + 0],
    ["torch.hypot(x, y)", [4, 8], (at, i, j) => Math.hypot(at("x", i, j), at("y", i, j))],
    ["torch.xlogy(x, y.abs())", [4, 8], (at, i, j) => at("x", i, j) * Math.log(Math.abs(at("y", i, j)))],
    ["torch.xlogy(x - x, y - y)", [4, 8], () => 0],
    ["torch.special.entr(y.abs())", [4, 8], (at, i, j) => -Math.abs(at("y", i, j)) * Math.log(Math.abs(at("y", i, j)))],
    ["torch.special.entr(x - x)", [4, 8], () => 0],
    each("torch.rsub(x, 1, alpha=2)", (v) => 1 - 2 * v),
    each("torch.isfinite(1 / torch.relu(x))", (v) => Number(v > 0)),
    ["torch.isfinite(log(x))", [4, 8], (at, i, j) => Number(at("x", i, j) > 0)],
    [
      "torch.nan_to_num(torch.log(x), nan=-5.0)",
      [4, 8],
      (at, i, j) => (at("x", i, j) < 0 ? -5 : Math.log(at("x", i, j))),
    ],
    each("torch.nan_to_num(x / 0, posinf=9, neginf=-9)", (v) => Math.sign(v) * 9),
    each("torch.nan_to_num(1 / torch.relu(x))", (v) => (v > 0 ? 1 / v : 3.4028234663852886e38)),
    each("x.clamp_min(0.25)", (v) => Math.max(v, 0.25)),
    ["torch.clamp_max(x, y)", [4, 8], (at, i, j) => Math.min(at("x", i, j), at("y", i, j))],
    ["torch.float_power(k, 2)", [4, 8], (at, i, j) => at("k", i, j) ** 2],
    ["torch.float_power(k + 1, -1)", [4, 8], (at, i, j) => 1 / (at("k", i, j) + 1)],
    each("jnp.cbrt(x)", Math.cbrt),
    [
      "torch.heaviside(k - 1, y)",
      [4, 8],
      (at, i, j) => (at("k", i, j) === 1 ? at("y", i, j) : Number(at("k", i, j) > 1)),
    ],
    each("torch.deg2rad(x * 90)", (v) => (v * Math.PI) / 2),
    each("jnp.degrees(x)", (v) => (v * 180) / Math.PI),
    ["torch.isclose(x, x + 1e-9)", [4, 8], () => 1],
    ["torch.isclose(y, y * 1.5)", [4, 8], () => 0],
    ["torch.isclose(x / 0, x.abs() / 0)", [4, 8], (at, i, j) => Number(at("x", i, j) > 0)],
    ["torch.isclose(x * inf, x.abs(), rtol=1)", [4, 8], () => 0],
    ["torch.isclose(torch.log(x), torch.log(x), equal_nan=True)", [4, 8], () => 1],
    ["torch.allclose(x, x)", [], () => 1],
    ["torch.allclose(x, y)", [], () => 0],
    each("torch.sinc(x)", (v) => Math.sin(Math.PI * v) / (Math.PI * v)),
    ["torch.sinc(k)", [4, 8], (at, i, j) => Number(at("k", i, j) === 0)],
  ]);
});

const moments = (n: number, f: (i: number) => number): { mean: number; variance: number } => {
  const mean = total(n, f) / n;
  return { mean, variance: total(n, (i) => (f(i) - mean) ** 2) / n };
};

describe("folds", () => {
  table([
    [
      "torch.nansum(torch.log(x), dim=1)",
      [4],
      (at, i) => total(8, (j) => (at("x", i, j) > 0 ? Math.log(at("x", i, j)) : 0)),
    ],
    [
      "torch.nanmean(torch.log(x), dim=0, keepdim=True)",
      [1, 8],
      (at, _n, j) =>
        total(4, (i) => (at("x", i, j) > 0 ? Math.log(at("x", i, j)) : 0)) / total(4, (i) => Number(at("x", i, j) > 0)),
    ],
    ["torch.count_nonzero(k, dim=1)", [4], (at, i) => total(8, (j) => Number(at("k", i, j) !== 0))],
    ["jnp.count_nonzero(x > 0)", [], (at) => total(32, (i) => Number(at("x", 0, i) > 0))],
    [
      "jax.nn.standardize(x)",
      [4, 8],
      (at, i, j) => {
        const { mean, variance } = moments(8, (p) => at("x", i, p));
        return (at("x", i, j) - mean) / Math.sqrt(variance + 1e-5);
      },
    ],
  ]);
});

const softmax = (at: Parameters<Case[2]>[0], i: number, j: number): number =>
  Math.exp(at("x", i, j)) / total(8, (p) => Math.exp(at("x", i, p)));
const cells = (f: (i: number, j: number) => number): number => total(4, (i) => total(8, (j) => f(i, j)));
const huber = (d: number, delta: number): number =>
  Math.abs(d) <= delta ? (d * d) / 2 : delta * (Math.abs(d) - delta / 2);
const entropy = (p: number, y: number): number => -(y * Math.log(p) + (1 - y) * Math.log(1 - p));
const logits = (at: Parameters<Case[2]>[0], i: number, j: number): number =>
  entropy(sigmoid(at("x", i, j)), at("y", i, j));

describe("losses", () => {
  table([
    ["F.l1_loss(x, y)", [], (at) => cells((i, j) => Math.abs(at("x", i, j) - at("y", i, j))) / 32],
    ["F.l1_loss(x, y, reduction='sum')", [], (at) => cells((i, j) => Math.abs(at("x", i, j) - at("y", i, j)))],
    ["F.mse_loss(x, y, reduction='none')", [4, 8], (at, i, j) => (at("x", i, j) - at("y", i, j)) ** 2],
    ["F.mse_loss(x, y)", [], (at) => cells((i, j) => (at("x", i, j) - at("y", i, j)) ** 2) / 32],
    [
      "F.smooth_l1_loss(x, y, beta=0.5, reduction='none')",
      [4, 8],
      (at, i, j) => huber(at("x", i, j) - at("y", i, j), 0.5) / 0.5,
    ],
    ["F.smooth_l1_loss(x, y)", [], (at) => cells((i, j) => huber(at("x", i, j) - at("y", i, j), 1)) / 32],
    ["F.huber_loss(x, y, delta=0.5)", [], (at) => cells((i, j) => huber(at("x", i, j) - at("y", i, j), 0.5)) / 32],
    ["optax.huber_loss(x, y, delta=0.5)", [4, 8], (at, i, j) => huber(at("x", i, j) - at("y", i, j), 0.5)],
    [
      "F.binary_cross_entropy(y, y * 0.5, reduction='none')",
      [4, 8],
      (at, i, j) => entropy(at("y", i, j), at("y", i, j) / 2),
    ],
    ["F.binary_cross_entropy(x * 0, y)", [], (at) => cells((i, j) => 100 * at("y", i, j)) / 32],
    [
      "F.binary_cross_entropy(y, y, weight=y, reduction='sum')",
      [],
      (at) => cells((i, j) => at("y", i, j) * entropy(at("y", i, j), at("y", i, j))),
    ],
    ["F.binary_cross_entropy_with_logits(x, y)", [], (at) => cells((i, j) => logits(at, i, j)) / 32],
    [
      "F.binary_cross_entropy_with_logits(x * 200, b.float(), reduction='none')",
      [4, 8],
      (at, i, j) =>
        Math.max(200 * at("x", i, j), 0) -
        200 * at("x", i, j) * at("b", i, j) +
        Math.log1p(Math.exp(-200 * Math.abs(at("x", i, j)))),
    ],
    [
      "F.binary_cross_entropy_with_logits(x, y, pos_weight=y[0] * 3, reduction='none')",
      [4, 8],
      (at, i, j) => {
        const [p, y] = [sigmoid(at("x", i, j)), at("y", i, j)];
        return -(3 * at("y", 0, j) * y * Math.log(p) + (1 - y) * Math.log(1 - p));
      },
    ],
    ["optax.sigmoid_binary_cross_entropy(x, y)", [4, 8], logits],
    [
      "F.kl_div(torch.log(y), y * 0.5, reduction='batchmean')",
      [],
      (at) => cells((i, j) => 0.5 * at("y", i, j) * Math.log(0.5)) / 4,
    ],
    ["F.kl_div(x, b.float(), reduction='none')", [4, 8], (at, i, j) => (at("b", i, j) ? -at("x", i, j) : 0)],
    [
      "F.kl_div(x, torch.log(y), log_target=True)",
      [],
      (at) => cells((i, j) => at("y", i, j) * (Math.log(at("y", i, j)) - at("x", i, j))) / 32,
    ],
    [
      "optax.softmax_cross_entropy(x, y)",
      [4],
      (at, i) => -total(8, (j) => at("y", i, j) * Math.log(softmax(at, i, j))),
    ],
    [
      "optax.softmax_cross_entropy_with_integer_labels(x, k[:, 0])",
      [4],
      (at, i) => -Math.log(softmax(at, i, at("k", i, 0))),
    ],
    [
      "F.cross_entropy(x, k[:, 0], label_smoothing=0.1)",
      [],
      (at) =>
        total(
          4,
          (i) =>
            -0.9 * Math.log(softmax(at, i, at("k", i, 0))) - total(8, (j) => (0.1 / 8) * Math.log(softmax(at, i, j))),
        ) / 4,
    ],
    [
      "F.cross_entropy(x, k[:, 0], y[0], label_smoothing=0.2)",
      [],
      (at) =>
        total(
          4,
          (i) =>
            -0.8 * at("y", 0, at("k", i, 0)) * Math.log(softmax(at, i, at("k", i, 0))) -
            total(8, (j) => ((at("y", 0, j) * 0.2) / 8) * Math.log(softmax(at, i, j))),
        ) / total(4, (i) => at("y", 0, at("k", i, 0))),
    ],
    [
      "F.cross_entropy(x, y)",
      [],
      (at) => total(4, (i) => -total(8, (j) => at("y", i, j) * Math.log(softmax(at, i, j)))) / 4,
    ],
    [
      "F.cross_entropy(x, y, label_smoothing=0.1, reduction='sum')",
      [],
      (at) => total(4, (i) => -total(8, (j) => (0.9 * at("y", i, j) + 0.1 / 8) * Math.log(softmax(at, i, j)))),
    ],
  ]);
});

const power = (at: Parameters<Case[2]>[0], i: number, p: number): number =>
  total(8, (j) => Math.abs(at("x", i, j)) ** p) ** (1 / p);
/** Where PyTorch's adaptive window i of n over `extent` begins and ends. */
const share = (i: number, n: number, extent: number): [number, number] => [
  Math.floor((i * extent) / n),
  Math.ceil(((i + 1) * extent) / n),
];
const meanOver = (from: number, to: number, f: (i: number) => number): number =>
  total(to - from, (i) => f(from + i)) / (to - from);
const mostOver = (from: number, to: number, f: (i: number) => number): number =>
  Math.max(...Array.from({ length: to - from }, (_, i) => f(from + i)));
/** f at a position between whole numbers, as a mixture of its neighbours. */
const between = (position: number, last: number, f: (i: number) => number): number => {
  const low = Math.floor(position);
  return f(low) * (1 - position + low) + f(Math.min(low + 1, last)) * (position - low);
};
const halfway = (j: number, extent: number, size: number): number => Math.max(0, ((j + 0.5) * extent) / size - 0.5);

describe("layers", () => {
  table([
    ["F.normalize(x)", [4, 8], (at, i, j) => at("x", i, j) / power(at, i, 2)],
    ["F.normalize(x, p=1, dim=-1)", [4, 8], (at, i, j) => at("x", i, j) / power(at, i, 1)],
    ["F.normalize(x, p=3.0)", [4, 8], (at, i, j) => at("x", i, j) / power(at, i, 3)],
    ["F.normalize(x * 0)", [4, 8], () => 0],
    [
      "F.normalize(x, dim=(0, 1))",
      [4, 8],
      (at, i, j) => at("x", i, j) / Math.sqrt(cells((m, n) => at("x", m, n) ** 2)),
    ],
    [
      "F.cosine_similarity(x, y)",
      [4],
      (at, i) =>
        total(8, (j) => at("x", i, j) * at("y", i, j)) /
        power(at, i, 2) /
        Math.sqrt(total(8, (j) => at("y", i, j) ** 2)),
    ],
    [
      "F.cosine_similarity(x, y[0], dim=-1)",
      [4],
      (at, i) =>
        total(8, (j) => at("x", i, j) * at("y", 0, j)) /
        power(at, i, 2) /
        Math.sqrt(total(8, (j) => at("y", 0, j) ** 2)),
    ],
    [
      "F.adaptive_avg_pool1d(x.reshape(1, 4, 8), 3)",
      [1, 4, 3],
      (at, _, i, j) => meanOver(...share(j, 3, 8), (p) => at("x", i, p)),
    ],
    [
      "F.adaptive_avg_pool2d(x.reshape(1, 1, 4, 8), (3, 2))",
      [1, 1, 3, 2],
      (at, _n, _c, i, j) => meanOver(...share(i, 3, 4), (p) => meanOver(4 * j, 4 * j + 4, (q) => at("x", p, q))),
    ],
    ["F.adaptive_avg_pool2d(x.reshape(1, 1, 4, 8), 1)", [1, 1, 1, 1], (at) => cells((i, j) => at("x", i, j)) / 32],
    [
      "F.adaptive_avg_pool2d(x.reshape(1, 1, 4, 8), (None, 5))",
      [1, 1, 4, 5],
      (at, _n, _c, i, j) => meanOver(...share(j, 5, 8), (q) => at("x", i, q)),
    ],
    [
      "F.adaptive_max_pool2d(x.reshape(1, 1, 4, 8), (3, 5))",
      [1, 1, 3, 5],
      (at, _n, _c, i, j) => mostOver(...share(i, 3, 4), (p) => mostOver(...share(j, 5, 8), (q) => at("x", p, q))),
    ],
    [
      "F.adaptive_avg_pool1d(x.reshape(1, 4, 8), 11)",
      [1, 4, 11],
      (at, _, i, j) => meanOver(...share(j, 11, 8), (p) => at("x", i, p)),
    ],
    [
      "F.pixel_shuffle(x.reshape(1, 8, 2, 2), 2)",
      [1, 2, 4, 4],
      (at, _, c, i, j) => {
        const flat = ((4 * c + 2 * (i % 2) + (j % 2)) * 2 + (i >> 1)) * 2 + (j >> 1);
        return at("x", flat >> 3, flat % 8);
      },
    ],
    [
      "F.pixel_unshuffle(x.reshape(1, 1, 4, 8), 2)",
      [1, 4, 2, 4],
      (at, _, c, i, j) => at("x", 2 * i + (c >> 1), 2 * j + (c % 2)),
    ],
    [
      "F.interpolate(x.reshape(1, 1, 4, 8), scale_factor=2)",
      [1, 1, 8, 16],
      (at, _n, _c, i, j) => at("x", i >> 1, j >> 1),
    ],
    [
      "F.interpolate(x.reshape(1, 1, 4, 8), size=(3, 12), mode='nearest')",
      [1, 1, 3, 12],
      (at, _n, _c, i, j) => at("x", Math.floor((i * 4) / 3), Math.floor((j * 8) / 12)),
    ],
    [
      "F.interpolate(x.reshape(1, 4, 8), scale_factor=2, mode='linear')",
      [1, 4, 16],
      (at, _, i, j) => between(halfway(j, 8, 16), 7, (q) => at("x", i, q)),
    ],
    [
      "F.interpolate(x.reshape(1, 1, 4, 8), scale_factor=2, mode='bilinear', align_corners=False)",
      [1, 1, 8, 16],
      (at, _n, _c, i, j) => between(halfway(i, 4, 8), 3, (p) => between(halfway(j, 8, 16), 7, (q) => at("x", p, q))),
    ],
    [
      "F.interpolate(x.reshape(1, 1, 4, 8), size=(7, 15), mode='bilinear', align_corners=True)",
      [1, 1, 7, 15],
      (at, _n, _c, i, j) => between(i / 2, 3, (p) => between(j / 2, 7, (q) => at("x", p, q))),
    ],
    [
      "F.interpolate(x.reshape(1, 1, 4, 8), size=2, mode='area')",
      [1, 1, 2, 2],
      (at, _n, _c, i, j) => meanOver(2 * i, 2 * i + 2, (p) => meanOver(4 * j, 4 * j + 4, (q) => at("x", p, q))),
    ],
  ]);
});

describe("variants", () => {
  table([
    ["torch.einsum('i j, k j -> i k', x, y)", [4, 4], (at, i, k) => total(8, (j) => at("x", i, j) * at("y", k, j))],
    [
      "jnp.einsum('...ij,...kj->...ik', x.reshape(2, 2, 8), y.reshape(2, 2, 8))",
      [2, 2, 2],
      (at, n, i, k) => total(8, (j) => at("x", 2 * n + i, j) * at("y", 2 * n + k, j)),
    ],
    ["torch.einsum('... d -> ...', x)", [4], (at, i) => total(8, (j) => at("x", i, j))],
    ["torch.tensordot(x, y, dims=([1], [1]))", [4, 4], (at, i, k) => total(8, (j) => at("x", i, j) * at("y", k, j))],
    ["jnp.tensordot(x, y, axes=2)", [], (at) => cells((i, j) => at("x", i, j) * at("y", i, j))],
    [
      "torch.tensordot(x.reshape(2, 2, 8), y.reshape(8, 2, 2), dims=([0, 1], [2, 1]))",
      [8, 8],
      (at, j, k) => total(2, (m) => total(2, (n) => at("x", 2 * m + n, j) * at("y", k >> 1, 4 * (k % 2) + 2 * n + m))),
    ],
    ["torch.inner(x, y)", [4, 4], (at, i, k) => total(8, (j) => at("x", i, j) * at("y", k, j))],
    ["jnp.inner(x[0], y[1])", [], (at) => total(8, (j) => at("x", 0, j) * at("y", 1, j))],
    ["torch.norm(x, dim=1)", [4], (at, i) => power(at, i, 2)],
    ["x.norm(p=1, dim=-1, keepdim=True)", [4, 1], (at, i) => power(at, i, 1)],
    ["torch.norm(x, 3.0, 1)", [4], (at, i) => power(at, i, 3)],
    [
      "torch.linalg.vector_norm(x, ord=float('inf'))",
      [],
      (at) => mostOver(0, 4, (i) => mostOver(0, 8, (j) => Math.abs(at("x", i, j)))),
    ],
    ["jnp.linalg.norm(x, axis=-1)", [4], (at, i) => power(at, i, 2)],
    ["torch.norm(k.float(), p=0)", [], (at) => cells((i, j) => Number(at("k", i, j) !== 0))],
    ["x.var(dim=1)", [4], (at, i) => (moments(8, (j) => at("x", i, j)).variance * 8) / 7],
    ["torch.var(x, 1, False, True)", [4, 1], (at, i) => moments(8, (j) => at("x", i, j)).variance],
    ["torch.var(x, dim=1, correction=0)", [4], (at, i) => moments(8, (j) => at("x", i, j)).variance],
    ["jnp.var(x, axis=1)", [4], (at, i) => moments(8, (j) => at("x", i, j)).variance],
    ["jnp.std(x, axis=-1, ddof=1)", [4], (at, i) => Math.sqrt((moments(8, (j) => at("x", i, j)).variance * 8) / 7)],
    ["jnp.std(x, axis=-1, keepdims=True)", [4, 1], (at, i) => Math.sqrt(moments(8, (j) => at("x", i, j)).variance)],
    ["torch.max(x, y)", [4, 8], (at, i, j) => Math.max(at("x", i, j), at("y", i, j))],
    [
      "x.argmax(dim=1, keepdim=True)",
      [4, 1],
      (at, i) => {
        let best = 0;
        for (let j = 1; j < 8; j++) if (at("x", i, j) > at("x", i, best)) best = j;
        return best;
      },
    ],
    ["F.softmax(x, dim=-1, dtype=torch.float32)", [4, 8], softmax],
    [
      "F.log_softmax(k, -1, dtype=torch.float32)",
      [4, 8],
      (at, i, j) => at("k", i, j) - Math.log(total(8, (p) => Math.exp(at("k", i, p)))),
    ],
    ["x.cumsum(dim=1)", [4, 8], (at, i, j) => total(j + 1, (p) => at("x", i, p))],
    ["b.sum(dim=1, dtype=torch.float32)", [4], (at, i) => total(8, (j) => at("b", i, j))],
    ["k.mean(dtype=torch.float32)", [], (at) => cells((i, j) => at("k", i, j)) / 32],
    ["jnp.sum(x > 0, axis=0, dtype=jnp.float32) / 2", [8], (at, j) => total(4, (i) => Number(at("x", i, j) > 0)) / 2],
    ["torch.gather(x, 1, k[:, :2])", [4, 2], (at, i, j) => at("x", i, at("k", i, j))],
    ["x.gather(1, k[:, 0].unsqueeze(1)).squeeze(1)", [4], (at, i) => at("x", i, at("k", i, 0))],
    ["torch.gather(x, dim=1, index=k)", [4, 8], (at, i, j) => at("x", i, at("k", i, j))],
    ["x.gather(dim=-1, index=k)", [4, 8], (at, i, j) => at("x", i, at("k", i, j))],
    ["torch.gather(x, 1, index=k)", [4, 8], (at, i, j) => at("x", i, at("k", i, j))],
    ["jnp.take(x, k[0], axis=1)", [4, 8], (at, i, j) => at("x", i, at("k", 0, j))],
    ["jnp.take_along_axis(x, k, axis=1)", [4, 8], (at, i, j) => at("x", i, at("k", i, j))],
    [
      "x.scatter_add(1, k, y)",
      [4, 8],
      (at, i, j) => at("x", i, j) + total(8, (p) => (at("k", i, p) === j ? at("y", i, p) : 0)),
    ],
    ["torch.zeros(4, 8).scatter(1, k[:, :1], 1.0)", [4, 8], (at, i, j) => Number(at("k", i, 0) === j)],
    [
      "x.index_add(0, k[0, :2], y[:2], alpha=2)",
      [4, 8],
      (at, i, j) => at("x", i, j) + total(2, (p) => (at("k", 0, p) === i ? 2 * at("y", p, j) : 0)),
    ],
    [
      "jax.nn.gelu(x)",
      [4, 8],
      (at, i, j) => {
        const v = at("x", i, j);
        return 0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)));
      },
    ],
    ["jax.nn.gelu(x, approximate=False) - F.gelu(x)", [4, 8], () => 0],
    ["jax.nn.one_hot(k[0], 4) / 2", [8, 4], (at, i, j) => Number(at("k", 0, i) === j) / 2],
  ]);
});

describe("names that are sources of an input after a type", () => {
  const told = (text: string): string[] => compile(text, defaultOptions).diagnostics.map((one) => one.text);
  test("both spellings work", () => {
    const { naive, diagnostics } = compile("x: f32[4] = ones()\ny = x + torch.zeros(4)\nreturn y", defaultOptions);
    expect(diagnostics).toEqual([]);
    const [x] = naive!.graph.nodes.values();
    expect([x!.op, x!.attrs["source"]]).toEqual(["input", "ones"]);
  });
  test("what is missing is said", () => {
    expect(told("y = zeros()")[0]).toContain("an input is declared by its type instead");
    expect(told("y = zeros(2, dtype=complex64)").length).toBeGreaterThan(0);
    expect(told("x: f32[4] = zeros(4)\ny = x + 1")[0]).toContain("the type before it says the shape");
  });
  test("a maker whose operand lends only its sizes reads nothing of it", () => {
    const { graph } = compile("x: f32[4, 8]\ny = zeros_like(x) + 1", defaultOptions).naive!;
    const inputs = [...graph.nodes.values()].flatMap((node) => node.inputs);
    expect(inputs).not.toContain("x");
  });
});
