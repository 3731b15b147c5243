/** @file How near each special function's kernel is to its f64 meaning, over thousands of points of each range where it could go wrong. */
import { afterAll, describe, expect, test } from "vitest";
import { planFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { runReference } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { dataOf, graphOf, oneRegion } from "../laws/kernel-harness";
import { forced } from "./device";

const POINTS = 4096;
const listOf = (at: (share: number, i: number) => number): Float64Array =>
  Float64Array.from({ length: POINTS }, (_, i) => Math.fround(at((i + 0.37) / POINTS, i)));
const even = (from: number, to: number): Float64Array => listOf((share) => from + (to - from) * share);
/** Both signs, as many points for each power of ten. */
const signed = (from: number, to: number): Float64Array =>
  listOf((share, i) => (i % 2 === 0 ? 1 : -1) * from * (to / from) ** share);
const positive = (from: number, to: number): Float64Array => signed(from, to).map(Math.abs);

const SMALL = signed(1e-30, 1e-2);
const USUAL = even(-8, 8);
const TURN = even(-Math.PI, Math.PI);
/** Angles of a rotary embedding at position 4096. */
const FAR = even(-4096, 4096);
const UNIT = even(-1, 1);
/** The last steps below 1, and the first above. */
const BELOW_ONE = listOf((_, i) => 1 - i * 2 ** -24);
const ABOVE_ONE = listOf((_, i) => 1 + i * 2 ** -23);
const HUGE = signed(1, 1e37);
const BEFORE_OVERFLOW = even(88, 89.4);

/** A call of x, where it is asked, and what is allowed: so many steps of f32 or this distance. */
const ROWS: readonly (readonly [call: string, points: readonly Float64Array[], steps: number, distance: number])[] = [
  ["sin(x)", [TURN, FAR], 2, 1e-7],
  ["cos(x)", [TURN, FAR], 2, 1e-7],
  ["sin(x)", [SMALL], 1, 0],
  ["cos(x)", [SMALL], 1, 0],
  ["tan(x)", [TURN, FAR, SMALL], 4, 0],
  ["sin(x)", [even(-1e5, 1e5)], 2, 2e-7],
  ["cos(x)", [even(-1e5, 1e5)], 2, 2e-7],
  ["sinc(x)", [USUAL, SMALL], 4, 2e-7],
  ["tanh(x)", [USUAL, SMALL, even(-80, 80)], 5, 0],
  ["erf(x)", [USUAL, SMALL, even(-80, 80)], 4, 0],
  ["erfc(x)", [USUAL, SMALL], 2, 3e-7],
  ["gelu(x)", [USUAL, even(-80, 80)], 4, 1e-6],
  ['gelu(x, approximate="tanh")', [USUAL, even(-80, 80)], 4, 1e-6],
  ["gelu(x)", [SMALL], 4, 0],
  ["asin(x)", [UNIT, BELOW_ONE, SMALL], 4, 0],
  ["acos(x)", [UNIT, BELOW_ONE, SMALL], 4, 0],
  ["atan(x)", [USUAL, HUGE, SMALL], 3, 0],
  ["atan2(x, 1.5)", [USUAL, HUGE, SMALL], 6, 0],
  ["atan2(x, -1.5)", [USUAL, HUGE, SMALL], 6, 0],
  ["atan2(2.5, x)", [USUAL, HUGE, SMALL], 6, 0],
  ["atan2(-2.5, x)", [USUAL, HUGE, SMALL], 6, 0],
  ["sinh(x)", [SMALL, UNIT], 8, 0],
  ["sinh(x)", [USUAL], 24, 0],
  ["cosh(x)", [SMALL, USUAL], 24, 0],
  ["sinh(x)", [BEFORE_OVERFLOW], 400, 0],
  ["cosh(x)", [BEFORE_OVERFLOW], 400, 0],
  ["asinh(x)", [USUAL, HUGE, SMALL], 8, 0],
  ["acosh(x)", [ABOVE_ONE, positive(1, 1e37)], 8, 0],
  ["atanh(x)", [UNIT, BELOW_ONE.slice(1), SMALL], 8, 0],
  ["exp(x)", [USUAL], 24, 0],
  ["exp2(x)", [USUAL], 24, 0],
  ["expm1(x)", [USUAL], 24, 0],
  ["expm1(x)", [SMALL], 4, 0],
  ["log(x)", [positive(1e-37, 1e37), BELOW_ONE], 4, 5e-7],
  ["log2(x)", [positive(1e-37, 1e37), BELOW_ONE], 4, 7e-7],
  ["log1p(x)", [SMALL, even(-0.99, 8), positive(1, 1e37)], 6, 5e-7],
  ["logaddexp(x, 0.5)", [USUAL, even(-80, 80)], 6, 5e-7],
  ["softplus(x)", [USUAL], 24, 0],
  ["logsigmoid(x)", [USUAL], 24, 5e-7],
  ["sigmoid(x)", [USUAL], 24, 0],
  ["silu(x)", [USUAL, SMALL], 24, 0],
  ["mish(x)", [USUAL, SMALL], 24, 0],
  ["elu(x)", [USUAL, SMALL], 24, 0],
  ["selu(x)", [USUAL, SMALL], 24, 0],
  ["sqrt(x)", [positive(1e-37, 1e37)], 4, 0],
  ["rsqrt(x)", [positive(1e-37, 1e37)], 4, 0],
  ["cbrt(x)", [HUGE, USUAL], 400, 0],
  ["x ** 3", [USUAL], 32, 0],
  ["x ** -2", [USUAL], 32, 0],
  ["2.5 ** x", [USUAL], 32, 0],
  ["pow(abs(x), 0.7)", [USUAL], 32, 0],
];

/** The distance to the next f32. */
const stepAt = (value: number): number => 2 ** (Math.max(-126, Math.floor(Math.log2(Math.abs(value)))) - 23);

interface Miss {
  readonly x: number;
  readonly got: number;
  readonly want: number;
  readonly steps: number;
}

/** The farthest of the elements that are too far, null when none is. What flushing of subnormals explains is not asked. */
function worst(
  x: Float64Array,
  got: ArrayLike<number>,
  want: Float64Array,
  steps: number,
  distance: number,
): Miss | null {
  let found: Miss | null = null;
  for (const [i, right] of want.entries()) {
    const mine = got[i]!;
    if (mine === right || Math.fround(right) === mine || Math.abs(right) < 1e-36) continue;
    const apart = Math.abs(mine - right);
    if (apart <= distance || apart <= steps * stepAt(right)) continue;
    const size = apart / stepAt(right);
    if (found === null || !(size <= found.steps)) found = { x: x[i]!, got: mine, want: right, steps: size };
  }
  return found;
}

const device = await dawn();

describe.skipIf(!device)("special functions on WebGPU", () => {
  const session = createSession(device!);
  afterAll(() => session.close());

  test.each(ROWS)("%s", async (call, lists, steps, distance) => {
    for (const points of lists) {
      const graph = graphOf(`x: f32[${points.length}]\ny = ${call}`);
      const inputs = new Map([[[...dataOf(graph).keys()][0]!, points]]);
      const [output] = graph.outputs;
      const { data: want } = runReference(graph, inputs).get(output!)!;
      const answer = await session.run(planFusion(oneRegion(graph), forced, generic), inputs);
      if (!answer.ok) throw new Error(answer.problem.text);
      expect(worst(points, answer.value[0]!.data, want, steps, distance)).toBeNull();
    }
  });
});
