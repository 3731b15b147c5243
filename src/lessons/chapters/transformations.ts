/** @file Chapter 003: transformations that the compiler makes: what a backward pass keeps of the forward pass; batches. */
import { pin } from "../pins";
import { nodeId, type SavedValues } from "../../fusion";
import type { Example, ExampleOptions } from "../example";
import { rows, sequence, square } from "../sizes";

/** The backward pass in kernels of its own, keeping what `saved` says. */
const apart = (saved: Partial<SavedValues> = {}): ExampleOptions => ({
  savedValues: { apart: true, choices: {}, ...saved },
});
const choices = (of: Readonly<Record<string, SavedValues["choices"][never]>>): Partial<SavedValues> => ({
  choices: Object.fromEntries(Object.entries(of).map(([id, choice]) => [nodeId(id), choice])),
});

/** The scores are recomputed by the backward pass, whatever that costs. */
const recomputed = (scores: string): ExampleOptions => ({
  forced: [pin(`return#1/grad#0/${scores}`, "return#1/grad#0/d_matmul", 0)],
});

/** A layer and its loss, for one example of `B`. */
const layer = `x: f32[B, 256]
t: f32[B]
w: f32[256, 256] = param()

def loss(w, x, t):
    h = gelu(x @ w)
    return (mean(h) - t) ** 2
`;

/** Attention, a loss of it, and the gradients of all that goes in. */
const attentionBackward = (mask = ""): string => `# Scores of N² elements lie between the products, twice
N = 1024
D = 64
q: f32[N, D]
k: f32[N, D]
v: f32[N, D]

s = q @ k.T / math.sqrt(D)
${mask}m = stop_gradient(s.max(dim=-1, keepdim=True))
e = exp(s - m)
p = e / e.sum(dim=-1, keepdim=True)
o = p @ v
loss = mean(o * o)
loss.backward()
return loss, q.grad, k.grad, v.grad
`;

export const transformations: readonly Example[] = [
  {
    id: "one-graph-or-two",
    chapter: "derivatives",
    title: "Both passes, fused or apart",
    sentence:
      "Planned as one graph, nothing is saved. Run later, the backward pass reads what the forward pass stored.",
    text: `# vjp writes the derivative of the chain into the graph
N = 2048
x: f32[N, N]
g: f32[N, N]

def f(x):
    a = exp(x)
    b = a + 1
    return log(b)

y, pullback = vjp(f, x)
return y, pullback(g)
`,
    granularity: "op",
    sizes: square,
    variants: [
      {
        id: "apart",
        title: "backward later",
        sentence: "Two kernels: one writes a and b, the other reads them, which is half of all transfers.",
        options: apart(),
      },
      {
        id: "recomputed",
        title: "recomputed",
        sentence: "The min-cut saves nothing: exp and + 1 are recomputed from x.",
        options: apart({ policy: "cut" }),
      },
      {
        id: "inverted",
        title: "inverted",
        sentence: "b = exp(y) and a = b − 1: only y is read, which is stored anyway. Small values of a lose digits.",
        options: apart(choices({ "y/f#0/a": "invert", "y/f#0/b": "invert" })),
      },
    ],
  },
  {
    id: "attention-backward",
    chapter: "derivatives",
    title: "Attention and its gradients",
    sentence:
      "The backward pass reads the probabilities again. Here they are stored: recomputing them tile by tile takes an eighth of the memory traffic, but more time where matmuls run on ordinary f32 units.",
    text: attentionBackward(),
    granularity: "op",
    sizes: sequence,
    variants: [
      {
        id: "recomputed",
        title: "recomputed",
        sentence:
          "Fused anyway: the backward pass recomputes the scores tile by tile, and only a maximum and a sum per row are saved.",
        options: recomputed("d_s"),
      },
      {
        id: "later",
        title: "backward later",
        sentence: "The same kernels, run later: the forward pass saves q, k, v, the result and two numbers per row.",
        options: { ...apart(), ...recomputed("d_s") },
      },
      {
        id: "causal",
        title: "causal",
        sentence:
          "The indices say which keys a query sees: no mask is saved, and matmuls skip the blocks that it hides.",
        text: attentionBackward("s = where(arange(N) <= arange(N).reshape(N, 1), s, -inf)\n"),
      },
    ],
  },
  {
    id: "relu-bits",
    chapter: "derivatives",
    title: "ReLU keeps one bit",
    sentence:
      "The derivative only needs to know where h > 0: one bit per element instead of 32. Packing the bits costs time; where h follows from an input, as here, recomputing it saves even the bits.",
    text: `# The backward pass reads h only to ask for its sign
N = 2048
x: f32[N, N]
w: f32[N, N]

h = relu(x)
loss = sum(h * w)
loss.backward()
return loss, x.grad
`,
    granularity: "op",
    sizes: square,
    options: apart(choices({ h: "bits" })),
    variants: [
      { id: "tensor", title: "the tensor", sentence: "h itself is stored for the backward pass.", options: apart() },
      {
        id: "recompute",
        title: "recomputed",
        sentence: "h is recomputed from x, which is in memory anyway: nothing is saved, and no bits are packed.",
        options: apart({ policy: "recomputed" }),
      },
    ],
  },
  {
    id: "layer-norm-backward",
    chapter: "derivatives",
    title: "What LayerNorm saves",
    sentence:
      "As autograd writes it, the backward pass reads two saved tensors. Everything can be recomputed from x alone.",
    text: `# LayerNorm with the gradients of all that goes in
N = 2048
C = 1024
x: f32[N, C]
weight: f32[C] = param()
bias: f32[C] = param()
g: f32[N, C]

y = layer_norm(x, (C,), weight, bias)
loss = sum(y * g)
loss.backward()
return y, x.grad, weight.grad, bias.grad
`,
    granularity: "op",
    sizes: rows,
    options: apart(),
    variants: [
      {
        id: "cut",
        title: "min-cut",
        sentence: "One or two numbers per row are saved. x is in memory anyway, and the rest is recomputed from them.",
        options: apart({ policy: "cut" }),
      },
      {
        id: "recomputed",
        title: "recomputed",
        sentence: "Nothing is saved: the statistics are recomputed from x.",
        options: apart({ policy: "recomputed" }),
      },
      {
        id: "one-graph",
        title: "one graph",
        sentence: "Both passes are planned as one graph, and fusion decides.",
        options: { savedValues: undefined },
      },
    ],
  },
  {
    id: "checkpointing",
    chapter: "derivatives",
    title: "Checkpoints",
    sentence: "Nine layers: save every activation, or only the ends of √9 = 3 segments and recompute the rest.",
    text: `# A tower of layers that share their weights; the ends of stretches are saved
N = 512
x: f32[N, N]
w: f32[N, N] = param()

h = x
for i in range(9):
    h = gelu(h @ w)
loss = sum(h)
loss.backward()
return loss, w.grad
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 512, L: 1024 },
    options: apart({ policy: "segments" }),
    variants: [
      { id: "stored", title: "all saved", sentence: "Every value that a derivative reads is saved.", options: apart() },
      {
        id: "cut",
        title: "min-cut",
        sentence:
          "Matmul results are saved and activations recomputed: the fewest bytes without repeating expensive ops.",
        options: apart({ policy: "cut" }),
      },
      {
        id: "called",
        title: "checkpoint(f)",
        sentence: "The program itself asks for it: values inside a checkpoint are recomputed.",
        text: `# Three stretches of three layers, each a checkpoint
N = 512
x: f32[N, N]
w: f32[N, N] = param()

def stretch(h, w):
    for i in range(3):
        h = gelu(h @ w)
    return h

h = checkpoint(stretch)(x, w)
h = checkpoint(stretch)(h, w)
h = checkpoint(stretch)(h, w)
loss = sum(h)
loss.backward()
return loss, w.grad
`,
        options: apart(),
      },
    ],
  },
  {
    id: "batches",
    chapter: "derivatives",
    title: "vmap: one example, then all",
    sentence:
      "Written for one example and batched afterwards: the matrix-vector products become one matmul, which is then fused.",
    text: `# A layer and its loss for one example; vmap does it to all
B = 512
${layer}
y = vmap(loss, in_axes=(None, 0, 0))(w, x, t)
`,
    granularity: "op",
    sizes: { name: "B", S: 128, M: 512, L: 2048 },
    variants: [
      {
        id: "then-gradient",
        title: "batch, then derivative",
        sentence: "The gradient of the batch mean: batch first, then differentiate.",
        text: `# Batched first, differentiated afterwards
B = 512
${layer}
def batch(w, x, t):
    return mean(vmap(loss, in_axes=(None, 0, 0))(w, x, t))

g = grad(batch)(w, x, t)
`,
      },
      {
        id: "each-gradient",
        title: "derivative, then batch",
        sentence: "One gradient per example: differentiate first, then batch. There are B times as many results.",
        text: `# Differentiated first, batched afterwards: a gradient for each example
B = 64
${layer}
g = vmap(grad(loss), in_axes=(None, 0, 0))(w, x, t)
`,
        sizes: { name: "B", S: 16, M: 64, L: 128 },
      },
    ],
  },
];
