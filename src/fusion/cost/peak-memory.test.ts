import fc from "fast-check";
import { expect, test } from "vitest";
import { liveProfile } from "./liveness";

test("the peak is the largest sum over all positions", () => {
  const additions = fc.array(fc.tuple(fc.nat({ max: 19 }), fc.nat({ max: 19 }), fc.integer({ min: -50, max: 50 })));
  fc.assert(
    fc.property(additions, (list) => {
      const profile = liveProfile(20);
      const sums = Array.from({ length: 20 }, () => 0);
      for (const [a, b, bytes] of list) {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        profile.add(from, to, bytes);
        for (let at = from; at <= to; at++) sums[at]! += bytes;
        // Positions beyond the last hold nothing: the peak is never below zero.
        expect(profile.peak()).toBe(Math.max(0, ...sums));
      }
    }),
    { seed: 5 },
  );
});
