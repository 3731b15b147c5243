/** @file Kernels that a person wrote instead of generated ones: by what they bind, so that a text finds its kernel again. */
import type { Kernel } from "../fusion";

/** WGSL by what the kernel binds, as `bindsOf` writes it. */
export type ByHand = Readonly<Record<string, string>>;

/** What a kernel binds, in order: `x f32[2048, 768]; y f32[2048] written`. Kernels that bind the same may stand for each other. */
export const bindsOf = ({ bindings }: Pick<Kernel, "bindings">): string =>
  bindings
    .map(({ value, type, access }) => {
      const how = access === "read_write" ? " written" : access === "uniform" ? " uniform" : "";
      return `${value} ${type.dtype}[${type.shape.join(", ")}]${how}`;
    })
    .join("; ");

/** The text that runs instead of `kernel`; null where it is the generated one's. */
export const handText = (byHand: ByHand | undefined, kernel: Pick<Kernel, "bindings">): string | null =>
  byHand?.[bindsOf(kernel)] ?? null;
