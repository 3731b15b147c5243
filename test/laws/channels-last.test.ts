/** @file Convolutions channel by channel of what lies channels last: one kernel whose threads run along the channels, with the reference's values. */
import { describe, expect, test } from "vitest";
import { compile, defaultOptions, generic } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import { lowerFusion, type LoweredRegion } from "../../src/fusion/plan";
import { complaints, gpu, graphOf, oneRegion } from "./kernel-harness";
import { compiled, trafficFaults, valueFaults } from "./pass-harness";

/** Windows along a sequence that see what came before, and windows of an image. */
const causal = (batch: number, length: number, channels: number, taps: number): string =>
  `x: f32[${batch}, ${length}, ${channels}]\nw: f32[${channels}, 1, ${taps}] = param()\nb: f32[${channels}] = param()
y = silu(conv(F.pad(x.mT, (${taps - 1}, 0)), w, b, groups=${channels})).mT`;
const image = (batch: number, side: number, channels: number, taps: number): string =>
  `x: f32[${batch}, ${side}, ${side}, ${channels}]\nw: f32[${channels}, 1, ${taps}, ${taps}] = param()
y = relu(conv(x.permute(0, 3, 1, 2), w, padding=${Math.floor(taps / 2)}, groups=${channels})).permute(0, 2, 3, 1)`;

/** Of which only memory takes time, however little there is of it. */
const slow = { ...generic, bandwidth: 1e6, l2Bytes: 0, launchMicros: 0 };

const programs: readonly (readonly [name: string, large: string, small: string])[] = [
  ["a causal one", causal(8, 2048, 1024, 4), causal(2, 20, 12, 4)],
  ["one of an image", image(16, 56, 144, 3), image(2, 9, 12, 3)],
  ["one of wide windows", image(16, 56, 96, 5), image(1, 6, 32, 5)],
];

describe.each(programs)("a convolution channel by channel: %s", (_name, large, small) => {
  test("is one kernel, which uses all that it fetches", () => {
    const { fusedPlan } = compile(`${large}\n`, defaultOptions);
    expect(fusedPlan!.kernels.map(({ template }) => template)).toEqual(["pointwise"]);
    const compilation = compiled(graphOf(large));
    const [{ facts }] = lowerFusion(fusionAt(compilation, compilation.steps.length), gpu, generic) as [LoweredRegion];
    const most = Math.max(...facts.schedule.reads.map(({ elements }) => elements));
    expect(facts.schedule.reads.filter(({ elements }) => elements === most).map(({ waste }) => waste)).toEqual([1]);
    expect(facts.schedule.stridedWrites).toEqual([]);
  });

  test("has the reference's values and counts", () => {
    const compilation = compiled(graphOf(small), { profile: slow });
    const final = fusionAt(compilation, compilation.steps.length);
    expect(compilation.steps.some(({ rule, accepted }) => rule === "few-products" && accepted)).toBe(true);
    expect(valueFaults(compilation.drawn, final)).toEqual([]);
    expect(trafficFaults(final)).toEqual([]);
    expect(complaints(final, gpu, 1e-6)).toEqual([]);
  });
});

test("threads that run across what they read fetch more than they use, and the price knows", () => {
  const wasteOf = (text: string): readonly number[] => {
    const [{ facts }] = lowerFusion(oneRegion(graphOf(text)), gpu, generic) as [LoweredRegion];
    expect(facts.form!.contraction).not.toBe(null);
    return facts.schedule.reads.filter(({ elements }) => elements > 1e6).map(({ waste }) => waste);
  };
  expect(wasteOf("x: f32[8, 1024, 2048]\nw: f32[1024, 1, 4] = param()\ny = conv(x, w, groups=1024)")).toEqual([1]);
  expect(wasteOf(causal(8, 2048, 1024, 4))[0]!).toBeGreaterThan(2);
});
