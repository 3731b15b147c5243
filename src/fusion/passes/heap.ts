/** @file A binary heap: the smallest by `before` comes first. */

export interface Heap<T> {
  push(item: T): void;
  /** Null when empty. */
  pop(): T | null;
  peek(): T | null;
}

export function heapOf<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];
  const swap = (i: number, j: number): void => {
    [items[i], items[j]] = [items[j]!, items[i]!];
  };
  return {
    peek: () => items[0] ?? null,
    push(item) {
      items.push(item);
      for (let at = items.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!before(items[at]!, items[parent]!)) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      const first = items[0];
      if (first === undefined) return null;
      const last = items.pop()!;
      if (items.length === 0) return first;
      items[0] = last;
      for (let at = 0; ;) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2]) {
          if (child < items.length && before(items[child]!, items[least]!)) least = child;
        }
        if (least === at) break;
        swap(at, least);
        at = least;
      }
      return first;
    },
  };
}
