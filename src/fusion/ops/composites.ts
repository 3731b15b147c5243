/** @file Every composite, alphabetical by name. A new one is a file and a line here. */
import type { CompositeDef } from "./define";
import { acosh } from "./composite/acosh";
import { adaptiveAvgPool } from "./composite/layer/adaptive-avg-pool";
import { adaptiveMaxPool } from "./composite/layer/adaptive-max-pool";
import { addcdiv } from "./composite/elementwise/addcdiv";
import { addcmul } from "./composite/elementwise/addcmul";
import { addmm } from "./composite/matmul/addmm";
import { allclose } from "./composite/elementwise/allclose";
import { argsort } from "./composite/argsort";
import { asinh } from "./composite/asinh";
import { atanh } from "./composite/atanh";
import { avgPool } from "./composite/avg-pool";
import { batchNorm } from "./composite/batch-norm";
import { binaryCrossEntropy } from "./composite/loss/binary-cross-entropy";
import { binaryCrossEntropyWithLogits } from "./composite/loss/binary-cross-entropy-with-logits";
import { cbrt } from "./composite/elementwise/cbrt";
import { clampMax } from "./composite/elementwise/clamp-max";
import { clampMin } from "./composite/elementwise/clamp-min";
import { conv } from "./composite/conv";
import { convTranspose } from "./composite/conv-transpose";
import { cosineSimilarity } from "./composite/layer/cosine-similarity";
import { countNonzero } from "./composite/reduce/count-nonzero";
import { crossEntropy } from "./composite/cross-entropy";
import { cummaxIndices } from "./composite/cummax-indices";
import { cumminIndices } from "./composite/cummin-indices";
import { deg2rad } from "./composite/elementwise/deg2rad";
import { diagonal } from "./composite/movement/diagonal";
import { diff } from "./composite/movement/diff";
import { dstack } from "./composite/movement/dstack";
import { einsum } from "./composite/einsum";
import { embedding } from "./composite/embedding";
import { erfc } from "./composite/elementwise/erfc";
import { expandAs } from "./composite/movement/expand-as";
import { eye } from "./composite/factory/eye";
import { floatPower } from "./composite/elementwise/float-power";
import { fmod } from "./composite/elementwise/fmod";
import { frac } from "./composite/elementwise/frac";
import { full } from "./composite/factory/full";
import { fullLike } from "./composite/factory/full-like";
import { gatherElements } from "./composite/gather-elements";
import { gatherNd } from "./composite/gather-nd";
import { glu } from "./composite/activation/glu";
import { groupNorm } from "./composite/group-norm";
import { hardshrink } from "./composite/activation/hardshrink";
import { hardtanh } from "./composite/activation/hardtanh";
import { heaviside } from "./composite/elementwise/heaviside";
import { hstack } from "./composite/movement/hstack";
import { huberLoss } from "./composite/loss/huber-loss";
import { hypot } from "./composite/elementwise/hypot";
import { indexAdd } from "./composite/movement/index-add";
import { indexSelect } from "./composite/movement/index-select";
import { inner } from "./composite/matmul/inner";
import { instanceNorm } from "./composite/instance-norm";
import { interpolate } from "./composite/layer/interpolate";
import { isclose } from "./composite/elementwise/isclose";
import { isfinite } from "./composite/elementwise/isfinite";
import { klDiv } from "./composite/loss/kl-div";
import { l1Loss } from "./composite/loss/l1-loss";
import { l2Normalize } from "./composite/l2-normalize";
import { layerNorm } from "./composite/layer-norm";
import { lerp } from "./composite/elementwise/lerp";
import { linear } from "./composite/linear";
import { linspace } from "./composite/factory/linspace";
import { localResponseNorm } from "./composite/local-response-norm";
import { log10 } from "./composite/elementwise/log10";
import { logSoftmax } from "./composite/log-softmax";
import { logsigmoid } from "./composite/activation/logsigmoid";
import { logsumexp } from "./composite/logsumexp";
import { lpPool } from "./composite/lp-pool";
import { maskedFill } from "./composite/elementwise/masked-fill";
import { maxPool } from "./composite/max-pool";
import { movedim } from "./composite/movement/movedim";
import { mseLoss } from "./composite/mse-loss";
import { nanToNum } from "./composite/elementwise/nan-to-num";
import { nanmean } from "./composite/reduce/nanmean";
import { nansum } from "./composite/reduce/nansum";
import { narrow } from "./composite/movement/narrow";
import { newFull } from "./composite/factory/new-full";
import { newOnes } from "./composite/factory/new-ones";
import { newZeros } from "./composite/factory/new-zeros";
import { nllLoss } from "./composite/nll-loss";
import { norm } from "./composite/norm";
import { normalize } from "./composite/layer/normalize";
import { oneHot } from "./composite/one-hot";
import { ones } from "./composite/factory/ones";
import { onesLike } from "./composite/factory/ones-like";
import { outer } from "./composite/matmul/outer";
import { permute } from "./composite/permute";
import { pixelShuffle } from "./composite/layer/pixel-shuffle";
import { pixelUnshuffle } from "./composite/layer/pixel-unshuffle";
import { quickGelu } from "./composite/activation/quick-gelu";
import { rad2deg } from "./composite/elementwise/rad2deg";
import { relu6 } from "./composite/activation/relu6";
import { rmsNorm } from "./composite/rms-norm";
import { rope } from "./composite/rope";
import { rot90 } from "./composite/movement/rot90";
import { rsub } from "./composite/elementwise/rsub";
import { scaledDotProductAttention } from "./composite/scaled-dot-product-attention";
import { scatterAdd } from "./composite/scatter-add";
import { scatterElements } from "./composite/scatter-elements";
import { scatterNd } from "./composite/scatter-nd";
import { select } from "./composite/movement/select";
import { sigmoidBinaryCrossEntropy } from "./composite/loss/sigmoid-binary-cross-entropy";
import { silu } from "./composite/silu";
import { sinc } from "./composite/elementwise/sinc";
import { smoothL1Loss } from "./composite/loss/smooth-l1-loss";
import { softmax } from "./composite/softmax";
import { softmaxCrossEntropy } from "./composite/loss/softmax-cross-entropy";
import { softmaxCrossEntropyWithIntegerLabels } from "./composite/loss/softmax-cross-entropy-with-integer-labels";
import { softmin } from "./composite/activation/softmin";
import { softshrink } from "./composite/activation/softshrink";
import { sort } from "./composite/sort";
import { squareplus } from "./composite/activation/squareplus";
import { standardize } from "./composite/reduce/standardize";
import { std } from "./composite/std";
import { swiglu } from "./composite/swiglu";
import { takeAlongAxis } from "./composite/take-along-axis";
import { tanhshrink } from "./composite/activation/tanhshrink";
import { tensordot } from "./composite/matmul/tensordot";
import { threshold } from "./composite/activation/threshold";
import { topk } from "./composite/topk";
import { topkIndices } from "./composite/topk-indices";
import { trace } from "./composite/movement/trace";
import { tril } from "./composite/tril";
import { triu } from "./composite/triu";
import { trunc } from "./composite/elementwise/trunc";
import { typeAs } from "./composite/movement/type-as";
import { unflatten } from "./composite/movement/unflatten";
import { unfold } from "./composite/unfold";
import { variance } from "./composite/var";
import { vdot } from "./composite/matmul/vdot";
import { viewAs } from "./composite/movement/view-as";
import { vstack } from "./composite/movement/vstack";
import { zeros } from "./composite/factory/zeros";
import { zerosLike } from "./composite/factory/zeros-like";

export const composites: readonly CompositeDef[] = [
  acosh,
  adaptiveAvgPool,
  adaptiveMaxPool,
  addcdiv,
  addcmul,
  addmm,
  allclose,
  argsort,
  asinh,
  atanh,
  avgPool,
  batchNorm,
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  cbrt,
  clampMax,
  clampMin,
  conv,
  convTranspose,
  cosineSimilarity,
  countNonzero,
  crossEntropy,
  cummaxIndices,
  cumminIndices,
  deg2rad,
  diagonal,
  diff,
  dstack,
  einsum,
  embedding,
  erfc,
  expandAs,
  eye,
  floatPower,
  fmod,
  frac,
  full,
  fullLike,
  gatherElements,
  gatherNd,
  glu,
  groupNorm,
  hardshrink,
  hardtanh,
  heaviside,
  hstack,
  huberLoss,
  hypot,
  indexAdd,
  indexSelect,
  inner,
  instanceNorm,
  interpolate,
  isclose,
  isfinite,
  klDiv,
  l1Loss,
  l2Normalize,
  layerNorm,
  lerp,
  linear,
  linspace,
  localResponseNorm,
  log10,
  logSoftmax,
  logsigmoid,
  logsumexp,
  lpPool,
  maskedFill,
  maxPool,
  movedim,
  mseLoss,
  nanToNum,
  nanmean,
  nansum,
  narrow,
  newFull,
  newOnes,
  newZeros,
  nllLoss,
  norm,
  normalize,
  oneHot,
  ones,
  onesLike,
  outer,
  permute,
  pixelShuffle,
  pixelUnshuffle,
  quickGelu,
  rad2deg,
  relu6,
  rmsNorm,
  rope,
  rot90,
  rsub,
  scaledDotProductAttention,
  scatterAdd,
  scatterElements,
  scatterNd,
  select,
  sigmoidBinaryCrossEntropy,
  silu,
  sinc,
  smoothL1Loss,
  softmax,
  softmaxCrossEntropy,
  softmaxCrossEntropyWithIntegerLabels,
  softmin,
  softshrink,
  sort,
  squareplus,
  standardize,
  std,
  swiglu,
  takeAlongAxis,
  tanhshrink,
  tensordot,
  threshold,
  topk,
  topkIndices,
  trace,
  tril,
  triu,
  trunc,
  typeAs,
  unflatten,
  unfold,
  variance,
  vdot,
  viewAs,
  vstack,
  zeros,
  zerosLike,
];
