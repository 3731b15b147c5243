/** @file A kernel's name as words: what the page, the command line and reports call it. */

/** Ends the name of a WGSL function whose plain name means something else there already. */
export const KERNEL_SUFFIX = "_kernel";

/** `layer_norm_gelu` → `layer norm gelu`; the suffix is WGSL's business. */
export const kernelWords = (name: string): string =>
  (name.endsWith(KERNEL_SUFFIX) ? name.slice(0, -KERNEL_SUFFIX.length) : name).replaceAll("_", " ");

/** `K1 layer norm gelu` */
export const kernelTitle = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  `${id} ${kernelWords(name)}`;
