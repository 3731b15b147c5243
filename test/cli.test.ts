import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeFile, encodeLink, recordOf } from "../src/document";
import { defaultOptions, edgeId, nodeId } from "../src/fusion";

// The command as a person starts it: a process, its two streams and its exit code.
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "fusion-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fusion(args: readonly string[], program: string) {
  const file = join(folder, "program.py");
  writeFileSync(file, program);
  const all = ["scripts/fusion.mjs", ...args.map((each) => (each === "FILE" ? file : each))];
  const { stdout, stderr, status } = spawnSync(process.execPath, all, { encoding: "utf8" });
  return { stdout, stderr, status };
}

const softmax = "x: f32[96, 130]\nb: f32[130]\ny = softmax(x + b, dim=-1)\n";

test("run on WebGPU: both plans agree with the reference and every kernel has a time", () => {
  const { stdout, stderr, status } = fusion(["run", "FILE", "--device", "webgpu", "--json"], softmax);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const answer = JSON.parse(stdout);
  expect(answer.outputs).toMatchObject([
    { name: "y", plan: "naive", pass: true },
    { name: "y", plan: "fused", pass: true },
  ]);
  expect(answer.device.software).toBe(true);
  const timed = answer.timings.filter(({ plan }: { plan: string }) => plan === "fused");
  expect(timed.map(({ kernel }: { kernel: string | null }) => kernel)).toEqual([null, "K1"]);
  expect(answer.timings.every(({ ns }: { ns: number }) => ns > 0)).toBe(true);
});

test("a kernel of one's own runs beside both plans; what is wrong with it has a position", () => {
  const mine = join(folder, "mine.wgsl");
  const run = (value: string, grid = "// workgroups: 16") => {
    const text = `${grid}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn mine(@builtin(global_invocation_id) id: vec3u) {
  y[id.x] = ${value};
}
`;
    writeFileSync(mine, text);
    return fusion(
      ["run", "FILE", "--device", "webgpu", "--json", "--kernel", `K1=${mine}`],
      "x: f32[32, 32]\ny = relu(x) * 2.0\n",
    );
  };
  const right = run("max(x[id.x], 0.0) * 2.0");
  expect(right.stderr).toContain("16 × 1 × 1 workgroups of 64 × 1 × 1 threads, 8 KiB, generated 8 KiB");
  expect(right.status).toBe(0);
  expect(JSON.parse(right.stdout).outputs).toMatchObject([
    { plan: "naive" },
    { plan: "fused" },
    { plan: "hand", pass: true },
  ]);
  expect(run("max(x[id.x], 1.0) * 2.0")).toMatchObject({ status: 1, stderr: expect.stringContaining("hand plan") });
  const unknown = run("max(x[id.x], 0.0) * 2.0", "");
  expect(unknown).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/wgsl:5:\d+: A workgroup has 64 × 1 × 1 .*\/\/ workgroups: \d+ × 1 × 1/),
  });
  expect(run("oops").stderr).toContain(`${mine}:6:13: `);
});

test("a start prints nothing but the answer", () => {
  fusion(["plan", "FILE"], softmax);
  const begin = performance.now();
  const { stdout, stderr, status } = fusion(["plan", "FILE", "--json"], softmax);
  console.log(`plan, as a process: ${Math.round(performance.now() - begin)} ms`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(() => JSON.parse(stdout)).not.toThrow();
});

test("an error ends with 1 and says nothing on standard output", () => {
  const { stdout, stderr, status } = fusion(["plan", "FILE"], "y = relu(nothing)\n");
  expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
  expect(stderr).toContain("program.py:1:");
});

test.each([
  [["plan"], "K1 "],
  [["explain"], "A_"],
  [["wgsl"], "@compute"],
  [["run"], "agrees"],
  [["plan", "--granularity", "primitive", "--policy", "duplicate", "--strict"], "K1 "],
])("%s as a process: the answer on standard output, and 0", (args, words) => {
  const { stdout, stderr, status } = fusion([args[0]!, "FILE", ...args.slice(1)], softmax);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.toLowerCase()).toContain(words.toLowerCase());
});

test("a link and a saved document are programs too; a pin in them counts, and a flag goes over it", async () => {
  const options = { ...defaultOptions, forbidden: [edgeId(nodeId("h"), nodeId("y"), 0)] };
  const text = "x: f32[8, 8]\nh = exp(x)\ny = relu(h)\n";
  const document = { text, positions: recordOf<never>(), savedChoices: recordOf<never>(), options, example: null };
  const state = { version: 1, document, decision: null } as const;
  const link = await encodeLink(state);
  const path = join(folder, "saved.fusion.json");
  writeFileSync(path, encodeFile(state));
  for (const file of [link.ok ? `http://localhost/${link.value}` : "", path]) {
    const { stdout, status } = fusion(["plan", file, "--json"], "");
    expect({ status, kernels: JSON.parse(stdout).fused.kernels }).toEqual({ status: 0, kernels: 2 });
    const forced = fusion(["plan", file, "--json", "--force", "h>y:0"], "");
    expect(forced.status).toBe(0);
  }
});

test("a wrong command, a missing file and a damaged link end with 1 and a sentence", () => {
  for (const args of [
    ["plant", "FILE"],
    ["plan", join(folder, "nowhere.py")],
    ["plan", "#f1=%%%"],
    ["plan", "FILE", "--bind", "x=3"],
    ["run", "FILE", "--dim", "N=3"],
  ]) {
    const { stdout, stderr, status } = fusion(args, softmax);
    expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
    expect(stderr.trim()).not.toBe("");
    expect(stderr).not.toMatch(/\n\s+at /);
  }
});
