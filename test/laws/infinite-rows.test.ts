/** @file Rows of nothing but −∞, +∞ or NaN, as masks make them: maxima, minima and their places answer exactly that, on every schedule. */
import { expect, test } from "vitest";
import { planFusion, runPlanOnCpu } from "../../src/fusion/codegen";
import { generic } from "../../src/fusion/cost";
import { runReference } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { cpu, dataOf, gpu, graphOf, oneRegion } from "./codegen-harness";

const programs: readonly (readonly [name: string, text: string])[] = [
  ["rows of a workgroup", "x: f32[4, 300]\ny = x.max(dim=1)\nz = x.min(dim=1)\nreturn y, z"],
  ["odd rows", "x: f32[4, 37]\ny = x.max(dim=1)"],
  ["short rows", "x: f32[4, 5]\ny = x.min(dim=1)"],
  ["columns", "x: f32[31, 4]\ny = x.max(dim=0)"],
  ["split rows", "x: f32[2, 40000]\ny = x.max(dim=1)"],
  ["positions", "x: f32[4, 37]\ny = x.argmax(dim=1)"],
  ["positions in short rows, least first", "x: f32[40, 8]\ny = x.argmin(dim=1)"],
  ["positions in columns", "x: f32[31, 4]\ny = x.argmin(dim=0)\nz = x.argmax(dim=0)\nreturn y, z"],
  ["positions in rows of a workgroup", "x: f32[4, 300]\ny = x.argmax(dim=1)"],
  ["halves", "x: f16[4, 37]\ny = x.max(dim=1)"],
  ["halves by fours", "x: f16[4, 32]\ny = x * 2"],
  ["halves by twos", "x: f16[5, 6]\ny = x * 2"],
];

/** Everything infinite, but for the last element; of NaN, every third. */
const fill = (length: number, value: number): Float64Array =>
  new Float64Array(length)
    .fill(value)
    .map((x, i) => (i === length - 1 ? 1 : Number.isNaN(x) && i % 3 !== 1 ? i % 7 : x));

/** Infinities, and NaN where the answer is a place: maxima may lose it. */
const valuesOf = (text: string): readonly number[] =>
  text.includes(".arg") ? [-Infinity, Infinity, Number.NaN] : [-Infinity, Infinity];

test.each(programs)("%s", (_, text) => {
  const graph = graphOf(text);
  for (const value of valuesOf(text)) {
    const inputs = new Map([...dataOf(graph)].map(([id, data]) => [id, fill(data.length, value)]));
    const reference = runReference(graph, inputs);
    for (const target of [gpu, cpu])
      for (const precision of ["f64", "f32"] as const)
        for (const [id, got] of runPlanOnCpu(oneRegion(graph), target, generic, inputs, { precision }).outputs)
          expect([...got]).toEqual([...reference.get(id)!.data]);
  }
});

const device = await dawn();

test.skipIf(!device)("WebGPU says the same", async () => {
  const session = createSession(device!);
  for (const [, text] of programs) {
    const graph = graphOf(text);
    for (const value of valuesOf(text)) {
      const inputs = new Map([...dataOf(graph)].map(([id, data]) => [id, fill(data.length, value)]));
      const reference = runReference(graph, inputs);
      const answer = await session.run(planFusion(oneRegion(graph), gpu, generic), inputs);
      if (!answer.ok) throw new Error(answer.problem.text);
      for (const output of answer.value) expect([...output.data]).toEqual([...reference.get(output.value)!.data]);
    }
  }
  await session.close();
});
