import { sizeOf, type Node, type TensorType } from "../ir";
import { opDef } from "../ops";

/** An index that is data, clamped to an axis. */
export const clampIndex = (value: number, extent: number): number =>
  Math.min(Math.max(Math.trunc(value), 0), extent - 1);

/** Values of a gather: runs of the inner axes, one for each index and outer index. */
export function evaluateGather(
  node: Node,
  [data, index]: readonly ArrayLike<number>[],
  [dataType, indexType]: readonly TensorType[],
): Float64Array {
  const { shape } = dataType!;
  const axis = opDef(node.op).gather!.axis(node.attrs, shape);
  const [outer, extent, inner] = [sizeOf(shape.slice(0, axis)), shape[axis]!, sizeOf(shape.slice(axis + 1))];
  const count = sizeOf(indexType!.shape);
  const out = new Float64Array(sizeOf(node.type.shape));
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < count; i++) {
      const from = (o * extent + clampIndex(index![i]!, extent)) * inner;
      const to = (o * count + i) * inner;
      for (let k = 0; k < inner; k++) out[to + k] = data![from + k]!;
    }
  }
  return out;
}

/** How many of the keys, which are in ascending order, come before `value`. */
function boundOf(keys: ArrayLike<number>, value: number, comesBefore: "lt" | "le"): number {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (comesBefore === "lt" ? keys[middle]! < value : keys[middle]! <= value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Values of a search. */
export function evaluateSearch({ op, attrs }: Node, [keys, x]: readonly ArrayLike<number>[]): Float64Array {
  const comesBefore = opDef(op).search!.comesBefore(attrs);
  return Float64Array.from(x!, (value) => boundOf(keys!, value, comesBefore));
}

/** Values of folds over ranges of rows. */
export function evaluateRanges(
  node: Node,
  [x, order, starts, stops]: readonly ArrayLike<number>[],
  { shape }: TensorType,
  round: (value: number) => number,
): Float64Array {
  const { ranges } = opDef(node.op);
  const axis = ranges!.axis(node.attrs, shape);
  const fold = opDef(ranges!.fold(node.attrs)).reduce!;
  const [outer, extent, inner] = [sizeOf(shape.slice(0, axis)), shape[axis]!, sizeOf(shape.slice(axis + 1))];
  const [count, listed] = [starts!.length, order!.length];
  const within = (value: number): number => Math.min(Math.max(Math.trunc(value), 0), listed);
  const out = new Float64Array(sizeOf(node.type.shape)).fill(fold.identity(node.type.dtype));
  for (let o = 0; o < outer; o++) {
    for (let n = 0; n < count; n++) {
      const to = (o * count + n) * inner;
      for (let i = within(starts![n]!); i < within(stops![n]!); i++) {
        const from = (o * extent + clampIndex(order![i]!, extent)) * inner;
        for (let k = 0; k < inner; k++) out[to + k] = round(fold.combine.js(out[to + k]!, x![from + k]!));
      }
    }
  }
  return out;
}

/** How many elements have each key, or the last of them, or elements by their keys, in their own order; then where the range of each key starts, and where it stops. */
export function evaluateGroups(node: Node, [keys]: readonly ArrayLike<number>[]): Float64Array {
  const count = keys!.length;
  const def = opDef(node.op).groups!;
  const targets = def.targets(node.attrs);
  const groups = Array.from({ length: targets + 1 }, (): number[] => []);
  const inside = (key: number): boolean => key >= 0 && key < targets;
  for (let i = 0; i < count; i++) groups[inside(keys![i]!) ? keys![i]! : targets]!.push(i);
  const ofEach = {
    count: (group: readonly number[]) => group.length,
    last: (group: readonly number[]) => (group.length === 0 ? -1 : group.at(-1)! % (count / def.lists(node.attrs))),
  };
  if (def.leaves !== "ranges") return Float64Array.from(groups.slice(0, targets), ofEach[def.leaves]);
  const out = new Float64Array(count + 2 * targets);
  let at = 0;
  for (const [key, group] of groups.entries()) {
    if (key < targets) out[count + key] = at;
    for (const element of group) out[at++] = element;
    if (key < targets) out[count + targets + key] = at;
  }
  return out;
}
