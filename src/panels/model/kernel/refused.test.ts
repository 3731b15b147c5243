import { expect, test } from "vitest";
import type { Kernel } from "../../../fusion";
import type { RunState } from "../../../state";
import { refusedAt } from "./refused";

const kernel = { id: "K1", wgsl: "fn f() {\n  let a = nosuch(1);\n}\n" } as Kernel;
const failed = (problem: object): RunState => ({ status: "failed", previous: null, problem }) as unknown as RunState;
const problem = { code: "shader-rejected", text: "refused", kernel: "K1", wgsl: kernel.wgsl, line: 2, column: 11 };

test("a refusal has its position in the kernel whose code it is about", () => {
  expect(refusedAt(kernel, failed(problem))).toEqual({ line: 2, column: 11, text: "refused" });
  expect(refusedAt({ ...kernel, wgsl: "fn f() {}\n" }, failed(problem))).toBeNull();
  expect(refusedAt(kernel, failed({ ...problem, code: "timeout" }))).toBeNull();
  expect(refusedAt(kernel, { status: "idle" })).toBeNull();
});
