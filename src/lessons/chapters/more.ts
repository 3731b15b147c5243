/** @file Examples of the language and of layouts that no chapter has. */
import type { Example } from "../example";
import { rows, square } from "../sizes";

export const more: readonly Example[] = [
  {
    id: "mish",
    chapter: "more",
    title: "Mish",
    sentence: "x times tanh of softplus: once fused, a long chain costs only arithmetic.",
    text: `# Mish, written out
N = 2048
x: f32[N, N]

s = log(1 + exp(x))
y = x * tanh(s)
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "transpose-add",
    chapter: "more",
    title: "Transpose and add",
    sentence: "The kernel reads the transposed operand through a tile, so no transposed copy is stored.",
    text: `# One operand is read across its rows
N = 2048
a: f32[N, N]
b: f32[N, N]

y = a.T + b
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "column-mean",
    chapter: "more",
    title: "Centre the columns",
    sentence:
      "A mean over rows is complete only after the last row. Until then each workgroup keeps its few columns in registers.",
    text: `# Subtract each column's mean
N = 2048
x: f32[N, 512]

m = x.mean(dim=0, keepdim=True)
y = x - m
`,
    granularity: "op",
    sizes: rows,
  },
  {
    id: "function",
    chapter: "more",
    title: "A function, called twice",
    sentence: "def is inlined at each call and drawn as a group.",
    text: `# Two residual blocks from one definition
N = 2048

def block(x, w):
    h = rms_norm(x, w)
    return x + gelu(h)

x: f32[N, 512]
w1: f32[512] = param()
w2: f32[512] = param()

h = block(x, w1)
y = block(h, w2)
`,
    granularity: "op",
    sizes: rows,
  },
];
