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
    title: "Challenge: one product less",
    sentence: "Same result, fewer bytes: no fusion rule changes the order of two products for you.",
    text: parentheses("Reach the goal in the last line without changing y", "(a @ b) @ v"),
    granularity: "op",
    sizes: cube,
    variants: [
      {
        id: "solved",
        title: "one way",
        sentence: "b @ v is a vector: the product of two matrices is never made.",
        text: parentheses("The vector first: no product of two matrices", "a @ (b @ v)"),
      },
    ],
  },
  {
    id: "challenge-scores",
    chapter: "challenges",
    title: "Challenge: who asked for p?",
    sentence: "Attention is one kernel and never stores its scores, unless somebody wants to see them.",
    text: scores("Nobody reads p behind this program", "y, p"),
    granularity: "op",
    sizes: sequence,
    variants: [
      {
        id: "solved",
        title: "one way",
        sentence: "Without p among the results the scores stay inside the kernel.",
        text: scores("What is not returned need not be written", "y"),
      },
    ],
  },
  {
    id: "challenge-peak",
    chapter: "challenges",
    title: "Challenge: less alive at once",
    sentence: "Nine layers keep all they made until the backward pass has read it. The tab Memory shows when.",
    text: stretches("Train within the memory that the line before the last allows", (h) => `stretch(${h}, w)`),
    granularity: "op",
    sizes: { name: "N", S: 128, M: 512, L: 1024 },
    options: { savedValues: { apart: true, choices: {} } },
    variants: [
      {
        id: "solved",
        title: "one way",
        sentence: "Only the ends of the stretches are kept, and what is inside is made again.",
        text: stretches("What a checkpoint computes inside is made again", (h) => `checkpoint(stretch)(${h}, w)`),
      },
    ],
  },
];
