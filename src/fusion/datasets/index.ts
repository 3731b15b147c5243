/** @file Data sets of our own, computed from a seed: what programs that train learn from. */
export {
  dataProblem,
  dataSets,
  examplesData,
  examplesOf,
  findDataSet,
  isWholeSet,
  labelBits,
  usualTypes,
} from "./batches";
export { numbersOfExample, type DataPart, type DataSet } from "./define";
export { ALPHABET, STORY } from "./story";
