/** @file What every kernel must agree with: the f64 interpreter, its data, and the comparison. */
export { binRange, ulpHistogram, type UlpHistogram } from "./ulps";
export { compareOutputs, fittedTo, largestFinite, ulpsBetween, type Comparison, type Tolerance } from "./compare";
export { batchData, drawnAs, inputData, inputElement, inputFeed, type InputData } from "./data";
export { type Drawing } from "./draws";
export { type Precision } from "./rounding";
export { foldedData, runReference, type ReferenceOptions, type ReferenceValue } from "./run";
export { knownInputs, planSampling, sampleReference, type Known, type Sampling } from "./sample";
export {
  amplifiedWords,
  amplifiesRounding,
  type ComputedElement,
  isReached,
  ONE_ELEMENT,
  reachOf,
  UNSETTLED,
} from "./roundings";
export { toleranceFor } from "./tolerance";
export { coordinatesOf } from "./strided-loops";
