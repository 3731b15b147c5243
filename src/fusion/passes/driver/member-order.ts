/** @file Lists of members that become one, in text order: merged as the sorted lists that they are. */
import type { NodeId } from "../../ir";

/** A list with the positions of its members. */
interface Placed {
  readonly ids: readonly NodeId[];
  readonly at: readonly number[];
}

/** @param position a node's position in the text: the same whenever it is asked */
export function openMemberOrder(
  position: (id: NodeId) => number,
): (lists: readonly (readonly NodeId[])[]) => readonly NodeId[] {
  const known = new WeakMap<readonly NodeId[], Placed>();
  const placed = (ids: readonly NodeId[]): Placed => {
    let found = known.get(ids);
    if (!found) known.set(ids, (found = { ids, at: ids.map((id) => position(id)) }));
    return found;
  };
  return (lists) => {
    let union: Placed | null = placed(lists[0]!);
    for (let i = 1; i < lists.length && union; i++) union = mergedOf(union, placed(lists[i]!));
    if (!union) {
      const all = new Set(lists.flat());
      return [...all].toSorted((a, b) => position(a) - position(b));
    }
    known.set(union.ids, union);
    return union.ids;
  };
}

/** Null where several nodes stand at one position: which comes first is for the whole list to say. */
function mergedOf(a: Placed, b: Placed): Placed | null {
  const ids: NodeId[] = [];
  const at: number[] = [];
  const take = (from: Placed, i: number): void => {
    ids.push(from.ids[i]!);
    at.push(from.at[i]!);
  };
  let [i, j] = [0, 0];
  while (i < a.at.length || j < b.at.length) {
    const [first, second] = [a.at[i] ?? Infinity, b.at[j] ?? Infinity];
    if (first === second) {
      if (a.ids[i] !== b.ids[j]) return null;
      j++;
    }
    if (first <= second) take(a, i++);
    else take(b, j++);
    if (at.length > 1 && at.at(-1)! <= at.at(-2)!) return null;
  }
  return { ids, at };
}
