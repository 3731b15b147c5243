/** @file Contractions with what may stand before and after them in one kernel: values agree with the reference on both schedules. */
import { expect, test } from "vitest";
import {
  compareOutputs,
  compile,
  defaultOptions,
  fusionAt,
  inputData,
  runPlanOnCpu,
  runReference,
  targetOf,
  type Compilation,
  type NodeId,
} from "../../src/fusion";
import { complaints, gpu, graphOf, oneRegion, wgslOf } from "./kernel-harness";

const target = targetOf(defaultOptions.profile);
const inputsOf = (c: Compilation): Map<NodeId, Float64Array> =>
  new Map(
    [...c.drawn.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, Float64Array.from(inputData(n))]),
  );

/** Worst difference of any output of the naive and the fused plan from the reference, on both schedules. */
function disagreement(c: Compilation): string | null {
  const inputs = inputsOf(c);
  const reference = runReference(c.drawn, inputs);
  for (const schedule of ["gpu", "cpu"] as const) {
    for (const cursor of [0, c.steps.length]) {
      const run = runPlanOnCpu(fusionAt(c, cursor), { ...target, schedule }, defaultOptions.profile, inputs);
      for (const id of c.drawn.outputs) {
        const { pass, worst } = compareOutputs(reference.get(id)!.data, run.outputs.get(id)!, {
          rtol: 1e-9,
          atol: 1e-9,
          nanMayVanish: false,
        });
        if (!pass)
          return `${id} on ${schedule} at step ${cursor}: ${worst?.got} should be ${worst?.want} at ${worst?.at}`;
      }
    }
  }
  return null;
}

const programs: readonly (readonly [name: string, kernels: number, text: string])[] = [
  ["bias and relu", 1, "a: f32[33, 65]\nb: f32[65, 31]\nc: f32[31]\ny = relu(a @ b + c)\n"],
  ["a transposed operand", 1, "a: f32[40, 72]\nb: f32[17, 72]\ny = tanh(a @ b.T)\n"],
  ["more than one tile, none even", 1, "a: f32[65, 50]\nb: f32[50, 127]\ny = a @ b\n"],
  [
    "a reshape before the bias",
    1,
    "a: f32[2, 12, 20]\nb: f32[20, 35]\nc: f32[5, 7]\nh = a @ b\ny = relu(h.reshape(2, 12, 5, 7) + c)\n",
  ],
  ["a transposed result", 1, "a: f32[12, 20]\nb: f32[20, 36]\nh = a @ b\ny = relu(h.T)\n"],
  [
    "transposed, reshaped, added to",
    1,
    "a: f32[70, 20]\nb: f32[20, 36]\nr: f32[9, 4, 70]\nh = a @ b\ny = relu(h.T.reshape(9, 4, 70)) + r\n",
  ],
  [
    "heads split on the way in and joined on the way out",
    1,
    "q: f32[2, 6, 4, 8]\nk: f32[2, 6, 4, 8]\ns = q.transpose(1, 2) @ k.transpose(1, 2).transpose(2, 3)\ny = s.transpose(1, 2) * 0.5\n",
  ],
  ["the product meets its own transpose", 2, "a: f32[16, 24]\nb: f32[24, 16]\nh = a @ b\ny = h + h.T\n"],
];

test.each(programs)("%s: %i kernels", (_, kernels, text) => {
  const c = compile(text, defaultOptions);
  expect(c.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(c.fusedPlan!.kernels.length).toBe(kernels);
  expect(disagreement(c)).toBeNull();
});

test("neighbouring threads read an operand whose pieces of k lie together along k", () => {
  const heads = "x: f32[2, 4, 1024, 64]\nw: f32[256, 48]\ny = x.transpose(1, 2).reshape(2, 1024, 256) @ w";
  expect(wgslOf(heads)).toMatch(/let x_at = .* \+ tid_mod_\d+;/);
  const windows = "x: f32[1, 4, 20, 20]\nw: f32[32, 4, 3, 3]\ny = conv2d(x, w)";
  expect(wgslOf(windows)).not.toMatch(/let x_at = .* \+ tid_mod_\d+;/);
});

test("a result that lies along the rows of its product is stored in vectors", () => {
  const both = "a: f32[40, 24]\nb: f32[24, 36]\ny = a @ b\nz = relu(y).T\nreturn y, z";
  const wgsl = wgslOf(both);
  expect(wgsl.match(/read_write> \w+: array<vec4f/g)).toHaveLength(2);
  expect(complaints(oneRegion(graphOf(both)), gpu)).toEqual([]);
  const two =
    "x: f32[2, 20, 24]\ng: f32[24, 36]\nu: f32[24, 36]\ny = (silu(x @ g) * (x @ u)).transpose(1, 2)\nreturn y";
  expect(wgslOf(two)).toMatch(/read_write> \w+: array<vec4f/);
  expect(complaints(oneRegion(graphOf(two)), gpu)).toEqual([]);
});
