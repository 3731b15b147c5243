/** @file The passes in their order, the driver, the naive plan. */
import { attention } from "./attention/attention";
import { movementAlgebra } from "./algebra/movement-algebra";
import { recognition } from "./labels/recognition";
import { reductionAlgebra } from "./algebra/reduction-algebra";
import { scalarAlgebra } from "./algebra/scalar-algebra";
import { weightFolding } from "./algebra/weight-folding";
import { budgetSplit } from "./budget-split";
import { canonicalise } from "./canonicalise";
import { contractionEpilogue } from "./contraction-epilogue";
import type { FusionPass } from "./driver/define";
import { contractReduce } from "./contract-reduce";
import { loops } from "./loops";
import { maskedBlocks } from "./algebra/masked-blocks";
import { monotoneCommute } from "./algebra/monotone-commute";
import { multiOutput } from "./multi-output";
import { producerConsumer } from "./producer-consumer";
import { readOnce } from "./rows/read-once";
import { matmulRows } from "./rows/matmul-rows";
import { rowGroups } from "./rows/row-groups";
import { gatherByMask } from "./rows/gather-by-mask";
import { hoistRowScale } from "./rows/hoist-row-scale";
import { chunkedScan } from "./rows/chunked-scan";
import { sortedScatter } from "./scatter/sorted-scatter";
import { savedValues } from "./saved/saved-values";
import { attentionRecompute } from "./attention/attention-recompute";
import { transposeFolding } from "./transpose-folding";

/** The pipeline: passes run in this order. */
export const allPasses: readonly FusionPass[] = [
  sortedScatter,
  canonicalise,
  loops,
  recognition,
  weightFolding,
  monotoneCommute,
  scalarAlgebra,
  reductionAlgebra,
  movementAlgebra,
  chunkedScan,
  maskedBlocks,
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
  matmulRows,
  multiOutput,
  budgetSplit,
];

export type { Candidate, FusionPass } from "./driver/define";
export type { PassRun, PlanOptions } from "./driver/planner";
export { naiveFusion } from "./driver/naive";
export { naiveState } from "./scatter/naive-choices";
export { levelOf, levels, orderRefusal, passesOf, passOrder, pipelineOf, type OrderRefusal } from "./driver/pipeline";
export { levelUsed } from "./driver/pipeline";
export { isTooLarge, optimumOf, regretOf, type BestPlan, type Optimum, type TooLarge } from "./profitability/optimum";
export { savedOffers, type SavedOffer } from "./saved/wanted";
export { inTextOrder } from "./driver/planner";
export { runPasses, stateHash } from "./driver/run";
export { passCatalogue, passTitle, switchesOf, type Level, type PassEntry } from "./catalogue";
export { inWords, listOf, plural, showBytes, showCount, showMicros } from "./driver/sentences";
