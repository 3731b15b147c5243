import { describe, expect, test } from "vitest";
import { planFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { bytesOfKernel, type Kernel } from "../../src/fusion/ir";
import { countTraffic } from "../../src/wgsl";
import { cpu, gpu, graphOf, oneRegion } from "./kernel-harness";
import { programs } from "./kernel-programs";

/** Parts of windows that slide, and an operand that is added to its product, are read again, which the plan does not count yet. */
const UNCOUNTED: ReadonlySet<string> = new Set(["conv-long-causal", "conv-long-parts"]);

const countable = Object.entries(programs).filter(([name]) => !UNCOUNTED.has(name));
const kernels = countable.flatMap(([name, text]) =>
  [gpu, cpu].flatMap((target) =>
    planFusion(oneRegion(graphOf(text)), target, generic).kernels.map((kernel): [string, Kernel] => [
      `${name}, ${target.schedule}, ${kernel.id} ${kernel.name}`,
      kernel,
    ]),
  ),
);

/** Kernels whose addresses or turns depend on what they load. */
const counted = kernels.map(([name, kernel]) => ({ name, kernel, count: countTraffic(kernel) }));

describe("what a kernel's text moves is what its plan says", () => {
  test.each(counted.filter(({ count }) => count.ok).map((each) => [each.name, each] as const))(
    "%s",
    (_, { kernel, count }) => {
      if (!count.ok) throw new Error(count.text);
      const plain = (list: readonly { value: string; bytes: number; rereads: number }[]) =>
        list
          .filter(({ bytes }) => bytes > 0)
          .map(({ value, bytes, rereads }) => `${value} ${bytes} ${rereads}`)
          .sort();
      expect(plain(count.writes)).toEqual(plain(kernel.writes));
      expect(plain(count.reads)).toEqual(plain(kernel.reads));
      expect(bytesOfKernel(count)).toBe(bytesOfKernel(kernel));
      // What lies outside may be read where it is not used.
      expect(count.problems.filter((text) => !text.includes(" reads "))).toEqual([]);
    },
  );

  test("a kernel that is not counted has an address that its data decide", () => {
    const reasons = counted.flatMap(({ count }) => (count.ok ? [] : [count.text]));
    expect(new Set(reasons)).toEqual(new Set(["An index depends on loaded values."]));
    expect(reasons.length / counted.length).toBeLessThan(0.05);
  });
});
