/** @file Ops whose kernel somebody else wrote: nothing is fused into them, and they are fused into nothing. */
import type { OpDef } from "./define";
import { EXACT, unary } from "./families";

/** A boundary that hands its operand on. Here, on one device, each is a copy: what it stands for elsewhere, its doc says. */
export const boundary = (
  spec: Pick<OpDef, "name" | "doc" | "derivative"> & { readonly aliases?: readonly string[] },
): OpDef => ({
  ...unary({ ...spec, dtype: "same", flops: 0, tolerance: EXACT, scalar: { js: (x) => x, wgsl: (x) => x } }),
  kind: "opaque",
});
