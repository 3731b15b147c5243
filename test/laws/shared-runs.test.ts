/** @file Loops whose rows the threads of a workgroup share: one kernel for recurrent layers, ODEs and iterations, right on every machine. */
import { afterAll, describe, expect, test } from "vitest";
import { compile, defaultOptions, fusionAt } from "../../src/fusion/compile";
import type { Fusion, Target } from "../../src/fusion/ir";
import { generic } from "../../src/fusion/cost";
import { planFusion } from "../../src/fusion/plan";
import { compareOutputs, inputData, runReference, toleranceFor } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { complaints, cpu, gpu } from "./kernel-harness";

const GATES = "x: f32[20, 4, 96]\nw: f32[24, 96]\nh: f32[4, 24]\nc: f32[4, 24]\nys = []\nfor t in range(20):\n";
/** Programs, and how many kernels they are. */
const PROGRAMS: Readonly<Record<string, readonly [kernels: number, text: string]>> = {
  "a recurrent layer": [
    1,
    "x: f32[24, 4, 32]\nw: f32[32, 32]\nb: f32[32]\nh: f32[4, 32]\nys = []\nfor t in range(24):\n    h = tanh(x[t] + (h @ w) * 0.25 + b)\n    ys.append(h)\nreturn torch.stack(ys), h",
  ],
  "an LSTM": [
    1,
    `${GATES}    i, f, g, o = (x[t] + h @ w).chunk(4, -1)\n    c = sigmoid(f) * c + sigmoid(i) * tanh(g)\n    h = sigmoid(o) * tanh(c)\n    ys.append(h)\nreturn torch.stack(ys), h, c`,
  ],
  "an LSTM backwards, whose input is multiplied for all steps at once": [
    3,
    `u: f32[20, 4, 10]\nv: f32[10, 96]\n${GATES.replace("range(20)", "reversed(range(20))")}    i, f, g, o = (u[t] @ v + h @ w).chunk(4, -1)\n    c = sigmoid(f) * c + sigmoid(i) * tanh(g)\n    h = sigmoid(o) * tanh(c)\n    ys.append(h)\nreturn torch.stack(ys), c`,
  ],
  "a GRU": [
    2,
    "x: f32[4, 20, 60]\nw: f32[20, 60]\nh: f32[4, 20]\nys = []\nfor t in range(20):\n    r, z, n = x[:, t].chunk(3, -1)\n    hr, hz, hn = (h @ w).chunk(3, -1)\n    z = sigmoid(z + hz)\n    h = (1 - z) * tanh(n + sigmoid(r + hr) * hn) + z * h\n    ys.append(h)\nreturn torch.stack(ys, dim=1), h",
  ],
  "steps of an ODE whose right side is an MLP": [
    1,
    "y: f32[4, 5]\na: f32[5, 40]\nb: f32[40, 5]\ndef f(y):\n    return tanh(y @ a) @ b\nfor t in range(20):\n    k = f(y)\n    y = y + 0.1 * f(y + 0.05 * k)\nreturn y",
  ],
  "nn.GRU in two layers: each walks what the one below it shows": [
    7,
    "import torch.nn as nn\nx: f32[20, 4, 12]\nrnn = nn.GRU(12, 20, num_layers=2)\ny, h = rnn(x)\nreturn y, h",
  ],
  "power iteration": [
    1,
    "a: f32[40, 40]\nv: f32[40]\nfor t in range(30):\n    v = a @ v\n    v = v / v.norm()\nreturn v",
  ],
  "softmax again and again": [
    1,
    "x: f32[4, 70]\nfor t in range(30):\n    x = softmax(x * 1.5, dim=-1)\nreturn relu(x)",
  ],
  "rows and columns that add up to one": [
    1,
    "x: f32[9, 14]\nx = exp(x)\nfor t in range(20):\n    x = x / x.sum(0, keepdim=True)\n    x = x / x.sum(1, keepdim=True)\nreturn x",
  ],
};

/** The plan on generic, whose kernels other machines run as well. */
function fused(text: string): Fusion {
  const compilation = compile(text, defaultOptions);
  return fusionAt(compilation, compilation.steps.length);
}

/** One multiprocessor takes several rows beside one another; narrow workgroups go through a row in several turns; a CPU has a row in each thread. */
const machines: Readonly<Record<string, Target>> = {
  gpu,
  "one multiprocessor": { ...gpu, machine: { ...gpu.machine!, multiprocessors: 1, counted: true } },
  narrow: { ...gpu, maxWorkgroupSize: 32 },
  cpu,
};

describe.each(Object.entries(PROGRAMS))("%s", (_, [kernels, text]) => {
  const plan = fused(text);
  test(`kernels: ${kernels}`, () => expect(plan.regions.size).toBe(kernels));
  test.each(Object.entries(machines))("%s: values, counts, addresses, threads that meet", (_name, target) => {
    expect(complaints(plan, target, 1e-6)).toEqual([]);
  });
});

const device = await dawn();

describe.skipIf(!device)("on WebGPU", () => {
  const session = createSession(device!);
  afterAll(() => session.close());
  test.each(Object.entries(PROGRAMS))(
    "%s",
    async (_, [, text]) => {
      const fusion = fused(text);
      const inputs = new Map(
        [...fusion.graph.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, inputData(n)]),
      );
      const reference = runReference(fusion.graph, inputs);
      for (const target of [gpu, machines["one multiprocessor"]!, cpu]) {
        const answer = await session.run(planFusion(fusion, target, generic), inputs);
        if (!answer.ok) throw new Error(answer.problem.text);
        for (const { value, data } of answer.value)
          expect(compareOutputs(reference.get(value)!.data, data, toleranceFor(fusion.graph, value))).toMatchObject({
            pass: true,
          });
      }
    },
    60_000,
  );
});

test("a matrix that is read again in each iteration is computed by a kernel of its own", () => {
  const text = "w: f32[32, 32]\nh: f32[4, 32]\nm = exp(w).T\nfor t in range(40):\n    h = tanh(h @ m) + h\nreturn h";
  expect(fused(text).regions.size).toBe(2);
});

test("rows of which there are many have kernels that share the matrix", () => {
  const text = (rows: number): string =>
    `w: f32[64, 64]\nh: f32[${rows}, 64]\nfor t in range(40):\n    h = tanh(h @ w)\nreturn h`;
  expect(fused(text(512)).regions.size).toBe(1);
  expect(fused(text(8192)).regions.size).toBe(40);
});
