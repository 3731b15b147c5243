/** @file Chapter 002: arithmetic intensity; norms, and a linear layer with what follows it. */
import type { Example } from "../example";
import { sequence } from "../sizes";

export const intensity: readonly Example[] = [
  {
    id: "l2-norm",
    chapter: "intensity",
    title: "L2 norm",
    sentence:
      "Square, sum, root and division in one kernel that reads each row once. At this size everything fits in cache.",
    text: `# Each row divided by its length
N = 128
x: f32[N, 4096]

y = l2_normalize(x, dim=-1)
`,
    granularity: "primitive",
    sizes: { name: "N", S: 32, M: 128, L: 4096 },
    claims: [{ row: "002-15", says: "3–5× faster" }],
  },
  {
    id: "linear-ln-gelu",
    chapter: "intensity",
    title: "Linear + LayerNorm + GELU",
    sentence: "LayerNorm and GELU fuse. The matmul before them computes tiles, not rows, so it stays separate.",
    text: `# A linear layer, normalised and activated
N = 1024
x: f32[N, 512]
w: f32[512, 512] = param()
b: f32[512] = param()
gamma: f32[512] = param()
beta: f32[512] = param()

h = linear(x, w, b)
n = layer_norm(h, gamma, beta)
y = gelu(n)
`,
    granularity: "op",
    sizes: { name: "N", S: 128, M: 1024, L: 4096 },
    variants: [
      {
        id: "narrow",
        title: "128 columns",
        sentence:
          "A workgroup owns whole rows of the matmul's result, so it normalises and activates them before storing.",
        claims: [{ row: "002-17", says: "20–40 % less memory" }],
        text: `# The same with rows that fit into a tile
N = 1024
x: f32[N, 128]
w: f32[128, 128] = param()
b: f32[128] = param()
gamma: f32[128] = param()
beta: f32[128] = param()

h = linear(x, w, b)
n = layer_norm(h, gamma, beta)
y = gelu(n)
`,
      },
    ],
  },
  {
    id: "attention",
    chapter: "intensity",
    title: "Attention, one head",
    sentence: "The N×N scores cross memory six times; q, k, v and o together are small.",
    text: `# softmax(q kᵀ / √d) v; the keys come one per column
N = 1024
D = 64
q: f32[N, D]
k: f32[D, N]
v: f32[N, D]

s = q @ k
s = s * (1 / math.sqrt(D))
p = softmax(s, dim=-1)
o = p @ v
`,
    granularity: "op",
    sizes: sequence,
    claims: [
      { row: "002-16", says: "2–3× faster" },
      { row: "002-17", says: "20–40 % less memory" },
    ],
    variants: [
      {
        id: "call",
        title: "one call",
        sentence:
          "One library call, expanded into primitives. The compiler recognises scale, max-subtraction and division as attention.",
        granularity: "primitive",
        claims: [],
        text: `# The same by its name; the keys come one per row
N = 1024
q: f32[N, 64]
k: f32[N, 64]
v: f32[N, 64]

o = scaled_dot_product_attention(q, k, v)
`,
      },
      {
        id: "causal",
        title: "causal, 8 heads",
        sentence: "The mask is computed from the indices, so no mask tensor is loaded.",
        granularity: "primitive",
        claims: [],
        sizes: { name: "N", S: 128, M: 512, L: 1024 },
        text: `# No query sees a later key
N = 512
q: f32[8, N, 64]
k: f32[8, N, 64]
v: f32[8, N, 64]

o = scaled_dot_product_attention(q, k, v, is_causal=True)
`,
      },
      {
        id: "strict",
        title: "strict",
        sentence:
          "Online softmax rescales its sums, which changes rounding. Strict mode forbids that, so the scores are stored.",
        options: { strict: true },
      },
    ],
  },
];
