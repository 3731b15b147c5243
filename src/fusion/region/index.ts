/** @file Regions as kernels-to-be: their form, what they read, how they are scheduled. Shared by passes, cost and codegen. */
export {
  areTurned,
  followersOf,
  orderedFrom,
  permutationOf,
  isMatrixTranspose,
  type Follower,
  type Permutation,
} from "./alignment";
export { affineView, sourceOf } from "./affine";
export { classify, classifyPlain, placeRows, wholeOutput, type RowPlacement } from "./classify";
export type { Placed, Role, RowDomain } from "./placed";
export { directionOf, scansBehind } from "./row-ops";
export { classifyOnline, isOnline, mayBeOnline } from "./classify-online";
export { flashAcross, flashSizes, flashThreads, type FlashSizes } from "./online-schedule";
export { meetingCells, meetingRows, reduceSizes, type ReduceSizes } from "./reduce-schedule";
export { onlineParts } from "./online";
export type { OnlineAnswer, OnlineParts } from "./online-parts";
export { productsOf } from "./shared-operand";
export { neededBy } from "./needed";
export { bySize, segmentBody } from "./segments";
export { inPlaceOf, replacementOf } from "./in-place";
export { summationOrder, type SummationOrder } from "./summation-order";
export { LONG_K, THIN, matmulSizes, offeredTiles, tileBytes, tileName, tileThreads, type MatmulSizes } from "./matmul";
export { jointTiles, productFactors, type ProductFactors, type ProductShape } from "./matmul-factors";
export { readsOf, touchedElements } from "./reads";
export { knobOffers } from "./knob-offers";
export type { KnobOffer } from "./schedule-overrides";
export { digitBuffers, keyBounds, orderShape, type DigitBuffer } from "./digit-sort";
export { mergedSort, orderComparisons, orderStages, partitionOf, type OrderStage } from "./merge-sort";
export { computedIn, liveInLoop, loopKey, loopOf, loopsIn, resultsOf } from "./map-loops";
export {
  endingOf,
  isLaunched,
  launchedKey,
  LaunchedLoop,
  placesRead,
  type Launch,
  type Place,
  type IterationKernels,
} from "./launched";
export { rangeTerms } from "./data-loads";
export { foldsOfMerged, mergedStages, type MergedStages, type RunningPair } from "./one-pass";
export { scheduleRegion } from "./schedule";
export { passRoots } from "./row-roots";
export { joinsOfSteps, membersBehind, rowSteps, type RowStep } from "./row-steps";
export { joinBytes, SMALLEST_SUBGROUP, sortsOf, threadsWithin, type RowSort } from "./threads";
export type { LayoutStep } from "./row-layout";
export * from "./types";
export { mayBeUniform, uniformsOf } from "./uniforms";
export { isFreeView, isInlined, isViewRegion, resolveView, storedInputs } from "./views";
export { apartLoops, fusedLoops, loopsOf, type LoopLine } from "./loops";
