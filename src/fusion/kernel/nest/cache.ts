/** @file What kernels know of the cache that all multiprocessors share. */

/** How much faster than memory it is. */
export const CACHED_SPEEDUP = 2.5;
/** How much faster than memory loads come from the caches of all multiprocessors, with the arithmetic of where they lie. */
export const NEAR_SPEEDUP = 6;
/** Part of the shared one that holds what one kernel reads: the rest holds what is stored, or the same again for far multiprocessors. */
export const CACHE_USED = 0.5;
