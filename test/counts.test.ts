/** @file How many kernels programs take as people write them, in calls and in primitives; the values of the same programs in small. */
import { describe, expect, test } from "vitest";
import { operatorTexts } from "../bench/operators";
import { compile, defaultOptions, type Compilation, type CompileOptions } from "../src/fusion";
import { fusionAt } from "../src/fusion/compile";
import { generic } from "../src/fusion/cost";
import { findExample } from "../src/lessons";
import { cardOfStep } from "../src/picture";
import { valueFaults } from "./laws/pass-harness";

/** Sizes of a program: rows and width of its matrices, heads and their size. */
interface Sizes {
  readonly rows: number;
  readonly width: number;
  readonly head: number;
}
const LARGE: Sizes = { rows: 2048, width: 1024, head: 64 };
const SMALL: Sizes = { rows: 24, width: 32, head: 8 };

interface Program {
  readonly kernels: number;
  readonly text: (sizes: Sizes) => string;
}
const program = (kernels: number, text: Program["text"]): Program => ({ kernels, text });
const one = (text: Program["text"]): Program => program(1, text);

const labelled = (body: string): Program =>
  one(
    ({ rows, width }) =>
      `logits: f32[${rows}, ${width}]\ntarget: i32[${rows}] = zeros()\n${body.replaceAll("WIDTH", `${width}`)}`,
  );
const attended = (body: string): Program =>
  one(
    ({ rows, head }) =>
      `q: f32[16, ${rows}, ${head}]\nk: f32[16, ${rows}, ${head}]\nv: f32[16, ${rows}, ${head}]\n${body.replaceAll("ROWS", `${rows}`)}`,
  );
const normalised = (body: string): Program =>
  one(
    ({ rows, width }) =>
      `x: f32[${rows}, ${width}]\nw: f32[${width}]\nb: f32[${width}]\n${body.replaceAll("WIDTH", `${width}`)}`,
  );
const multiplied = (body: string): Program =>
  one(
    ({ rows, width }) =>
      `x: f32[${rows}, ${width}]\nw: f32[${width}, ${2 * width}]\nv: f32[${width}, ${2 * width}]\nb: f32[${2 * width}]\n${body}`,
  );
const convolved = (role: string): Program =>
  one(
    ({ width, head }) =>
      `C = ${head}\nx: f32[2, C, ${width / 4}, ${width / 4}]\nw: f32[C, C, 3, 3]${role}\ngamma: f32[C]${role}\nbeta: f32[C]${role}\nmean: f32[C]${role}\nvar: f32[C] = ${role === "" ? "uniform(0.5, 1.5)" : "param()"}\ny = relu(batch_norm(conv2d(x, w, padding=1), mean, var, gamma, beta))`,
  );
const splade = (mask: string): Program =>
  one(
    ({ rows, width }) =>
      `h: f32[4, ${rows / 8}, ${width}]\nE: f32[${16 * width}, ${width}]\nb: f32[${16 * width}]\nmask: f32[4, ${rows / 8}] = ones()\nz = h @ E.T + b\n${mask}`,
  );

const CASES: Readonly<Record<string, Program>> = {
  softmax: normalised("y = softmax(x, dim=-1)"),
  "softmax in primitives": normalised("e = exp(x - x.max(dim=-1, keepdim=True))\ny = e / e.sum(dim=-1, keepdim=True)"),
  log_softmax: normalised("y = log_softmax(x, dim=-1)"),
  layer_norm: normalised("y = layer_norm(x, (WIDTH,), w, b)"),
  "layer_norm in primitives": normalised(
    "m = x.mean(dim=-1, keepdim=True)\nc = x - m\nv = (c * c).mean(dim=-1, keepdim=True)\ny = c / sqrt(v + 1e-5) * w + b",
  ),
  rms_norm: normalised("y = rms_norm(x, (WIDTH,), w)"),
  "rms_norm in primitives": normalised("y = x * rsqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6) * w"),
  l2_normalize: normalised("y = l2_normalize(x, dim=-1)"),
  "l2_normalize in primitives": normalised("y = x / sqrt((x * x).sum(dim=-1, keepdim=True))"),
  "cross_entropy of each row": labelled('loss = cross_entropy(logits, target, reduction="none")'),
  "cross_entropy by nll_loss": labelled('loss = nll_loss(log_softmax(logits, dim=-1), target, reduction="none")'),
  "cross_entropy by gather": labelled(
    "logp = log_softmax(logits, dim=-1)\nloss = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)",
  ),
  "cross_entropy by one_hot": labelled("loss = -(log_softmax(logits, dim=-1) * one_hot(target, WIDTH)).sum(dim=-1)"),
  "cross_entropy by logsumexp": labelled(
    "loss = logsumexp(logits, dim=-1) - gather_elements(logits, target.unsqueeze(-1), dim=-1).squeeze(-1)",
  ),
  "cross_entropy on average": { ...labelled("loss = cross_entropy(logits, target)"), kernels: 2 },
  "dropout(gelu(x)) + residual": one(
    ({ rows, width }) => `x: f32[${rows}, ${width}]\nr: f32[${rows}, ${width}]\ny = dropout(gelu(x), p=0.1) + r`,
  ),
  "attention as one call": attended("o = scaled_dot_product_attention(q, k, v)"),
  "attention as one call, causal": attended("o = scaled_dot_product_attention(q, k, v, is_causal=True)"),
  "attention in primitives": attended("o = softmax(q @ k.transpose(-2, -1) * 0.125, dim=-1) @ v"),
  "attention in primitives, causal": attended(
    "ones: f32[ROWS, ROWS] = ones()\ns = where(tril(ones) > 0, q @ k.mT * 0.125, -3e38)\no = softmax(s, dim=-1) @ v",
  ),
  "attention taken apart": attended(
    "kt = transpose(k, 1, 2)\ns = matmul(q, kt)\nd = s / 8.0\nm = d.max(dim=-1, keepdim=True)\nc = d - m\ne = exp(c)\nt = e.sum(dim=-1, keepdim=True)\np = e / t\no = matmul(p, v)",
  ),
  "SPLADE head": splade("y = (log1p(relu(z)) * mask.unsqueeze(-1)).max(dim=1)"),
  "SPLADE head, masked first": splade("y = log1p(relu(where(mask.unsqueeze(-1) > 0, z, -3e38))).amax(dim=1)"),
  "convolution, batch norm and relu": convolved(" = param()"),
  "the same with everything fed at run time": convolved(""),
  "x @ w + b, then gelu": multiplied("y = gelu(x @ w + b)"),
  "linear, then gelu": one(
    ({ rows, width }) =>
      `x: f32[${rows}, ${width}]\nw: f32[${2 * width}, ${width}]\nb: f32[${2 * width}]\ny = gelu(linear(x, w, b))`,
  ),
  "q, k and v of one x": one(
    ({ rows, width }) =>
      `x: f32[${rows}, ${width}]\n${["q", "k", "v"].map((name) => `w${name}: f32[${width}, ${width}]\n${name} = x @ w${name}`).join("\n")}`,
  ),
  SwiGLU: multiplied("y = silu(x @ w) * (x @ v)"),
  "SwiGLU in primitives": multiplied("g = x @ w\ny = g * sigmoid(g) * (x @ v)"),
};

/** A block as nanoGPT has it; `projected` gives q, k and v of `h`, `attended` the heads' result of them. */
const gpt =
  (projected: string, attended: string): Program["text"] =>
  ({ rows, width, head }) =>
    [
      `B = 2\nT = ${rows / 4}\nC = ${width}\nH = ${width / head}\nx: f32[B, T, C]`,
      "ln1_w: f32[C]\nln1_b: f32[C]\nattn_w: f32[C, 3 * C]\nattn_b: f32[3 * C]\nproj_w: f32[C, C]\nproj_b: f32[C]",
      "ln2_w: f32[C]\nln2_b: f32[C]\nfc_w: f32[C, 4 * C]\nfc_b: f32[4 * C]\nout_w: f32[4 * C, C]\nout_b: f32[C]",
      `h = layer_norm(x, (C,), ln1_w, ln1_b)\n${projected}\na = ${attended}`,
      "x = x + a.transpose(1, 2).reshape(B, T, C) @ proj_w + proj_b",
      "h = gelu(layer_norm(x, (C,), ln2_w, ln2_b) @ fc_w + fc_b)\ny = x + h @ out_w + out_b\nreturn y",
    ].join("\n");
const heads = ["q", "k", "v"].map((name) => `${name} = ${name}.reshape(B, T, H, C // H).transpose(1, 2)`).join("\n");
const causal = "scaled_dot_product_attention(q, k, v, is_causal=True)";

const BLOCKS: Readonly<Record<string, Program["text"]>> = {
  "q, k and v by split": gpt(`q, k, v = (h @ attn_w + attn_b).split(C, dim=-1)\n${heads}`, causal),
  "by chunk, attention in primitives": gpt(
    `q, k, v = chunk(h @ attn_w + attn_b, 3, dim=-1)\n${heads}`,
    "softmax(q @ k.transpose(-2, -1) / (C // H) ** 0.5, dim=-1) @ v",
  ),
  "by one view of all heads": gpt(
    "qkv = (h @ attn_w + attn_b).reshape(B, T, 3, H, C // H).permute(2, 0, 3, 1, 4)\nq, k, v = qkv.unbind(0)",
    causal,
  ),
  "q, k and v by three products": gpt(
    ["q", "k", "v"]
      .map((name) => `w${name}: f32[C, C]\n${name} = h @ w${name}`)
      .concat(heads)
      .join("\n"),
    causal,
  ),
  "q, k and v by three linear layers": gpt(
    ["q", "k", "v"]
      .map((name) => `w${name}: f32[C, C]\nb${name}: f32[C]\n${name} = h @ w${name} + b${name}`)
      .concat(heads)
      .join("\n"),
    causal,
  ),
  "with a mask made by hand": gpt(
    `q, k, v = (h @ attn_w + attn_b).split(C, dim=-1)\n${heads}\nseen: f32[T, T] = ones()\ns = where(tril(seen) > 0, q @ k.mT / (C // H) ** 0.5, -inf)`,
    "softmax(s, dim=-1) @ v",
  ),
};

const planned = (text: string, granularity: CompileOptions["granularity"]): Compilation => {
  const compilation = compile(text, { ...defaultOptions, granularity });
  expect(compilation.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return compilation;
};

/** So few rows leave a real machine idle; here every launch is expensive, so that the small program fuses like the large one. */
const eager: CompileOptions = { ...defaultOptions, profile: { ...generic, multiprocessors: 1, launchMicros: 100 } };

const faults = ({ drawn, steps, ...rest }: Compilation): string[] =>
  valueFaults(drawn, fusionAt({ drawn, steps, ...rest }, steps.length), eager.profile);

describe.each(Object.entries(CASES))("%s", (_, { kernels, text }) => {
  test.each(["op", "primitive"] as const)("by %s", (granularity) => {
    expect(planned(text(LARGE), granularity).fusedPlan!.totals.kernels).toBe(kernels);
  });

  test("has the reference's values", () => {
    const small = compile(text(SMALL), eager);
    expect(faults(small)).toEqual([]);
  });
});

describe.each(Object.entries(BLOCKS))("a GPT-2 block, %s", (_, text) => {
  test.each(["op", "primitive"] as const)("takes at most 7 kernels by %s", (granularity) => {
    expect(planned(text(LARGE), granularity).fusedPlan!.totals.kernels).toBeLessThanOrEqual(7);
  });

  test("has the reference's values", () => {
    const small = compile(text(SMALL), eager);
    expect(faults(small)).toEqual([]);
  });
});

/** Programs with their gradients as one graph, and what an expert would launch for both passes together, finishers included. */
const BOTH_WAYS: Readonly<Record<string, Program>> = {
  "softmax and cross entropy": program(
    2,
    ({ rows, width }) =>
      `x: f32[${rows}, ${width}]\nt: i32[${rows}] = zeros()\nloss, dx = value_and_grad(lambda x: cross_entropy(x, t))(x)\nreturn loss, dx`,
  ),
  "softmax and cross entropy with soft targets": program(
    2,
    ({ rows, width }) =>
      `x: f32[${rows}, ${width}]\nt: f32[${rows}, ${width}]\nloss, dx = value_and_grad(lambda x: -(t * log_softmax(x, dim=-1)).sum(-1).mean())(x)\nreturn loss, dx`,
  ),
  "cross entropy with a soft cap, smoothing and a z loss": program(
    2,
    ({ rows, width }) =>
      `x: f32[${rows}, ${4 * width}]\nt: i32[${rows}] = zeros()\nz = 30.0 * tanh(x / 30.0)\nlse = logsumexp(z, -1)\nloss = cross_entropy(z, t, label_smoothing=0.1) + 1e-4 * (lse * lse).mean()\nloss.backward()\nreturn loss, x.grad`,
  ),
  "layer norm": program(
    3,
    ({ rows, width }) =>
      `x: f32[${rows}, ${width}]\nw: f32[${width}]\nb: f32[${width}]\ndy: f32[${rows}, ${width}]\ny, pull = vjp(lambda x, w, b: layer_norm(x, (${width},), w, b), x, w, b)\ndx, dw, db = pull(dy)\nreturn y, dx, dw, db`,
  ),
  "gelu(x @ W + b)": program(
    4,
    ({ rows, width }) =>
      `x: f32[${rows}, ${width}]\nW: f32[${width}, ${width}] = param()\nb: f32[${width}] = param()\ndy: f32[${rows}, ${width}]\ny, pull = vjp(lambda x, W, b: gelu(x @ W + b), x, W, b)\ndx, dW, db = pull(dy)\nreturn y, dx, dW, db`,
  ),
  attention: program(
    4,
    ({ rows, head }) =>
      `${["q", "k", "v", "dy"].map((name) => `${name}: f32[16, ${rows}, ${head}]`).join("\n")}\ny, pull = vjp(lambda q, k, v: softmax(q @ k.mT / ${head} ** 0.5, dim=-1) @ v, q, k, v)\ndq, dk, dv = pull(dy)\nreturn y, dq, dk, dv`,
  ),
  "causal attention": program(
    4,
    ({ rows, head }) =>
      `${["q", "k", "v", "dy"].map((name) => `${name}: f32[16, ${rows}, ${head}]`).join("\n")}\ny, pull = vjp(lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v)\ndq, dk, dv = pull(dy)\nreturn y, dq, dk, dv`,
  ),
};

describe.each(Object.entries(BOTH_WAYS))("%s, both ways", (_, { kernels, text }) => {
  test.each(["op", "primitive"] as const)("by %s", (granularity) => {
    expect(planned(text(LARGE), granularity).fusedPlan!.kernels.length).toBeLessThanOrEqual(kernels);
  });

  test("has the reference's values", () => {
    const small = compile(text(SMALL), eager);
    expect(faults(small)).toEqual([]);
  });
});

test.each([
  ["attention", 1, 3],
  ["causal attention", 1, 3],
] as const)("%s is %i kernel forwards and %i backwards", (name, forwards, backwards) => {
  for (const granularity of ["op", "primitive"] as const) {
    const compilation = planned(BOTH_WAYS[name]!.text(LARGE), granularity);
    const { graph } = fusionAt(compilation, compilation.steps.length);
    const results = new Set(graph.outputs);
    // A kernel of the forward pass stores the result; one that also begins the backward pass is counted there, and no gradient is its own.
    const forward = compilation.fusedPlan!.kernels.filter(({ nodes }) =>
      nodes.some((id) => results.has(id) && graph.nodes.get(id)!.phase !== "backward"),
    );
    const gradients = ({ nodes }: (typeof forward)[number]): boolean =>
      nodes.some((id) => results.has(id) && graph.nodes.get(id)!.phase === "backward");
    const rest = compilation.fusedPlan!.kernels.filter((kernel) => !forward.includes(kernel));
    expect([forward.length, rest.length]).toEqual([forwards, backwards]);
    expect(forward.filter(gradients)).toEqual([]);
    expect(rest.filter((kernel) => !gradients(kernel))).toEqual([]);
  }
});

test("Adam over twelve tensors takes two of them in a kernel that binds eight buffers", () => {
  const { kernels } = planned(operatorTexts["adam_12_tensors"]!, "op").fusedPlan!;
  expect(kernels.length).toBeLessThanOrEqual(6);
  for (const { bindings } of kernels)
    expect(bindings.filter(({ access }) => access !== "uniform").length).toBeLessThanOrEqual(8);
});

describe("peak memory", () => {
  const peak = (text: string): number => planned(text, "op").fusedPlan!.totals.peakBytes;

  test.each(["attention as one call", "attention in primitives", "attention taken apart"])(
    "%s grows with the rows, where the naive plan grows with their square",
    (name) => {
      const { text } = CASES[name]!;
      const at = [1024, 2048, 4096].map((rows) => planned(text({ ...LARGE, rows }), "primitive"));
      const fused = at.map(({ fusedPlan }) => fusedPlan!.totals.peakBytes);
      const naive = at.map(({ naivePlan }) => naivePlan!.totals.peakBytes);
      expect([fused[1]! / fused[0]!, fused[2]! / fused[1]!]).toEqual([2, 2]);
      expect(naive[2]! / naive[1]!).toBeGreaterThan(3.7);
    },
  );

  test("the SPLADE head's grows with batch times vocabulary, never times the sequence", () => {
    const { text } = CASES["SPLADE head"]!;
    const [B, width, vocabulary] = [4, 1024, 16 * 1024];
    const stored = (s: number): number =>
      4 * (B * s * width + vocabulary * width + vocabulary + B * s + B * vocabulary);
    for (const rows of [1024, 2048, 4096]) expect(peak(text({ ...LARGE, rows }))).toBe(stored(rows / 8));
  });

  test("the SPLADE head stores no value of sequence times vocabulary", () => {
    const { graph, regions } = (() => {
      const compilation = planned(CASES["SPLADE head"]!.text(LARGE), "primitive");
      return fusionAt(compilation, compilation.steps.length);
    })();
    const stored = [...regions.values()].flatMap(({ outputs }) => outputs.map((id) => graph.nodes.get(id)!.type.shape));
    expect(stored).toEqual([[4, 16 * 1024]]);
  });
});

test("where more full-size transfers are left than before a step, its card says why", () => {
  const risen = (id: string): string[] => {
    const { text, options } = findExample(id)!;
    const compilation = compile(text, { ...defaultOptions, ...options });
    return compilation.steps.flatMap((step) => cardOfStep(compilation, step, defaultOptions).note ?? []);
  };
  expect(risen("gpt-block")).toEqual([
    "Full-size transfers rise from 11 to 12 all the same: smaller transfers, joined, now reach full size, a quarter of the largest tensor.",
  ]);
  expect(risen("relu-bits/recompute")).toEqual(["Full-size transfers rise from 15 to 17: the plan moves 32 MiB more."]);
  expect(risen("layer-norm-gelu")).toEqual([]);
});
