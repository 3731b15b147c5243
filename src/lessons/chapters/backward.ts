/** @file Chapter 003's derivatives, written out by hand: both modes, a dense layer, a loss, and what backward keeps. */
import type { Example } from "../example";
import { pin } from "../pins";
import { rows } from "../sizes";

const saved = (note: string, backward: string): string => `# ${note}
N = 2048
x: f32[N, 1024]

# forward, and the adjoint of y
a = exp(x)
y = log(a + 1)
m = y.mean(dim=0, keepdim=True)
g = y - m

# backward: dy/dx = a / (a + 1)
${backward}
dx = g / (1 + r)
return y, dx
`;

const inverted = { row: "003-21", says: "less stable" };

export const backward: readonly Example[] = [
  {
    id: "jvp-mul",
    chapter: "derivatives",
    title: "Forward mode of x y",
    sentence: "One multiplication becomes four ops; both results read the same four tensors.",
    text: `# A product and its tangent
N = 2048
x: f32[N, 1024]
dx: f32[N, 1024]
y: f32[N, 1024]
dy: f32[N, 1024]

z = x * y
dz = dx * y + x * dy
return z, dz
`,
    granularity: "op",
    sizes: rows,
  },
  {
    id: "vjp-mul",
    chapter: "derivatives",
    title: "Reverse mode of x y",
    sentence: "Both adjoints use the same incoming gradient, which the fused kernel reads once.",
    text: `# The adjoints of a product's factors
N = 2048
x: f32[N, 1024]
y: f32[N, 1024]
bar_z: f32[N, 1024]
bar_x: f32[N, 1024] = zeros()
bar_y: f32[N, 1024] = zeros()

bar_x += y * bar_z
bar_y += x * bar_z
return bar_x, bar_y
`,
    granularity: "op",
    sizes: rows,
  },
  {
    id: "dense-backward",
    chapter: "derivatives",
    title: "Backward of bias + ReLU",
    sentence:
      "One kernel applies the mask, adds to both adjoints and sums over the batch, so each tensor is read once.",
    text: `# Adjoints of a bias and of what it was added to
N = 2048
b: f32[N, 1024]
bar_c: f32[N, 1024]
bar_a: f32[N, 1024] = zeros()
bar_bias: f32[1024] = zeros()

bar_b = bar_c * (b > 0)
bar_a += bar_b
bar_bias += bar_b.sum(dim=0)
return bar_a, bar_bias
`,
    granularity: "op",
    sizes: rows,
  },
  {
    id: "softmax-xent",
    chapter: "derivatives",
    title: "Softmax + cross entropy",
    sentence: "Their joint derivative is p minus the target. One kernel computes the loss and the derivative.",
    text: `# Loss of each row and its derivative; the target is class 0
N = 2048
C = 1024
z: f32[N, C]

t = where(iota(C) == 0, 1.0, 0.0)
lse = logsumexp(z, dim=-1, keepdim=True)
loss = lse - sum(t * z, dim=-1, keepdim=True)
dz = exp(z - lse) - t
return loss, dz
`,
    granularity: "primitive",
    sizes: rows,
    variants: [
      {
        id: "labels",
        title: "with labels",
        sentence: "Each row has one integer label instead of a row of targets, so only one small tensor is added.",
        text: `# Loss of each row and its derivative
N = 2048
C = 1024
z: f32[N, C]
labels: i32[N] = arange()

t = labels % C
loss = cross_entropy(z, t, reduction="none")
dz = softmax(z, dim=-1) - one_hot(t, C)
return loss, dz
`,
      },
      {
        id: "apart",
        title: "apart",
        sentence:
          "Without subtracting the row's maximum, exp of a logit above 88 overflows f32. The check after a run finds it.",
        text: `# The same from its parts, with logits up to 100
N = 2048
C = 1024
z: f32[N, C] = uniform(0, 100)

t = where(iota(C) == 0, 1.0, 0.0)
e = exp(z)
p = e / sum(e, dim=-1, keepdim=True)
loss = 0 - sum(t * log(p), dim=-1, keepdim=True)
dz = p - t
return loss, dz
`,
      },
    ],
  },
  {
    id: "saved-values",
    chapter: "derivatives",
    title: "Saved for the backward pass",
    sentence:
      "The backward pass needs a = exp(x), but the batch mean separates the two passes. Here a is recomputed from x.",
    text: saved("a is recomputed", "r = 1 / a"),
    granularity: "op",
    sizes: rows,
    claims: [inverted],
    variants: [
      {
        id: "save",
        title: "save a",
        sentence: "The forward pass stores a beside y; the backward pass reads a instead of x.",
        text: saved("a is stored", "r = 1 / a"),
        options: { forbidden: [pin("a", "r", 1)] },
      },
      {
        id: "invert",
        title: "invert y",
        sentence: "The backward pass recovers a from y alone. Where a is small, its digits are lost.",
        text: saved("a is recovered from y = log(a + 1)", "r = 1 / (exp(y) - 1)"),
      },
    ],
  },
];
