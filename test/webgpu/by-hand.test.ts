import { afterAll, describe, expect, test } from "vitest";
import { lessonHeads, loadLesson } from "../../src/course";
import { compile, defaultOptions } from "../../src/fusion";
import { planFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import type { Kernel, NodeId } from "../../src/fusion/ir";
import { compareOutputs, inputData, runReference, toleranceFor } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { prepare, watchedPlan, type Prepared } from "../../src/wgsl";
import { gpu, graphOf, oneRegion } from "../laws/kernel-harness";
import { programs } from "../laws/kernel-programs";

const device = await dawn();

/** Puzzles about a kernel: their programs, and the texts that they begin and end with. */
const lessons = await Promise.all(lessonHeads.map(({ id }) => loadLesson(id)));
const puzzles = lessons.flatMap((lesson) =>
  (lesson?.steps ?? []).flatMap(({ show, task }): [string, string, string[]][] =>
    show?.program && show.kernel && task?.kernel ? [[lesson!.title, show.program, [show.kernel, task.kernel]]] : [],
  ),
);

function prepared(kernel: Kernel, text = kernel.wgsl): Prepared {
  const made = prepare(kernel, text, gpu, true);
  if ("kernel" in made) return made;
  throw new Error(made.map((each) => `${each.line}: ${each.text}`).join("\n"));
}

describe.skipIf(!device)("kernels written by hand on WebGPU", () => {
  const session = createSession(device!);
  afterAll(() => session.close());

  const some = Object.entries(programs).filter((_, i) => i % 8 === 0);
  test.each(some)("a generated text as one's own, with limits: %s", async (_, text) => {
    const graph = graphOf(text);
    const inputs = new Map(
      [...graph.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, inputData(n)]),
    );
    const plan = planFusion(oneRegion(graph), gpu, generic);
    const own = { ...plan, kernels: plan.kernels.map((kernel) => prepared(kernel).kernel) };
    const answer = await session.run(own, inputs);
    if (!answer.ok) throw new Error(answer.problem.text);
    const reference = runReference(graph, inputs);
    for (const { value, data } of answer.value)
      expect(compareOutputs(reference.get(value)!.data, data, toleranceFor(graph, value))).toMatchObject({
        pass: true,
      });
  });

  test.each(puzzles)(
    "%s: the kernel that the puzzle begins with and the one that solves it",
    async (_, program, texts) => {
      const compilation = compile(program, defaultOptions);
      const { graph } = compilation.naive!;
      const inputs = new Map(
        [...graph.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, inputData(n)]),
      );
      const plan = compilation.fusedPlan!;
      const reference = runReference(graph, inputs);
      for (const text of texts) {
        const kernels = plan.kernels.map((kernel, i) => (i === 0 ? prepared(kernel, text).kernel : kernel));
        const answer = await session.run({ ...plan, kernels }, inputs);
        if (!answer.ok) throw new Error(answer.problem.text);
        expect(answer.value).not.toHaveLength(0);
        for (const { data } of answer.value) {
          const want = reference.get(graph.outputs[0]!)!.data;
          expect(compareOutputs(want, data, toleranceFor(graph, graph.outputs[0]!))).toMatchObject({ pass: true });
        }
      }
    },
  );

  const graph = graphOf("x: f32[4, 96]\ny = x.sum(dim=1)");
  const plan = planFusion(oneRegion(graph), gpu, generic);
  const inputs = new Map([["x" as NodeId, new Float32Array(4 * 96).fill(1)]]);
  const rows = (loop: string): string => `@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<workgroup> parts: array<f32, 32>;
// workgroups: 4
@compute @workgroup_size(32)
fn sum(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) tid: u32) {
  ${loop}
}`;
  const told = async (text: string, probe = false): Promise<number> => {
    const made = prepared(plan.kernels[0]!, text);
    expect(made.watched).not.toBeNull();
    const watched = watchedPlan(plan, new Map([[0, made]]), probe);
    const answer = await session.run(watched.plan, inputs);
    if (!answer.ok) throw new Error(answer.problem.text);
    return answer.value.find(({ value }) => value === watched.flags[0]!.value)!.data[0]!;
  };

  test("barriers in limited loops stay where all threads reach them", async () => {
    const text = rows(`var sum = 0.0;
  var at = tid;
  while (at < 96u) { sum += x[wid.x * 96u + at]; at += 32u; }
  parts[tid] = sum;
  workgroupBarrier();
  var half = 16u;
  while (half > 0u) {
    if (tid < half) { parts[tid] += parts[tid + half]; }
    workgroupBarrier();
    half = half / 2u;
  }
  if (tid == 0u) { y[wid.x] = parts[0]; }`);
    expect(await told(text)).toBe(0);
    const made = prepared(plan.kernels[0]!, text);
    const answer = await session.run({ ...plan, kernels: [made.kernel] }, inputs);
    expect(answer.ok && [...answer.value[0]!.data]).toEqual([96, 96, 96, 96]);
  });

  test.each([
    ["an endless while", "while (true) { y[wid.x] = 1.0; }"],
    ["a loop without an end", "loop { y[wid.x] = 1.0; }"],
    ["a step that is missing", "for (var i = tid; i < 96u; ) { y[wid.x] += x[i]; }"],
    ["one inside another", "for (var i = 0u; i < 3u; i++) { var j = 0u; while (j < 5u) { y[wid.x] = 1.0; } }"],
  ])("%s comes back, and is told", async (_, loop) => {
    expect(await told(rows(loop))).toBe(1);
    expect(await told(rows(loop), true)).toBe(1);
  });

  test("the compiler's error is where it was written", async () => {
    const text = rows("while (true) { y[wid.x] = 1u; }\n  let a = oops;");
    const made = prepared(plan.kernels[0]!, text);
    const answer = await session.run({ ...plan, kernels: [made.kernel] }, inputs);
    if (answer.ok) throw new Error("it runs");
    const { line, column } = answer.problem;
    expect(answer.problem.code).toBe("shader-rejected");
    const at = made.guarded.written(line!, column!);
    expect(text.split("\n")[at.line - 1]!.slice(at.column - 1)).toMatch(/^(?:y\[|= 1u|1u)/);
  });
});
