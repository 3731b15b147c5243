/** @file Examples of rows that are walked in order and rows that are put in order. */
import type { Example } from "../example";

export const orders: readonly Example[] = [
  {
    id: "scan",
    chapter: "more",
    title: "A scan with its neighbours",
    sentence:
      "Every element waits for all before it, and yet cumsum, exp and the division share one walk over each row.",
    text: `# Running sums of exponentials
N = 2048
x: f32[N, 2048]
n: f32[2048]

y = cumsum(exp(x), dim=-1) / n
`,
    granularity: "op",
    sizes: { name: "N", S: 64, M: 2048, L: 8192 },
    variants: [
      {
        id: "softmax",
        title: "behind a softmax",
        sentence: "Maximum, sum, running sum: three walks of one row, which is read once.",
        text: `# How much probability stands up to each element
N = 2048
x: f32[N, 2048]

p = softmax(x)
y = cumsum(p, dim=-1)
`,
      },
      {
        id: "long-rows",
        title: "rows too long to keep",
        sentence:
          "A row that no workgroup holds is still read once and written once: the sum so far goes from turn to turn.",
        sizes: { name: "N", S: 4, M: 64, L: 256 },
        text: `# One workgroup, many turns
N = 64
x: f32[N, 65536]

y = relu(cumsum(x, dim=-1))
`,
      },
      {
        id: "both-ways",
        title: "from both ends",
        sentence: "One loop goes one way: the sums from the end get a kernel of their own.",
        text: `# What stands before each element, and what stands behind it
N = 2048
x: f32[N, 2048]

y = cumsum(x, dim=-1) * cumsum(x, dim=-1, reverse=True)
`,
      },
    ],
  },
  {
    id: "top-p",
    chapter: "more",
    title: "Top-p sampling",
    sentence: "Softmax, sort, running sum and cut: ten kernels op by op, and one that reads each row of logits once.",
    text: `# Keep the likeliest words whose probabilities add up to 0.9
N = 1024
logits: f32[N, 1024]

p = softmax(logits)
s = sort(p, descending=True)
c = cumsum(s, dim=-1)
y = where(c - s < 0.9, s, 0.0)
`,
    granularity: "primitive",
    sizes: { name: "N", S: 16, M: 1024, L: 8192 },
    variants: [
      {
        id: "top-k",
        title: "top-k",
        sentence: "Values and places of the eight likeliest come from one sort of the row.",
        text: `# Choose eight experts a token, with their weights
N = 1024
scores: f32[N, 128]

p = softmax(scores)
weights = topk(p, 8)
experts = topk_indices(p, 8)
`,
      },
      {
        id: "vocabulary",
        title: "a whole vocabulary",
        sentence:
          "A row of 32,000 is not sorted for its first fifty: where rows are many, the best so far wait in workgroup memory while it goes by.",
        sizes: { name: "N", S: 2, M: 128, L: 512 },
        text: `# The fifty likeliest words
N = 128
logits: f32[N, 32000]

words = topk_indices(logits / 0.7, 50)
`,
      },
    ],
  },
];
