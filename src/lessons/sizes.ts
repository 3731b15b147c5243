/** @file The sizes that examples share. M is what opens; L still fits a run's memory in both plans. */
import type { Sizes } from "./example";

/** Rows and columns of square tensors: 1, 16 and 36 MiB of f32. */
export const square: Sizes = { name: "N", S: 512, M: 2048, L: 3072 };
/** Rows of about a thousand columns. */
export const rows: Sizes = { name: "N", S: 512, M: 2048, L: 8192 };
/** Rows, columns and depth of products, which cost the cube. */
export const cube: Sizes = { name: "N", S: 128, M: 512, L: 1024 };
/** Queries and keys of attention. */
export const sequence: Sizes = { name: "N", S: 256, M: 1024, L: 2048 };
