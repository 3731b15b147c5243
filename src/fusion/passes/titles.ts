/** @file The pipeline's names and titles apart from the passes themselves, for a page that plans elsewhere: a kilobyte, not forty. */
import type { FusionPass } from "./define";

/** One entry a pass, in the pipeline's order; a test holds it against `allPasses`. */
export const passTitles: readonly Pick<FusionPass, "name" | "title">[] = [
  { name: "canonicalise", title: "Tidy the graph" },
  { name: "recognition", title: "Recognise patterns" },
  { name: "weight-folding", title: "Fold scales into the weights" },
  { name: "monotone-commute", title: "Take the maximum first" },
  { name: "scalar-algebra", title: "Scale, offset and power" },
  { name: "reduction-algebra", title: "Factors out of sums" },
  { name: "movement-algebra", title: "Push transposes together" },
  { name: "transpose-folding", title: "Fold transposes and views" },
  { name: "attention", title: "Attention in one kernel" },
  { name: "contract-reduce", title: "Folding a product while it is made" },
  { name: "contraction-epilogue", title: "Finish products in registers" },
  { name: "row-groups", title: "Walk each row once" },
  { name: "producer-consumer", title: "Producers into readers" },
  { name: "multi-output", title: "Several outputs from one kernel" },
  { name: "budget-split", title: "Split what is too large" },
];
