/** @file Chapter 003: fusion beside differentiation; chains, shared values, derivatives written out, softmax, layout. */
import type { Example } from "../example";
import { pin } from "../pins";
import { cube, rows, square } from "../sizes";
import { backward } from "./backward";
import { transformations } from "./transformations";

const twoReaders = `# Two results from one product
N = 2048
x: f32[N, N]
y: f32[N, N]
b: f32[N, N]
c: f32[N, N]

t = x * y
z1 = t + b
z2 = t - c
return z1, z2
`;
export const derivatives: readonly Example[] = [
  {
    id: "log-exp",
    chapter: "derivatives",
    title: "log(exp(x) + 1)",
    sentence: "The smallest chain: every value between the ops stays in a register.",
    text: `# The soft plus, written out
N = 2048
x: f32[N, N]

y = log(exp(x) + 1)
`,
    granularity: "op",
    sizes: square,
    claims: [{ row: "003-01", says: "6 → 2" }],
  },
  {
    id: "tanh-affine",
    chapter: "derivatives",
    title: "tanh(a x + b)",
    sentence: "Each element of the result needs one element of x, so everything fuses.",
    text: `# An affine map and its activation
N = 2048
x: f32[N, 1024]
a: f32[1024] = param()
b: f32[1024] = param()

y = tanh(a * x + b)
`,
    granularity: "op",
    sizes: rows,
  },
  {
    id: "mul-add",
    chapter: "derivatives",
    title: "A producer, one consumer",
    sentence: "t has one reader, so it can be computed where it is read and never stored.",
    text: `# t is read once
N = 2048
x: f32[N, N]
y: f32[N, N]
b: f32[N, N]

t = x * y
z = t + b
return z
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "two-readers",
    chapter: "derivatives",
    title: "One value, two readers",
    sentence: "t is read twice: store it, compute it twice, or write both results from one kernel?",
    text: twoReaders,
    granularity: "op",
    sizes: square,
    claims: [
      { row: "001-16", says: "cannot be fused" },
      { row: "003-09", says: "duplicate or materialise" },
    ],
    variants: [
      {
        id: "store",
        title: "store t",
        sentence: "t is stored once and loaded twice: three kernels, nine transfers.",
        options: { policy: "materialise" },
      },
      {
        id: "duplicate",
        title: "compute t twice",
        sentence: "Each result computes t for itself: x and y are read twice.",
        options: { policy: "duplicate" },
      },
      {
        id: "multi",
        title: "two outputs",
        sentence: "One kernel reads everything once and writes both results.",
        options: { policy: "multi" },
      },
    ],
  },
  ...backward,
  ...transformations,
  {
    id: "sum-exp",
    chapter: "derivatives",
    title: "sum(exp(x))",
    sentence: "The exponential is computed as the sum reads: it needs no tensor of its own.",
    text: `# A reduction with its prologue
N = 2048
x: f32[N, N]

y = sum(exp(x))
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "softmax",
    chapter: "derivatives",
    title: "Softmax",
    sentence: "Maximum, sum and division all need the whole row. They fuse when one workgroup owns the row.",
    text: `# Softmax over rows
N = 2048
x: f32[N, 1024]

y = softmax(x, dim=-1)
`,
    granularity: "primitive",
    sizes: rows,
    variants: [
      {
        id: "store",
        title: "store exp",
        sentence:
          "Both edges of e are pinned as boundaries, so e is stored: exp is computed once, the tensor moves four times.",
        granularity: "op",
        text: `# e is written once and read by sum and division
N = 2048
x: f32[N, 1024]

e = exp(x)
s = sum(e, dim=-1, keepdim=True)
p = e / s
return p
`,
        options: { forbidden: [pin("e", "s", 0), pin("e", "p", 0)] },
      },
      {
        id: "recompute",
        title: "compute exp twice",
        sentence: "Only the sums are stored. Each of the two kernels reads x and computes exp.",
        granularity: "op",
        text: `# exp(x) is computed for the sum, and again for the division
N = 2048
x: f32[N, 1024]

e1 = exp(x)
s = sum(e1, dim=-1, keepdim=True)
e2 = exp(x)
p = e2 / s
return p
`,
        options: { disabledPasses: ["canonicalise"], forbidden: [pin("s", "p", 1)] },
      },
      {
        id: "online",
        title: "online",
        sentence:
          "One pass finds maximum and sum: when the maximum rises by d, the sum so far is divided by e^d. A second pass divides.",
        options: { knobs: { all: {}, kernels: { y: { rows: "one-pass" } } } },
      },
      {
        id: "long-rows",
        title: "rows longer than registers",
        sentence:
          "The row is too long for a workgroup's registers, so it is read twice: for maximum and sum, then for y.",
        sizes: { name: "N", S: 16, M: 64, L: 256 },
        text: `# Softmax over long rows
N = 64
x: f32[N, 65536]

y = softmax(x, dim=-1)
`,
      },
    ],
  },
  {
    id: "scale-bias-relu",
    chapter: "derivatives",
    title: "Scale + bias + max",
    sentence: "What you would write by hand: both temporaries live in registers.",
    text: `# A loop body of three lines
N = 2048
x: f32[N, 1024]
scale: f32[1024] = param()
bias: f32[1024] = param()

tmp1 = x * scale
tmp2 = tmp1 + bias
out = maximum(tmp2, 0)
return out
`,
    granularity: "op",
    sizes: rows,
  },
  {
    id: "mul-add-relu",
    chapter: "derivatives",
    title: "A graph of three nodes",
    sentence: "mul, add and relu become one kernel, named after the three ops.",
    text: `# x to y through three nodes
N = 2048
x: f32[N, N]

m = x * 2
a = m + 1
y = relu(a)
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "all-reduce",
    chapter: "derivatives",
    title: "A sum over devices",
    sentence:
      "Communication is a boundary: one kernel ends before it and another begins after it. They can overlap but not merge.",
    text: `# A gradient is summed over four devices before the step
N = 2048
x: f32[N, 1024]
bar: f32[N, 1024]

g = x * bar
s = all_reduce(g)
y = x - s * 0.25
return y
`,
    granularity: "op",
    sizes: rows,
    variants: [
      {
        id: "alone",
        title: "one device",
        sentence: "Without communication all three ops are one kernel.",
        text: `# The same on one device
N = 2048
x: f32[N, 1024]
bar: f32[N, 1024]

g = x * bar
y = x - g * 0.25
return y
`,
      },
    ],
  },
  {
    id: "transpose-matmul",
    chapter: "derivatives",
    title: "Transpose, then a matmul",
    sentence: "The matmul reads its operand with swapped strides, so the transpose costs nothing.",
    text: `# A weight stored the other way round
N = 512
x: f32[N, N]
w: f32[N, N] = param()
b: f32[N] = param()

t = w.T
h = x @ t
y = relu(h + b)
`,
    granularity: "op",
    sizes: cube,
  },
];
