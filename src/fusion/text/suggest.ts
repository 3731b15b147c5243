/** @file "Did you mean …": the nearest known word by edit distance. */

/** Edits (insert, delete, replace, swap of neighbours) from `a` to `b`, or `most + 1` when there are more. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1);
      row.push(best);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}

/** How many edits may be slips of the fingers in a word of this length. */
const slips = (length: number): number => (length <= 1 ? 0 : length <= 6 ? 1 : length <= 9 ? 2 : 3);

/** The nearest of `known`, or null when nothing is near enough to be a slip of the fingers. */
export function nearest(word: string, known: Iterable<string>): string | null {
  if (word.length > 40) return null;
  const plain = word.toLowerCase();
  let best: string | null = null;
  let distance = slips(word.length) + 1;
  for (const candidate of known) {
    const d = editDistance(plain, candidate.toLowerCase(), slips(word.length));
    if (d < distance) [best, distance] = [candidate, d];
  }
  return best;
}
