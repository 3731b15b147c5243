/** @file Programs that train: a step of each is one plan, and its updates end the kernels of the gradients. */
import type { Example } from "../example";

const spirals = `# Two spirals; Adam replaces twelve tensors and a count
N = 256
H = 64
x: f32[N, 2] = data("spirals", "points")
y: i32[N] = data("spirals", "labels")
w1: f32[2, H] = param(fan_in=1)
b1: f32[H] = param(fan_in=1)
w2: f32[H, 2] = param(fan_in=64)
b2: f32[2] = param(zeros())
m1: f32[2, H] = state()
m2: f32[H] = state()
m3: f32[H, 2] = state()
m4: f32[2] = state()
v1: f32[2, H] = state()
v2: f32[H] = state()
v3: f32[H, 2] = state()
v4: f32[2] = state()
t: f32[] = state()

def adam(w, m, v):
    m = 0.9 * m + 0.1 * w.grad
    v = 0.99 * v + 0.01 * w.grad ** 2
    return w - 0.03 * (m / (1 - 0.9 ** t)) / (sqrt(v / (1 - 0.99 ** t)) + 1e-8), m, v

logits = relu(x @ w1 + b1) @ w2 + b2
loss = cross_entropy(logits, y)
loss.backward()
t = t + 1
w1, m1, v1 = adam(w1, m1, v1)
b1, m2, v2 = adam(b1, m2, v2)
w2, m3, v3 = adam(w2, m3, v3)
b2, m4, v4 = adam(b2, m4, v4)
accuracy = (logits.argmax(-1) == y).float().mean()
return loss, accuracy, logits
`;

const digits = `# Digits of 8 × 8 pixels, 64 at a time
N = 64
x: f32[N, 64] = data("digits", "images")
y: i32[N] = data("digits", "labels")
w1: f32[64, 32] = param(fan_in=64)
b1: f32[32] = param(zeros())
w2: f32[32, 10] = param(fan_in=32)
b2: f32[10] = param(zeros())

logits = relu(x @ w1 + b1) @ w2 + b2
loss = cross_entropy(logits, y)
loss.backward()
w1 -= 0.2 * w1.grad
b1 -= 0.2 * b1.grad
w2 -= 0.2 * w2.grad
b2 -= 0.2 * b2.grad
accuracy = (logits.argmax(-1) == y).float().mean()
return loss, accuracy, logits
`;

const characters = `# The next character of a short text, from the eight before it
N = 64
T = 8
V = 32
E = 16
H = 64
x: i32[N, T] = data("text", "characters")
y: i32[N] = data("text", "next")
e: f32[V, E] = param(fan_in=4)
w1: f32[T * E, H] = param(fan_in=128)
b1: f32[H] = param(zeros())
w2: f32[H, V] = param(fan_in=64)
b2: f32[V] = param(zeros())
m1: f32[V, E] = state()
m2: f32[T * E, H] = state()
m3: f32[H] = state()
m4: f32[H, V] = state()
m5: f32[V] = state()

def momentum(w, m):
    m = 0.9 * m + w.grad
    return w - 0.1 * m, m

logits = tanh(e[x].reshape(N, T * E) @ w1 + b1) @ w2 + b2
loss = cross_entropy(logits, y)
loss.backward()
e, m1 = momentum(e, m1)
w1, m2 = momentum(w1, m2)
b1, m3 = momentum(b1, m3)
w2, m4 = momentum(w2, m4)
b2, m5 = momentum(b2, m5)
bits = loss / math.log(2)
return loss, bits, logits
`;

export const training: readonly Example[] = [
  {
    id: "train-spirals",
    chapter: "training",
    title: "Train: MLP on spirals",
    sentence: "Adam writes a weight and both of its moments where the weight's gradient is computed.",
    text: spirals,
    granularity: "op",
    sizes: null,
  },
  {
    id: "train-digits",
    chapter: "training",
    title: "Train: digits",
    sentence: "The update of a weight is the end of the matmul that computes its gradient.",
    text: digits,
    granularity: "op",
    sizes: null,
  },
  {
    id: "train-characters",
    chapter: "training",
    title: "Train: characters",
    sentence: "An embedding, one hidden layer and a softmax: one step of a small language model.",
    text: characters,
    granularity: "op",
    sizes: null,
  },
];
