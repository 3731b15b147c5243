import { describe, expect, test } from "vitest";
import type { CountedKernel } from "./index";
import { countTraffic } from "./index";

const binding = (at: number, name: string, elements: number, access: "read" | "read_write") =>
  ({ binding: at, name, value: name, access, type: { dtype: "f32", shape: [elements] } }) as never;

/** Traffic of a kernel with x (256 elements) read and y (256) written, 4 workgroups of 64 threads. */
function counted(body: string, before = "") {
  const kernel = {
    name: "own",
    bindings: [binding(0, "x", 256, "read"), binding(1, "y", 256, "read_write")],
    reads: [{ value: "x", bytes: 1024, rereads: 0, fullSize: true }],
    writes: [{ value: "y", bytes: 1024, rereads: 0, fullSize: true }],
    workgroups: [4, 1, 1],
    workgroupSize: [64, 1, 1],
    wgsl: `@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
${before}
@compute @workgroup_size(64)
fn own(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) tid: u32) {
  let i = id.x;
  ${body}
}
`,
  } as unknown as CountedKernel;
  const count = countTraffic(kernel);
  if (!count.ok) return `${count.text} ${count.line ?? ""}`.trim();
  const [reads, writes] = [count.reads, count.writes].map((list) =>
    list.map(({ value, bytes, rereads }) => `${value} ${bytes / 4} × ${1 + rereads}`).join(),
  );
  return [reads, writes, ...count.problems].join("; ");
}

describe("what a text moves", () => {
  test.each([
    ["one element a thread", "y[i] = x[i];", "x 256 × 1; y 256 × 1"],
    [
      "branches on data that write the same",
      "if (x[i] > 0.0) { y[i] = x[i]; } else { y[i] = 0.0; }",
      "Which elements are touched depends on loaded values. 7",
    ],
    [
      "the value read before such a branch",
      "let v = x[i];\n  if (v > 0.0) { y[i] = v; } else { y[i] = 0.0; }",
      "x 256 × 1; y 256 × 1",
    ],
    [
      "threads that leave early",
      "if (i >= 100u) { return; }\n  y[i] = x[i];",
      "x 100 × 1; y 100 × 1; 156 of 256 elements of y are never written.",
    ],
    [
      "two passes",
      "var s = 0.0;\n  for (var k = 0u; k < 256u; k++) { s += x[k]; }\n  for (var k = 0u; k < 256u; k++) { s -= x[k]; }\n  y[i] = s;",
      "x 256 × 2; y 256 × 1",
    ],
    ["a loop that data end", "var v = x[i];\n  while (v > 1.0) { v *= 0.5; }\n  y[i] = v;", "x 256 × 1; y 256 × 1"],
    [
      "a loop that data end, with loads",
      "var k = 0u;\n  while (x[k] > 1.0) { k++; }\n  y[i] = 1.0;",
      "How often a loop touches memory depends on loaded values. 8",
    ],
    [
      "a barrier in a loop that data end",
      "at[tid] = u32(x[i]);\n  let n = workgroupUniformLoad(&at[0]);\n  for (var k = 0u; k < n; k++) { at[tid] = k; workgroupBarrier(); }\n  y[i] = 1.0;",
      "x 256 × 1; y 256 × 1",
    ],
    [
      "a barrier that data decide between two walks",
      "at[tid] = u32(x[i]);\n  let n = workgroupUniformLoad(&at[0]);\n  if (n > 1u) { workgroupBarrier(); }\n  y[i] = 1.0;",
      "A barrier depends on loaded values. 9",
    ],
    ["an address from data", "y[i] = x[u32(x[i])];", "An index depends on loaded values. 7"],
    [
      "an address in memory of the workgroup",
      "at[tid] = i;\n  workgroupBarrier();\n  y[at[tid]] = x[i];",
      "An index depends on loaded values. 9",
    ],
    ["outside", "y[i] = x[i + 1u];", "x 255 × 1; y 256 × 1; Line 7 reads x[256], outside its 256 elements."],
    ["a helper that reads", "y[i] = twice(i);", "x 256 × 1; y 256 × 1"],
    ["a swapped order", "let p = vec2u(i % 16u, i / 16u);\n  y[p.x * 16u + p.y] = x[i];", "x 256 × 1; y 256 × 1"],
    [
      "a loop that never ends",
      "var k = 0u;\n  while (k < 10u) { y[i] = x[i]; }",
      "A loop takes millions of iterations in one thread: does it end? 8",
    ],
    ["a switch", "switch (i % 2u) { case 0u: { y[i] = x[i]; } default: { y[i] = 0.0; } }", "x 128 × 1; y 256 × 1"],
    ["what can't be read", "y[i] = = 3;", "The text can't be read. 7"],
  ])("%s", (_, body, expected) => {
    const before = "var<workgroup> at: array<u32, 64>; fn twice(k: u32) -> f32 { return 2.0 * x[k]; }";
    expect(counted(body, before)).toBe(expected);
  });
});
