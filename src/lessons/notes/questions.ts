/** @file The nine questions that a compiler for fusion has to answer, each with programs that answer it. */
import type { Note } from "./note";

const question = (
  number: number,
  title: string,
  text: readonly string[],
  tries: NonNullable<Note["tries"]>,
  also: Pick<Note, "passes"> = {},
): Note => ({
  id: `question-${number}`,
  kind: "question",
  title,
  text,
  rows: ["003-37"],
  examples: [...new Set(tries.map(({ opens }) => opens))],
  tries,
  ...also,
});

export const questions: readonly Note[] = [
  question(
    1,
    "Which operations can be fused?",
    [
      "An elementwise op fuses with whatever reads it. A reduction fuses where one workgroup owns the whole row. A product takes in what comes before and after it, tile by tile.",
      "What needs other elements than its reader does, or acts on the world, is a boundary.",
    ],
    [
      { title: "A chain", opens: "log-relu" },
      { title: "Rows", opens: "softmax" },
      { title: "Tiles, then rows", opens: "matmul-softmax" },
    ],
  ),
  question(
    2,
    "Which values must stay in memory for the backward pass?",
    [
      "Those that a derivative reads and that are more expensive to recompute than to load. Here backward needs `a`: keep it, or compute it from `x` once more.",
    ],
    [
      { title: "Keep a", opens: "saved-values/save" },
      { title: "Make it again", opens: "saved-values" },
    ],
  ),
  question(
    3,
    "Can computing again replace storing?",
    [
      "Yes, where the arithmetic is cheaper than the two trips: a write and a read. It depends on the op, on the number of readers, and on the machine.",
    ],
    [
      { title: "Store exp", opens: "softmax/store" },
      { title: "Compute it twice", opens: "softmax/recompute" },
      { title: "Neither: one pass", opens: "softmax" },
    ],
  ),
  question(
    4,
    "What happens to reductions?",
    [
      "Producers are computed as the reduction reads. Readers fuse when the reduced axis belongs to one workgroup: along a row it does, across all rows it does not.",
    ],
    [
      { title: "Along the rows", opens: "layer-norm" },
      { title: "Across them", opens: "column-mean" },
      { title: "Of everything", opens: "one-workgroup" },
    ],
    { passes: ["row-groups", "row-picks"] },
  ),
  question(
    5,
    "What happens to operations with effects?",
    [
      "A sum over several devices, a copy to another device, or code that nobody can look into must happen once, and in its place. Kernels end before it and start anew after it.",
    ],
    [
      { title: "With all_reduce", opens: "all-reduce" },
      { title: "Without", opens: "all-reduce/alone" },
    ],
  ),
  question(
    6,
    "Does fusion change the numbers?",
    [
      "Usually not for elementwise ops. But a product and a sum in one kernel may become one FMA, which rounds once instead of twice, and an f16 temporary that stays in a register is not rounded to f16. Sums in another order, or a constant taken out of a sum, round differently: strict mode leaves out every step of that kind.",
    ],
    [
      { title: "Strict", opens: "attention/strict" },
      { title: "Fast", opens: "attention" },
    ],
    { passes: ["reduction-algebra", "scalar-algebra", "row-scale"] },
  ),
  question(
    7,
    "Which cost model keeps harmful fusion away?",
    [
      "Time is predicted for both sides of every candidate: bytes over bandwidth, FLOP over peak, launches, and how many workgroups keep the machine busy. The cheaper side wins, and both numbers are told.",
    ],
    [
      { title: "As decided", opens: "duplicate-expensive" },
      { title: "Fused anyway", opens: "duplicate-expensive/forced" },
    ],
    { passes: ["producer-consumer"] },
  ),
  question(
    8,
    "How does fusion meet layout and placement?",
    [
      "A transpose becomes the way its reader computes an index, at no cost where neighbours still read neighbours. Where they do not, a tile in workgroup memory turns it round, or it stays apart.",
    ],
    [
      { title: "Folded into a product", opens: "transpose-matmul" },
      { title: "Against the grain", opens: "against-the-grain" },
      { title: "Fused anyway", opens: "against-the-grain/forced" },
    ],
    { passes: ["transpose-folding", "movement-algebra"] },
  ),
  question(
    9,
    "How do kernels for derivatives come about?",
    [
      "Like all others. A backward pass is a graph of the same ops, only longer: its products, masks and sums meet the same passes, and one kernel may serve both directions.",
    ],
    [
      { title: "A product's adjoints", opens: "vjp-mul" },
      { title: "A dense layer's", opens: "dense-backward" },
      { title: "Loss and derivative", opens: "softmax-xent" },
    ],
    { passes: ["multi-output"] },
  ),
];
