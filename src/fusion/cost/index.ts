/** @file Predictions: time, totals, peak memory, device profiles. */
export { savedBuffers, savedFor, type SavedBuffer } from "./saved-buffers";
export { positionsOf, type Positions } from "./positions";
export { openPeak, openSums, totalsOf, type RunningPeak, type RunningSums } from "./running-totals";
export {
  figuresIn,
  isRefusal,
  kernelTime,
  machineShare,
  occupancy,
  occupancyLimits,
  priority,
  regionFacts,
  valuesReadBy,
  type Figures,
  type KernelTime,
  type RegionFacts,
} from "./model";
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
  laptop,
  ridge,
  shaderRate,
  targetOf,
  targetOn,
  withField,
  type MeasuredRoofs,
  type ProfileField,
} from "./profiles";
