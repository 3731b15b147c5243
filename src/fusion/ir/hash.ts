/** @file A small, fast, stable hash (FNV-1a, 32 bit) for chained step hashes and cache keys. Not cryptographic. */

/** Eight hex digits over `text`, continuing from `seed`. */
export function hashText(text: string, seed = "811c9dc5"): string {
  let hash = Number.parseInt(seed, 16);
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
