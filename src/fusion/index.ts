/** @file The only door to the compiler. */
export * from "./ir";
export type { Compilation, Goal, Symbol } from "./compilation";
export { compile, compileGraph, decisionsOn, defaultOptions, fusionAt, planAt, planForTarget } from "./compile";
export { fusionTrace, type FusionTrace, type Measured, type TraceEvent } from "./trace";
export { MAX_UNFOLDED, blocksOf, blocksAmong, opensFolded, type Block, type Blocks } from "./blocks";
export { standaloneModule, type StandaloneRequest } from "./standalone";
export { knobSheet, kernelLooks, knobSweep, type KernelLook, type KnobSheet, type KnobSweep } from "./knob-sheet";
export { savedMarks, type SavedMark } from "./saved-marks";
export { apartLoops, fusedLoops, loopsOf, watchKernel, type WatchedKernel } from "./watch-kernel";
export { valuesAt, type ShownValues } from "./small-sizes";
export { savedSheet, type Expansion, type SavedRow, type SavedSheet, type SavedValue } from "./saved-sheet";
export {
  acceptedWords,
  barsOf,
  criterionOf,
  limitWords,
  questionOf,
  remedyQuestionOf,
  limitNote,
  riseOf,
  verdictsOf,
  type Bar,
  type BarGroup,
  type VerdictWords,
} from "./decision-bars";
export { reasonTitles, titleOf } from "./decision-titles";
export { microsSaved, settled } from "./settled";
export {
  alignSteps,
  changedDecisions,
  type AlignedStep,
  type Change,
  type ChangedDecision,
  type Taken,
} from "./changed-decisions";
export { constantsOf, sizesAround } from "./size-constants";
export {
  growthOf,
  orderRows,
  planTotals,
  sizeRows,
  whatIf,
  type GrowthOf,
  type OrderQuestion,
  type OrderRow,
  type PlanTotals,
  type SizeRow,
  type WhatIf,
} from "./what-if";

// Ops: what there is, by name and by kind.
export {
  allComposites,
  allOps,
  calledOps,
  findOp,
  largestOf,
  smallestOf,
  flopsOf,
  opDef,
  opNames,
  roundToHalf,
  wgslHelpers,
  withDefaults,
  type CompositeDef,
  type OpDef,
  type OpDoc,
  type OpKind,
  type Param,
} from "./ops";

// The typed language: reading, edits, editor services.
export * from "./text";

// What every kernel must agree with.
export {
  binRange,
  compareOutputs,
  fittedTo,
  largestFinite,
  coordinatesOf,
  foldedData,
  inputData,
  inputElement,
  inputFeed,
  runReference,
  amplifiedWords,
  amplifiesRounding,
  isReached,
  knownInputs,
  ONE_ELEMENT,
  planSampling,
  reachOf,
  UNSETTLED,
  sampleReference,
  toleranceFor,
  ulpHistogram,
  ulpsBetween,
  type Comparison,
  type ComputedElement,
  type Drawing,
  type InputData,
  type Known,
  type Precision,
  type ReferenceOptions,
  type ReferenceValue,
  type Sampling,
  type Tolerance,
  type UlpHistogram,
} from "./reference";

// Programs that train, and what they learn from.
export * from "./training";
export { ALPHABET, dataSets, examplesData, findDataSet, labelBits, numbersOfExample, type DataSet } from "./datasets";

// Counts, predictions and what they believe about machines.
export {
  a100,
  allProfiles,
  baseOf,
  changedFields,
  chosenFor,
  deviceProfileFrom,
  generic,
  h100,
  intensity,
  savedBuffers,
  laptop,
  ridge,
  shaderRate,
  targetOf,
  totalsOf,
  withField,
  type SavedBuffer,
  type MeasuredRoofs,
  type ProfileField,
} from "./cost";
export { fullSizeBytes, MAX_REGISTERS, regionTraffic, type RegionTraffic } from "./kernel";

// Regions: the form and the schedule of one kernel.
export {
  classify,
  isViewRegion,
  resolveView,
  scheduleRegion,
  knobOffers,
  offeredTiles,
  tileBytes,
  tileName,
  tileThreads,
  type KnobOffer,
  type MatmulTile,
  type LoopLine,
  type RegionForm,
  type RegionSchedule,
} from "./kernel";

// Passes: their names, titles and lessons; the driver's parts for tests and tools.
export {
  allPasses,
  inWords,
  listOf,
  levelOf,
  levels,
  levelUsed,
  naiveFusion,
  orderRefusal,
  isTooLarge,
  optimumOf,
  passesOf,
  passTitle,
  regretOf,
  passOrder,
  passCatalogue,
  switchesOf,
  pipelineOf,
  runPasses,
  type BestPlan,
  type FusionPass,
  type Level,
  type OrderRefusal,
  type PassEntry,
  type PassRun,
} from "./passes";

// Plans and WGSL.
export {
  cudaText,
  tritonText,
  interpretProgram,
  lowerRegion,
  printWgsl,
  type AccessLog,
  type BufferAccess,
  type InterpretOptions,
  type InstructionCounts,
  type KernelProgram,
  type NeighbourAccess,
  type PrintedKernel,
  type ForeignText,
} from "./kernel/code";
export {
  aliveIn,
  liveBytes,
  lowerFusion,
  planFusion,
  runPlanOnCpu,
  type CpuRun,
  type KernelRecording,
  type RecordedMoment,
} from "./plan";
