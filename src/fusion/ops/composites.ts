/** @file Every composite, alphabetical by name. A new one is a file and a line here. */
import type { CompositeDef } from "./define";
import { avgPool } from "./composite/avg-pool";
import { conv } from "./composite/conv";
import { convTranspose } from "./composite/conv-transpose";
import { l2Normalize } from "./composite/l2-normalize";
import { layerNorm } from "./composite/layer-norm";
import { linear } from "./composite/linear";
import { logSoftmax } from "./composite/log-softmax";
import { logsumexp } from "./composite/logsumexp";
import { lpPool } from "./composite/lp-pool";
import { maxPool } from "./composite/max-pool";
import { mseLoss } from "./composite/mse-loss";
import { norm } from "./composite/norm";
import { permute } from "./composite/permute";
import { rmsNorm } from "./composite/rms-norm";
import { silu } from "./composite/silu";
import { softmax } from "./composite/softmax";
import { std } from "./composite/std";
import { swiglu } from "./composite/swiglu";
import { tril } from "./composite/tril";
import { triu } from "./composite/triu";
import { unfold } from "./composite/unfold";
import { variance } from "./composite/var";

export const composites: readonly CompositeDef[] = [
  avgPool,
  conv,
  convTranspose,
  l2Normalize,
  layerNorm,
  linear,
  logSoftmax,
  logsumexp,
  lpPool,
  maxPool,
  mseLoss,
  norm,
  permute,
  rmsNorm,
  silu,
  softmax,
  std,
  swiglu,
  tril,
  triu,
  unfold,
  variance,
];
