import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, inputData, runReference, type Compilation, type NodeId } from "../fusion";
import { amplifiedAt, comparePoints, planPoints } from "./check-points";
import type { PlannedRun, TapRequest, TappedElements } from "./messages";

const compiled = (text: string): Compilation => compile(text, defaultOptions);

function runsOf(compilation: Compilation): PlannedRun[] {
  return [["naive", 0] as const, ["fused", compilation.steps.length] as const].map(([plan, cursor]) => {
    const planned = cursor === 0 ? compilation.naivePlan! : compilation.fusedPlan!;
    return {
      plan,
      fusion: fusionAt(compilation, cursor),
      regions: planned.kernels.map(({ region }) => region),
      stored: planned.buffers.map(({ value }) => value),
    };
  });
}

/** What a device would hand out that computes in f32, one op after the other; `spoil` changes an element. */
function fetched(
  runs: readonly PlannedRun[],
  taps: readonly TapRequest[],
  spoil?: (tap: TapRequest, flat: number) => number,
) {
  const values = new Map(
    runs.map(({ plan, fusion }) => {
      const inputs = [...fusion.graph.nodes.values()].filter(({ op, recipe }) => op === "input" && !recipe);
      const data = new Map<NodeId, ArrayLike<number>>(inputs.map((node) => [node.id, inputData(node)]));
      return [plan, runReference(fusion.graph, data, { precision: "f32", keep: "all" })] as const;
    }),
  );
  return taps.map((tap): TappedElements => {
    const { type, data } = values.get(tap.plan)!.get(tap.value)!;
    const numbers = Array.from(tap.flats, (flat) => data[flat]! + (spoil?.(tap, flat) ?? 0));
    const words = type.dtype === "f32" ? Float32Array.from(numbers) : Int32Array.from(numbers);
    return { tap, words: new Uint32Array(words.buffer) };
  });
}

function checked(text: string, spoil?: (tap: TapRequest, flat: number) => number) {
  const compilation = compiled(text);
  const runs = runsOf(compilation);
  const plan = planPoints(fusionAt(compilation, 0), runs, new Map());
  return { plan, rows: comparePoints(plan, fetched(runs, plan.taps, spoil), () => false) };
}

const layers = `x: f32[512, 256]
w: f32[256, 128]
v: f32[128, 64]
h = relu(x @ w)
y = softmax(h @ v)
`;

test("every kernel of both plans is compared from the numbers it read, and the program as a whole", () => {
  const { plan, rows } = checked(layers);
  expect(plan.skipped).toEqual([]);
  expect(rows.every(({ pass }) => pass)).toBe(true);
  const kernels = new Set(rows.map((row) => `${row.plan} ${row.kernel ?? "whole"}`));
  expect(kernels).toContain("naive whole");
  expect(kernels).toContain("fused whole");
  expect([...kernels].filter((name) => name.startsWith("naive K")).length).toBeGreaterThanOrEqual(4);
  for (const { compared, elements } of rows) expect(compared).toBeLessThanOrEqual(elements);
  // Nothing is fetched whole that is large.
  for (const { flats } of plan.taps) expect(flats.length).toBeLessThan(2 ** 18);
});

test("a kernel that is wrong fails by itself; those after it are right on what they read", () => {
  const compilation = compiled(layers);
  const last = runsOf(compilation)[0]!.regions.length - 1;
  const { rows } = checked(layers, ({ plan, kernel, when }) =>
    plan === "naive" && kernel === last && when === "after" ? 0.5 : 0,
  );
  const wrong = rows.filter(({ pass }) => !pass).map(({ plan, kernel }) => `${plan} ${kernel ?? "whole"}`);
  expect(new Set(wrong)).toEqual(new Set(["naive whole", `naive K${last + 1}`]));
});

test("a chaotic program is told from a wrong one", () => {
  const steps = Array.from({ length: 40 }, () => "x = 3.9 * x * (1 - x)").join("\n");
  const chaos = `x: f32[1024] = uniform(0.1, 0.9)\n${steps}\n`;
  const { rows } = checked(chaos);
  const whole = rows.filter(({ kernel }) => kernel === undefined);
  expect(whole.length).toBe(2);
  expect(whole.every(({ pass, sensitive }) => pass && sensitive! > 100)).toBe(true);
  const tame = checked("x: f32[4096] = uniform(0.1, 0.9)\ny = 0.5 * x * (1 - x)\n", ({ when }) =>
    when === "after" ? 1e-3 : 0,
  );
  expect(tame.rows.some(({ pass }) => !pass)).toBe(true);
});

const mandelbrot = `cr: f32[64, 64] = uniform(-2, 1)
ci: f32[64, 64] = uniform(-1.5, 1.5)
zr = cr * 0
zi = ci * 0
n = cr * 0
for i in range(24):
    a = zr * zr - zi * zi + cr
    b = 2 * zr * zi + ci
    ok = a * a + b * b < 4
    zr = where(ok, a, zr)
    zi = where(ok, b, zi)
    n = where(ok, n + 1, n)
return n, zr
`;

test("a chaotic edge is explained at the element itself, a wrong element beside it is not", () => {
  const compilation = compiled(mandelbrot);
  const runs = runsOf(compilation);
  const plan = planPoints(fusionAt(compilation, 0), runs, new Map());
  const { graph } = plan.source;
  const inputs = [...graph.nodes.values()].filter(({ op, recipe }) => op === "input" && !recipe);
  const data = new Map<NodeId, ArrayLike<number>>(inputs.map((node) => [node.id, inputData(node)]));
  const values = (precision: "f32" | "f64") => runReference(graph, data, { precision, keep: "all" });
  const [single, double] = [values("f32"), values("f64")];
  const output = graph.outputs[1]!;
  const [one, other] = [single.get(output)!.data, double.get(output)!.data];
  const apart = Array.from(one, (value, at) => ({ at, naive: other[at]!, other: value }));
  const far = apart.toSorted((a, b) => Math.abs(b.other - b.naive) - Math.abs(a.other - a.naive)).slice(0, 4);
  expect(Math.abs(far[0]!.other - far[0]!.naive)).toBeGreaterThan(1e-3);
  expect(amplifiedAt(plan, { output, farthest: far })).toBe(true);
  const tame = apart.filter(({ at }) => single.get(graph.outputs[0]!)!.data[at] === 1)[0]!;
  expect(amplifiedAt(plan, { output, farthest: [{ ...tame, other: tame.naive + 0.1 }] })).toBe(false);
  // One wrong element is not excused by the chaos around it.
  expect(amplifiedAt(plan, { output, farthest: [...far, { ...tame, other: tame.naive + 0.1 }] })).toBe(false);
  const { rows } = checked(mandelbrot);
  expect(rows.every(({ pass }) => pass)).toBe(true);
});

test("a limit that is large beside the values is told of, with its reason", () => {
  const { rows } = checked("x: f32[64, 256]\ny = x - mean(x, axis=1, keepdims=True)\nz = sum(y, axis=1)\n");
  const whole = rows.find(({ kernel }) => kernel === undefined)!;
  expect(whole.scale).toBeLessThan(1e-10);
  expect(whole.pass).toBe(true);
  expect(whole.because).toContain("sum");
});

test("sizes that no reference could compute are sampled at a bounded cost", () => {
  const compilation = compiled("x: f32[16384, 4096]\nw: f32[4096, 8192]\ny = relu(x @ w)\nz = sum(y, axis=1)\n");
  const plan = planPoints(fusionAt(compilation, 0), runsOf(compilation), new Map());
  expect(plan.taps.length).toBeGreaterThan(2);
  const touched = plan.jobs.reduce((sum, { sampling }) => sum + sampling.touched, 0);
  expect(touched).toBeLessThan(2e7);
  for (const { flats } of plan.taps) expect(flats.length).toBeLessThanOrEqual(2 ** 18);
});

test("the limit is as small as the values: a softmax of a thousandth that is off by a tenth of it is wrong", () => {
  const softmax = "x: f32[64, 1024]\ny = softmax(x)\n";
  const whole = (spoil?: Parameters<typeof checked>[1]) =>
    checked(softmax, spoil).rows.filter(({ kernel, plan }) => kernel === undefined && plan === "fused");
  const [right] = whole();
  expect(right!.pass).toBe(true);
  expect(right!.scale).toBeLessThan(0.1);
  expect(right!.worst!.allowed).toBeLessThan(0.01 * right!.scale!);
  expect(whole(({ when }) => (when === "after" ? 1e-4 : 0)).map(({ pass }) => pass)).toEqual([false]);
});
