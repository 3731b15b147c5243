/** @file Foreign formats in: an ONNX model or a function of JAX becomes text of the typed language. */
export {
  importModel,
  importOnnx,
  type Imported,
  type ImportedModel,
  type ImportOptions,
  type UnsupportedOp,
} from "./onnx/import-model";
export { readTensorFile, tensorData, typedData, wholeTensor, type HostTensor } from "./onnx/tensor";
export type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor } from "./onnx/model";
export { importJaxpr } from "./jaxpr/import-jaxpr";
export { dtypeOf as dtypeOfJax, jaxprIn, tensorOf, type Jaxpr, type JaxTensor } from "./jaxpr/jaxpr";
export type { JaxQuestion } from "./jaxpr/questions";
