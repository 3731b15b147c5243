import { describe, expect, test } from "vitest";
import { compile, defaultOptions } from "./compile";
import type { CompileOptions } from "./ir";

const faultsOf = (text: string, options: Partial<CompileOptions> = {}): string[] =>
  compile(text, { ...defaultOptions, ...options }).diagnostics.map(
    ({ line, column, code, text: sentence }) => `${line}:${column} ${code} ${sentence}`,
  );

const chain = "x: f32[4096, 1024]\na = exp(x)\ny = log(a + 1)\n";

test("what holds says nothing, and makes no node", () => {
  expect(faultsOf(`${chain}assert_fused(a, y)\nassert_kernels(1)`)).toEqual([]);
  expect(compile(`${chain}assert_fused(a, y)`, defaultOptions).drawn.nodes.size).toBe(
    compile(chain, defaultOptions).drawn.nodes.size,
  );
});

test("a value that was propagated away is apart from nothing", () => {
  expect(faultsOf("x: f32[64]\na = x * 1\nb = relu(a)\nassert_fused(a, b)")).toEqual([]);
});

test("a miss stands at its line, with the decision that led to it", () => {
  const [fused, kernels, ...rest] = faultsOf(
    "x: f32[1024, 1024]\nw: f32[1024, 1024]\nh = x @ w\ny = softmax(h, dim=-1)\nassert_fused(h, y)\nassert_kernels(1)",
  );
  expect(rest).toEqual([]);
  expect(fused).toMatch(/^5:1 assert-fused `h` and `y` are in different kernels\. .*rows? .*\.$/);
  expect(kernels).toMatch(/^6:1 assert-kernels The plan has two kernels, not one\. The last fusion that was refused: /);
});

test("bytes moved and bytes alive are at most what is asked for", () => {
  const sums = "x: f32[1024, 1024]\na = exp(x)\ny = log(a + 1)\n";
  expect(faultsOf(`${sums}assert_bytes(8 * 2**20)\nassert_peak(8 * 2**20)`)).toEqual([]);
  expect(faultsOf(`${sums}assert_bytes(6 * 2**20)\nassert_peak(7 * 2**20)`)).toEqual([
    "4:1 assert-bytes The plan moves 8 MiB, 2 MiB more than the 6 MiB asked for.",
    "5:1 assert-peak At its peak, with K1, the plan holds 8 MiB, 1 MiB more than the 7 MiB asked for.",
  ]);
  expect(faultsOf(`${sums}assert_bytes(x)`)).toEqual([
    "4:1 bad-argument assert_bytes takes one whole number: assert_bytes(1).",
  ]);
});

test("goals say what is wanted, what there is, and whether it holds", () => {
  const { goals } = compile(`${chain}assert_kernels(2)\nassert_bytes(40 * 2**20)\nassert_fused(a, y)`, defaultOptions);
  expect(goals.map(({ wants, has, isMet }) => [wants, has, isMet])).toEqual([
    ["2 kernels", "1 kernel", false],
    ["≤ 40 MiB moved", "32 MiB", true],
    ["a, y in one kernel", null, true],
  ]);
});

test("an assertion in a loop is one goal, and holds when it always does", () => {
  const { goals } = compile(
    "x: f32[64, 64]\nw: f32[64, 64]\nfor i in range(3):\n    h = x @ w\n    x = softmax(h)\n    assert_fused(h, x)\ny = x\n",
    { ...defaultOptions, level: 0 },
  );
  expect(goals.map(({ isMet }) => isMet)).toEqual([false]);
});

test("values that never meet", () => {
  expect(faultsOf("x: f32[64]\nz: f32[128, 32]\na = relu(x)\nb = z.sum()\nassert_fused(a, b)")).toEqual([
    "5:1 assert-fused `a` and `b` are in different kernels. No value of one is read by the other.",
  ]);
});

test("with every pass off the plan is the naive one", () => {
  const [fault] = faultsOf(`${chain}assert_kernels(1)`, { level: 0 });
  expect(fault).toBe("4:1 assert-kernels The plan has three kernels, not one.");
});

describe("inside functions and loops", () => {
  const called =
    "def block(h):\n    u = exp(h)\n    v = log(u + 1)\n    assert_fused(u, v)\n    return v\nx: f32[512, 512]\n";
  const looped =
    "x: f32[512, 512]\nfor i in range(2):\n    a = exp(x)\n    x = log(a + 1)\n    assert_fused(a, x)\ny = x\n";

  test.each(["op", "statement", "primitive"] as const)(
    "each call and each iteration is held to it, granularity %s",
    (granularity) => {
      expect(faultsOf(`${called}y = block(block(x))\nassert_kernels(1)`, { granularity })).toEqual([]);
      expect(faultsOf(`${looped}assert_kernels(1)`, { granularity })).toEqual([]);
      const apart = { granularity, level: 0 } as const;
      expect(faultsOf(`${called}y = block(block(x))`, apart)).toHaveLength(2);
      expect(
        faultsOf(`${called}y = block(block(x))`, apart).every((line) =>
          line.startsWith("4:5 assert-fused `u` and `v`"),
        ),
      ).toBe(true);
      expect(faultsOf(looped, apart).map((line) => line.slice(0, 30))).toEqual([
        "5:5 assert-fused `a` and `x` a",
        "5:5 assert-fused `a` and `x` a",
      ]);
    },
  );
});

test.each([
  ["assert_fused(a)", "missing-argument"],
  ["assert_fused(relu(a), y)", "bad-argument"],
  ["assert_fused(x, y)", "assert-fused"],
  ["assert_fused(a, nothing)", "unknown-name"],
  ["assert_kernels(1.5)", "bad-argument"],
  ["assert_kernels(a)", "bad-argument"],
  ["assert_kernels()", "bad-argument"],
])("%s is a mistake, and the program is planned as without it", (line, code) => {
  const { diagnostics, fusedPlan } = compile(`${chain}${line}`, defaultOptions);
  expect(diagnostics.map((each) => each.code)).toEqual([code]);
  expect(fusedPlan?.totals).toEqual(compile(chain, defaultOptions).fusedPlan!.totals);
});
