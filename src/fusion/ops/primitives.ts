/** @file Every primitive op, alphabetical by name. A new op is a file and a line here. */
import { bug } from "../ir";
import type { OpDef } from "./define";
import { abs } from "./arithmetic/abs";
import { acos } from "./transcendental/acos";
import { add } from "./arithmetic/add";
import { addPeak } from "./arithmetic/add-peak";
import { all } from "./reduce/all";
import { allReduce } from "./boundary/all-reduce";
import { customCall } from "./boundary/custom-call";
import { debugPrint } from "./boundary/debug-print";
import { deviceCopy } from "./boundary/device-copy";
import { and } from "./logic/and";
import { any } from "./reduce/any";
import { argmax } from "./reduce/argmax";
import { argmin } from "./reduce/argmin";
import { asin } from "./transcendental/asin";
import { atan } from "./transcendental/atan";
import { atan2 } from "./transcendental/atan2";
import { bitAnd } from "./logic/bit-and";
import { bitNot } from "./logic/bit-not";
import { bitOr } from "./logic/bit-or";
import { bitXor } from "./logic/bit-xor";
import { shiftLeft } from "./logic/shift-left";
import { shiftRight } from "./logic/shift-right";
import { broadcastInDim } from "./movement/broadcast-in-dim";
import { cast } from "./logic/cast";
import { ceil } from "./arithmetic/ceil";
import { celu } from "./activation/celu";
import { clamp } from "./arithmetic/clamp";
import { concat } from "./movement/concat";
import { constant } from "./source/const";
import { cos } from "./transcendental/cos";
import { cosh } from "./transcendental/cosh";
import { cummax } from "./scan/cummax";
import { cummin } from "./scan/cummin";
import { cumprod } from "./scan/cumprod";
import { cumsum } from "./scan/cumsum";
import { div } from "./arithmetic/div";
import { dropout } from "./random/dropout";
import { elu } from "./activation/elu";
import { eq } from "./compare/eq";
import { entr } from "./transcendental/entr";
import { erf } from "./transcendental/erf";
import { exp } from "./transcendental/exp";
import { exp2 } from "./transcendental/exp2";
import { expand } from "./movement/expand";
import { expm1 } from "./transcendental/expm1";
import { flatten } from "./movement/flatten";
import { flip } from "./movement/flip";
import { floor } from "./arithmetic/floor";
import { floorDiv } from "./arithmetic/floor-div";
import { foldRanges } from "./indexing/fold-ranges";
import { countKeys } from "./indexing/count-keys";
import { groupIndices } from "./indexing/group-indices";
import { gather } from "./indexing/gather";
import { ge } from "./compare/ge";
import { gelu } from "./activation/gelu";
import { gt } from "./compare/gt";
import { hardSigmoid } from "./activation/hard-sigmoid";
import { hardSwish } from "./activation/hard-swish";
import { hole } from "./source/hole";
import { identity } from "./logic/identity";
import { input } from "./source/input";
import { iota } from "./source/iota";
import { isInf } from "./compare/is-inf";
import { isNan } from "./compare/is-nan";
import { l1Norm } from "./reduce/l1-norm";
import { l2Norm } from "./reduce/l2-norm";
import { le } from "./compare/le";
import { leakyRelu } from "./activation/leaky-relu";
import { log } from "./transcendental/log";
import { log1p } from "./transcendental/log1p";
import { log2 } from "./transcendental/log2";
import { logaddexp } from "./transcendental/logaddexp";
import { logaddexpReduce } from "./reduce/logaddexp-reduce";
import { logcumsumexp } from "./scan/logcumsumexp";
import { lastKeys } from "./indexing/last-keys";
import { lowerBound } from "./indexing/lower-bound";
import { lt } from "./compare/lt";
import { mapLoop } from "./control/map-loop";
import { rowLoop } from "./control/row-loop";
import { matmul } from "./contraction/matmul";
import { max } from "./reduce/max";
import { maximum } from "./arithmetic/maximum";
import { mean } from "./reduce/mean";
import { min } from "./reduce/min";
import { minimum } from "./arithmetic/minimum";
import { mish } from "./activation/mish";
import { mod } from "./arithmetic/mod";
import { mul } from "./arithmetic/mul";
import { ne } from "./compare/ne";
import { neg } from "./arithmetic/neg";
import { not } from "./logic/not";
import { or } from "./logic/or";
import { pad } from "./movement/pad";
import { pow } from "./arithmetic/pow";
import { prelu } from "./activation/prelu";
import { prod } from "./reduce/prod";
import { reciprocal } from "./arithmetic/reciprocal";
import { relu } from "./activation/relu";
import { repeat } from "./movement/repeat";
import { repeatInterleave } from "./movement/repeat-interleave";
import { reshape } from "./movement/reshape";
import { roll } from "./movement/roll";
import { round } from "./arithmetic/round";
import { rsqrt } from "./arithmetic/rsqrt";
import { selu } from "./activation/selu";
import { sigmoid } from "./activation/sigmoid";
import { sign } from "./arithmetic/sign";
import { sin } from "./transcendental/sin";
import { sinh } from "./transcendental/sinh";
import { slice } from "./movement/slice";
import { softplus } from "./activation/softplus";
import { softsign } from "./activation/softsign";
import { sortIndices } from "./order/sort-indices";
import { sortValues } from "./order/sort-values";
import { sqrt } from "./arithmetic/sqrt";
import { square } from "./arithmetic/square";
import { squeeze } from "./movement/squeeze";
import { stack } from "./movement/stack";
import { stopGradient } from "./logic/stop-gradient";
import { sub } from "./arithmetic/sub";
import { sum } from "./reduce/sum";
import { sumSquare } from "./reduce/sum-square";
import { tan } from "./transcendental/tan";
import { tanh } from "./transcendental/tanh";
import { tile } from "./movement/tile";
import { transpose } from "./movement/transpose";
import { unsqueeze } from "./movement/unsqueeze";
import { where } from "./logic/where";
import { window } from "./movement/window";
import { xlogy } from "./transcendental/xlogy";
import { xor } from "./logic/xor";

export const primitives: readonly OpDef[] = [
  abs,
  acos,
  add,
  addPeak,
  all,
  allReduce,
  and,
  any,
  argmax,
  argmin,
  asin,
  atan,
  atan2,
  bitAnd,
  bitNot,
  bitOr,
  bitXor,
  broadcastInDim,
  cast,
  ceil,
  celu,
  clamp,
  concat,
  constant,
  cos,
  cosh,
  countKeys,
  cummax,
  cummin,
  cumprod,
  cumsum,
  customCall,
  debugPrint,
  deviceCopy,
  div,
  dropout,
  elu,
  entr,
  eq,
  erf,
  exp,
  exp2,
  expand,
  expm1,
  flatten,
  flip,
  floor,
  floorDiv,
  foldRanges,
  gather,
  ge,
  gelu,
  groupIndices,
  gt,
  hardSigmoid,
  hardSwish,
  hole,
  identity,
  input,
  iota,
  isInf,
  isNan,
  l1Norm,
  l2Norm,
  lastKeys,
  le,
  leakyRelu,
  log,
  log1p,
  log2,
  logaddexp,
  logaddexpReduce,
  logcumsumexp,
  lowerBound,
  lt,
  mapLoop((name) => byName.get(name) ?? null),
  matmul,
  max,
  maximum,
  mean,
  min,
  minimum,
  mish,
  mod,
  mul,
  ne,
  neg,
  not,
  or,
  pad,
  pow,
  prelu,
  prod,
  reciprocal,
  relu,
  repeat,
  repeatInterleave,
  reshape,
  roll,
  round,
  rowLoop((name) => byName.get(name) ?? null),
  rsqrt,
  selu,
  shiftLeft,
  shiftRight,
  sigmoid,
  sign,
  sin,
  sinh,
  slice,
  softplus,
  softsign,
  sortIndices,
  sortValues,
  sqrt,
  square,
  squeeze,
  stack,
  stopGradient,
  sub,
  sum,
  sumSquare,
  tan,
  tanh,
  tile,
  transpose,
  unsqueeze,
  where,
  window,
  xlogy,
  xor,
];

const byName = new Map(primitives.map((def) => [def.name, def]));

/** The primitive `name`, which must exist. */
export function primitive(name: string): OpDef {
  const found = byName.get(name);
  if (!found) throw bug(`no op ${name}`);
  return found;
}
