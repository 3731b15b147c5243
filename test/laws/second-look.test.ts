/** @file Kernels looked at once more when all others have grown, and what rows leave instead of the rows: fewer bytes, the same values. */
import { describe, expect, test } from "vitest";
import { generic } from "../../src/fusion/cost";
import { fusionAt } from "../../src/fusion/compile";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { wordFaults } from "./decisions";
import { compiled, stepFaults } from "./pass-harness";

/** Launches cost nothing here and bytes much, so that small programs are planned as large ones are. */
const bytesCount = { ...generic, launchMicros: 0, bandwidth: 1e6 };

const QUATERNIONS = `q: f32[64, 4]
v: f32[64, 3]
w, u = q[:, :1], q[:, 1:]
def cross(a, b):
    ax, ay, az = a[:, 0], a[:, 1], a[:, 2]
    bx, by, bz = b[:, 0], b[:, 1], b[:, 2]
    return stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], 1)
t = 2 * cross(u, v)
y = v + w * t + cross(u, t)`;

/** Rows are normalised and stored; the product with what was normalised is summed over other axes, as in the backward pass of a norm of groups. */
const GROUPS = `x: f32[6, 32, 8, 8]
g: f32[6, 32, 8, 8]
r = x.reshape(6, 4, 512)
c = r - r.mean(-1, keepdim=True)
n = (c / sqrt((c * c).mean(-1, keepdim=True) + 1)).reshape(6, 32, 8, 8)
a = g.sum((0, 2, 3))
b = (g * n).sum((0, 2, 3))
return n.reshape(6, 4, 512).max(-1), a, b`;

/** The sum of everything beside an elementwise result of the same rows. */
const BESIDE = `s: f32[24, 40]
t: f32[24, 40]
p = softmax(t)
l = (p * log(p) - p * log_softmax(s)).sum()
d = softmax(s) - p
return l, d`;

const plan = (text: string) => {
  const compilation = compiled(graphOf(text), { profile: bytesCount });
  const final = fusionAt(compilation, compilation.steps.length);
  return { compilation, final };
};

describe.each(Object.entries({ QUATERNIONS, GROUPS, BESIDE }))("%s", (_, text) => {
  test("keeps its values and counts, in every state", () => {
    const { compilation, final } = plan(text);
    expect(stepFaults(compilation)).toEqual([]);
    expect(compilation.steps.flatMap(wordFaults)).toEqual([]);
    for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-6)).toEqual([]);
  });
});

test("slices that were written apart move into the kernel that their readers have become", () => {
  const { compilation, final } = plan(QUATERNIONS);
  expect(compilation.steps.some(({ rule, accepted }) => rule === "second-look" && accepted)).toBe(true);
  expect(final.regions.size).toBe(1);
});

test("what is left of the rows is stored, not the rows, where another kernel folds them too", () => {
  const { compilation, final } = plan(GROUPS);
  const [step] = compilation.steps.filter(({ rule, accepted }) => rule === "recomputed-output" && accepted);
  expect(step!.cost!.alternatives[1]!.bytes).toBeLessThan(step!.cost!.alternatives[0]!.bytes);
  expect(final.regions.size).toBe(2);
});
