/** @file The examples, in the menu's order. The first one opens on a first visit. */
import type { Example } from "./example";

const square = { name: "N", S: 512, M: 2048, L: 3072 } as const;

export const examples: readonly Example[] = [
  {
    id: "log-relu",
    title: "log(relu(x + b))",
    sentence: "Three elementwise ops become one kernel: seven trips to memory become three.",
    text: `# One kernel instead of three
N = 2048
x: f32[N, N]
b: f32[N, N]

y = log(relu(x + b))
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "log-exp",
    title: "log(exp(x) + 1)",
    sentence: "The smallest chain: every value between the ops stays in a register.",
    text: `# The soft plus, written out
N = 2048
x: f32[N, N]

y = log(exp(x) + 1)
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "layer-norm-gelu",
    title: "LayerNorm + GELU + residual",
    sentence: "Two row reductions, a normalisation and an activation share one pass over the row.",
    text: `# Around a transformer's MLP
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
    sizes: square,
  },
  {
    id: "softmax",
    title: "Softmax",
    sentence: "Maximum, sum and division all need the whole row: they fuse when one workgroup owns it.",
    text: `# Softmax over rows
N = 2048
x: f32[N, 1024]

y = softmax(x, dim=-1)
`,
    granularity: "primitive",
    sizes: square,
  },
  {
    id: "rms-norm",
    title: "RMSNorm",
    sentence: "One reduction per row instead of LayerNorm's two.",
    text: `# RMSNorm, as in Llama
N = 2048
x: f32[N, 1024]
w: f32[1024] = param()

y = rms_norm(x, w)
`,
    granularity: "primitive",
    sizes: square,
  },
  {
    id: "swiglu",
    title: "SwiGLU gate",
    sentence: "The gate reads both halves once and writes once, whatever stands between.",
    text: `# The gate of a Llama layer
N = 2048
gate: f32[N, 2048]
up: f32[N, 2048]

y = silu(gate) * up
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "matmul-bias-relu",
    title: "Matmul + bias + ReLU",
    sentence: "Bias and activation ride on the accumulators before the product is ever written.",
    text: `# A linear layer, activated
N = 512
x: f32[N, 512]
w: f32[512, 512] = param()
b: f32[512] = param()

y = relu(x @ w + b)
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 512, L: 1024 },
  },
  {
    id: "two-readers",
    title: "One value, two readers",
    sentence: "t is read twice: store it, compute it twice, or write it as a second output?",
    text: `# Two results from one product
N = 2048
x: f32[N, N]
y: f32[N, N]
b: f32[N, N]
c: f32[N, N]

t = x * y
z1 = t + b
z2 = t - c
return z1, z2
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "softplus-chain",
    title: "Softplus and tanh chain",
    sentence: "Mish: a long chain costs arithmetic only once it is fused.",
    text: `# Mish: x times tanh of softplus
N = 2048
x: f32[N, N]

s = log(1 + exp(x))
y = x * tanh(s)
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "dropout-softmax",
    title: "Dropout of a softmax",
    sentence: "The random mask is computed from the element's index, so it never touches memory.",
    text: `# Attention weights with dropout
N = 2048
s: f32[N, 1024]

p = softmax(s, dim=-1)
y = dropout(p, p=0.1, seed=7)
`,
    granularity: "primitive",
    sizes: square,
  },
  {
    id: "transpose-add",
    title: "Transpose and add",
    sentence: "A transposed read folds into the kernel as an index map, through a tile.",
    text: `# One operand is read by columns
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
    title: "Centre the columns",
    sentence: "A mean over rows is finished only after the last row, so the subtraction waits in a kernel of its own.",
    text: `# Subtract each column's mean
N = 2048
x: f32[N, 512]

m = x.mean(dim=0, keepdim=True)
y = x - m
`,
    granularity: "op",
    sizes: square,
  },
  {
    id: "function",
    title: "A function, called twice",
    sentence: "def is inlined at each call and drawn as a group.",
    text: `# Two blocks, one definition
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
    sizes: square,
  },
];

/** The example called `id`, or null. */
export const findExample = (id: string | null): Example | null => examples.find((example) => example.id === id) ?? null;

/** What a first visit opens. */
export const startExample: Example = examples[0]!;

/** The example's size that the text has now; null when the person chose another. */
export function sizeOfText(example: Example, text: string): "S" | "M" | "L" | null {
  const { sizes } = example;
  if (!sizes) return null;
  const found = new RegExp(`^${sizes.name} *= *(\\d+)`, "m").exec(text);
  const value = found ? Number(found[1]) : null;
  return (["S", "M", "L"] as const).find((size) => sizes[size] === value) ?? null;
}
