/** @file Laws of the passes that rewrite by algebra: values stay, counts stay exact, strict mode refuses. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { foldedData, inputData, runReference } from "../../src/fusion/reference";
import { runPlanOnCpu } from "../../src/fusion/plan";
import type { Compilation } from "../../src/fusion/compilation";
import { targetOf } from "../../src/fusion/cost";
import type { Graph, NodeId, ReasonCode } from "../../src/fusion/ir";
import { allPasses } from "../../src/fusion/passes";
import { graphOf, programArbitrary } from "../random-graph";
import { wordFaults } from "./decisions";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";

const channels = (count: number): string =>
  [
    `m: f32[${count}] = param()`,
    `v: f32[${count}] = param(uniform(0.5, 2))`,
    `g: f32[${count}] = param()`,
    `b: f32[${count}] = param()`,
  ].join("\n");

const alone = (name: string): string[] => allPasses.map((pass) => pass.name).filter((other) => other !== name);

/** Programs that a pass by itself rewrites. */
const others: readonly (readonly [pass: string, rule: string, name: string, text: string])[] = [
  ["scalar-algebra", "literals", "scale after scale", "x: f32[7, 5]\ny = relu(x * 2 / 8 * 3)"],
  ["scalar-algebra", "literals", "offset after offset", "x: f32[7, 5]\ny = x + 1 - 3"],
  ["scalar-algebra", "literals", "scales that undo each other", "x: f32[7, 5]\ny = relu(x * 4 / 4)"],
  ["scalar-algebra", "power", "a square", "x: f32[7, 5]\ny = (x * 2 + 1) ** 2"],
  ["scalar-algebra", "power", "a root", "x: f32[7, 5] = uniform(1, 2)\ny = relu((x * 2 + 1) ** 0.5)"],
  ["scalar-algebra", "power", "one over a root", "x: f32[7, 5] = uniform(1, 2)\ny = x ** -0.5 + x ** -1"],
  ["reduction-algebra", "factor", "a number out of a sum", "x: f32[33, 65]\ny = (x * 3).sum(dim=-1)"],
  [
    "reduction-algebra",
    "factor",
    "a number for each row",
    "x: f32[33, 65]\nc: f32[33, 1]\ny = relu((x * c).sum(dim=-1))",
  ],
  [
    "reduction-algebra",
    "factor",
    "the same, with keepdims",
    "x: f32[33, 65]\nc: f32[33, 1]\ny = x - (x / c).mean(dim=-1, keepdim=True)",
  ],
  ["reduction-algebra", "factor", "along columns", "x: f32[33, 65]\nc: f32[65]\ny = (c * x).sum(dim=0)"],
  ["reduction-algebra", "factor", "a sign", "x: f32[5, 3, 4]\ny = (-x).sum(dim=1)"],
  ["reduction-algebra", "factor", "over two axes", "x: f32[5, 3, 4]\nc: f32[3, 1]\ny = (x * c).sum(dim=(0, 2)) + 1"],
  ["reduction-algebra", "fold-of-fold", "a sum of sums", "x: f32[5, 3, 4]\ny = x.sum(dim=1).sum(dim=1)"],
  [
    "reduction-algebra",
    "fold-of-fold",
    "a maximum of maxima",
    "x: f32[5, 3, 4]\ny = exp(x.max(dim=2, keepdim=True).max(dim=0, keepdim=True))",
  ],
  ["reduction-algebra", "fold-of-fold", "a mean of means", "x: f32[5, 3, 4]\ny = x.mean(dim=0).mean(dim=-1)"],
  ...["floor(x)", "clamp(x, -1, 1)", "cast(x, dtype=i32)", "leaky_relu(x)", "hard_sigmoid(x * 2)", "-relu(x)"].map(
    (folded) => ["monotone-commute", "maximum-first", folded, `x: f32[33, 65]\ny = (${folded}).max(dim=-1)`] as const,
  ),
  [
    "monotone-commute",
    "mask-first",
    "a product with a mask",
    "x: f32[9, 33, 7]\nm: f32[9, 33]\ny = (relu(x) * (m > 0).float().unsqueeze(-1)).max(dim=1)",
  ],
  [
    "monotone-commute",
    "mask-first",
    "a choice of 0",
    "x: f32[9, 33, 7]\nm: f32[9, 33, 1]\ny = where(m > 0, 0, floor(relu(x))).amax(dim=1)",
  ],
  [
    "reduction-algebra",
    "few-terms",
    "forces between points",
    "x: f32[40, 3]\nm: f32[40]\nd = x.unsqueeze(0) - x.unsqueeze(1)\nr = (d * d).sum(dim=-1) + 0.1\ny = ((m / (r * sqrt(r))).unsqueeze(-1) * d).sum(dim=1)",
  ],
  [
    "reduction-algebra",
    "few-terms",
    "the nearest of other points",
    "a: f32[40, 2]\nb: f32[30, 2]\nd = (a[:, None] - b).abs().amax(dim=-1, keepdim=True)\nreturn d.amin(dim=1), d.sum(dim=0)",
  ],
  [
    "reduction-algebra",
    "few-terms",
    "a product of what is counted",
    "a: f32[40, 1, 1]\nb: f32[30, 1]\ny = (1 + a * b * arange(4)).prod(dim=2).mean(dim=0)",
  ],
  [
    "reduction-algebra",
    "few-terms",
    "the largest of three channels beside them",
    "x: f32[2, 3, 40]\nv = x.amax(dim=1)\nc = v - x.amin(dim=1)\ny = stack([v - x[:, 0], c * 2, v], dim=1)",
  ],
  [
    "reduction-algebra",
    "few-terms",
    "lengths and means of short vectors, folded on",
    "x: f32[60, 3]\nz: f32[60, 3]\nreturn l2_norm(x - z, axes=-1, keepdims=False).mean(), x.mean(dim=-1).square().sum(), l1_norm(z, axes=-1, keepdims=False).max()",
  ],
  [
    "reduction-algebra",
    "phases",
    "a transposed convolution with a stride",
    "x: f32[2, 8, 5, 9]\nw: f32[8, 4, 3, 4] = param()\ny = relu(conv_transpose(x, w, stride=2, padding=(0, 1), output_padding=(1, 0), groups=2))",
  ],
  [
    "reduction-algebra",
    "windows-added",
    "the derivative of a convolution by its input",
    "x: f32[2, 6, 9, 8]\nw: f32[7, 6, 3, 3] = param()\nd: f32[2, 7, 9, 8]\ny, pull = vjp(lambda x: conv(x, w, padding=1), x)\nreturn pull(d)",
  ],
  [
    "reduction-algebra",
    "few-products",
    "windows of a sequence that lies channels last",
    "x: f32[2, 20, 12]\nw: f32[12, 1, 4] = param()\ny = conv(F.pad(x.mT, (3, 0)), w, groups=12).mT + 1",
  ],
  [
    "reduction-algebra",
    "diagonal-of-product",
    "every row with its own column",
    "x: f32[33, 16]\nw: f32[33, 16]\ny = diagonal(x @ w.T) + 1",
  ],
  [
    "reduction-algebra",
    "diagonal-of-product",
    "above and below the middle, of several, through other ops",
    "a: f32[3, 20, 17]\nb: f32[17, 30]\nc: f32[3, 9, 17]\ns: f32\nreturn diagonal((a @ b) * s + 1, offset=3, dim1=1, dim2=2), diagonal(a @ c.mT, offset=-4, dim1=1, dim2=2)",
  ],
  [
    "reduction-algebra",
    "diagonal-of-product",
    "a trace, and another walk through rows and columns",
    "a: f32[20, 17]\nb: f32[17, 30]\nreturn trace(a @ b), (relu(a) @ b).reshape(600)[29:580:29], (abs(a) @ b).reshape(600)[3:600:60]",
  ],
  ["movement-algebra", "transposes-meet", "through one op", "x: f32[33, 65]\ny = relu(x.T).T + 1"],
  ["movement-algebra", "transposes-meet", "as the result", "x: f32[33, 65]\ny = relu(x.T).T"],
  [
    "movement-algebra",
    "transposes-meet",
    "with a bias and a number",
    "x: f32[33, 65]\nb: f32[33]\ny = exp(relu(x.T + b) * 2).T - 1",
  ],
  [
    "movement-algebra",
    "transposes-meet",
    "of two values",
    "x: f32[3, 5, 4]\nz: f32[3, 5, 4]\na = x.permute(2, 0, 1)\nc = z.permute(2, 0, 1)\ny = (a * c + a).permute(1, 2, 0)",
  ],
  [
    "movement-algebra",
    "transposes-meet",
    "one that others read too",
    "x: f32[33, 65]\na = x.T\ny = relu(a).T\nz = a.sum(dim=-1)\nreturn y, z",
  ],
  [
    "movement-algebra",
    "transposes-meet",
    "around a fold of the last axis",
    "x: f32[2, 24, 5, 7]\nw: f32[24]\nh = x.permute(0, 2, 3, 1)\ny = (h / h.abs().amax(dim=-1, keepdim=True) * w).permute(0, 3, 1, 2) + x",
  ],
  ["movement-algebra", "rows-first", "a slice of a product", "x: f32[33, 16]\nw: f32[16, 20]\ny = (x @ w)[2:30:3] * 2"],
  ["movement-algebra", "rows-first", "as the result", "x: f32[2, 9, 16]\nw: f32[16, 20]\ny = (x @ w)[:, :-1]"],
  [
    "movement-algebra",
    "rows-first",
    "backwards",
    "x: f32[9, 16]\nw: f32[16, 20]\ny = flip((x @ w)[5:3], 0) + (x @ w)[::-1].sum()",
  ],
  [
    "movement-algebra",
    "rows-first",
    "the last token",
    "x: f32[2, 9, 16]\nw: f32[20, 16]\nb: f32[20]\ny = softmax(linear(x, w, b)[:, -1])",
  ],
  [
    "movement-algebra",
    "rows-first",
    "the loss of a language model",
    "x: f32[2, 9, 16]\nw: f32[65, 16]\nt: i32[2, 9] = zeros()\nz = linear(x, w)\ny = cross_entropy(z[:, :-1].reshape(-1, 65), t[:, 1:].reshape(-1))",
  ],
  [
    "movement-algebra",
    "fewer-windows",
    "a causal convolution",
    "x: f32[2, 6, 15]\nw: f32[6, 1, 4]\ny = silu(conv1d(x, w, padding=3, groups=6)[..., :15])",
  ],
  [
    "movement-algebra",
    "fewer-windows",
    "of an image, with bias and step",
    "x: f32[2, 3, 9, 10]\nw: f32[4, 3, 3, 3]\nb: f32[4]\ny = relu(conv2d(x, w, b, padding=2, stride=2))[:, :, 1:, 2:-1]",
  ],
  [
    "movement-algebra",
    "fewer-windows",
    "as the result, with what is the same in every window beside it",
    "x: f32[2, 3, 20]\nw: f32[4, 3, 3]\ns: f32[4, 1]\ny = (conv1d(x, w, dilation=2) * s)[:, :, 3:5]",
  ],
  [
    "movement-algebra",
    "own-padding",
    "pad and convolution",
    "x: f32[1, 2, 5, 5]\nw: f32[3, 2, 3, 3]\ny = conv2d(pad(x, (1, 1, 2, 0)), w, stride=2)",
  ],
  [
    "movement-algebra",
    "own-padding",
    "pad and padded convolution",
    "x: f32[1, 2, 5, 5]\nw: f32[3, 2, 3, 3]\ny = conv2d(pad(x, (1, 1)), w, padding=1)",
  ],
];

describe.each(others)("%s/%s: %s", (pass, rule, _name, text) => {
  const graph = graphOf(text);
  const made = ({ steps }: Compilation) =>
    steps.filter((step) => step.accepted && step.pass === pass && step.rule === rule);
  test("values, counts and words", () => {
    for (const granularity of ["op", "primitive"] as const) {
      const whole = compiled(graph, { granularity });
      const compilation = compiled(graph, { granularity, disabledPasses: alone(pass) });
      expect(made(compilation).length).toBeGreaterThan(0);
      for (const each of [whole, compilation]) {
        expect(stepFaults(each)).toEqual([]);
        const final = fusionAt(each, each.steps.length);
        expect(valueFaults(graph, final)).toEqual([]);
        expect(trafficFaults(final)).toEqual([]);
        expect(each.steps.flatMap(wordFaults)).toEqual([]);
      }
      const kernels = (given: string[]) => compiled(graph, { granularity, disabledPasses: given }).steps.at(-1)!.totals;
      expect(whole.steps.at(-1)!.totals.kernels).toBeLessThanOrEqual(kernels([pass]).kernels);
      expect(whole.steps.at(-1)!.totals.bytes).toBeLessThanOrEqual(kernels([pass]).bytes);
    }
  });

  test("strict mode", () => {
    const compilation = compiled(graph, { strict: true, disabledPasses: alone(pass) });
    const { numerics } = allPasses.find(({ name }) => name === pass)!;
    expect(made(compilation).length > 0).toBe(numerics === "bitwise");
    expect(numerics === "bitwise" ? bitFaults(graph, compilation) : []).toEqual([]);
    expect(compilation.steps.some(({ legal }) => legal.code === "L_STRICT")).toBe(numerics === "reassociates");
  });
});

test.each([
  [
    "layer norm of channels",
    "x: f32[2, 24, 5, 7]\nw: f32[24]\nb: f32[24]\nh = x.permute(0, 2, 3, 1)\ny = layer_norm(h, [24], w, b).permute(0, 3, 1, 2) + x",
    1,
  ],
  [
    "softmax, a scan and what is left of several axes",
    "x: f32[3, 5, 4]\na = x.permute(2, 0, 1)\nc = softmax(a, dim=1).cumsum(0) - a.amax(dim=(0, 2), keepdim=True)\ny = c.permute(1, 2, 0)",
    3,
  ],
])("transposes meet across rows: %s", (_name, text, kernels) => {
  const graph = graphOf(text);
  const compilation = compiled(graph, {});
  expect(stepFaults(compilation)).toEqual([]);
  expect(valueFaults(graph, fusionAt(compilation, compilation.steps.length))).toEqual([]);
  expect(compilation.steps.at(-1)!.totals.kernels).toBe(kernels);
  const strict = compiled(graph, { strict: true });
  expect(strict.steps.some(({ rule, legal }) => rule === "transposes-meet" && legal.code === "L_STRICT")).toBe(true);
  expect(bitFaults(graph, strict)).toEqual([]);
});

const heads = "q: f32[2, 9, 16]\nk: f32[2, 9, 16]\nv: f32[2, 9, 16]\n";
const labels = "x: f32[33, 65]\nt: i32[33] = zeros()\n";
/** Composites written out in primitives, and in calls that belong together. */
const writtenOut: readonly (readonly [name: string, text: string])[] = [
  ["softmax", "x: f32[33, 65]\nm = x.max(dim=-1, keepdim=True)\ne = exp(x - m)\ny = e / e.sum(dim=-1, keepdim=True)"],
  ["softmax", "x: f32[33, 65]\nm = x.max(dim=-1)\ne = exp(x - m.unsqueeze(-1))\ny = e / e.sum(dim=-1).unsqueeze(-1)"],
  ["log_softmax", "x: f32[33, 65]\ns = x - x.max(dim=-1, keepdim=True)\ny = s - log(exp(s).sum(dim=-1, keepdim=True))"],
  ["logsumexp", "x: f32[33, 65]\nm = x.max(dim=-1, keepdim=True)\ny = m + log(exp(x - m).sum(dim=-1, keepdim=True))"],
  ["silu", "x: f32[33, 65]\ny = x * sigmoid(x)"],
  ["silu", "x: f32[33, 65]\ny = x / (1 + exp(-x))"],
  ["swiglu", "a: f32[33, 65]\nb: f32[33, 65]\ny = b * (a * sigmoid(a))"],
  ["gelu", "x: f32[33, 65]\ny = x * 0.5 * (1 + erf(x / 1.4142135))"],
  ["gelu", "x: f32[33, 65]\ny = 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x ** 3)))"],
  ["gelu", "x: f32[33, 65]\ny = 0.5 * x * (tanh(0.7978845608 * x * (1 + 0.044715 * x * x)) + 1)"],
  [
    "layer_norm",
    "x: f32[33, 65]\nc = x - x.mean(dim=-1, keepdim=True)\nv = (c * c).mean(dim=-1, keepdim=True)\ny = c / sqrt(v + 1e-5) * 2",
  ],
  [
    "standardize",
    "x: f32[4, 9, 5, 7]\nc = x - x.mean(dim=(0, 2, 3), keepdim=True)\nv = (c * c).mean(dim=(0, 2, 3), keepdim=True)\ny = c / sqrt(v + 1e-5) * 2",
  ],
  ["rms_norm", "x: f32[33, 65]\ny = x * rsqrt((x ** 2).mean(dim=-1, keepdim=True) + 1e-6)"],
  ["l2_normalize", "x: f32[33, 65]\ny = x / sqrt((x * x).sum(dim=-1, keepdim=True))"],
  ["scaled_dot_product_attention", `${heads}o = softmax(q @ k.transpose(-2, -1) * 0.125, dim=-1) @ v`],
  [
    "scaled_dot_product_attention",
    `${heads}m: f32[9, 9] = ones()\ns = where(m > 0, q @ k.mT / 4, -3e38)\ne = exp(s - s.max(dim=-1, keepdim=True))\no = dropout(e / e.sum(dim=-1, keepdim=True), p=0.1) @ v`,
  ],
  ["cross_entropy", `${labels}loss = nll_loss(log_softmax(x, dim=-1), t)`],
  ["cross_entropy", `${labels}p = log_softmax(x, dim=-1)\nloss = -p.gather(-1, t.unsqueeze(-1)).squeeze(-1)`],
  ["cross_entropy", `${labels}loss = -(log_softmax(x, dim=-1) * one_hot(t, 65)).sum(dim=-1)`],
  ["cross_entropy", `${labels}loss = logsumexp(x, dim=-1) - gather_elements(x, t.unsqueeze(-1), dim=-1).squeeze(-1)`],
  ["bias_gelu", "x: f32[33, 65]\nb: f32[65]\ny = gelu(x + b)"],
  ["bias_gelu", "x: f32[33, 65]\nb: f32[65]\nh = b + x\ny = h * 0.5 * (1 + erf(h / 1.4142135))"],
  ["dropout_add", "x: f32[33, 65]\nr: f32[33, 65]\ny = r + dropout(x, p=0.1)"],
];

describe.each(writtenOut)("%s in primitives: %s", (name, text) => {
  const graph = graphOf(text);
  test("gets its name, and nothing else changes", () => {
    const compilation = compiled(graph, { disabledPasses: alone("recognition"), strict: true });
    expect(compilation.steps.map(({ rule, legal }) => [rule, legal.code])).toEqual([[name, "A_PATTERN"]]);
    expect(stepFaults(compilation)).toEqual([]);
    expect(compilation.steps.flatMap(wordFaults)).toEqual([]);
    const { graph: named, regions } = fusionAt(compilation, 1);
    expect(regions).toEqual(fusionAt(compilation, 0).regions);
    const bare = ({ nodes }: Graph) => [...nodes.values()].map(({ groups: _groups, ...n }) => n);
    expect(bare(named)).toEqual(bare(graph));
    expect(
      [...named.nodes.values()].some(({ groups }) => groups.find(({ kind }) => kind === "composite")?.label === name),
    ).toBe(true);
    expect(compiled(graph).steps.at(-1)!.totals).toEqual(
      compiled(graph, { disabledPasses: ["recognition"] }).steps.at(-1)!.totals,
    );
  });
});

test.each([
  [
    "another row's sum",
    "x: f32[33, 65]\nz: f32[33, 65]\nm = x.max(dim=-1, keepdim=True)\ny = exp(x - m) / exp(z - m).sum(dim=-1, keepdim=True)",
  ],
  ["another factor", "x: f32[33, 65]\ny = x * 0.6 * (1 + erf(x / 1.4142135))"],
  ["another gate", "x: f32[33, 65]\nz: f32[33, 65]\ny = x * sigmoid(z)"],
  ["a composite as written", "x: f32[33, 65]\ny = softmax(x, dim=-1)"],
  ["attention as called", `${heads}o = scaled_dot_product_attention(q, k, v)`],
  ["a loss as called", `${labels}loss = cross_entropy(x, t)`],
  ["a loss over something else", `${labels}loss = -log(x).gather(-1, t.unsqueeze(-1)).squeeze(-1)`],
  ["a softmax of no product", "x: f32[33, 65]\nv: f32[65, 9]\no = softmax(x, dim=-1) @ v"],
  ["an rms of columns", "x: f32[33, 65]\ny = x * rsqrt((x ** 2).mean(dim=0, keepdim=True) + 1e-6)"],
  ["a bias of another axis", "x: f32[33, 65]\nb: f32[33, 1]\ny = gelu(x + b)"],
])("%s gets no name", (_name, text) => {
  expect(compiled(graphOf(text)).steps.filter(({ pass }) => pass === "recognition")).toEqual([]);
});

/** Outputs whose bits in f32 are not those of the naive plan. */
function bitFaults(graph: Graph, compilation: Compilation): string[] {
  const { profile } = compilation.options;
  const inputs = new Map<NodeId, Float64Array>();
  for (const n of graph.nodes.values()) if (n.op === "input") inputs.set(n.id, Float64Array.from(inputData(n)));
  const run = (cursor: number) =>
    runPlanOnCpu(fusionAt(compilation, cursor), targetOf(profile), profile, new Map(inputs), { precision: "f32" })
      .outputs;
  const [before, after] = [run(0), run(compilation.steps.length)];
  return graph.outputs.filter((id) => before.get(id)!.some((value, i) => !Object.is(value, after.get(id)![i])));
}

/** Programs in which weights take what follows them, and the pass that does it. */
const foldable: readonly (readonly [string, string])[] = [
  [
    "conv–bn–relu",
    `x: f32[2, 3, 9, 9]\nw: f32[5, 3, 3, 3] = param()\nc: f32[5] = param()\n${channels(5)}\ny = relu(batch_norm(conv2d(x, w, c, padding=1), m, v, g, b))`,
  ],
  [
    "conv–bn as the result",
    `x: f32[2, 3, 9, 9]\nw: f32[5, 3, 3, 3] = param()\n${channels(5)}\ny = batch_norm(conv2d(x, w, stride=2), m, v, g, b)`,
  ],
  [
    "grouped conv–bn",
    `x: f32[2, 4, 7, 7]\nw: f32[6, 2, 3, 3] = param()\n${channels(6)}\ny = batch_norm(conv2d(x, w, groups=2), m, v, g, b) * 2`,
  ],
  [
    "depthwise conv–bn",
    `x: f32[1, 4, 7, 7]\nw: f32[4, 1, 3, 3] = param()\n${channels(4)}\ny = relu(batch_norm(conv2d(x, w, groups=4), m, v, g, b))`,
  ],
  [
    "one-dimensional conv–bn",
    `x: f32[2, 3, 17]\nw: f32[5, 3, 3] = param()\n${channels(5)}\ny = batch_norm(conv1d(x, w), m, v, g, b)`,
  ],
  [
    "conv and one channel",
    `x: f32[2, 3, 7, 7]\nw: f32[1, 3, 3, 3] = param()\n${channels(1)}\ny = batch_norm(conv2d(x, w), m, v, g, b)`,
  ],
  [
    "linear–bn",
    `x: f32[9, 7]\nw: f32[5, 7] = param()\nc: f32[5] = param()\n${channels(5)}\ny = relu(batch_norm(linear(x, w, c), m, v, g, b))`,
  ],
  [
    "matmul and a scale for each column",
    "x: f32[4, 9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\ny = relu((x @ w) * s)",
  ],
  ["matmul and a scale, as the result", "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\ny = (x @ w) * s"],
  [
    "a batch of weights",
    "x: f32[3, 9, 7]\nw: f32[3, 7, 5] = param()\ns: f32[3, 1, 5] = param()\ny = relu((x @ w) / s - s)",
  ],
  ["weights on the left", "x: f32[7, 9]\nw: f32[5, 7] = param()\ns: f32[5, 1] = param()\ny = exp(1 - (w @ x) * s)"],
  ["numbers alone", "x: f32[9, 7]\nw: f32[7, 5] = param()\ny = relu(-(x @ w) * 0.5 + 3 - 1)"],
  [
    "a scalar weight",
    "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[] = param()\nt: f32[1] = param()\ny = relu((x @ w) * s + t)",
  ],
  [
    "two shifts",
    "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\nt: f32[5] = param()\ny = relu(x @ w + s - t)",
  ],
  [
    "an expression of weights",
    "x: f32[9, 7]\nw: f32[7] = param()\nv: f32[7] = param()\ny = x * (w / (abs(v) + 1)) + relu(w)",
  ],
  [
    "folded twice",
    "x: f32[9, 7]\nw: f32[7, 5] = param()\nu: f32[5, 7] = param()\ns: f32[5] = param()\ny = relu((x @ (w * 2)) * s) @ (u / 3) * 4 + s.sum()",
  ],
];

describe.each(foldable)("%s", (_name, text) => {
  const graph = graphOf(text);
  const folded = (strict = false) => compiled(graph, { disabledPasses: alone("weight-folding"), strict });

  test("is folded, with its values and exact counts", () => {
    for (const compilation of [folded(), compiled(graph), compiled(graph, { granularity: "primitive" })]) {
      expect(compilation.steps.some(({ pass, accepted }) => pass === "weight-folding" && accepted)).toBe(true);
      expect(stepFaults(compilation)).toEqual([]);
      const final = fusionAt(compilation, compilation.steps.length);
      expect(valueFaults(graph, final)).toEqual([]);
      expect(trafficFaults(final)).toEqual([]);
      expect(compilation.steps.flatMap(wordFaults)).toEqual([]);
    }
  });

  test("is not folded in strict mode, and says so", () => {
    const steps = folded(true).steps.filter(({ pass }) => pass === "weight-folding");
    expect(steps.map(({ accepted, legal }) => [accepted, legal.code])).toContainEqual([false, "L_STRICT"]);
    expect(steps.some(({ accepted }) => accepted)).toBe(false);
  });
});

test.each<[string, string, ReasonCode]>([
  [
    "weights that a run brings",
    `x: f32[2, 3, 9, 9]\nw: f32[5, 3, 3, 3]\n${channels(5)}\ny = relu(batch_norm(conv2d(x, w), m, v, g, b))`,
    "L_NOT_CONST",
  ],
  ["scales that a run brings", "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5]\ny = relu((x @ w) * s)", "L_NOT_CONST"],
  [
    "batch norm in training",
    `x: f32[2, 3, 9, 9]\nw: f32[5, 3, 3, 3] = param()\n${channels(5)}\ny = relu(batch_norm(conv2d(x, w), m, v, g, b, training=True))`,
    "L_NOT_CONST",
  ],
])("%s are refused", (_name, text, code) => {
  const steps = compiled(graphOf(text)).steps.filter(({ pass }) => pass === "weight-folding");
  expect(
    steps.filter(({ rule }) => rule === "into-weight").map(({ accepted, legal }) => [accepted, legal.code]),
  ).toEqual([[false, code]]);
  expect(steps.flatMap(wordFaults)).toEqual([]);
});

test.each([
  [
    "a result in between",
    "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\nh = x @ w\ny = h * s\nreturn h, y",
  ],
  [
    "a scale along the rows of the input",
    "x: f32[5, 5]\nw: f32[5, 5] = param()\ns: f32[5, 1] = param()\ny = (x @ w) * s",
  ],
  ["a bias alone", "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\ny = relu(x @ w + s)"],
  ["a number divided by the product", "x: f32[9, 7]\nw: f32[7, 5] = param()\ny = 2 / (x @ w)"],
])("%s leaves the weights alone", (_name, text) => {
  const { steps } = compiled(graphOf(text));
  expect(steps.filter(({ pass }) => pass === "weight-folding")).toEqual([]);
});

test("a folded weight is what the formula says, with data of the caller", () => {
  const graph = graphOf("x: f32[2, 2]\nw: f32[2, 2] = param()\ns: f32[2] = param()\ny = (x @ w) * s");
  const compilation = compiled(graph);
  const given = new Map<NodeId, ArrayLike<number>>([
    ["w" as NodeId, [1, 2, 3, 4]],
    ["s" as NodeId, [10, 100]],
  ]);
  const { graph: fused } = fusionAt(compilation, compilation.steps.length);
  const [weight] = foldedData(fused, given).values();
  expect([...weight!]).toEqual([10, 200, 30, 400]);
  const x = [...graph.nodes.values()].find(({ id }) => id === "x")!;
  const inputs = new Map<NodeId, ArrayLike<number>>([...given, [x.id, inputData(x)] as const]);
  expect(runReference(fused, inputs).get("y" as NodeId)!.data).toEqual(
    runReference(graph, inputs).get("y" as NodeId)!.data,
  );
});

describe("random programs with weights", () => {
  /** Every input but the first is a weight. */
  const weighted = (text: string): string => text.replaceAll(/^(x[1-9]\d*: f32\[.*\])$/gm, "$1 = param()");

  test("values, counts and replay", () => {
    let folded = 0;
    fc.assert(
      fc.property(programArbitrary, (text) => {
        const graph = graphOf(weighted(text));
        const compilation = compiled(graph, { granularity: "primitive" });
        folded += compilation.steps.filter(({ pass, accepted }) => pass === "weight-folding" && accepted).length;
        expect(stepFaults(compilation)).toEqual([]);
        const final = fusionAt(compilation, compilation.steps.length);
        expect(valueFaults(graph, final)).toEqual([]);
        expect(trafficFaults(final)).toEqual([]);
        expect(compilation.steps.flatMap(wordFaults)).toEqual([]);
      }),
      { numRuns: 50, seed: 20260102 },
    );
    expect(folded).toBeGreaterThan(2);
  });

  test("strict mode rewrites nothing that rounds", () => {
    const loose = new Set(
      allPasses
        .filter(({ numerics, judgesStrict }) => numerics === "reassociates" && !judgesStrict)
        .map(({ name }) => name),
    );
    fc.assert(
      fc.property(programArbitrary, (text) => {
        const { steps } = compiled(graphOf(weighted(text)), { strict: true });
        expect(steps.filter(({ pass, accepted }) => accepted && loose.has(pass))).toEqual([]);
      }),
      { numRuns: 40, seed: 20260103 },
    );
  });
});
