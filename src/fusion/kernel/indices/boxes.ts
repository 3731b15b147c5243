/** @file Sets of elements as disjoint strided boxes: their union, and nothing that costs anything an element. */

/** Per axis: first index, count and step ≥ 1. */
export interface BoxAxis {
  readonly start: number;
  readonly count: number;
  readonly step: number;
}
export type Box = readonly BoxAxis[];

export const boxSize = (box: Box): number => box.reduce((product, axis) => product * axis.count, 1);

/** Steps further apart than this leave too many residues between them to name one by one. */
const MAX_RESIDUES = 64;

const axisOf = ({ start, step }: BoxAxis, from: number, count: number, every = 1): BoxAxis => ({
  start: start + from * step,
  count,
  step: count === 1 ? 1 : step * every,
});

/** u with a·u ≡ gcd(a, b) (mod b), and that gcd. */
function inverse(a: number, b: number): { readonly u: number; readonly g: number } {
  let [r0, r1, u0, u1] = [a, b, 1, 0];
  while (r1 !== 0) {
    const q = Math.floor(r0 / r1);
    [r0, r1, u0, u1] = [r1, r0 - q * r1, u1, u0 - q * u1];
  }
  return { u: u0, g: r0 };
}

/** Members of `a` that are in `b`, as positions in `a`: first, how many, and how far apart; null when there are none. */
function common(
  a: BoxAxis,
  b: BoxAxis,
): { readonly from: number; readonly count: number; readonly every: number } | null {
  const { u, g } = inverse(a.step, b.step);
  if ((b.start - a.start) % g !== 0) return null;
  const every = b.step / g;
  const residue = ((((b.start - a.start) / g) % every) * (u % every)) % every;
  const [low, high] = [
    Math.max(0, Math.ceil((b.start - a.start) / a.step)),
    Math.min(a.count - 1, Math.floor((b.start + (b.count - 1) * b.step - a.start) / a.step)),
  ];
  const from = low + ((((residue - low) % every) + every) % every);
  return from > high ? null : { from, count: Math.floor((high - from) / every) + 1, every };
}

/** `box` without the elements of `other`, as disjoint boxes; null where they are too many to name. */
function without(box: Box, other: Box): Box[] | null {
  const shared = box.map((axis, d) => common(axis, other[d]!));
  if (shared.some((axis) => axis === null)) return [box];
  const parts: Box[] = [];
  for (const [d, axis] of box.entries()) {
    const { from, count, every } = shared[d]!;
    const last = from + (count - 1) * every;
    if (every > MAX_RESIDUES && count > 1) return null;
    const outside: BoxAxis[] = [];
    if (from > 0) outside.push(axisOf(axis, 0, from));
    for (let residue = 1; residue < every && count > 1; residue++)
      outside.push(axisOf(axis, from + residue, count - 1, every));
    if (last + 1 < axis.count) outside.push(axisOf(axis, last + 1, axis.count - last - 1));
    const before = box.slice(0, d).map((one, i) => axisOf(one, shared[i]!.from, shared[i]!.count, shared[i]!.every));
    for (const part of outside) parts.push([...before, part, ...box.slice(d + 1)]);
  }
  return parts;
}

/** More disjoint boxes than this are merged. */
const MAX_BOXES = 512;

/** Every element of `boxes` and of `more`, in disjoint boxes; null where they are too many to name. The first ones are disjoint already. */
export function unionOfBoxes(boxes: readonly Box[], more: readonly Box[]): Box[] | null {
  const all = [...boxes];
  for (const box of more) {
    let left: Box[] = [box];
    for (const known of all) {
      const next: Box[] = [];
      for (const part of left) {
        const rest = without(part, known);
        if (!rest) return null;
        next.push(...rest);
      }
      left = next;
      if (left.length === 0) break;
      if (left.length > MAX_BOXES) return null;
    }
    all.push(...left);
    if (all.length > MAX_BOXES) return null;
  }
  return all.length > 1 && all[0]!.length === 1 ? coalesced(all) : all;
}

/** Ranges on one axis, joined where one goes on as the other ends. */
function coalesced(boxes: readonly Box[]): Box[] {
  const joined: BoxAxis[] = [];
  for (const [next] of boxes.toSorted(([a], [b]) => a!.start - b!.start)) {
    const last = joined.at(-1);
    const gap = last && next!.start - (last.start + (last.count - 1) * last.step);
    const step = last && (last.count > 1 ? last.step : next!.count > 1 ? next!.step : gap!);
    if (last && gap === step && (next!.count === 1 || next!.step === step))
      joined[joined.length - 1] = { start: last.start, count: last.count + next!.count, step: step! };
    else joined.push(next!);
  }
  return joined.map((axis) => [axis]);
}
