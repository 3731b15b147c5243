/** @file Convolutions of a spread input, taken apart by phase: the reference's values, whatever stride, kernel and padding. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile, defaultOptions, generic } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import type { Plan } from "../../src/fusion/ir";
import { complaints, gpu, graphOf } from "./kernel-harness";
import { wordFaults } from "./decisions";
import { compiled, trafficFaults, valueFaults } from "./pass-harness";

interface Spread {
  readonly stride: number;
  readonly kernel: number;
  readonly padding: number;
  /** Elements more at the end: each phase then has as many results. */
  readonly more: number;
  readonly extent: number;
}

const axis: fc.Arbitrary<Spread> = fc
  .record({
    stride: fc.integer({ min: 1, max: 5 }),
    kernel: fc.integer({ min: 2, max: 7 }),
    padding: fc.integer({ min: 0, max: 6 }),
    extent: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ stride, kernel, padding, extent }) => {
    const results = (extent - 1) * stride + kernel - 2 * padding;
    return { stride, kernel, padding, extent, more: ((-results % stride) + stride) % stride, results };
  })
  .filter(({ results }) => results > 0);

/** A transposed convolution of `channels` channels a group over these axes, and what follows it. */
function program(axes: readonly Spread[], groups: number, channels: number, after: string): string {
  const of = (name: keyof Spread): string => `(${axes.map((each) => `${each[name]},`).join(" ")})`;
  const w = [groups * channels, 3, ...axes.map(({ kernel }) => kernel)].join(", ");
  const call = `conv_transpose(x, w, b, stride=${of("stride")}, padding=${of("padding")}, output_padding=${of("more")}, groups=${groups})`;
  return `x: f32[2, ${[groups * channels, ...axes.map(({ extent }) => extent)].join(", ")}]\nw: f32[${w}] = param()\nb: f32[${3 * groups}] = param()\ny = ${after.replace("Y", call)}`;
}

const taken = (text: string, given = {}) => {
  const compilation = compiled(graphOf(text), given);
  return { compilation, steps: compilation.steps.filter(({ rule }) => rule === "phases") };
};
/** Of which only memory takes time. */
const far = { ...generic, bandwidth: 1e6, l2Bytes: 0, launchMicros: 0 };
/** Of which only arithmetic takes time. */
const slow = { ...generic, multiprocessors: 1, peakFlops: 1e6, launchMicros: 0, bandwidth: 1e15 };
const flopsOf = ({ kernels }: Plan): number => kernels.reduce((sum, { flops }) => sum + flops, 0);
const UP = `x: f32[8, 64, 64, 64]\nw: f32[64, 32, 4, 4] = param()\nb: f32[32] = param()\ny = tanh(conv_transpose(x, w, b, stride=2, padding=1))`;

describe("a transposed convolution with a stride", () => {
  test("takes the taps that meet an element, and stays one kernel", () => {
    const { steps } = taken(UP);
    expect(steps.map(({ accepted }) => accepted)).toEqual([true]);
    expect(steps.flatMap(wordFaults)).toEqual([]);
    const { naivePlan, fusedPlan } = compile(`${UP}\n`, defaultOptions);
    expect(fusedPlan!.kernels.length).toBe(1);
    expect(flopsOf(fusedPlan!) / flopsOf(naivePlan!)).toBeLessThan(0.26);
  });

  test("stays as it is in strict mode", () => {
    expect(taken(UP, { strict: true }).steps.filter(({ accepted }) => accepted)).toEqual([]);
  });

  test("has the reference's values and counts, whatever the strides, kernels and paddings", () => {
    let [made, asked] = [0, 0];
    fc.assert(
      fc.property(
        fc.array(axis, { minLength: 1, maxLength: 2 }).filter((axes) => axes.some(({ stride }) => stride > 1)),
        fc.constantFrom(1, 2),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom("Y", "relu(Y)", "Y.sum(dim=1)"),
        (axes, groups, channels, after) => {
          asked++;
          const { compilation, steps } = taken(program(axes, groups, channels, after), {
            profile: slow,
            disabledPasses: ["reduction-algebra/few-products"],
          });
          const final = fusionAt(compilation, compilation.steps.length);
          expect(valueFaults(compilation.drawn, final)).toEqual([]);
          expect(trafficFaults(final)).toEqual([]);
          expect(complaints(final, gpu, 1e-6)).toEqual([]);
          if (steps.some(({ accepted }) => accepted)) made++;
        },
      ),
      { numRuns: 30 },
    );
    expect(made).toBeGreaterThan(asked / 2);
  });
});

/** The derivative of a convolution by its input. */
const backwards = (axes: readonly Spread[], groups: number, channels: number): string => {
  const of = (name: keyof Spread): string => `(${axes.map((each) => `${each[name]},`).join(" ")})`;
  const extents = axes.map(
    ({ extent, stride, kernel, padding, more }) => (extent - 1) * stride + kernel - 2 * padding + more,
  );
  const shape = (outer: number, rest: readonly number[]): string => [2, outer, ...rest].join(", ");
  return `x: f32[${shape(groups * channels, extents)}]
w: f32[${[3 * groups, channels, ...axes.map(({ kernel }) => kernel)].join(", ")}] = param()
d: f32[${shape(
    3 * groups,
    axes.map(({ extent }) => extent),
  )}]
y, pull = vjp(lambda x: conv(x, w, stride=${of("stride")}, padding=${of("padding")}, groups=${groups}), x)
return pull(d)`;
};

describe("the derivative of a convolution by its input", () => {
  const large = (stride: number, padding: number, kernel: number): string =>
    backwards(
      [1, 1].map(() => ({ stride, kernel, padding, more: stride - 1, extent: 56 / stride })),
      1,
      64,
    );
  const added = (text: string, given = {}) =>
    compiled(graphOf(text), given).steps.filter(({ rule }) => rule === "windows-added");

  test("is one kernel where that takes less", () => {
    const steps = added(large(1, 1, 3));
    expect(steps.map(({ accepted }) => accepted)).toEqual([true]);
    expect(steps.flatMap(wordFaults)).toEqual([]);
    expect(compile(`${large(1, 1, 3)}\n`, defaultOptions).fusedPlan!.kernels.length).toBe(1);
  });

  test("has the reference's values and counts, whatever the strides, kernels and paddings", () => {
    let [made, asked] = [0, 0];
    fc.assert(
      fc.property(
        fc.array(axis, { minLength: 1, maxLength: 2 }),
        fc.constantFrom(1, 2),
        fc.integer({ min: 2, max: 3 }),
        (axes, groups, channels) => {
          const compilation = compiled(graphOf(backwards(axes, groups, channels)), { profile: far });
          asked++;
          if (compilation.steps.some(({ rule, accepted }) => rule === "windows-added" && accepted)) made++;
          const final = fusionAt(compilation, compilation.steps.length);
          expect(valueFaults(compilation.drawn, final)).toEqual([]);
          expect(trafficFaults(final)).toEqual([]);
          expect(complaints(final, gpu, 1e-6)).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
    expect(made).toBeGreaterThan(asked / 5);
  });
});
