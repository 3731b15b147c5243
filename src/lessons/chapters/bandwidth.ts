/** @file Chapter 000: memory is the bottleneck; normalisations, activations and attention scores. */
import { pin } from "../pins";
import type { Example } from "../example";
import { cube, rows, sequence, square } from "../sizes";
import { maskedLanes } from "./masked-lanes";

const layerNormInputs = `x: f32[N, 768]
w: f32[768] = param()
b: f32[768] = param()
`;
const statements = `m = x.mean(dim=-1, keepdim=True)
v = ((x - m) ** 2).mean(dim=-1, keepdim=True)
n = (x - m) / sqrt(v + 1e-5)
`;
const normalised = { row: "000-20", says: "2–4× faster" };

export const bandwidth: readonly Example[] = [
  {
    id: "ln-relu",
    chapter: "bandwidth",
    title: "LayerNorm + ReLU",
    sentence:
      "How much fusion saves depends on what you count as one kernel: compare primitives, statements and calls.",
    text: `# Eleven primitives, one pass over each row
N = 2048
${layerNormInputs}
y = relu(layer_norm(x, w, b))
`,
    granularity: "primitive",
    sizes: rows,
    claims: [{ row: "000-04", says: "10 → 2, 5× less" }],
    variants: [
      {
        id: "statements",
        title: "five statements",
        sentence: "The same, written out: each statement is one kernel of the naive plan.",
        granularity: "statement",
        text: `# Five statements, one pass over each row
N = 2048
${layerNormInputs}
${statements}y = n * w + b
y = relu(y)
`,
      },
      {
        id: "calls",
        title: "library calls",
        sentence: "Two library kernels: fusing them can still save half of the traffic.",
        granularity: "op",
      },
    ],
  },
  {
    id: "gelu-dropout-residual",
    chapter: "bandwidth",
    title: "Dropout of GELU + residual",
    sentence: "All ops are elementwise; the random mask is computed from each element's index.",
    text: `# The end of a feed-forward block
N = 2048
x: f32[N, 1024]
r: f32[N, 1024]

y = dropout(gelu(x), p=0.1, seed=7) + r
`,
    granularity: "op",
    sizes: rows,
    variants: [
      {
        id: "tanh",
        title: "tanh form",
        sentence: "The tanh approximation of GELU: different arithmetic, the same traffic.",
        text: `# The end of a feed-forward block, with the tanh form of GELU
N = 2048
x: f32[N, 1024]
r: f32[N, 1024]

y = dropout(gelu(x, approximate="tanh"), p=0.1, seed=7) + r
`,
      },
    ],
  },
  {
    id: "layer-norm",
    chapter: "bandwidth",
    title: "LayerNorm",
    sentence:
      "Mean, variance and normalisation each need the whole row. The fused kernel loads it once and keeps it in registers.",
    text: `# LayerNorm as primitives
N = 2048
${layerNormInputs}
y = layer_norm(x, w, b)
`,
    granularity: "primitive",
    sizes: rows,
    claims: [{ row: "000-15", says: "1.25 FLOP/byte" }, normalised],
    variants: [
      {
        id: "statements",
        title: "four statements",
        sentence: "Written out: each statement is one kernel of the naive plan.",
        granularity: "statement",
        claims: [normalised],
        text: `# LayerNorm as statements
N = 2048
${layerNormInputs}
${statements}y = n * w + b
`,
      },
      {
        id: "three-passes",
        title: "three passes",
        sentence: "As lecture notes often do it: one kernel, and x is read for the mean, for the variance and for y.",
        claims: [{ row: "001-07", says: "one fused kernel" }],
        options: { knobs: { all: {}, kernels: { y: { rows: "again" } } } },
      },
      {
        id: "welford",
        title: "Welford",
        sentence: "One pass updates mean and variance together (Welford). A second pass reads x again and writes y.",
        claims: [{ row: "001-07", says: "one fused kernel" }],
        options: { knobs: { all: {}, kernels: { y: { rows: "one-pass" } } } },
      },
      {
        id: "subgroups",
        title: "joined by subgroups",
        sentence:
          "Warp primitives: the threads of a subgroup exchange their sums between registers. Only one partial sum of each subgroup goes through workgroup memory, so most barriers disappear (kernel card, Instructions).",
        claims: [{ row: "001-07", says: "one fused kernel" }],
        options: { knobs: { all: {}, kernels: { y: { joined: "subgroups" } } } },
      },
      {
        id: "long-rows",
        title: "rows longer than registers",
        sentence:
          "The row is too long for a workgroup's registers, so one kernel reads it twice: for mean and variance, then for y.",
        claims: [{ row: "001-07", says: "one fused kernel" }],
        sizes: { name: "N", S: 16, M: 64, L: 256 },
        text: `# One kernel, two loops over each row
N = 64
x: f32[N, 65536]
w: f32[65536] = param()
b: f32[65536] = param()

y = layer_norm(x, w, b)
`,
      },
    ],
  },
  {
    id: "layer-norm-gelu",
    chapter: "bandwidth",
    title: "LayerNorm + GELU + residual",
    sentence: "Two row reductions, a normalisation and an activation share one pass over the row.",
    text: `# Around a feed-forward layer
N = 2048
x: f32[N, 768]
w: f32[768] = param()
b: f32[768] = param()
r: f32[N, 768]

h = layer_norm(x, w, b)
g = gelu(h)
y = g + r
return y
`,
    granularity: "primitive",
    sizes: rows,
  },
  maskedLanes,
  {
    id: "dropout-softmax",
    chapter: "bandwidth",
    title: "Dropout of a softmax",
    sentence: "The random mask is computed from the element's index, so it never touches memory.",
    text: `# Attention weights with dropout
N = 2048
s: f32[N, 1024]

p = softmax(s, dim=-1)
y = dropout(p, p=0.1, seed=7)
`,
    granularity: "primitive",
    sizes: rows,
    variants: [
      {
        id: "calls",
        title: "library calls",
        sentence: "With a library softmax, only the store and load between the two calls can be saved.",
        granularity: "op",
      },
    ],
  },
  {
    id: "attention-scores",
    chapter: "bandwidth",
    title: "Attention scores",
    sentence:
      "Scale and mask fuse into the matmul. Softmax needs whole rows: workgroups that own them are too few to keep the GPU busy, so two kernels are predicted to be faster.",
    text: `# softmax(q kᵀ / √d + mask)
N = 1024
D = 64
q: f32[N, D]
k: f32[N, D]
mask: f32[N, N] = zeros()

s = q @ k.T
s = s * (1 / math.sqrt(D))
s = s + mask
p = softmax(s, dim=-1)
`,
    granularity: "op",
    sizes: sequence,
    claims: [{ row: "000-19", says: "2–3× faster" }],
    variants: [
      {
        id: "heads",
        title: "eight heads",
        sentence:
          "One kernel: eight heads have rows for the whole GPU, and computing scores twice takes less time than storing and loading them.",
        text: `# softmax(q kᵀ / √d + mask) of eight heads
N = 1024
D = 64
q: f32[8, N, D]
k: f32[8, N, D]
mask: f32[N, N] = zeros()

s = q @ k.mT
s = s * (1 / math.sqrt(D))
s = s + mask
p = softmax(s, dim=-1)
`,
        sizes: { ...sequence, L: 1536 },
      },
      {
        id: "forced",
        title: "fused anyway",
        sentence:
          "One kernel by choice: each workgroup computes its rows for their maximum and sum, and once more to store them.",
        options: { forced: [pin("s@3", "p.max", 0)] },
      },
    ],
  },
  {
    id: "swiglu",
    chapter: "bandwidth",
    title: "SwiGLU gate",
    sentence: "Both inputs are read once and the result is written once, however many ops lie between.",
    text: `# The gated activation of a Llama feed-forward layer
N = 2048
gate: f32[N, 2048]
up: f32[N, 2048]

y = silu(gate) * up
`,
    granularity: "op",
    sizes: square,
    claims: [{ row: "000-21", says: "1.5–2× faster" }],
    variants: [
      {
        id: "primitives",
        title: "primitives",
        sentence: "With sigmoid and multiplication as separate ops, fusion saves more.",
        granularity: "primitive",
      },
      {
        id: "products",
        title: "with its matmuls",
        sentence: "Both matmuls read the same rows, so one kernel computes both tiles and the gate.",
        claims: [],
        sizes: cube,
        text: `# Gate and value projections of a Llama feed-forward layer
N = 512
x: f32[N, 512]
w1: f32[512, 1024] = param()
w2: f32[512, 1024] = param()

y = silu(x @ w1) * (x @ w2)
`,
      },
    ],
  },
  {
    id: "bias-dropout-add",
    chapter: "bandwidth",
    title: "Bias + dropout + residual",
    sentence: "The bias is a vector, so reading it costs almost nothing.",
    text: `# After the projection of an attention layer
N = 2048
x: f32[N, 1024]
b: f32[1024] = param()
r: f32[N, 1024]

y = dropout(x + b, p=0.1, seed=7) + r
`,
    granularity: "op",
    sizes: rows,
    claims: [{ row: "000-22", says: "2–3× faster" }],
  },
  {
    id: "rms-norm",
    chapter: "bandwidth",
    title: "RMSNorm",
    sentence: "One reduction per row instead of LayerNorm's two.",
    text: `# RMSNorm, as in Llama
N = 2048
x: f32[N, 1024]
w: f32[1024] = param()

y = rms_norm(x, w)
`,
    granularity: "primitive",
    sizes: rows,
    claims: [{ row: "000-23", says: "2–4× faster" }],
  },
  {
    id: "square-matmul",
    chapter: "bandwidth",
    title: "A square matmul",
    sentence: "Nothing to fuse: each element is used N times after it is loaded.",
    text: `# Right of the ridge, fusion has nothing to say
N = 1024
x: f32[N, N]
w: f32[N, N] = param()

y = x @ w
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 1024, L: 2048 },
    claims: [
      { row: "000-16", says: "N FLOP/byte" },
      { row: "000-17", says: "100 FLOP/byte" },
      { row: "001-02", says: "50 FLOP/byte" },
      { row: "000-01", says: "156 : 1" },
      { row: "000-02", says: "298 : 1" },
    ],
  },
  {
    id: "matmul-softmax",
    chapter: "bandwidth",
    title: "Matmul, then softmax",
    sentence: "The matmul works on tiles, the softmax on whole rows, so they stay two kernels.",
    text: `# Two ways to walk the same tensor
N = 512
x: f32[N, 256]
w: f32[256, 1024] = param()

y = softmax(x @ w, dim=-1)
`,
    granularity: "op",
    sizes: cube,
    variants: [
      {
        id: "narrow",
        title: "narrow rows",
        sentence: "A row of 128 fits into one tile, so the workgroup that computes it also finishes its softmax.",
        text: `# Rows that are a tile's as well
N = 512
x: f32[N, 256]
w: f32[256, 128] = param()

y = softmax(x @ w, dim=-1)
`,
      },
    ],
  },
];
