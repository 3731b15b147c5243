/** @file Examples of rows that are walked in order and rows that are put in order. */
import type { Example } from "../example";

export const orders: readonly Example[] = [
  {
    id: "scan",
    chapter: "more",
    title: "A scan with its neighbours",
    sentence: "Each element depends on all before it, yet cumsum, exp and the division share one pass over each row.",
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
        sentence: "Maximum, sum and running sum need three passes over a row, which is loaded once.",
        text: `# How much probability stands up to each element
N = 2048
x: f32[N, 2048]

p = softmax(x)
y = cumsum(p, dim=-1)
`,
      },
      {
        id: "long-rows",
        title: "rows longer than registers",
        sentence:
          "Few rows of 65,536 leave most of the GPU idle, so each is cut into chunks: a kernel adds up each chunk, one scans the totals, and one scans the chunks and adds them.",
        sizes: { name: "N", S: 4, M: 64, L: 256 },
        text: `# Few rows, many chunks
N = 64
x: f32[N, 65536]

y = relu(cumsum(x, dim=-1))
`,
      },
      {
        id: "both-ways",
        title: "from both ends",
        sentence: "A loop runs in one direction, so the sums from the end get a kernel of their own.",
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
    sentence: "Softmax, sort, running sum and cut: ten kernels op by op, or one that reads each row of logits once.",
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
        sentence: "One sort of the row gives the values and indices of the eight most likely tokens.",
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
          "To find its top fifty, a row of 32,000 need not be sorted: with many rows, the best so far stay in workgroup memory while the row is read.",
        sizes: { name: "N", S: 2, M: 256, L: 512 },
        text: `# The fifty likeliest words
N = 256
logits: f32[N, 32000]

words = topk_indices(logits / 0.7, 50)
`,
      },
    ],
  },
];
