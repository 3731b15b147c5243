import fc from "fast-check";
import { expect, test } from "vitest";
import type { RegionId } from "../../ir";
import { regionOrder } from "./region-order";

/** A small graph of regions that can be merged, with its own slow answers. */
function slowGraph(count: number, edges: readonly (readonly [number, number])[]) {
  const ids = Array.from({ length: count }, (_, i) => `r${i}` as RegionId);
  const next = new Map<RegionId, Set<RegionId>>(ids.map((id) => [id, new Set()]));
  for (const [a, b] of edges) if (a !== b) next.get(ids[Math.min(a, b)]!)!.add(ids[Math.max(a, b)]!);
  const before = (id: RegionId): RegionId[] => [...next].flatMap(([from, to]) => (to.has(id) ? [from] : []));
  const reaches = (from: RegionId, to: RegionId): boolean =>
    [...next.get(from)!].some((id) => id === to || reaches(id, to));
  return { ids, next, before, reaches };
}

test("finds every returning path and keeps an order of execution over merges", () => {
  const arbitrary = fc.tuple(
    fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 9 })), { maxLength: 22 }),
    fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 9 })), { minLength: 1, maxLength: 8 }),
  );
  fc.assert(
    fc.property(arbitrary, ([edges, merges]) => {
      const graph = slowGraph(10, edges);
      const order = regionOrder(graph.ids, {
        readersOf: (id) => graph.next.get(id)!,
        producersOf: graph.before,
      });
      for (const [i, j] of merges) {
        const live = [...graph.next.keys()];
        const [a, b] = [live[i % live.length]!, live[j % live.length]!];
        if (a === b) continue;
        const outside = (from: RegionId, to: RegionId): boolean =>
          [...graph.next.get(from)!].some((id) => id !== to && graph.reaches(id, to));
        const returns = outside(a, b) || outside(b, a);
        expect(order.returns([a, b]).found).toBe(returns);
        if (returns) continue;
        order.merge([a, b], a);
        for (const id of graph.next.get(b)!) if (id !== a) graph.next.get(a)!.add(id);
        graph.next.delete(b);
        for (const readers of graph.next.values()) if (readers.delete(b)) readers.add(a);
        graph.next.get(a)!.delete(a);
        for (const [from, readers] of graph.next) {
          for (const to of readers) expect(order.at(from)).toBeLessThan(order.at(to));
        }
      }
    }),
    { numRuns: 500, seed: 11 },
  );
});
