import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt } from "./compile";
import type { LoopLine } from "./kernel";
import { apartLoops, fusedLoops, loopsOf } from "./watch-kernel";

const drawn = (lines: readonly LoopLine[]): string[] => lines.map(({ depth, text }) => "  ".repeat(depth) + text);

function loopsOfProgram(text: string) {
  const compilation = compile(text, defaultOptions);
  const { graph, regions } = fusionAt(compilation, compilation.steps.length);
  return [...regions.values()].map((region) => ({
    fused: drawn(fusedLoops(graph, region)),
    apart: apartLoops(graph, region).map(drawn),
  }));
}

test("a pointwise kernel is one nest; apart every value goes through memory", () => {
  const [only, ...others] = loopsOfProgram("x: f32[64, 32]\nb: f32[32]\ny = relu(x + b)\nreturn y\n");
  expect(others).toEqual([]);
  expect(only!.fused).toEqual([
    "for i in 64:",
    "  for j in 32:",
    "    add = x[i, j] + b[j]",
    "    y = relu(add)",
    "    store y[i, j]",
  ]);
  expect(only!.apart.map((nest) => nest.length)).toEqual([4, 4]);
  expect(only!.apart[1]).toContain("    y = relu(add[i, j])");
});

test("softmax walks each row three times: the maximum, the sum, the result", () => {
  const [only] = loopsOfProgram("x: f32[64, 32]\ny = softmax(x, dim=-1)\nreturn y\n");
  const walks = only!.fused.filter((line) => line === "  for j in 32:");
  expect(only!.fused[0]).toBe("for i in 64:");
  expect(walks).toHaveLength(3);
  expect(only!.fused.at(-1)).toBe("    store y[i, j]");
});

test("matmul has a loop over the shared extent", () => {
  const [only] = loopsOfProgram("a: f32[64, 16]\nw: f32[16, 32]\ny = relu(a @ w)\nreturn y\n");
  expect(only!.fused.slice(0, 3)).toEqual(["for i in 64:", "  for j in 32:", "    for p in 16:"]);
  expect(only!.fused.at(-1)).toBe("    store y[i, j]");
});

test("a folded transpose swaps the indices", () => {
  const [only] = loopsOfProgram("x: f32[64, 32]\nz: f32[32, 64]\ny = x.T + z\nreturn y\n");
  expect(only!.fused).toContain("    transpose = x[j, i]");
});

test("a batched matmul keeps its batch index", () => {
  const [only] = loopsOfProgram("a: f32[4, 64, 16]\nw: f32[4, 16, 32]\ny = a @ w\nreturn y\n");
  expect(only!.fused).toContain("        y += a[i, j, p] * w[i, p, k]");
});

test("a concat says which part comes from where", () => {
  const [only] = loopsOfProgram("a: f32[4, 8]\nb: f32[6, 8]\ny = relu(concat([a, b], dim=0))\nreturn y\n");
  expect(only!.fused.join("\n")).toMatch(/a\[i, j\] if i < 4 else b\[/);
});

test("the nests of a region as text: the kernel, then op by op", () => {
  const compilation = compile("x: f32[64, 32]\ny = exp(relu(x))", defaultOptions);
  const fusion = fusionAt(compilation, compilation.steps.length);
  const [id] = fusion.regions.keys();
  const lines = loopsOf(fusion, id!);
  expect(lines.slice(0, 3)).toEqual(["# one kernel", "for i in 64:", "  for j in 32:"]);
  expect(lines.filter((line) => line.startsWith("# kernel"))).toEqual([
    "# kernel 1 of 2, op by op",
    "# kernel 2 of 2, op by op",
  ]);
  expect(lines.filter((line) => line.includes("store"))).toHaveLength(3);
});

test("a scan keeps its fold from iteration to iteration, in the loop of what is around it", () => {
  const [only] = loopsOfProgram("x: f32[64, 32]\ny = relu(cumsum(exp(x)))\nreturn y\n");
  expect(only!.fused).toEqual([
    "for i in 64:",
    "  for j in 32:",
    "    exp = exp(x[i, j])",
    "    cumsum += exp",
    "    y = relu(cumsum)",
    "    store y[i, j]",
  ]);
});

test("a sort waits for the whole row, and what follows it walks the row again", () => {
  const [only] = loopsOfProgram("x: f32[64, 32]\ny = relu(sort(exp(x)))\nreturn y\n");
  expect(only!.fused).toEqual([
    "for i in 64:",
    "  for j in 32:",
    "    exp = exp(x[i, j])",
    "    row[j] = exp",
    "  sort = row in order",
    "  for j in 32:",
    "    y = relu(sort[j])",
    "    store y[i, j]",
  ]);
});

test("rows and columns of one tensor: a value for each column, stored when all rows have gone by", () => {
  const [only] = loopsOfProgram("x: f32[4096, 1024]\na = x.mean(dim=0)\nb = x.sum(dim=1)\nreturn a, b\n");
  expect(only!.fused).toEqual([
    "for i in 4096:",
    "  for j in 1024:",
    "    a[j] += x[i, j]",
    "    b += x[i, j]",
    "  store b[i]",
    "for j in 1024:",
    "  a[j] = a[j] / 4096",
    "  store a[j]",
  ]);
});

test("a loop of the text: loaded before the first iteration, stored after the last, in registers between", () => {
  const text = "a: f32[8, 4]\nc: f32[4]\nx = exp(a)\nfor i in range(90):\n    x = x * c\nreturn relu(x)\n";
  const [only, ...others] = loopsOfProgram(text);
  expect(others).toEqual([]);
  expect(only!.fused).toEqual([
    "for i in 8:",
    "  for j in 4:",
    "    x = exp(a[i, j])",
    "    c = c[j]",
    "    for iteration in 90:",
    "      x_next = x * c",
    "      x = x_next",
    "    relu = relu(x)",
    "    store relu[i, j]",
  ]);
  const naive = compile(text, defaultOptions).naive!;
  const launched = [...naive.regions.values()].map((region) => drawn(fusedLoops(naive.graph, region)));
  expect(launched[1]).toEqual([
    "for iteration in 90:",
    "  for i in 8:",
    "    for j in 4:",
    "      x_next = x[i, j] * c[j]",
    "      store x_next[i, j]",
  ]);
});

test("a loop along a tensor: rows are read and stored as they go by, and what is carried stays in registers", () => {
  const text =
    "x: f32[100, 8]\nh0: f32[8]\ndef f(h, r):\n    h = h * 0.5 + r\n    return h, h\nh, ys = lax.scan(f, h0, x)\nreturn relu(ys), h\n";
  const [only, ...others] = loopsOfProgram(text);
  expect(others).toEqual([]);
  expect(only!.fused).toEqual([
    "for j in 8:",
    "  h0 = h0[j]",
    "  for i in 100:",
    "    x = x[i, j]",
    "    mul = h0 * 0.5",
    "    h = mul + x",
    "    ys = h",
    "    relu = relu(ys)",
    "    store relu[i, j]",
    "    h0 = h",
    "  store h0[j]",
  ]);
});

test("rows that threads share: what all iterations read is read again in each, what is carried stays in workgroup memory", () => {
  const text =
    "x: f32[40, 8, 32]\nw: f32[32, 32]\nh: f32[8, 32]\nfor t in range(40):\n    h = tanh(x[t] + h @ w)\nreturn h\n";
  const [only, ...others] = loopsOfProgram(text);
  expect(others).toEqual([]);
  expect(only!.fused).toEqual([
    "for j in 8:",
    "  h = h[j, :]",
    "  for i in 40:",
    "    x = x[i, j, :]",
    "    w = w[:, :]",
    "    matmul = matmul(h, w)",
    "    add = x + matmul",
    "    h_next = tanh(add)",
    "    h = h_next",
    "  store h[j, :]",
  ]);
});

test("values of one nest have names of their own", () => {
  const [only] = loopsOfProgram("a: f32[8]\nb: f32[8]\ny = a * b + b * 3 + (a + 2)\n");
  expect(only!.fused).toEqual([
    "for i in 8:",
    "  mul = a[i] * b[i]",
    "  mul_2 = b[i] * 3",
    "  add = mul + mul_2",
    "  add_2 = a[i] + 2",
    "  y = add + add_2",
    "  store y[i]",
  ]);
});
