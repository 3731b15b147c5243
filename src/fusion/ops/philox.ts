/** @file Philox 4×32-10, the counter-based generator (Salmon et al. 2011): a pure function of (seed, counter), so recomputing draws the same numbers. */

const MULTIPLIERS = [0xd2511f53, 0xcd9e8d57] as const;
const KEY_STEPS = [0x9e3779b9, 0xbb67ae85] as const;

/** The high word of a 32 × 32 bit product, by halves of 16 bits. */
function multiplyHigh(a: number, b: number): number {
  const [a0, a1, b0, b1] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const left = a1 * b0 + ((a0 * b0) >>> 16);
  const right = a0 * b1 + (left & 0xffff);
  return (a1 * b1 + (left >>> 16) + (right >>> 16)) >>> 0;
}

/** Four random words, unsigned, into `out`: of a counter of four words and a key of two. */
export function philox(counter: readonly number[], key: readonly number[], out: Uint32Array): void {
  let [x, y, z, w] = counter as readonly [number, number, number, number];
  let [k0, k1] = key as readonly [number, number];
  for (let round = 0; round < 10; round++) {
    const nextX = multiplyHigh(MULTIPLIERS[1], z) ^ y ^ k0;
    const nextY = Math.imul(MULTIPLIERS[1], z);
    const nextZ = multiplyHigh(MULTIPLIERS[0], x) ^ w ^ k1;
    const nextW = Math.imul(MULTIPLIERS[0], x);
    [x, y, z, w] = [nextX >>> 0, nextY >>> 0, nextZ >>> 0, nextW >>> 0];
    k0 = (k0 + KEY_STEPS[0]) >>> 0;
    k1 = (k1 + KEY_STEPS[1]) >>> 0;
  }
  out[0] = x;
  out[1] = y;
  out[2] = z;
  out[3] = w;
}

const words = new Uint32Array(4);
let drawn: readonly [counter: number, seed: number] = [-1, -1];

/** The random word of one element: counter = index / 4, key = (seed, 0), word = index mod 4. The WGSL helper `random_bits` gives the same bits. */
export function randomBits(index: number, seed: number): number {
  const counter = Math.floor(index / 4);
  if (drawn[0] !== counter || drawn[1] !== seed) {
    philox([counter >>> 0, 0, 0, 0], [seed >>> 0, 0], words);
    drawn = [counter, seed];
  }
  return words[index & 3]!;
}
