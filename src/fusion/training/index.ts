/** @file Programs that train: what they are, and their steps on the CPU. */
export {
  answeringGraph,
  trainingOf,
  type Replacement,
  type ShownOutput,
  type Trained,
  type Training,
} from "./description";
export {
  batchesAt,
  examplesAt,
  seededInput,
  startingData,
  startingFeeds,
  stepOf,
  trainOnCpu,
  type CpuTraining,
} from "./steps";
