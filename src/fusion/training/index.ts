/** @file Programs that train: what they are, and their steps on the CPU. */
export {
  answeringGraph,
  batchesAt,
  seededInput,
  startingFeeds,
  stepOf,
  trainingOf,
  type Replacement,
  type ShownOutput,
  type Trained,
  type Training,
} from "./description";
export { startingData, trainOnCpu, type CpuTraining } from "./on-cpu";
