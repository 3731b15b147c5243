/** @file Every composite, alphabetical by name. A new one is a file and a line here. */
import type { CompositeDef } from "./define";
import { acosh } from "./composite/acosh";
import { argsort } from "./composite/argsort";
import { asinh } from "./composite/asinh";
import { atanh } from "./composite/atanh";
import { avgPool } from "./composite/avg-pool";
import { batchNorm } from "./composite/batch-norm";
import { conv } from "./composite/conv";
import { convTranspose } from "./composite/conv-transpose";
import { crossEntropy } from "./composite/cross-entropy";
import { cumprod } from "./composite/cumprod";
import { cumsum } from "./composite/cumsum";
import { einsum } from "./composite/einsum";
import { embedding } from "./composite/embedding";
import { gatherElements } from "./composite/gather-elements";
import { gatherNd } from "./composite/gather-nd";
import { groupNorm } from "./composite/group-norm";
import { instanceNorm } from "./composite/instance-norm";
import { l2Normalize } from "./composite/l2-normalize";
import { layerNorm } from "./composite/layer-norm";
import { linear } from "./composite/linear";
import { localResponseNorm } from "./composite/local-response-norm";
import { logSoftmax } from "./composite/log-softmax";
import { logsumexp } from "./composite/logsumexp";
import { lpPool } from "./composite/lp-pool";
import { maxPool } from "./composite/max-pool";
import { mseLoss } from "./composite/mse-loss";
import { nllLoss } from "./composite/nll-loss";
import { norm } from "./composite/norm";
import { oneHot } from "./composite/one-hot";
import { permute } from "./composite/permute";
import { rmsNorm } from "./composite/rms-norm";
import { rope } from "./composite/rope";
import { scaledDotProductAttention } from "./composite/scaled-dot-product-attention";
import { scatterAdd } from "./composite/scatter-add";
import { scatterElements } from "./composite/scatter-elements";
import { scatterNd } from "./composite/scatter-nd";
import { silu } from "./composite/silu";
import { softmax } from "./composite/softmax";
import { sort } from "./composite/sort";
import { std } from "./composite/std";
import { swiglu } from "./composite/swiglu";
import { topk } from "./composite/topk";
import { topkIndices } from "./composite/topk-indices";
import { tril } from "./composite/tril";
import { triu } from "./composite/triu";
import { unfold } from "./composite/unfold";
import { variance } from "./composite/var";

export const composites: readonly CompositeDef[] = [
  acosh,
  argsort,
  asinh,
  atanh,
  avgPool,
  batchNorm,
  conv,
  convTranspose,
  crossEntropy,
  cumprod,
  cumsum,
  einsum,
  embedding,
  gatherElements,
  gatherNd,
  groupNorm,
  instanceNorm,
  l2Normalize,
  layerNorm,
  linear,
  localResponseNorm,
  logSoftmax,
  logsumexp,
  lpPool,
  maxPool,
  mseLoss,
  nllLoss,
  norm,
  oneHot,
  permute,
  rmsNorm,
  rope,
  scaledDotProductAttention,
  scatterAdd,
  scatterElements,
  scatterNd,
  silu,
  softmax,
  sort,
  std,
  swiglu,
  topk,
  topkIndices,
  tril,
  triu,
  unfold,
  variance,
];
