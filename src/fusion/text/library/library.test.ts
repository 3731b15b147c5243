/** The library against references that are written here, element by element. */
import { describe, expect, test } from "vitest";
import { outputValues, type OutputValue } from "../../../../test/output-values";
import { parseProgram } from "../program";
import { picture, problems } from "../testing";
import { libraryMistakes, libraryNames, libraryTwice } from "./library";

const INPUTS = [
  "x: f32[4, 6] = randn(seed=1)",
  "y: f32[4, 6] = randn(seed=2)",
  "s: f32[2, 3] = randn(seed=3)",
  "m: f32[3, 3] = randn(seed=4)",
  "v: f32[3] = randn(seed=5)",
  "w: f32[3] = randn(seed=6)",
  "p: f32[5] = uniform(0.1, 4, seed=7)",
  "i: i32[8] = const([2, 0, 1, 1, 4, 2, 2, 0])",
  "r: f32[8, 2] = randn(seed=8)",
].join("\n");
const given = new Map(
  outputValues(
    `${INPUTS}\nreturn ${"xysmvwpir"
      .split("")
      .map((name) => `${name} * 1`)
      .join(", ")}\n`,
  ).map(({ data }, at) => ["xysmvwpir"[at]!, data] as const),
);
const of = (name: string): readonly number[] => given.get(name)!;
const rows = (name: string, width: number): number[][] =>
  Array.from({ length: of(name).length / width }, (_, row) => of(name).slice(row * width, (row + 1) * width));

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const variance = (values: readonly number[], ddof = 1): number =>
  sum(values.map((value) => (value - mean(values)) ** 2)) / (values.length - ddof);
const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
function quantile(values: readonly number[], q: number): number {
  const position = q * (values.length - 1);
  const low = Math.floor(position);
  const all = ascending(values);
  return all[low]! + (position - low) * ((all[low + 1] ?? all[low])! - all[low]!);
}
const matmul = (a: readonly number[][], b: readonly number[][]): number[][] =>
  a.map((row) => b[0]!.map((_, column) => sum(row.map((value, k) => value * b[k]![column]!))));
const distance = (a: readonly number[], b: readonly number[], p: number): number =>
  p === Infinity
    ? Math.max(...a.map((value, k) => Math.abs(value - b[k]!)))
    : sum(a.map((value, k) => Math.abs(value - b[k]!) ** p)) ** (1 / p);
const counts = (values: readonly number[], size: number): number[] =>
  Array.from({ length: size }, (_, at) => values.filter((value) => value === at).length);
/** ln Γ by Stirling's series far out, and the recurrence back. */
function lgamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - lgamma(1 - x);
  if (x < 30) return lgamma(x + 1) - Math.log(x);
  return (
    (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5)
  );
}
const slope = (f: (x: number) => number, x: number): number => (f(x + 1e-5) - f(x - 1e-5)) / 2e-5;

/** Rows of `name` walked from the first, or the last: what each becomes of itself and the one before. */
function running(
  name: string,
  width: number,
  next: (own: number, before: number, value: number) => number,
  reverse = false,
): readonly number[] {
  const all = reverse ? rows(name, width).toReversed() : rows(name, width);
  const found: number[][] = [];
  for (const row of all)
    found.push(row.map((value, k) => (found.length === 0 ? value : next(value, found.at(-1)![k]!, value))));
  return (reverse ? found.toReversed() : found).flat();
}

/** A pixel of the 4×6 picture `x`; 0 outside of it. */
const pixel = (column: number, row: number): number => rows("x", 6)[row]?.[column] ?? 0;
/** Between four pixels, by how near each is. */
function between(u: number, v: number): number {
  const [left, top] = [Math.floor(u), Math.floor(v)];
  const [right, below] = [u - left, v - top];
  const row = (at: number): number => pixel(left, at) * (1 - right) + pixel(left + 1, at) * right;
  return row(top) * (1 - below) + row(top + 1) * below;
}
/** The picture at the points that `y` holds, from -1 to 1 across it. */
const sampled = (
  position: (at: number, size: number) => number,
  read: (u: number, v: number) => number,
): readonly number[] =>
  Array.from({ length: 12 }, (_, at) => {
    const [u, v] = [of("y")[2 * at]! * 0.8, of("y")[2 * at + 1]! * 0.8];
    return read(position(u, 6), position(v, 4));
  });

type Case = readonly [text: string, wanted: () => readonly number[], digits?: number];
const cases: readonly Case[] = [
  ["torch.var_mean(x, dim=1)", () => [...rows("x", 6).map((row) => variance(row)), ...rows("x", 6).map(mean)]],
  ["torch.std_mean(x, unbiased=False)", () => [Math.sqrt(variance(of("x"), 0)), mean(of("x"))]],
  [
    "torch.aminmax(x, dim=1)",
    () => [...rows("x", 6).map((row) => Math.min(...row)), ...rows("x", 6).map((row) => Math.max(...row))],
  ],
  ["torch.sort(x, dim=1, stable=True).values", () => rows("x", 6).flatMap(ascending)],
  ["x.sort(dim=1, stable=True)[1]", () => rows("x", 6).flatMap((row) => ascending(row).map((at) => row.indexOf(at)))],
  ["np.sort(x, axis=1, kind='stable')", () => rows("x", 6).flatMap(ascending)],
  [
    "torch.cummax(x, dim=1).values",
    () => rows("x", 6).flatMap((row) => row.map((_, at) => Math.max(...row.slice(0, at + 1)))),
  ],
  [
    "torch.cummin(x, 1)[1]",
    () => rows("x", 6).flatMap((row) => row.map((_, at) => row.indexOf(Math.min(...row.slice(0, at + 1))))),
  ],
  ["torch.cummax(i, 0).indices", () => [0, 0, 0, 0, 4, 4, 4, 4]],
  ["torch.cummax(r.flatten() * 0, 0).indices", () => Array.from({ length: 16 }, (_, at) => at)],
  [
    "jax.lax.associative_scan(jnp.add, r, reverse=True)",
    () => running("r", 2, (_, before, value) => before + value, true),
  ],
  [
    "lax.associative_scan(lambda a, b: a * b, x, axis=1)",
    () => rows("x", 6).flatMap((row) => row.map((_, at) => row.slice(0, at + 1).reduce((a, b) => a * b))),
  ],
  [
    "lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (r * 0.5, r))[1]",
    () => running("r", 2, (factor, before, value) => 0.5 * factor * before + value),
  ],
  ["x.kthvalue(2, dim=1).values", () => rows("x", 6).map((row) => ascending(row)[1]!)],
  ["torch.kthvalue(x, 2, 1)[1]", () => rows("x", 6).map((row) => row.indexOf(ascending(row)[1]!))],
  ["x.median()", () => [ascending(of("x"))[11]!]],
  ["x.median(dim=1)[0]", () => rows("x", 6).map((row) => ascending(row)[2]!)],
  ["jnp.median(x, axis=1)", () => rows("x", 6).map((row) => quantile(row, 0.5))],
  ["torch.quantile(x, 0.3, dim=1)", () => rows("x", 6).map((row) => quantile(row, 0.3))],
  ["torch.quantile(x, [0.0, 0.25, 1.0])", () => [0, 0.25, 1].map((q) => quantile(of("x"), q))],
  ["np.percentile(x, 40, axis=1)", () => rows("x", 6).map((row) => quantile(row, 0.4))],
  [
    "F.grid_sample(x.reshape(1, 1, 4, 6), y.reshape(1, 3, 4, 2) * 0.8)",
    () => sampled((at, size) => ((at + 1) * size - 1) / 2, between),
  ],
  [
    "F.grid_sample(x.reshape(1, 1, 4, 6), y.reshape(1, 3, 4, 2) * 0.8, padding_mode='border', align_corners=True)",
    () => sampled((at, size) => Math.min(Math.max(((at + 1) / 2) * (size - 1), 0), size - 1), between),
  ],
  [
    "F.grid_sample(x.reshape(1, 1, 4, 6), y.reshape(1, 3, 4, 2) * 0.8, mode='nearest')",
    () =>
      sampled(
        (at, size) => ((at + 1) * size - 1) / 2,
        (u, v) => pixel(Math.round(u), Math.round(v)),
      ),
  ],
  [
    "F.affine_grid(s.reshape(1, 2, 3), (1, 1, 2, 3))",
    () =>
      [-0.5, 0.5].flatMap((v) =>
        [-2 / 3, 0, 2 / 3].flatMap((u) => rows("s", 3).map(([a, b, c]) => a! * u + b! * v + c!)),
      ),
  ],
  ["torch.bincount(i, minlength=6)", () => counts(of("i"), 6)],
  ["jnp.bincount(i, length=5)", () => counts(of("i"), 5)],
  ["torch.histc(p, bins=4, min=0, max=4)", () => counts(of("p").map(Math.floor), 4)],
  [
    "torch.searchsorted(torch.tensor([-1.0, 0.0, 1.0]), v)",
    () => of("v").map((value) => [-1, 0, 1].filter((edge) => edge < value).length),
  ],
  [
    "torch.bucketize(v, torch.tensor([-1.0, 0.0, 1.0]))",
    () => of("v").map((value) => [-1, 0, 1].filter((edge) => edge < value).length),
  ],
  [
    "jax.ops.segment_sum(r, i, num_segments=5)",
    () =>
      Array.from({ length: 5 }, (_, at) =>
        [0, 1].map((c) =>
          sum(
            rows("r", 2)
              .filter((_, k) => of("i")[k] === at)
              .map((row) => row[c]!),
          ),
        ),
      ).flat(),
  ],
  [
    "torch.logcumsumexp(x, dim=1)",
    () => rows("x", 6).flatMap((row) => row.map((_, k) => Math.log(sum(row.slice(0, k + 1).map(Math.exp))))),
  ],
  ["torch.add(x, y, alpha=2)", () => of("x").map((value, k) => value + 2 * of("y")[k]!)],
  ["x.sub(y, alpha=0.5)", () => of("x").map((value, k) => value - 0.5 * of("y")[k]!)],
  ["torch.div(x, y, rounding_mode='floor')", () => of("x").map((value, k) => Math.floor(value / of("y")[k]!))],
  ["torch.div(x, y, rounding_mode='trunc')", () => of("x").map((value, k) => Math.trunc(value / of("y")[k]!))],
  ["torch.div(i, -2, rounding_mode='trunc')", () => of("i").map((value) => Math.trunc(value / -2))],
  ["10 ** (torch.arange(0, 8, 2) / 8)", () => [0, 2, 4, 6].map((n) => 10 ** (n / 8))],
  [
    "torch.meshgrid(v, w, indexing='ij')",
    () => [...of("v").flatMap((a) => of("w").map(() => a)), ...of("v").flatMap(() => of("w"))],
  ],
  ["jnp.meshgrid(v, w)", () => [...of("w").flatMap(() => of("v")), ...of("w").flatMap((b) => of("v").map(() => b))]],
  ...[2, 1, Infinity, 3].map((norm): Case => [
    `torch.cdist(x, y, p=${norm === Infinity ? "math.inf" : norm})`,
    () => rows("x", 6).flatMap((a) => rows("y", 6).map((b) => distance(a, b, norm))),
  ]),
  [
    "torch.cross(m, m.T, dim=-1)",
    () =>
      rows("m", 3).flatMap((a, k) => {
        const b = rows("m", 3).map((row) => row[k]!);
        return [0, 1, 2].map((c) => a[(c + 1) % 3]! * b[(c + 2) % 3]! - a[(c + 2) % 3]! * b[(c + 1) % 3]!);
      }),
  ],
  [
    "torch.kron(s, m)",
    () => rows("s", 3).flatMap((a) => rows("m", 3).flatMap((b) => a.flatMap((left) => b.map((right) => left * right)))),
  ],
  [
    "torch.linalg.matrix_power(m, 5)",
    () => {
      const one = rows("m", 3);
      return [1, 2, 3, 4].reduce((all) => matmul(all, one), one).flat();
    },
  ],
  [
    "F.triplet_margin_loss(x, y, x * 0.5)",
    () => [
      mean(
        rows("x", 6).map((a, k) =>
          Math.max(
            0,
            distance(
              a.map((value) => value + 1e-6),
              rows("y", 6)[k]!,
              2,
            ) -
              distance(
                a.map((value) => value + 1e-6),
                a.map((value) => value * 0.5),
                2,
              ) +
              1,
          ),
        ),
      ),
    ],
  ],
  [
    "torch.trapezoid(x, dx=0.5)",
    () => rows("x", 6).map((row) => sum(row.slice(1).map((value, k) => 0.25 * (value + row[k]!)))),
  ],
  ["torch.gradient(v)[0]", () => ((a) => [a[1]! - a[0]!, (a[2]! - a[0]!) / 2, a[2]! - a[1]!])(of("v"))],
  [
    "torch.block_diag(s, m)",
    () => [...rows("s", 3).flatMap((row) => [...row, 0, 0, 0]), ...rows("m", 3).flatMap((row) => [0, 0, 0, ...row])],
  ],
  ["torch.tril_indices(2, 3)", () => [0, 1, 1, 0, 0, 1]],
  ["torch.vander(v)", () => of("v").flatMap((value) => [value * value, value, 1])],
  ["torch.combinations(v)", () => [0, 1, 0, 2, 1, 2].map((at) => of("v")[at]!)],
  ["torch.take(x, i)", () => of("i").map((at) => of("x")[at]!)],
  [
    "jnp.take(r, v.argmax(), axis=1)",
    () => rows("r", 2).map((row) => row[Math.min(1, of("v").indexOf(Math.max(...of("v"))))]!),
  ],
  ["x.unfold(1, 3, 2)", () => rows("x", 6).flatMap((row) => [0, 1].flatMap((at) => row.slice(2 * at, 2 * at + 3)))],
  ["x.t().unfold(0, 2, 4)", () => [0, 4].flatMap((at) => rows("x", 6).flatMap((row) => row.slice(at, at + 2)))],
  ["i >> 1", () => of("i").map((value) => value >> 1)],
  ["(i - 3 >> 1) + (1 << 4) + (i << 2)", () => of("i").map((value) => ((value - 3) >> 1) + 16 + 4 * value)],
  [
    "jnp.pad(s, ((1, 0), (0, 1)), constant_values=5.0)",
    () => [5, 5, 5, 5, ...rows("s", 3).flatMap((row) => [...row, 5])],
  ],
  [
    "jnp.select([v < 0, v < 1], [v * 2, v * 3], 9.0)",
    () => of("v").map((value) => (value < 0 ? 2 * value : value < 1 ? 3 * value : 9)),
  ],
  [
    "jnp.interp(p, jnp.array([0.0, 1.0, 3.0]), jnp.array([0.0, 1.0, 9.0]))",
    () => of("p").map((value) => (value < 1 ? value : value < 3 ? 1 + 4 * (value - 1) : 9)),
  ],
  ["jnp.polyval(jnp.array([1.0, 2.0, 3.0]), v)", () => of("v").map((value) => value * value + 2 * value + 3)],
  [
    "jnp.average(m, axis=0, weights=p[:3])",
    () => [0, 1, 2].map((c) => sum(rows("m", 3).map((row, k) => row[c]! * of("p")[k]!)) / sum(of("p").slice(0, 3))),
  ],
  ["torch.zeros(5).index_put((i[:3],), v, accumulate=True)", () => [of("v")[1]!, of("v")[2]!, of("v")[0]!, 0, 0]],
  ["F.margin_ranking_loss(v, w, torch.ones(3))", () => [mean(of("v").map((a, k) => Math.max(0, of("w")[k]! - a)))]],
  [
    "F.multi_margin_loss(m, torch.tensor([0, 2, 1]), reduction='none')",
    () =>
      rows("m", 3).map(
        (row, k) =>
          sum(row.map((value, c) => (c === [0, 2, 1][k] ? 0 : Math.max(0, 1 - row[[0, 2, 1][k]!]! + value)))) / 3,
      ),
  ],
  ["torch.FloatTensor([1, 2]) + torch.LongTensor([3, 4])", () => [4, 6]],
  ["einsum(s, m, 'row k, k column -> row column')", () => matmul(rows("s", 3), rows("m", 3)).flat()],
  ["torch.diag(v)", () => of("v").flatMap((value, k) => [0, 1, 2].map((c) => (c === k ? value : 0)))],
  ["jnp.diag(v[:2], k=-1)", () => [0, 0, 0, of("v")[0]!, 0, 0, 0, of("v")[1]!, 0]],
  ["torch.diag(m, 1)", () => [of("m")[1]!, of("m")[5]!]],
  ["jnp.round(v, 1)", () => of("v").map((value) => Math.round(10 * value) / 10)],
  ["jnp.convolve(v, jnp.array([1.0, 2.0]), mode='same')", () => of("v").map((a, k) => a + 2 * (of("v")[k - 1] ?? 0))],
  ["jnp.sum(x, axis=1, where=x > 0)", () => rows("x", 6).map((row) => sum(row.map((value) => Math.max(value, 0))))],
  ["jnp.max(x, axis=1, initial=0.5)", () => rows("x", 6).map((row) => Math.max(0.5, ...row))],
  ["jnp.append(v, 3.0)", () => [...of("v"), 3]],
  ["v[jnp.newaxis, :]", () => of("v")],
  ["jnp.cumsum(s)", () => of("s").map((_, at) => sum(of("s").slice(0, at + 1)))],
  ["jnp.repeat(s, 2)", () => of("s").flatMap((value) => [value, value])],
  ["jnp.repeat(s, 2, 0)", () => rows("s", 3).flatMap((row) => [...row, ...row])],
  ["torch.repeat_interleave(s, 2)", () => of("s").flatMap((value) => [value, value])],
  ["s.repeat_interleave(2, dim=1)", () => of("s").flatMap((value) => [value, value])],
  ["s.repeat(2, 1)", () => [...of("s"), ...of("s")]],
  [
    "F.local_response_norm(s.unsqueeze(-1), 2, alpha=1.0, beta=1.0).squeeze(-1)",
    () => rows("s", 3).flatMap((row) => row.map((value, k) => value / (1 + (value ** 2 + (row[k - 1] ?? 0) ** 2) / 2))),
  ],
  ["torch.lgamma(p)", () => of("p").map(lgamma)],
  ["torch.lgamma(v)", () => of("v").map(lgamma)],
  ["torch.digamma(p)", () => of("p").map((value) => slope(lgamma, value)), 5],
  ["torch.erf(torch.erfinv(torch.tensor([-0.99, -0.3, 0.0, 0.7, 0.999])))", () => [-0.99, -0.3, 0, 0.7, 0.999], 6],
  [
    "jax.hessian(lambda t: (t ** 3).sum() + t[0] * t[1])(v)",
    () => [0, 1, 2].flatMap((a) => [0, 1, 2].map((b) => (a === b ? 6 * of("v")[a]! : 0) + (a + b === 1 ? 1 : 0))),
  ],
  [
    "jax.jacrev(lambda t: m @ torch.sin(t))(v)",
    () => rows("m", 3).flatMap((row) => row.map((value, k) => value * Math.cos(of("v")[k]!))),
  ],
  [
    "jax.jacfwd(lambda t: m @ torch.sin(t))(v)",
    () => rows("m", 3).flatMap((row) => row.map((value, k) => value * Math.cos(of("v")[k]!))),
  ],
  [
    "torch.autograd.functional.hessian(lambda t: (t ** 3).sum(), v)",
    () => [0, 1, 2].flatMap((a) => [0, 1, 2].map((b) => (a === b ? 6 * of("v")[a]! : 0))),
  ],
  ["jax.linearize(lambda t: t * t, v)[1](w)", () => of("v").map((value, k) => 2 * value * of("w")[k]!)],
  [
    "torch.autograd.functional.jacobian(lambda t: t * t, v)",
    () => [0, 1, 2].flatMap((a) => [0, 1, 2].map((b) => (a === b ? 2 * of("v")[a]! : 0))),
  ],
  ["lax.cond(True, lambda t: t + 1, lambda t: t - 1, v)", () => of("v").map((value) => value + 1)],
  ["lax.cond(v.sum() > 100, lambda t: t + 1, lambda t: t - 1, v)", () => of("v").map((value) => value - 1)],
  ["x.to('cuda').cuda().to(torch.device('cpu')).double()", () => of("x")],
];

const close = (found: readonly number[], wanted: readonly number[], digits: number): void => {
  expect(found.length).toBe(wanted.length);
  found.forEach((value, at) => expect(value).toBeCloseTo(wanted[at]!, digits));
};

describe("each function computes what its reference does", () => {
  test.each(cases.map(([text, wanted, digits]) => ({ text, wanted, digits })))("$text", ({ text, wanted, digits }) => {
    const outputs = outputValues(`${INPUTS}\nz = ${text}\nreturn z\n`);
    close(
      outputs.flatMap(({ data }) => data),
      wanted(),
      digits ?? 6,
    );
  });
});

describe("samples", () => {
  test("bernoulli draws ones as often as its probability says", () => {
    const [{ data }] = outputValues("p: f32[4000] = uniform(0.3, 0.3)\nz = torch.bernoulli(p)\nreturn z\n") as [
      OutputValue,
    ];
    expect(mean(data)).toBeGreaterThan(0.26);
    expect(mean(data)).toBeLessThan(0.34);
  });

  test("gumbel_softmax is a distribution, and one of its ends when hard", () => {
    const [soft, hard] = outputValues(
      `${INPUTS}\nreturn F.gumbel_softmax(x, tau=0.5), F.gumbel_softmax(x, hard=True)\n`,
    );
    for (let row = 0; row < 4; row++) expect(sum(soft!.data.slice(6 * row, 6 * row + 6))).toBeCloseTo(1, 9);
    expect(ascending(hard!.data.map(Math.round))).toEqual([...Array<number>(20).fill(0), 1, 1, 1, 1]);
  });

  test("multinomial without replacement draws each index once, and never one without weight", () => {
    const [{ data }] = outputValues(
      "p: f32[6] = const([1, 0, 2, 1, 0, 3])\nz = torch.multinomial(p, 4)\nreturn z\n",
    ) as [OutputValue];
    expect(ascending(data)).toEqual([0, 2, 3, 5]);
  });
});

describe("layers in a script", () => {
  test("nn.Sequential of layers that say both sizes; weights are made once", () => {
    const text =
      "x: f32[5, 8]\nnet = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 4))\ny = net(x)\n";
    expect(problems(text)).toEqual([
      "3:5 inference Dropout is off: the module is read as for inference. Write m.train() for training.",
    ]);
    expect(picture(text).at(-1)).toContain("f32[5, 4]");
    const twice = "x: f32[5, 8]\nfc = nn.Linear(8, 8)\ny = fc(torch.relu(fc(x)))\n";
    expect([...parseProgram(twice).graph.nodes.values()].filter(({ op }) => op === "input")).toHaveLength(3);
  });
});

describe("what is not there says so, and what does the same", () => {
  test.each([
    ["z = lax.fori_loop(0, v, lambda i, t: t * 2, v)", "both must be known before the program runs"],
    ["z = lax.fori_loop(0, 3, lambda i, t: t * 2)", "fori_loop still needs `init_val`"],
    ["z = lax.scan(lambda c, t: c, v, x)", "must return two values, what it carries on and its output"],
    ["z, state = nn.LSTM(6, 8, proj_size=4)(x)", "proj_size is not supported."],
    ["z = torch.lstm(x)", "`lstm` is not supported yet."],
    ["z = torch.linalg.inv(torch.ones(16, 16))", "Matrices of up to 8×8 are taken apart here"],
    ["z = torch.linalg.solve(x, x)", "This takes square matrices"],
    ["z = torch.linalg.svd(x)", "No op here computes eigenvalues or singular values"],
    ["z = torch.fft.fft(x)", "Complex numbers are read where"],
    ["z = x.to(torch.complex64)", "There is no complex64 here. Complex numbers are read where"],
    ["z = x.to(torch.float8_e4m3fn)", "There is no float8_e4m3fn here. Types here are f32, f16, i32 and bool."],
    ["z = nn.MSELoss(size_average=False)(x, y)", "MSELoss has no argument `size_average`"],
    ["z = nn.LayerNorm(reduction_axes=(0, 1))(x)", "LayerNorm has no argument `reduction_axes`"],
    ["z = torch.bincount(i)", "The number of bins depends on data"],
    [
      "z, at = F.max_pool2d(x.reshape(1, 1, 4, 6), 2, ceil_mode=True, return_indices=True)",
      "return_indices is known for pictures",
    ],
    ["z, at = F.adaptive_max_pool2d(x.reshape(1, 1, 4, 6), 2, return_indices=True)", "take their argmax"],
    ["def g(x): return x\ng.defvjp(1, 2)\nz = g(x)", "write @jax.custom_vjp above it"],
    [
      "class S(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): return x * x\nz = torch.autograd.grad(S.apply(x).sum(), x)[0]",
      "`S` says no derivative: write its backward",
    ],
    ["z = F.grid_sample(x.reshape(1, 1, 2, 3, 4), y.reshape(1, 2, 2, 2, 3), mode='bicubic')", "bilinear or nearest"],
    ["z = gumbell(x)", "If your code defines it, paste its def above"],
    ["z = sofmax(x)", "Did you mean `softmax`?"],
    ["z = reul(x)", "Did you mean `relu`?"],
  ])("%s", (line, text) =>
    expect(problems(`${INPUTS}\n${line}\n`).find((each) => !each.includes("unused"))).toContain(text),
  );
});

test("a call is one box where it stands, and its mistakes are told there", () => {
  expect(libraryMistakes()).toEqual([]);
  expect(libraryTwice()).toEqual([]);
  expect(libraryNames()).toContain("kron");
  const parsed = parseProgram("a: f32[2, 3]\nb: f32[3, 2]\ny = torch.kron(a, b)\n");
  expect(parsed.calls.map(({ kind, label, id }) => `${kind} ${label} ${id}`)).toEqual(["composite kron y"]);
  expect(parsed.symbols.map(({ name }) => name)).toEqual(["a", "b", "y"]);
  const from = parsed.text.indexOf("torch");
  const computed = [...parsed.graph.nodes.values()].filter(({ op }) => op !== "input");
  expect(new Set(computed.map(({ span }) => span!.from))).toEqual(new Set([from]));
  expect(problems("a: f32[2, 4]\ny = torch.cross(a, a)\n")).toEqual([
    "2:5 bad-argument A cross product is of vectors with three elements along dim.",
  ]);
});
