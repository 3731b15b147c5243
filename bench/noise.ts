/** @file Input data that is quick to make: millions of elements a second matter more here than the quality of the noise. */

/** Values in [−1, 1), never exactly 0, the same for the same seed. */
export function noise(length: number, seed: number): Float32Array {
  const data = new Float32Array(length);
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  for (let i = 0; i < length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    data[i] = ((state >> 8) | 1) / 2 ** 23;
  }
  return data;
}
