/** @file Chapter 004: intermediate tensors; a chain, batch statistics, products that are reduced at once. */
import type { Example } from "../example";
import { square } from "../sizes";

const logRelu = { row: "004-02", says: "6 → 3" };

export const intermediates: readonly Example[] = [
  {
    id: "log-relu",
    chapter: "intermediates",
    title: "log(relu(x + b))",
    sentence: "Three elementwise ops become one kernel: count the transfers.",
    text: `# y = log(relu(x + b)), one kernel instead of three
N = 2048
x: f32[N, N] = uniform(0, 1)
b: f32[N, N] = uniform(0, 1)

y = log(relu(x + b))
`,
    granularity: "op",
    sizes: square,
    claims: [logRelu],
    variants: [
      {
        id: "vector",
        title: "b a vector",
        sentence: "A bias of one row is small: only x and the values computed from it are full-size.",
        text: `# The bias is one row
N = 2048
x: f32[N, N] = uniform(0, 1)
b: f32[N] = param(uniform(0, 1))

y = log(relu(x + b))
`,
      },
      {
        id: "scalar",
        title: "b a scalar",
        sentence: "A bias of one element: the full-size transfers are the same as with a vector.",
        text: `# The bias is one number
N = 2048
x: f32[N, N] = uniform(0, 1)
b: f32[1] = param(uniform(0, 1))

y = log(relu(x + b))
`,
      },
    ],
  },
  {
    id: "unary-chain",
    chapter: "intermediates",
    title: "A chain of unary ops",
    sentence: "Run one by one, k ops transfer the tensor 2k times; one kernel transfers it twice.",
    text: `# Six ops in a row
N = 2048
x: f32[N, N]

t = x
for i in range(3):
    t = sigmoid(tanh(t))
return t
`,
    granularity: "op",
    sizes: square,
    claims: [{ row: "004-03", says: "2kns → 2ns" }],
  },
  {
    id: "mandelbrot",
    chapter: "intermediates",
    title: "A loop in one kernel",
    sentence:
      "Each iteration reads and writes whole tensors; in one kernel x, y and count stay in registers for all iterations.",
    text: `# How often z = z² + c stays small, for every pixel
N = 1024
cx: f32[N, N] = uniform(-2, 1)
cy: f32[N, N] = uniform(-1.5, 1.5)

x = cx * 0
y = cy * 0
count = cx * 0
for iteration in range(20):
    next_x = x * x - y * y + cx
    next_y = 2 * x * y + cy
    inside = next_x * next_x + next_y * next_y < 4
    x = where(inside, next_x, x)
    y = where(inside, next_y, y)
    count = where(inside, count + 1, count)
return count
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 1024, L: 2048 },
  },
  {
    id: "batch-norm",
    chapter: "intermediates",
    title: "BatchNorm",
    sentence: "With fixed statistics it is a scale and a shift per channel, elementwise.",
    text: `# At inference: the statistics are known
N = 16
x: f32[N, 64, 56, 56]
mean: f32[64, 1, 1] = param()
variance: f32[64, 1, 1] = param(uniform(0.5, 1.5))
gamma: f32[64, 1, 1] = param()
beta: f32[64, 1, 1] = param()

y = (x - mean) / sqrt(variance + 1e-5) * gamma + beta
`,
    granularity: "op",
    sizes: { name: "N", S: 4, M: 16, L: 32 },
    variants: [
      {
        id: "training",
        title: "in training",
        sentence: "The statistics come from this batch, so they are complete only after its last element.",
        text: `# In training: mean and variance of each channel
N = 16
x: f32[N, 64, 56, 56]
gamma: f32[64, 1, 1] = param()
beta: f32[64, 1, 1] = param()

m = x.mean(dim=(0, 2, 3), keepdim=True)
d = x - m
v = square(d).mean(dim=(0, 2, 3), keepdim=True)
y = d / sqrt(v + 1e-5) * gamma + beta
`,
      },
    ],
  },
  {
    id: "matmul-max",
    chapter: "intermediates",
    title: "The largest of each column",
    sentence: "Only the maximum of each column is needed. Does the matmul's result have to be stored?",
    text: `# The best match of each entry among N rows
N = 512
x: f32[N, 64]
e: f32[64, 2048] = param()

y = (x @ e).max(dim=0)
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 512, L: 2048 },
  },
  {
    id: "linear-cross-entropy",
    chapter: "intermediates",
    title: "Linear + cross-entropy",
    sentence:
      "There is one logit per class of a vocabulary, but a row's loss needs three numbers: maximum, sum and the target's logit.",
    text: `# The loss of a language model: N rows of V logits, N losses
N = 1024
V = 8192
h: f32[N, 64]
w: f32[V, 64] = param()
y: i32[N] = uniform(0, V)

logits = linear(h, w)
loss = cross_entropy(logits, y, reduction="none")
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 1024, L: 2048 },
    variants: [
      {
        id: "primitives",
        title: "as primitives",
        sentence:
          "The same loss without the library call. Tile by tile, the kernel keeps a running maximum, rescales the running sum, and picks out the target's logit.",
        text: `# The same without a name
N = 1024
V = 8192
h: f32[N, 64]
w: f32[V, 64] = param()
y: i32[N, 1] = uniform(0, V)

z = linear(h, w)
m = z.max(dim=-1, keepdim=True)
l = exp(z - m).sum(dim=-1, keepdim=True)
loss = m + log(l) - z.gather(1, y)
`,
      },
      {
        id: "strict",
        title: "strict",
        sentence: "Strict mode keeps the order of the sums, so the logits are stored.",
        options: { strict: true },
      },
    ],
  },
  {
    id: "splade-head",
    chapter: "intermediates",
    title: "SPLADE head",
    sentence: "There is one score per word and position, but only the largest per word is stored.",
    text: `# [B, S, V] scores, of which [B, V] remain
S = 128
B = 4
V = 2048
x: f32[B, S, 64]
e: f32[64, V] = param()
mask: f32[B, S, 1] = ones()

z = x @ e
z = z * mask
a = log1p(relu(z))
y = a.max(dim=1)
`,
    granularity: "op",
    sizes: { name: "S", S: 32, M: 128, L: 512 },
    claims: [{ row: "004-07", says: "B·S·V scores are never stored" }],
  },
];
