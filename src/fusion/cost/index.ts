/** @file Counts and predictions: traffic, arithmetic, time, totals, device profiles. */
export { evaluationsOf, regionFlops, tileVisits } from "./flops";
export { savedBuffers, type SavedBuffer } from "./saved-buffers";
export { positionsOf, type Positions } from "./positions";
export { openRunningTotals, totalsOf, type RunningTotals } from "./running-totals";
export {
  isRefusal,
  kernelTime,
  machineShare,
  occupancy,
  occupancyLimits,
  priority,
  regionFacts,
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
export { fullSizeBytes, regionTraffic, type RegionTraffic } from "./traffic";
