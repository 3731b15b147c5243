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
      "An elementwise op fuses with whatever reads it. A reduction fuses where one workgroup owns the whole row. A matmul fuses with elementwise ops before and after it, tile by tile.",
      "An op that its reader needs at other indices, or that has side effects, is a boundary.",
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
      "Those that a derivative reads and that are more expensive to recompute than to load. Here the backward pass needs `a`: save it, or recompute it from `x`.",
    ],
    [
      { title: "Save a", opens: "saved-values/save" },
      { title: "Recompute it", opens: "saved-values" },
    ],
  ),
  question(
    3,
    "Can recomputing replace storing?",
    [
      "Yes, where the arithmetic is cheaper than a store and a load. It depends on the op, the number of readers and the GPU.",
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
      "Producers are computed while the reduction loads its input. Consumers fuse when one workgroup owns the whole reduced axis: along a row it does, across all rows it does not.",
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
    "What happens to operations with side effects?",
    [
      "A sum over several devices, a copy to another device, or opaque code must run once, and in order. A kernel ends before it and a new one begins after it.",
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
      "Usually not for elementwise ops. But a multiplication and an addition in one kernel may become one FMA, which rounds once instead of twice, and an f16 temporary that stays in a register is not rounded to f16. Sums in another order, or a constant taken out of a sum, round differently: strict mode does not take such steps.",
    ],
    [
      { title: "Strict", opens: "attention/strict" },
      { title: "Fast", opens: "attention" },
    ],
    { passes: ["reduction-algebra", "scalar-algebra", "row-scale"] },
  ),
  question(
    7,
    "Which cost model prevents harmful fusion?",
    [
      "For every candidate the model predicts the time with and without it: bytes over bandwidth, FLOP over peak, launches, and whether there are enough workgroups. The faster alternative is chosen, and both times are shown.",
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
      "A transpose becomes part of its reader's index computation. This is free where neighbouring threads still read neighbouring elements. Where they do not, a tile in workgroup memory transposes it, or it stays a separate kernel.",
    ],
    [
      { title: "Folded into a matmul", opens: "transpose-matmul" },
      { title: "Column-wise", opens: "against-the-grain" },
      { title: "Fused anyway", opens: "against-the-grain/forced" },
    ],
    { passes: ["transpose-folding", "movement-algebra"] },
  ),
  question(
    9,
    "How are kernels for derivatives made?",
    [
      "Like all others. A backward pass is a longer graph of the same ops: the same passes fuse its matmuls, masks and sums, and one kernel may compute both forward and backward values.",
    ],
    [
      { title: "Adjoints of a multiplication", opens: "vjp-mul" },
      { title: "Adjoints of a dense layer", opens: "dense-backward" },
      { title: "Loss and derivative", opens: "softmax-xent" },
    ],
    { passes: ["multi-output"] },
  ),
];
