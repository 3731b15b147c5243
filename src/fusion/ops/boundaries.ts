/** @file Ops whose kernel somebody else wrote: nothing is fused into them, and they are fused into nothing. */
import type { OpDef } from "./define";
import { EXACT, unary } from "./families";

/** A boundary that hands its operand on. Here, on one device, each is a copy: what it stands for elsewhere, its doc says. */
export const boundary = ({
  why,
  ...spec
}: Pick<OpDef, "name" | "doc" | "derivative"> & {
  readonly aliases?: readonly string[];
  readonly why?: OpDef["boundary"];
}): OpDef => ({
  boundary: why ?? { code: "L_OPAQUE", text: "its kernel is written by hand and takes nothing else in" },
  ...unary({ ...spec, dtype: "same", weightedFlops: 0, tolerance: EXACT, scalar: { js: (x) => x, wgsl: (x) => x } }),
  kind: "opaque",
});
