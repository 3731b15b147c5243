/** @file The passes in their order, the driver, the naive plan. */
import { attention } from "./attention";
import { movementAlgebra } from "./algebra/movement-algebra";
import { recognition } from "./algebra/recognition";
import { reductionAlgebra } from "./algebra/reduction-algebra";
import { scalarAlgebra } from "./algebra/scalar-algebra";
import { weightFolding } from "./algebra/weight-folding";
import { budgetSplit } from "./budget-split";
import { canonicalise } from "./canonicalise";
import { contractionEpilogue } from "./contraction-epilogue";
import type { FusionPass } from "./define";
import { contractReduce } from "./contract-reduce";
import { loops } from "./loops";
import { monotoneCommute } from "./monotone-commute";
import { multiOutput } from "./multi-output";
import { producerConsumer } from "./producer-consumer";
import { readOnce } from "./read-once";
import { rowGroups } from "./row-groups";
import { gatherByMask } from "./gather-by-mask";
import { hoistRowScale } from "./hoist-row-scale";
import { chunkedScan } from "./chunked-scan";
import { sortedScatter } from "./sorted-scatter";
import { savedValues } from "./saved/saved-values";
import { attentionRecompute } from "./attention-recompute";
import { transposeFolding } from "./transpose-folding";

/** The pipeline: passes run in this order. */
export const allPasses: readonly FusionPass[] = [
  canonicalise,
  loops,
  recognition,
  weightFolding,
  monotoneCommute,
  scalarAlgebra,
  reductionAlgebra,
  movementAlgebra,
  chunkedScan,
  sortedScatter,
  savedValues,
  attentionRecompute,
  transposeFolding,
  attention,
  contractReduce,
  contractionEpilogue,
  gatherByMask,
  rowGroups,
  readOnce,
  hoistRowScale,
  producerConsumer,
  multiOutput,
  budgetSplit,
];

export type { Candidate, FusionPass } from "./define";
export type { PassRun, PlanOptions } from "./planner";
export { naiveFusion } from "./naive";
export { levelOf, levels, orderRefusal, passesOf, passOrder, pipelineOf, type OrderRefusal } from "./pipeline";
export { levelUsed } from "./pipeline";
export { isTooLarge, optimumOf, regretOf, type BestPlan, type Optimum, type TooLarge } from "./optimum";
export { savedOffers, type SavedOffer } from "./saved/wanted";
export { inTextOrder } from "./planner";
export { runPasses, stateHash } from "./run";
export { passCatalogue, switchesOf, type Level, type PassEntry } from "./catalogue";
export { inWords, plural, showBytes, showCount, showMicros } from "./sentences";
