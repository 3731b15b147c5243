/** @file Foreign formats in: an ONNX model becomes text of the typed language. */
export {
  importModel,
  importOnnx,
  type Imported,
  type ImportedModel,
  type ImportOptions,
  type UnsupportedOp,
} from "./onnx/import-model";
export { readTensorFile, tensorData, typedData, type HostTensor } from "./onnx/tensor";
export type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor } from "./onnx/model";
