/** @file Names that mean one thing in PyTorch and another in JAX or ONNX: told apart by the prefix, and by what stands where. */
import type { Attrs } from "../../ir";
import { findOp, type CompositeDef, type OpDef } from "../../ops";
import type { GivenArgument } from "../values/values";

type Def = OpDef | CompositeDef;

/** The library that a prefix names; null: a method, a bare name, or a prefix of both. */
export type Dialect = "torch" | "jax" | null;

const PREFIXES: ReadonlyMap<string, Dialect> = new Map([
  ["torch", "torch"],
  ["F", "torch"],
  ["functional", "torch"],
  ["jnp", "jax"],
  ["jax", "jax"],
  ["lax", "jax"],
  ["np", "jax"],
  ["numpy", "jax"],
  ["flax", "jax"],
  ["nnx", "jax"],
  ["optax", "jax"],
  ["jr", "jax"],
  ["random", "jax"],
]);

/** Of the outermost name of `jnp.linalg.norm`. */
export const dialectOf = (prefix: string): Dialect => PREFIXES.get(prefix) ?? null;

/** What a text as a whole says, asked once for each reading of it. */
export function oncePerText<T>(ask: (text: string) => T): (of: { readonly text: string }) => T {
  const known = new WeakMap<object, T>();
  return (of) => {
    if (!known.has(of)) known.set(of, ask(of.text));
    return known.get(of)!;
  };
}

/** Whether a text speaks of PyTorch. */
export const isTorchIn = oncePerText(
  (text) => /\btorch\b/.test(text) || (/\bnn\b|\bF\.|\bTensor\b/.test(text) && !/\b(jnp|jax|flax)\b/.test(text)),
);

const dialects = new WeakMap<object, Dialect>();

/** Whose arrays a text means where no prefix says it, as in `x.std()`: NumPy's and JAX's where it speaks of those and not of PyTorch. */
export function dialectIn(of: { readonly text: string }): Dialect {
  const known = dialects.get(of);
  if (known !== undefined) return known;
  const { text } = of;
  const found = !isTorchIn(of) && /\b(np|numpy|jnp|jax|flax)\b/.test(text) ? "jax" : null;
  dialects.set(of, found);
  return found;
}

/** Whether they are NumPy's, which sorts and fills in place. */
export const isNumpyIn = (of: { readonly text: string }): boolean => dialectIn(of) === "jax" && !saysJax(of);

const saysJax = oncePerText((text) => /\b(jnp|jax|flax)\b/.test(text));

/** Whether they are JAX's, which takes indices outside: what is read there is the nearest end. */
export const isJaxIn = (of: { readonly text: string }): boolean => dialectIn(of) === "jax" && !isNumpyIn(of);

/** Defaults that hold in this dialect instead of the op's own. */
export const defaultsIn = (dialect: Dialect, def: Def): Attrs => (dialect === "jax" ? (def.jaxDefaults ?? {}) : {});

/** Whether an argument in its turn can be no axis: a tensor, or a number that is one or no whole one. */
function isOpen(arg: GivenArgument | undefined): boolean {
  if (arg?.name !== null) return false;
  const { value } = arg.operand;
  return value.kind === "number" ? value.isTensor === true || !value.whole : /^(tensor|hole)$/.test(value.kind);
}

/**
 * Another op of the same name, told by what stands where: `max(a, b)` is `maximum(a, b)`, JAX's `select(mask, a, b)` is
 * `where`, PyTorch's `gather(x, dim, index)` is `gather_elements(x, index, axis=dim)`.
 */
export function meantBy(
  op: Def,
  dialect: Dialect,
  args: readonly GivenArgument[],
): { readonly meant: Def; readonly args: readonly GivenArgument[] } {
  const named = (name: string | undefined): Def => (name === undefined ? null : findOp(name)) ?? op;
  const [x, second, third, ...rest] = args;
  if (isOpen(second)) return { meant: named(op.withTensor), args };
  if (op.withAxisFirst === undefined || !second) return { meant: op, args };
  const words = new Set(args.map(({ name }) => name?.text));
  if (second.name === null && (isOpen(third) || words.has("index"))) {
    const axis = { ...second, name: { text: "axis", span: second.span } };
    return { meant: named(op.withAxisFirst), args: [x!, ...(third ? [third] : []), ...rest, axis] };
  }
  const spelled = words.has("dim") && (words.has("index") || dialect === "torch");
  return { meant: spelled ? named(op.withAxisFirst) : op, args };
}
