/** @file What functions of numbers are called in other languages: for the views of kernels in CUDA and Triton. */

/** Functions of one real number that CUDA has, by CUDA's names or the view's own. */
export const functionsOfOne: readonly string[] = [
  "abs",
  "acos",
  "asin",
  "atan",
  "ceil",
  "cos",
  "cosh",
  "exp",
  "exp2",
  "floor",
  "fract",
  "log",
  "log2",
  "rint",
  "rsqrt",
  "sign",
  "sin",
  "sinh",
  "sqrt",
  "tan",
  "tanh",
  "trunc",
];
export const functionsOfTwo: readonly string[] = ["min", "max", "pow", "atan2"];
/** Those that whole numbers have as well. */
export const ordered: readonly string[] = ["min", "max"];
export const signed: readonly string[] = ["abs", "sign"];

/** Functions that Triton has under another name, or in its library of device functions. */
export const tritonFunctions: Readonly<Record<string, string>> = {
  abs: "tl.abs",
  atan2: "libdevice.atan2",
  ceil: "tl.ceil",
  clamp: "tl.clamp",
  cos: "tl.cos",
  cosh: "libdevice.cosh",
  erf: "tl.erf",
  exp: "tl.exp",
  exp2: "tl.exp2",
  floor: "tl.floor",
  fma: "tl.fma",
  inverseSqrt: "tl.rsqrt",
  log: "tl.log",
  log2: "tl.log2",
  max: "tl.maximum",
  min: "tl.minimum",
  pow: "libdevice.pow",
  round: "libdevice.rint",
  sin: "tl.sin",
  sinh: "libdevice.sinh",
  sqrt: "tl.sqrt",
  tan: "libdevice.tan",
  tanh: "libdevice.tanh",
  trunc: "libdevice.trunc",
};

/** Reductions that Triton has, by what they make of 2 and 3. */
export const tritonFolds: Readonly<Record<number, string>> = { 2: "min", 3: "max", 5: "sum" };
