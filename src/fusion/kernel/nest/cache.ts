/** @file What kernels know of the cache that all multiprocessors share. */

/** How much faster than memory it is. */
export const CACHED_SPEEDUP = 2.5;
/** Part of it that holds what one kernel reads: the rest holds what is stored, or the same again for far multiprocessors. */
export const CACHE_USED = 0.5;
