/** @file Sums over ranges of positions and their maximum: the profile of live bytes over a plan, kept up to date. */

export interface LiveProfile {
  /** Adds `bytes` (may be negative) to positions `from`…`to`, both included. */
  add(from: number, to: number, bytes: number): void;
  /** The largest sum over all positions. */
  peak(): number;
}

/** A segment tree with pending additions at inner nodes; `add` takes O(log positions). */
export function liveProfile(positions: number): LiveProfile {
  let leaves = 1;
  while (leaves < positions) leaves *= 2;
  /** Largest sum in a node's range, its own pending addition included. */
  const most = new Float64Array(2 * leaves);
  const pending = new Float64Array(2 * leaves);
  const lift = (start: number): void => {
    for (let at = start >> 1; at >= 1; at >>= 1) {
      most[at] = Math.max(most[2 * at]!, most[2 * at + 1]!) + pending[at]!;
    }
  };
  const put = (at: number, bytes: number): void => {
    most[at] = most[at]! + bytes;
    pending[at] = pending[at]! + bytes;
  };
  return {
    add(from, to, bytes) {
      let low = from + leaves;
      let high = to + leaves + 1;
      const [first, last] = [low, high - 1];
      for (; low < high; low >>= 1, high >>= 1) {
        if (low & 1) put(low++, bytes);
        if (high & 1) put(--high, bytes);
      }
      lift(first);
      lift(last);
    },
    peak: () => most[1]!,
  };
}
