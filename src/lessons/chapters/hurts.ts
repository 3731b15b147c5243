/** @file Where fusion does not pay: one counter-example for each way in which it hurts, with the plan that refuses it. */
import type { Example } from "../example";
import type { EdgeId } from "../../fusion";
import { pin } from "../pins";
import { cube, rows } from "../sizes";

const iterations = 32;
const duplicated = `# Thirty-two sines, then a matmul in tiles
N = 1024
x: f32[N, N]
w: f32[N, N] = param()

t = x
for i in range(${iterations}):
    t = sin(t)
y = t @ w
return y
`;
const layers = 60;

/** Every edge of a loop's own chain: the value `name` of one iteration read by the next. */
const chained = (name: string, count: number): EdgeId[] =>
  Array.from({ length: count - 1 }, (_, i) => pin(`i#${i}/${name}`, `i#${i + 1}/${name}`, 0));

export const hurts: readonly Example[] = [
  {
    id: "overfuse",
    chapter: "when-it-hurts",
    title: "Too much in registers",
    sentence:
      "Register pressure: one kernel for attention keeps scores and whole rows of results. For wide heads its tiles become small and slow.",
    text: `# Attention of one head, 128 values wide
N = 4096
q: f32[N, 128]
k: f32[N, 128]
v: f32[N, 128]

s = q @ k.T / sqrt(128)
p = softmax(s, -1)
o = p @ v
return o
`,
    granularity: "op",
    sizes: { name: "N", S: 1024, M: 4096, L: 6144 },
    variants: [
      {
        id: "forced",
        title: "fused anyway",
        sentence:
          "Forced into one kernel: a small part of the bytes, and slower. On an H100 it took 1.7 times as long.",
        options: { forced: [pin("s/0", "s", 0)] },
      },
    ],
  },
  {
    id: "long-chain",
    chapter: "when-it-hurts",
    title: "Too much code",
    sentence: "Code size: a kernel has at most 256 ops, because longer shaders take longer to compile.",
    text: `# Three hundred ops in a row
N = 2048
x: f32[N, 1024]

def fifty(t):
    for i in range(50):
        t = tanh(t)
    return t

return fifty(fifty(fifty(fifty(fifty(fifty(x))))))
`,
    granularity: "op",
    sizes: rows,
    variants: [
      {
        id: "larger",
        title: "larger kernels",
        sentence: "With twice the group size the chain is one kernel again.",
        options: { groupSize: 2 },
      },
    ],
  },
  {
    id: "duplicate-expensive",
    chapter: "when-it-hurts",
    title: "Computed once per tile",
    sentence: "Duplicated work: inside the matmul, every column of tiles would recompute the sines.",
    text: duplicated,
    granularity: "op",
    sizes: { name: "N", S: 256, M: 1024, L: 2048 },
    variants: [
      {
        id: "forced",
        title: "fused anyway",
        sentence: "Forced into one kernel: fewer transfers, many more sines. It pays only where arithmetic is idle.",
        options: { forced: [...chained("t", iterations), pin(`i#${iterations - 1}/t`, "y", 0)] },
      },
      {
        id: "cheap",
        title: "a cheap op",
        sentence: "ReLU costs almost nothing, so it is recomputed where it is read.",
        text: `# A cheap op, then a matmul in tiles
N = 1024
x: f32[N, N]
w: f32[N, N] = param()

t = relu(x)
y = t @ w
`,
      },
    ],
  },
  {
    id: "broadcast-recompute",
    chapter: "when-it-hurts",
    title: "Computed once per row",
    sentence:
      "Duplicated work: a long computation on one vector would be repeated for each of N rows. It pays only where arithmetic is idle.",
    text: `# Sixty ops on a vector that every row reads
N = 4096
x: f32[N, 1024]
v: f32[1024]

s = v
for i in range(${layers}):
    s = erf(s)
y = x * s
return y
`,
    granularity: "op",
    sizes: { name: "N", S: 256, M: 4096, L: 16384 },
    variants: [
      {
        id: "forced",
        title: "fused anyway",
        sentence: "Forced into one kernel: every row computes the vector again.",
        options: { forced: [...chained("s", layers), pin(`i#${layers - 1}/s`, "y", 1)] },
      },
    ],
  },
  {
    id: "library-matmul",
    chapter: "when-it-hurts",
    title: "Losing a tuned matmul",
    sentence: "Libraries: if you have a fast library matmul, keep it and fuse only what follows.",
    text: `# The matmul stays with the library
N = 512
x: f32[N, N]
w: f32[N, N] = param()
b: f32[N] = param()

h = x @ w
y = gelu(h + b)
`,
    granularity: "op",
    sizes: cube,
    options: { matmulPolicy: "library" },
    variants: [
      {
        id: "epilogue",
        title: "with its epilogue",
        sentence: "The generated matmul applies bias and GELU while its results are in registers.",
        options: { matmulPolicy: "epilogue" },
      },
    ],
  },
  {
    id: "against-the-grain",
    chapter: "when-it-hurts",
    title: "Column-wise access",
    sentence: "Locality: a sum along the rows of a.T would step down the columns of a, one cache line per element.",
    text: `# Through a tile, or straight from memory?
N = 3072
a: f32[N, N]
b: f32[N, N]

t = a.T * b
y = t.sum(dim=-1)
return y
`,
    granularity: "op",
    sizes: { name: "N", S: 512, M: 3072, L: 4096 },
    variants: [
      {
        id: "forced",
        title: "fused anyway",
        sentence: "Forced into one kernel: half of the traffic, but no time saved.",
        options: { forced: [pin("t", "y", 0)] },
      },
    ],
  },
  {
    id: "one-workgroup",
    chapter: "when-it-hurts",
    title: "One workgroup for everything",
    sentence:
      "Scheduling: one kernel for selection and product would have to run as one workgroup; the rest of the GPU would idle.",
    text: `# Times the largest value
M = 4194304
x: f32[M]

best, _ = topk(x, 1)
y = x * best
return y
`,
    granularity: "op",
    sizes: { name: "M", S: 262_144, M: 4_194_304, L: 9_437_184 },
    variants: [
      {
        id: "forced",
        title: "fused anyway",
        sentence: "One kernel, one workgroup: as much traffic, and the longest time.",
        options: { forced: [pin("best", "y", 1)] },
      },
    ],
  },
  {
    id: "strict",
    chapter: "when-it-hurts",
    title: "Changed rounding",
    sentence:
      "Numerics: factoring the constant out of the sum saves a multiplication per element, but changes rounding.",
    text: `# In strict mode no step may change a rounding
N = 2048
x: f32[N, 1024]

t = x * 0.1
y = sum(t, dim=-1)
return y
`,
    granularity: "op",
    sizes: rows,
    options: { strict: true },
    variants: [
      {
        id: "fast",
        title: "fast mode",
        sentence: "The sum is multiplied once, at the end.",
        options: { strict: false },
      },
    ],
  },
];
