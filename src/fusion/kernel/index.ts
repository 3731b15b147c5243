/** @file Kernels as loop nests: the structure, the factors that a machine is offered for a shape, and what they take. */
export { CACHED_SPEEDUP } from "./cache";
export { extentOf, nestProblems, type Factor, type Loop, type Machine, type Part } from "./nest";
export {
  rowLoopMicros,
  rowLoopThreads,
  type RowLoopShape,
  foldMicros,
  launchesOfCut,
  leftByPart,
  loadsOf,
  meetings,
  type FoldFactors,
  type FoldShape,
  type Side,
} from "./price";
export { bandFactors, bandFits, bandMicros, heldByBand, type BandFactors, type BandShape } from "./shapes/band";
export { comparisonsOfSorts, keptByParts, levelsOf, networkBytes, slotsOf, type Network, type Slots } from "./networks";
export { binBytes, binFactors, binMicros, type BinFactors, type BinShape } from "./shapes/bins";
export { factorsOf, foldNest, nestOf, sortMicros, type FoldChoice, type FoldNest } from "./shapes/fold";
export { networkMicros } from "./shapes/network";
export {
  ADDERS,
  carriedBy,
  counterBytes,
  digitFactors,
  digitMicros,
  launchesOf,
  mergeMicros,
  placeBits,
  type DigitFactors,
  type OrderShape,
} from "./shapes/order";
