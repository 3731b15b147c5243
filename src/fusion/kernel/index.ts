/** @file Kernels as loop nests: the structure, the factors that a machine is offered for a shape, and what they take. */
export { extentOf, nestProblems, type Factor, type Loop, type Machine, type Part } from "./nest";
export {
  bandMicros,
  foldMicros,
  heldByBand,
  meetings,
  type BandFactors,
  type BandShape,
  type FoldFactors,
  type FoldShape,
  type Side,
} from "./price";
export { bandFactors, bandFits } from "./shapes/band";
export { factorsOf, foldNest, nestOf, type FoldChoice, type FoldNest } from "./shapes/fold";
