/** @file Programs with a goal that they miss as given. What is asked for stands in the text, so it travels with every link; each has a variant that gets there. */
import type { Example } from "../example";
import { cube, sequence } from "../sizes";

const parentheses = (head: string, product: string): string => `# ${head}
N = 512
a: f32[N, N]
b: f32[N, N]
v: f32[N, 1]

y = ${product}
assert_bytes(12 * N * N)
`;

const scores = (head: string, results: string): string => `# ${head}
N = 1024
D = 64
q: f32[N, D]
k: f32[N, D]
v: f32[N, D]

p = softmax(q @ k.T / 8, dim=-1)
y = p @ v
assert_kernels(1)
assert_bytes(20 * N * D)
return ${results}
`;

const stretches = (head: string, call: (argument: string) => string): string => `# ${head}
N = 512
x: f32[N, N]
w: f32[N, N] = param()

def stretch(h, w):
    for i in range(3):
        h = gelu(h @ w)
    return h

h = ${call("x")}
h = ${call("h")}
h = ${call("h")}
loss = sum(h)
loss.backward()
assert_peak(64 * N * N)
return loss, w.grad
`;

export const challenges: readonly Example[] = [
  {
    id: "challenge-product",
    chapter: "challenges",
    title: "Challenge: one matmul fewer",
    sentence: "Same result, fewer bytes. No fusion pass reassociates two matmuls for you.",
    text: parentheses("Reach the goal in the last line without changing y", "(a @ b) @ v"),
    granularity: "op",
    sizes: cube,
    variants: [
      {
        id: "solved",
        title: "solution",
        sentence: "b @ v is a vector, so no matrix is multiplied by a matrix.",
        text: parentheses("Vector first: no matmul of two matrices", "a @ (b @ v)"),
      },
    ],
  },
  {
    id: "challenge-scores",
    chapter: "challenges",
    title: "Challenge: attention and p",
    sentence: "Attention is one kernel and never stores its scores, unless the program returns them.",
    text: scores("Nobody reads p behind this program", "y, p"),
    granularity: "op",
    sizes: sequence,
    variants: [
      {
        id: "solved",
        title: "solution",
        sentence: "Without p among the results the scores stay inside the kernel.",
        text: scores("A value that isn't returned need not be stored", "y"),
      },
    ],
  },
  {
    id: "challenge-peak",
    chapter: "challenges",
    title: "Challenge: a lower peak",
    sentence:
      "Nine layers save every activation until the backward pass has read it. The Memory tab shows for how long.",
    text: stretches("Train within the memory that the line before the last allows", (h) => `stretch(${h}, w)`),
    granularity: "op",
    sizes: { name: "N", S: 128, M: 512, L: 1024 },
    options: { savedValues: { apart: true, choices: {} } },
    variants: [
      {
        id: "solved",
        title: "solution",
        sentence: "Only the ends of each segment are saved; the values inside are recomputed.",
        text: stretches("Values inside a checkpoint are recomputed", (h) => `checkpoint(stretch)(${h}, w)`),
      },
    ],
  },
];
