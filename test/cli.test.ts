import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

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

test("a second start takes about a second at most, and prints nothing but the answer", () => {
  fusion(["plan", "FILE"], softmax);
  const begin = performance.now();
  const { stdout, stderr, status } = fusion(["plan", "FILE", "--json"], softmax);
  expect(performance.now() - begin).toBeLessThan(3000); // the machine may be busy; 0.3 s when it is not
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(() => JSON.parse(stdout)).not.toThrow();
});

test("an error ends with 1 and says nothing on standard output", () => {
  const { stdout, stderr, status } = fusion(["plan", "FILE"], "y = relu(nothing)\n");
  expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
  expect(stderr).toContain("program.py:1:");
});
