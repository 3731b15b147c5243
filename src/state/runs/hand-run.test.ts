import { expect, test } from "vitest";
import { bindsOf, handText } from "../../document";
import { compile, defaultOptions, fusionAt } from "../../fusion";
import type { DeviceInfo, GpuProblem } from "../../gpu";
import { countTraffic } from "../../wgsl";
import { runByHand } from "./hand-run";

const compilation = compile("x: f32[64, 64]\ny = relu(x)\n", defaultOptions);
const plan = compilation.fusedPlan!;
const kernel = plan.kernels[0]!;

const text = (body: string): string => `// workgroups: 16
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256)
fn own(@builtin(global_invocation_id) id: vec3u) {
  ${body}
}
`;

const target = {
  schedule: "gpu",
  maxWorkgroupSize: 256,
  maxWorkgroupBytes: 16384,
  maxBindings: 8,
  maxWorkgroupsPerDimension: 65535,
  shaderF16: false,
  subgroups: false,
} as const;

/** Runs `wgsl` instead of the kernel on a device that answers with `problem`, or sets the flags of those runs. */
async function run(wgsl: string, device: { problem?: GpuProblem; reached?: (workgroups: number) => boolean } = {}) {
  const byHand = { [bindsOf(kernel)]: wgsl };
  const ran: number[] = [];
  const naive = { fusion: fusionAt(compilation, 0), plan: compilation.naivePlan! };
  const state = { document: { byHand }, cursor: compilation.steps.length, memoryMiB: 512, handChecks: new Map() };
  const environment = {
    countWorker: { ask: async (asked: typeof kernel) => ({ ok: true, value: countTraffic(asked) }) },
    session: {
      run: async (asked: typeof plan) => {
        if (device.problem) return { ok: false, problem: device.problem };
        const [first] = asked.kernels;
        const count = first!.workgroups[0];
        ran.push(count);
        const flags = asked.buffers.filter(({ role }) => role === "output");
        const word = device.reached?.(count) ? 1 : 0;
        return { ok: true, value: flags.map(({ value }) => ({ plan: "fused", value, data: Int32Array.of(word) })) };
      },
    },
  };
  const found = await runByHand({
    context: { get: () => state, set: () => undefined, environment },
    request: { signal: new AbortController().signal, previous: null },
    compilation,
    states: { naive: naive.fusion, step: null, fused: fusionAt(compilation, compilation.steps.length) },
    plans: { naive: naive.plan, step: null, fused: plan },
    device: { target, software: true, maxBufferBytes: 2 ** 28, maxBindingBytes: 2 ** 27 } as unknown as DeviceInfo,
    inputs: new Map(),
    plansFor: async () => ({ code: "internal", text: "none" }),
    textOf: (each: typeof kernel) => handText(byHand, each),
    bindsOf,
  } as unknown as Parameters<typeof runByHand>[0]);
  return { found, ran };
}

const right = text("y[id.x] = max(x[id.x], 0.0);");
const endless = text("var i = 0u;\n  while (i < 3u) { y[id.x] = x[id.x]; }");

test("a text runs instead of its kernel and is counted", async () => {
  const { found } = await run(right);
  expect(found).toMatchObject({ kernels: [{ status: "ran", counted: { ok: true }, generatedBytes: 32768 }] });
  if (!found || !("plan" in found)) throw new Error("no plan");
  expect(found.plan?.kernels[0]).toMatchObject({ name: "own", workgroups: [16, 1, 1] });
  expect(found.plan?.totals.bytes).toBe(plan.totals.bytes);
});

test("one workgroup is tried before all; a loop that reaches its limit there goes no further", async () => {
  const good = await run(endless);
  expect(good).toMatchObject({ ran: [1, 16], found: { kernels: [{ status: "ran" }] } });
  const stopped = await run(endless, { reached: () => true });
  expect(stopped).toMatchObject({ ran: [1], found: { plan: null, kernels: [{ status: "limit" }] } });
  const late = await run(endless, { reached: (count) => count > 1 });
  expect(late).toMatchObject({ ran: [1, 16], found: { plan: null, kernels: [{ status: "limit" }] } });
});

test("what the interface or the device refuses has a position in the text", async () => {
  const bound = await run(right.replace("binding(1)", "binding(5)"));
  expect(bound.found).toMatchObject({ plan: null, kernels: [{ status: "refused", faults: [{ line: 3 }] }] });
  const { workgroups } = kernel;
  const narrow = right.replace("workgroup_size(256)", "workgroup_size(32)");
  expect((await run(narrow.replace("// workgroups: 16", ""))).found).toMatchObject({
    kernels: [{ faults: [{ line: 5, text: expect.stringContaining("// workgroups: ") }] }],
  });
  expect((await run(right.replace("// workgroups: 16", ""))).found).toMatchObject({
    plan: { kernels: [{ workgroups }] },
  });
  const large = await run(right.replace("workgroup_size(256)", "workgroup_size(1024)"));
  expect(large.found).toMatchObject({
    kernels: [{ faults: [{ line: 5, text: expect.stringContaining("1024 threads") }] }],
  });
  const problem: GpuProblem = {
    code: "shader-rejected",
    kernel: kernel.id,
    line: 6,
    column: 3,
    text: "no",
    reason: "oops",
  };
  const built = await run(right, { problem });
  expect(built.found).toMatchObject({
    kernels: [{ status: "refused", faults: [{ line: 6, column: 3, text: "oops" }] }],
  });
});

test("a device that is lost is told, with the kernel that ran", async () => {
  const { found } = await run(endless, { problem: { code: "device-lost", text: "The GPU went away." } });
  expect(found).toMatchObject({ code: "device-lost", text: "While K1, edited by hand, ran: The GPU went away." });
});
