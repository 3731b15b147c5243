import { expect, test } from "vitest";
import { compile, defaultOptions, edgeId, fusionAt, nodeId, planAt, regionId } from "../../../fusion";
import { kernelColour, lineNotes, linesOfNode, naiveWgsl, preludeSentence, preludesOf, shownKernel } from "./kernels";
import { tallyOf } from "../plan/score";
import { kernelTraffic, transferBlocks } from "../plan/traffic";

const compilation = compile("x: f32[64, 32]\nb: f32[64, 32]\nz = x + b\ny = log(relu(z))\nreturn y\n", defaultOptions);
const last = compilation.steps.length;
const [naive, fused] = [planAt(compilation, 0), planAt(compilation, last)];
const graph = fusionAt(compilation, last).graph;
const [kernel] = fused.kernels;

test("the kernel asked for by name comes first, then the selection's, then the step's", () => {
  const none = { kind: "none" } as const;
  const z = { kind: "node", id: nodeId("z") } as const;
  expect(shownKernel(naive, "K3", z, null)?.id).toBe("K3");
  expect(shownKernel(naive, null, z, null)?.nodes).toContain("z");
  const edge = { kind: "edge", id: edgeId(nodeId("z"), nodeId("y/0"), 0) } as const;
  expect(shownKernel(naive, null, edge, null)?.nodes).toContain("y/0");
  expect(shownKernel(naive, null, none, compilation.steps[0]!)?.nodes).toContain(compilation.steps[0]!.nodes.at(-1));
  expect(shownKernel(naive, null, none, null)?.id).toBe("K1");
  expect(shownKernel({ ...naive, kernels: [] }, null, none, null)).toBeNull();
});

test("six colours, then again; a kernel that has one keeps it", () => {
  const [first, other] = [regionId("r1"), regionId("r2")];
  const colours = new Map([[first, 3]]);
  expect([0, 5, 6].map((i) => kernelColour(colours, { region: other }, i))).toEqual([1, 6, 1]);
  expect(kernelColour(colours, { region: first }, 0)).toBe(4);
});

test("every op of the kernel has its lines, and the store says what leaves", () => {
  for (const id of kernel!.nodes) expect(linesOfNode(kernel!, graph, id).length).toBeGreaterThan(0);
  expect(linesOfNode(kernel!, graph, nodeId("nobody"))).toEqual([]);
  expect(lineNotes(kernel!, graph).map(({ label }) => label)).toContain("8 KiB out");
});

test("the bindings are said in one line", () => {
  const [bindings] = preludesOf(kernel!.wgsl);
  expect(bindings).toMatchObject({ what: "bindings", last: bindings!.first + 2 });
  expect(preludeSentence(kernel!, bindings!)).toBe("3 bindings: x, b → y");
});

test("helper functions fold away with their comments, the kernel stays", () => {
  const helpers = preludesOf(kernel!.wgsl).find(({ what }) => what === "helpers")!;
  const lines = kernel!.wgsl.split("\n");
  const folded = lines.slice(helpers.first - 1, helpers.last);
  expect(preludeSentence(kernel!, helpers)).toMatch(/^\d helpers?: .*ln4/);
  expect(folded.filter((line) => line.startsWith("fn "))).toHaveLength(helpers.names.length);
  expect(folded.at(-1)).toBe("}");
  expect(lines.slice(helpers.last).find((line) => line.trim() !== "")).toMatch(/^@compute/);
  expect(preludesOf("@compute @workgroup_size(1)\nfn plain() {\n}\n")).toEqual([]);
});

test("the left side of the diff holds every naive kernel that went into this one", () => {
  const text = naiveWgsl(naive, fusionAt(compilation, 0).graph, kernel!, graph);
  for (const each of naive.kernels) expect(text).toContain(each.wgsl.trimEnd());
});

test("FLOP are one for each op on each element, whatever function it is, and two for a multiply-add", () => {
  const flops = (text: string): number =>
    compile(text, defaultOptions).fusedPlan!.kernels.reduce((sum, each) => sum + each.flops, 0);
  expect(flops("x: f32[64, 32]\ny = softmax(x, dim=-1)\n")).toBe(5 * 64 * 32);
  expect(flops("x: f32[64, 32]\ny = log(relu(x)) / 3\n")).toBe(3 * 64 * 32);
  expect(flops("a: f32[64, 32]\nb: f32[32, 16]\ny = tanh(a @ b)\n")).toBe((2 * 32 + 1) * 64 * 16);
});

test("blocks and tables add up to the plan's totals", () => {
  for (const plan of [naive, fused]) {
    for (const tally of [tallyOf(plan.totals), tallyOf()]) {
      const { reads, writes } = transferBlocks(plan, tally);
      expect(reads + writes).toBe(tally.of(plan.totals));
    }
    const rows = plan.kernels.map((each) => kernelTraffic(each, graph));
    expect(rows.reduce((sum, each) => sum + each.bytes, 0)).toBe(plan.totals.bytes);
    expect(rows.reduce((sum, each) => sum + each.events, 0)).toBe(plan.totals.transfers);
  }
});
