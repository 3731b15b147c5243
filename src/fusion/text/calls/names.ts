/**
 * @file Names that need no definition: prefixes to drop, dtypes, constants, and words of Python libraries that mean something else here.
 * @about and, or, not: Python writes these ops as words.
 */
import type { DType } from "../../ir";

/** `F.relu`, `torch.nn.functional.relu`, `jnp.exp`: dropped. */
export const MODULES: ReadonlySet<string> = new Set([
  "F",
  "torch",
  "nn",
  "functional",
  "jnp",
  "jax",
  "np",
  "numpy",
  "lax",
  "special",
  "linalg",
  "math",
  "init",
  "optim",
  "scipy",
  "einops",
  "flax",
  "linen",
  "optax",
  "train_state",
  "functools",
  "itertools",
  "jit",
  "compiler",
  "cuda",
  "typing",
  "operator",
  "logging",
  "warnings",
  "hk",
  "haiku",
  "eqx",
  "equinox",
  "nnx",
  "random",
  "jr",
  "npr",
  "tree",
  "tree_util",
  "jtu",
  "distributions",
]);

export const DTYPES: ReadonlyMap<string, DType> = new Map([
  ["f32", "f32"],
  ["f16", "f16"],
  ["i32", "i32"],
  ["bool", "bool"],
  ["float32", "f32"],
  ["float", "f32"],
  ["float16", "f16"],
  ["half", "f16"],
  ["int32", "i32"],
  ["int", "i32"],
  ["int64", "i32"],
  ["long", "i32"],
  ["bool_", "bool"],
]);

/** Types that a GPU's shaders don't have: words, so that a comparison with them is known. */
export const OTHER_DTYPES =
  /^(bfloat16|float64|double|u?int8|u?int16|uint32|uint64|float8\w*|complex\d+|floating|integer|inexact)$/;

/** As they stand, or after a prefix. */
export const NUMBERS: ReadonlyMap<string, number> = new Map([
  ["inf", Infinity],
  ["nan", Number.NaN],
]);
/** After a prefix only: `e` alone is a name people use. */
export const PREFIXED_NUMBERS: ReadonlyMap<string, number> = new Map([...NUMBERS, ["pi", Math.PI], ["e", Math.E]]);

/** Where an input's data comes from: `x: f32[8] = randn(seed=7)`. */
export const SOURCES: ReadonlySet<string> = new Set([
  "param",
  "const",
  "state",
  "data",
  "randn",
  "normal",
  "rand",
  "uniform",
  "zeros",
  "ones",
  "arange",
]);

const FACTORS =
  "No op here computes eigenvalues or singular values. Compute them elsewhere and pass them as inputs; of matrices of up to 8×8 there are inv, solve, det, cholesky and qr.";
const COMPLEX =
  "Complex numbers are read where torch.polar, complex, view_as_complex or stft makes them. Write the real and imaginary parts as two tensors; a Fourier transform is a matmul with a matrix of cosines and one with sines.";

/** Ops that people look for and what serves instead. */
export const ADVICE: ReadonlyMap<string, string> = new Map([
  ["masked_select", "The number of results depends on data: compute with where(mask, x, 0) over all of them."],
  ["tolist", "A graph computes tensors, and their values can't be read as Python numbers."],
  [
    "spectral_norm",
    "It divides a weight by its largest singular value, which training estimates: divide by an input that holds it, w / sigma.",
  ],
  [
    "ReduceLROnPlateau",
    "It asks what losses have been: let a schedule that counts steps lower the rate, such as StepLR or CosineAnnealingLR.",
  ],
  ...["get_state", "set_state"].map(
    (name) =>
      [
        name,
        'State of haiku is that of a function that hk.transform_with_state is given, and begins as its init says: hk.get_state("mean", [d], init=jnp.zeros).',
      ] as const,
  ),
  ["LBFGS", "Its steps search along a line, as long as it takes: use SGD or Adam, or write the step."],
  ...["filter_grad", "filter_value_and_grad"].map(
    (name) =>
      [
        name,
        "A gradient by a whole module is not taken here: give a def its weights as arguments, and take jax.grad of that.",
      ] as const,
  ),
  ...["load", "loadtxt", "genfromtxt", "fromfile", "from_file", "read_csv", "memmap", "load_file"].map(
    (name) =>
      [
        name,
        "No file is read here: declare what it holds as an input with its shape, such as x: f32[128, 64].",
      ] as const,
  ),
  ["pmap", "There is one GPU here. Write vmap for a batch, or psum for a sum over devices."],
  ...["fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "rfft2", "fftn", "istft", "angle"].map(
    (name) => [name, COMPLEX] as const,
  ),
  ...["svd", "svdvals", "lu", "eig", "eigh", "eigvals", "eigvalsh", "matrix_exp", "expm"].map(
    (name) => [name, FACTORS] as const,
  ),
]);

/** Arguments that people know from elsewhere, and what serves instead. */
export const ARGUMENT_ADVICE: ReadonlyMap<string, string> = new Map([
  [
    "return_indices",
    "max_pool1d and max_pool2d answer indices: for those of other windows, cut them and take their argmax.",
  ],
]);

const RECURRENT =
  "Use nn.LSTM or nn.GRU, or write its step as a def and call it in a Python `for` loop over the sequence.";

/** What will be read one day, and what does the same today. */
export const NOT_YET: ReadonlyMap<string, string> = new Map(["lstm", "gru"].map((name) => [name, RECURRENT] as const));

/** Operators and the ops they are. */
export const BINARY_OPS: ReadonlyMap<string, string> = new Map([
  ["+", "add"],
  ["-", "sub"],
  ["*", "mul"],
  ["/", "div"],
  ["//", "floor_div"],
  ["%", "mod"],
  ["**", "pow"],
  ["@", "matmul"],
  ["==", "eq"],
  ["!=", "ne"],
  ["<", "lt"],
  ["<=", "le"],
  [">", "gt"],
  [">=", "ge"],
  ["&", "bit_and"],
  ["|", "bit_or"],
  ["^", "bit_xor"],
  ["and", "and"],
  ["or", "or"],
]);
export const UNARY_OPS: ReadonlyMap<string, string> = new Map([
  ["-", "neg"],
  ["~", "bit_not"],
  ["not", "not"],
]);
export const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** Python's own words; none of them can name a value. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  "False",
  "None",
  "True",
  "and",
  "as",
  "assert",
  "async",
  "await",
  "break",
  "class",
  "continue",
  "def",
  "del",
  "elif",
  "else",
  "except",
  "finally",
  "for",
  "from",
  "global",
  "if",
  "import",
  "in",
  "is",
  "lambda",
  "nonlocal",
  "not",
  "or",
  "pass",
  "raise",
  "return",
  "try",
  "while",
  "with",
  "yield",
  "print",
]);

export const isIdentifier = (text: string): boolean =>
  /^[A-Za-z_\u00a1-\uffff][\w\u00a1-\uffff]*$/.test(text) && !KEYWORDS.has(text);

/** A name that nothing of the program uses: `base`, then `base_1`, `base_2` … */
export function freshName(base: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) if (!taken.has(`${base}_${n}`)) return `${base}_${n}`;
}

/** How a call of `op` is written: its name, or an alias where Python keeps the name for itself (`logical_and`). */
export const spellingOf = ({
  name,
  aliases,
}: {
  readonly name: string;
  readonly aliases?: readonly string[];
}): string => (KEYWORDS.has(name) ? (aliases?.find((alias) => !KEYWORDS.has(alias)) ?? name) : name);

/** Whether NumPy joins what stands in brackets behind the name: `np.r_[x, y]`, `np.c_[x, y]`. */
export const joinsParts = (name: string): boolean => name === "r_" || name === "c_";
