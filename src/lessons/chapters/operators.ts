/** @file Chapter 001: operator fusion in frameworks; products with their activations, folding, attention. */
import type { Example } from "../example";
import { cube, rows, sequence } from "../sizes";

export const operators: readonly Example[] = [
  {
    id: "matmul-bias-relu",
    chapter: "operators",
    title: "Matmul + bias + ReLU",
    sentence: "Bias and activation are applied to the accumulators before the matmul's result is stored.",
    text: `# A linear layer with its activation
N = 512
x: f32[N, N]
w: f32[N, N] = param()
b: f32[N] = param()

y = relu(x @ w + b)
`,
    granularity: "op",
    sizes: cube,
    claims: [{ row: "001-01", says: "3 → 1" }],
    variants: [
      {
        id: "library",
        title: "library matmul",
        sentence: "The library matmul keeps its own kernel; bias and ReLU share a second one.",
        options: { matmulPolicy: "library" },
        claims: [],
      },
    ],
  },
  {
    id: "conv-bn-relu",
    chapter: "operators",
    title: "Conv + BatchNorm + ReLU",
    sentence:
      "With fixed statistics, BatchNorm is a scale and a shift per channel, which are folded into the weights before the run.",
    text: `# At inference
N = 8
x: f32[N, 16, 32, 32]
w: f32[32, 16, 3, 3] = param()
mean: f32[32] = param()
variance: f32[32] = param(uniform(0.5, 1.5))
gamma: f32[32] = param()
beta: f32[32] = param()

c = conv2d(x, w, padding=1)
n = batch_norm(c, mean, variance, gamma, beta)
y = relu(n)
`,
    granularity: "op",
    sizes: { name: "N", S: 1, M: 8, L: 32 },
    variants: [
      {
        id: "training",
        title: "in training",
        sentence: "The statistics come from this batch, so the convolution has to finish first.",
        text: `# In training: the statistics are of this batch
N = 8
x: f32[N, 16, 32, 32]
w: f32[32, 16, 3, 3] = param()
gamma: f32[32] = param()
beta: f32[32] = param()

c = conv2d(x, w, padding=1)
n = batch_norm(c, weight=gamma, bias=beta, training=True)
y = relu(n)
`,
      },
    ],
  },
  {
    id: "bias-gelu",
    chapter: "operators",
    title: "Bias + GELU",
    sentence: "The bias vector is broadcast in the kernel, never written out as a tensor.",
    text: `# The activation of a transformer's feed-forward layer
N = 2048
x: f32[N, 1024]
b: f32[1024] = param()

y = gelu(x + b)
`,
    granularity: "op",
    sizes: rows,
    claims: [{ row: "000-21", says: "1.5–2× faster" }],
    variants: [
      {
        id: "tanh",
        title: "tanh form",
        sentence: "The tanh approximation: the same traffic, slightly different results.",
        claims: [
          { row: "000-21", says: "1.5–2× faster" },
          { row: "001-13", says: "the tanh form" },
        ],
        text: `# With the tanh form of GELU
N = 2048
x: f32[N, 1024]
b: f32[1024] = param()

y = gelu(x + b, approximate="tanh")
`,
      },
      {
        id: "written",
        title: "written out",
        sentence: "Written out, GELU is nine small ops, so fusion saves much more.",
        text: `# The tanh form in single ops
N = 2048
x: f32[N, 1024]
b: f32[1024] = param()

h = x + b
inner = 0.7978845608 * (h + 0.044715 * h * h * h)
y = 0.5 * h * (1 + tanh(inner))
`,
      },
    ],
  },
  {
    id: "flash-attention",
    chapter: "operators",
    title: "Attention with its linear layers",
    sentence: "The N×N scores lie between two matmuls. Change N and watch the memory.",
    text: `# Queries, keys and values from one input
N = 1024
D = 64
x: f32[N, D]
wq: f32[D, D] = param()
wk: f32[D, D] = param()
wv: f32[D, D] = param()

q = x @ wq
k = x @ wk
v = x @ wv
s = q @ k.T
s = s / math.sqrt(D)
p = softmax(s, dim=-1)
o = p @ v
`,
    granularity: "op",
    sizes: sequence,
    claims: [{ row: "001-06", says: "8 → 1" }],
  },
  {
    id: "scale-offset-power",
    chapter: "operators",
    title: "Scale + offset + power",
    sentence: "Three elementwise ops, each with a vector: the fused kernel loads x once and stores y once.",
    text: `# Positive inputs, so that the power is defined
N = 2048
x: f32[N, 1024] = uniform(0.1, 2)
scale: f32[1024] = param(uniform(0.5, 1.5))
offset: f32[1024] = param(uniform(0, 1))

y = (x * scale + offset) ** 1.5
`,
    granularity: "op",
    sizes: rows,
  },
];
