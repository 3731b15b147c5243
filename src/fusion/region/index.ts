/** @file Regions as kernels-to-be: their form, what they read, how they are scheduled. Shared by passes, cost and codegen. */
export { binsOf } from "./schedule/bins";
export {
  areTransposed,
  followersOf,
  isTurned,
  orderedFrom,
  permutationOf,
  isMatrixTranspose,
  type Follower,
  type Permutation,
} from "./indices/alignment";
export { affineView, sourceOf } from "./indices/affine";
export { classify, classifyPlain, longestRun, placeRows, wholeOutput, type RowPlacement } from "./classify";
export type { Placed, Role, RowDomain } from "./rows/placed";
export { directionOf, scansBehind } from "./rows/row-ops";
export { classifyOnline, isOnline, mayBeOnline } from "./attention/classify-online";
export { flashAcross, flashSizes, flashThreads, type FlashSizes } from "./schedule/flash-factors";
export { endsOf, meetingCells, meetingRows, reduceSizes, type ReduceSizes } from "./schedule/reduce-schedule";
export { onlineParts } from "./attention/online";
export type { OnlineAnswer, OnlineParts } from "./attention/online-parts";
export { productsOf } from "./shared-operand";
export { neededBy } from "./needed";
export { REGISTER_LIMIT } from "./schedule/schedule-parts";
export { bySize, segmentBody, unitsOf } from "./schedule/segments";
export { inPlaceOf, replacementOf } from "./in-place";
export { summationOrder, type SummationOrder } from "./rows/summation-order";
export {
  LONG_K,
  THIN,
  leftPitch,
  leftVectors,
  matmulSizes,
  offeredTiles,
  tileBytes,
  tileName,
  tileThreads,
  type MatmulSizes,
} from "./matmul";
export { jointTiles, productFactors, type ProductFactors, type ProductShape } from "./schedule/matmul-factors";
export { readsOf, touchedElements } from "./reads";
export { knobOffers } from "./schedule/knob-offers";
export type { KnobOffer } from "./schedule/schedule-overrides";
export { digitBuffers, keyBounds, orderShape, type DigitBuffer } from "./sorting/digit-sort";
export { mergedSort, orderComparisons, orderStages, partitionOf, type OrderStage } from "./sorting/merge-sort";
export { goesAlongRows, rowRegionOf, type RowRegion } from "./loops/row-region";
export { computedIn, liveInLoop, loopKey, loopOf, loopsIn, resultsOf, statementsIn } from "./loops/map-loops";
export {
  endingOf,
  isLaunched,
  launchedKey,
  LaunchedLoop,
  uncutOf,
  type Launch,
  type Place,
  type IterationKernels,
} from "./loops/launched";
export { rangeTerms } from "./data-loads";
export { foldsOfMerged, mergedStages, type MergedStages, type RunningPair } from "./rows/one-pass";
export { scheduleRegion } from "./schedule/schedule";
export { passRoots } from "./rows/row-roots";
export { joinsOfSteps, membersBehind, rowSteps, type RowStep } from "./rows/row-steps";
export { joinBytes, MIN_SUBGROUP, sortsOf, threadsWithin, type RowSort } from "./schedule/threads";
export type { LayoutStep } from "./indices/row-layout";
export * from "./types";
export { mayBeUniform, uniformsOf } from "./uniforms";
export { isFreeView, isInlined, isViewRegion, resolveView, storedInputs } from "./indices/views";
export { apartLoops, fusedLoops, loopsOf, type LoopLine } from "./loops/loops";
