import { expect, test } from "vitest";
import { a100, compile, defaultOptions, generic, h100 } from "../../../fusion";
import {
  decadesOf,
  axesFor,
  roofAt,
  roofAxes,
  rooflineOf,
  shareSentence,
  standsOf,
  standSentence,
  type RoofPoint,
} from "./roofline";

const planned = compile("x: f32[4096, 4096]\nb: f32[4096]\ny = log(relu(x + b))", defaultOptions);
const stands = standsOf(planned.naivePlan!, planned.fusedPlan!);

test("datasheets have their ridges at 156 and 298 FLOP per byte, and say so", () => {
  // Kernels in WGSL compute in f32: a roof of f16 matrix units is none of theirs.
  expect(rooflineOf(a100).text).toMatch(
    /19\.5 TFLOP\/s in f32 over 2 TB\/s is 9\.75 FLOP per byte.*39 on each f32.*312 TFLOP\/s in f16, with a ridge at 156/,
  );
  expect(rooflineOf(h100).text).toMatch(/is 20 FLOP per byte.*a ridge at 299/);
  expect(rooflineOf(generic).ridge).toBe(50);
});

test("a roof is a slope up to the ridge, and flat from there on", () => {
  const roof = rooflineOf(a100);
  expect(roofAt(roof, 1)).toBe(2e12);
  expect(roofAt(roof, roof.ridge)).toBe(19.5e12);
  expect(roofAt(roof, 1e4)).toBe(19.5e12);
});

test("fusion moves a program to the right, by the ratio of its bytes", () => {
  const [naive, fused] = stands;
  const bytes = planned.naivePlan!.totals.bytes / planned.fusedPlan!.totals.bytes;
  expect(fused!.intensity / naive!.intensity).toBeCloseTo(bytes, 6);
  expect(standSentence(rooflineOf(a100), stands)).toMatch(
    /left of the ridge: memory is the limit, at .* % of what a100 can compute/,
  );
});

test("a program that computes nothing has no place", () => {
  const { naivePlan, fusedPlan } = compile("x: f32[64, 64]\ny = x.T.contiguous()", defaultOptions);
  expect(standsOf(naivePlan!, fusedPlan!)).toEqual([]);
});

test("a share over 100 % is explained: by the cache, or by roofs measured too low", () => {
  const at = (share: number, kernel: string | null = null) =>
    [{ plan: "fused", kernel, title: "fused", intensity: 1, rate: share, share }] as const;
  expect(shareSentence(at(1.04), false)).toMatch(/how busy the memory/);
  expect(shareSentence(at(2.4, "K1"), false)).toMatch(/how busy the memory/);
  expect(shareSentence(at(1.3), false)).toMatch(
    /says that the roofs were measured too low.*next run measures them again/,
  );
  expect(shareSentence(at(1.3), true)).toMatch(/stays in the device's cache.*too low/);
});

test("the axes hold every ridge and stand", () => {
  const roofs = [generic, a100, h100].map(rooflineOf);
  const { x, y } = roofAxes(roofs, stands);
  for (const { ridge, flops } of roofs) {
    expect(ridge).toBeGreaterThan(x[0]);
    expect(ridge).toBeLessThan(x[1]);
    expect(flops).toBeLessThanOrEqual(y[1]);
  }
});

test("no dot stands where the roof begins", () => {
  const roofs = { bandwidth: 1e11, flops: 1e13, launchMicros: 5 };
  for (const intensity of [0.01, 0.1, 0.104, 0.5, 3]) {
    const point: RoofPoint = { plan: "fused", kernel: null, title: "fused", intensity, rate: 1e9, share: 0.1 };
    expect(intensity / axesFor(roofs, [point]).x[0]).toBeGreaterThanOrEqual(1.4);
    const machine = rooflineOf(generic);
    expect(intensity / roofAxes([machine], [{ plan: "fused", intensity }]).x[0]).toBeGreaterThanOrEqual(1.4);
  }
});

test("an axis says every power of ten that it holds, where it stands", () => {
  expect(decadesOf([0.1, 1000])).toEqual([0.1, 1, 10, 100, 1000].map((value) => expect.closeTo(value, 9)));
  expect(decadesOf([3e11, 2e13])).toEqual([1e12, 1e13]);
});
