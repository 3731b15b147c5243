/** @file No kernel asks for more than the device has: random programs, planned and written for random small devices. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { planFusion } from "../../src/fusion/plan";
import { fusionAt } from "../../src/fusion/compile";
import { generic, targetOf } from "../../src/fusion/cost";
import type { DeviceProfile, Fusion, Kernel, Target } from "../../src/fusion/ir";
import { opDef } from "../../src/fusion/ops";
import { graphOf, programs, forInterpreter } from "./any-program";
import { compiled, valueFaults } from "./pass-harness";
import { deviceFaults } from "./plan-laws";

/** Devices smaller than any that WebGPU allows, so that limits are met by programs of a few thousand elements. */
const deviceArbitrary: fc.Arbitrary<Target> = fc.record({
  schedule: fc.constantFrom("gpu", "cpu"),
  maxWorkgroupSize: fc.constantFrom(128, 256),
  maxWorkgroupBytes: fc.constantFrom(1024, 2048, 4096, 16_384),
  maxBindings: fc.constantFrom(4, 5, 8),
  // A grid has two dimensions: with 64 in each it holds a million elements.
  maxWorkgroupsPerDimension: fc.constantFrom(64, 65_535),
  shaderF16: fc.boolean(),
  subgroups: fc.boolean(),
});

/** LIMIT_LAWS=count:seed says otherwise. */
const [COUNT, SEED] = (process.env["LIMIT_LAWS"] ?? "60:20261120").split(":").map(Number) as [number, number];

const profileOf = ({ maxBindings, maxWorkgroupBytes }: Target): DeviceProfile => ({
  ...generic,
  maxBindings,
  workgroupBytes: maxWorkgroupBytes,
});

const storedBy = ({ bindings }: Kernel): number => bindings.filter(({ access }) => access !== "uniform").length;

/** Limits that a kernel breaks; one whose call needs more buffers than there are is refused before it runs. */
function overLimits(kernel: Kernel, target: Target, mostBindings: number, mostBytes: number): string[] {
  const [x, y, z] = kernel.workgroupSize;
  const faults: string[] = [];
  const over = (what: string, asked: number, limit: number): void => {
    if (asked > limit)
      faults.push(`${kernel.name} (${kernel.schedule}) has ${asked} ${what}, and the limit is ${limit}`);
  };
  over("threads", x * y * z, target.maxWorkgroupSize);
  over("bytes of workgroup memory", kernel.workgroupBytes, mostBytes);
  over("workgroups", Math.max(...kernel.workgroups), target.maxWorkgroupsPerDimension);
  over("bindings", storedBy(kernel), mostBindings);
  over("uniforms", kernel.bindings.length - storedBy(kernel), 12);
  return faults;
}

/** Both plans' kernels, and what they compute. */
function limitFaults(text: string, target: Target): string[] {
  const graph = graphOf(text);
  const profile = profileOf(target);
  const compilation = compiled(graph, { granularity: "primitive", profile });
  const kernels = (fusion: Fusion): readonly Kernel[] => planFusion(fusion, target, profile).kernels;
  const naive = kernels(compilation.naive!);
  const most = Math.max(target.maxBindings, ...naive.map(storedBy));
  // A row is put in order within one workgroup, however small: every real device has the room.
  const sorts = [...graph.nodes.values()].some(({ op }) => opDef(op).kind === "order");
  const bytes = Math.max(target.maxWorkgroupBytes, ...(sorts ? naive.map((kernel) => kernel.workgroupBytes) : []));
  const fused = kernels(fusionAt(compilation, compilation.steps.length));
  return [
    ...naive.flatMap((kernel) => overLimits(kernel, target, most, bytes).map((fault) => `naive: ${fault}`)),
    ...fused.flatMap((kernel) => overLimits(kernel, target, most, bytes).map((fault) => `fused: ${fault}`)),
    ...deviceFaults({ text, ways: [0, 0, 0, 0, 0], graph, compilation }, target, text.length),
  ];
}

test(`${COUNT} random programs on random small devices, seed ${SEED}`, { timeout: 300_000 }, () => {
  fc.assert(
    fc.property(programs(forInterpreter), deviceArbitrary, (text, target) => {
      const faults = limitFaults(text, target);
      if (faults.length > 0) throw new Error(`${faults.join("\n")}\n\n${text}`);
    }),
    { numRuns: COUNT, seed: SEED },
  );
});

/** Twenty tensors for one call: more than a kernel binds on any device. */
const twenty = (call: string): string =>
  `${Array.from({ length: 20 }, (_, i) => `x${i}: f32[3, 8]`).join("\n")}\ny = ${call.replace("ALL", `[${Array.from({ length: 20 }, (_, i) => `x${i}`).join(", ")}]`)}`;

test.each(["concat(ALL, dim=1)", "stack(ALL)", "stack(ALL, dim=-1)", "vstack(ALL)", "torch.hstack(ALL)"])(
  "%s of twenty tensors keeps within the bindings of every device",
  (call) => {
    const compilation = compiled(graphOf(twenty(call)));
    const plan = (fusion: Fusion): readonly Kernel[] => planFusion(fusion, targetOf(generic), generic).kernels;
    const kernels = [...plan(compilation.naive!), ...plan(fusionAt(compilation, compilation.steps.length))];
    expect(kernels.filter((kernel) => storedBy(kernel) > generic.maxBindings)).toEqual([]);
    expect(valueFaults(compilation.drawn, compilation.naive!)).toEqual([]);
  },
);
