import { describe, expect, test } from "vitest";
import { compile, compileGraph, decisionsOn, defaultOptions, fusionAt, planAt } from "./compile";
import { settled } from "./settled";
import { edgeId, nodeId } from "./ir";
import { allPasses, runPasses } from "./passes";

const text = "x: f32[64, 64]\nb: f32[64]\ny = log(relu(x + b))";

describe("compiling a text", () => {
  const compilation = compile(text, defaultOptions);
  test("has a naive plan, steps and a fused plan", () => {
    expect(compilation.diagnostics).toEqual([]);
    expect(compilation.naivePlan!.kernels).toHaveLength(3);
    expect(compilation.fusedPlan!.kernels).toHaveLength(1);
    expect(compilation.steps.map(({ accepted }) => accepted)).toEqual([true, true]);
    const { peakBytes: _, ...sums } = compilation.fusedPlan!.totals;
    expect(compilation.steps.at(-1)!.totals).toEqual(sums);
  });
  test("is plain data", () => {
    expect(structuredClone(compilation)).toEqual(compilation);
  });
  test("goes to any state and back, and gives the same object again", () => {
    const regions = (cursor: number): number => fusionAt(compilation, cursor).regions.size;
    expect([regions(0), regions(2), regions(1), regions(0)]).toEqual([3, 1, 2, 3]);
    expect(fusionAt(compilation, 1)).toBe(fusionAt(compilation, 1));
    expect(planAt(compilation, 1).kernels).toHaveLength(2);
    expect(planAt(compilation, 2)).toBe(compilation.fusedPlan);
  });
  test("knows what was decided on an edge", () => {
    const edge = edgeId(nodeId("y/0/0"), nodeId("y/0"), 0);
    expect(decisionsOn(compilation, edge).map((step) => step.profitable?.code)).toEqual(["A_BYTES"]);
  });
  test("measures with the caller's clock", () => {
    let time = 0;
    const { millis } = compile(text, defaultOptions, () => time++);
    expect([millis.parse, millis.passes, millis.codegen].every((part) => part > 0)).toBe(true);
  });
});

test("a text with a mistake is drawn and not planned", () => {
  const { naive, drawn, diagnostics, naivePlan } = compile("x: f32[4]\ny = gelo(x)\nz = relu(x)", defaultOptions);
  expect([naive, naivePlan]).toEqual([null, null]);
  expect(diagnostics.length).toBeGreaterThan(0);
  expect([...drawn.nodes.values()].some(({ op }) => op === "relu")).toBe(true);
});

test("a hole makes the plan wait", () => {
  expect(compile("x: f32[4]\ny = add(x, ...)", defaultOptions).naivePlan).toBeNull();
});

test("a graph compiles without a text", () => {
  const { drawn } = compile(text, defaultOptions);
  const { fusedPlan, steps } = compileGraph(drawn, defaultOptions);
  expect([fusedPlan!.kernels.length, steps.length]).toEqual([1, 2]);
});

test.each(["op", "primitive"] as const)(
  "no kernel of a join of many tensors binds more than every device allows, by %s",
  (granularity) => {
    const names = Array.from({ length: 60 }, (_, i) => `x${i}`);
    const text = `${names.map((name) => `${name}: f32[4, 3]`).join("\n")}\ny = relu(concat([${names.join(", ")}], dim=1))\n`;
    const { naivePlan, fusedPlan, diagnostics } = compile(text, { ...defaultOptions, granularity });
    expect(diagnostics).toEqual([]);
    for (const plan of [naivePlan!, fusedPlan!])
      expect(
        Math.max(...plan.kernels.map(({ bindings }) => bindings.filter(({ access }) => access !== "uniform").length)),
      ).toBeLessThanOrEqual(8);
    expect(fusedPlan!.kernels.at(-1)!.bindings.at(-1)!.type.shape).toEqual([4, 180]);
  },
);

test.each([
  "x: f32[]\ny = ones_like(x).unsqueeze(0)\n",
  "x: f32[]\ny = (ones_like(x) * 2).reshape(1)\nreturn y, y * 3\n",
  "y = unsqueeze(3.0, 0)\n",
])("a literal in another shape is a tensor of its own: %s", (text) => {
  const { fusedPlan, diagnostics, naive } = compile(text, defaultOptions);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(
    fusedPlan!.kernels.flatMap(({ bindings }) => bindings).filter(({ access }) => access === "read_write"),
  ).toHaveLength(naive!.graph.outputs.length);
});

test.each(["all_reduce", "device_copy", "custom_call"])(
  "%s is a boundary: nothing is fused into it or it into anything",
  (op) => {
    const { steps, fusedPlan } = compile(`x: f32[64, 64]\nh = relu(x)\ng = ${op}(h)\ny = exp(g)\n`, defaultOptions);
    expect(fusedPlan!.kernels.map(({ nodes }) => nodes)).toEqual([["h"], ["g"], ["y"]]);
    expect(steps.map(({ accepted, legal }) => [accepted, legal.code])).toEqual([
      [false, "L_OPAQUE"],
      [false, "L_OPAQUE"],
    ]);
  },
);

test.each([
  ["jax.debug.print", 'jax.debug.print("h is {}", h)'],
  ["debug.callback", "jax.debug.callback(show, h)"],
  ["io_callback", "io_callback(write, None, h, ordered=True)"],
])("%s hands its tensor to the host: a kernel ends before it, another begins after it", (_, line) => {
  const source = `x: f32[64, 64]\nh = relu(x)\n${line}\ny = exp(h)\nreturn y\n`;
  const { diagnostics, steps, fusedPlan } = compile(source, defaultOptions);
  expect(diagnostics).toEqual([]);
  expect(fusedPlan!.kernels.map(({ nodes }) => nodes.length)).toEqual([1, 1, 1]);
  expect(steps.map(({ legal }) => legal.code)).toEqual(["L_EFFECT", "L_EFFECT"]);
  expect(steps[0]!.legal.text).toContain("the host reads the whole tensor here");
});

test("what the host reads is computed though nothing else reads it, as often as it is written", () => {
  const told = "y = relu(x)\nh = exp(x)\njax.debug.print(h)\njax.debug.print(h)\nreturn y\n";
  const compilation = compile(`x: f32[64, 64]\n${told}`, defaultOptions);
  const { graph } = fusionAt(compilation, compilation.steps.length);
  expect([...graph.nodes.values()].filter(({ op }) => op === "debug_print")).toHaveLength(2);
  expect(compilation.steps.map(({ legal }) => legal.code)).toContain("L_EFFECT");
});

test("a pass that throws is named, whatever it threw", () => {
  const { naive } = compile(text, defaultOptions);
  const [pass] = allPasses;
  const match = (): never => {
    throw new RangeError("Invalid array length");
  };
  const run = () => runPasses(naive!, defaultOptions, [{ ...pass!, match }]);
  expect(run).toThrow(`the pass “${pass!.title}”: Invalid array length`);
});

test.each([
  ["a stride over a scan of one element", "x: f32[1]\nc = cumsum(x, dim=0)\nd = c[::2]\nreturn c, d\n", 0],
  ["a line separator of Unicode in a name and in a comment", "x\u2028: f32[8]\ny = x + 1 # \u2028\n", 0],
  ["padding beyond every tensor", "x: f32[1, 1, 8, 8]\nw: f32[1, 1, 3, 3]\ny = conv2d(x, w, padding=2**31)\n", 1],
])("%s is planned or refused in words", (_, text, errors) => {
  const { diagnostics, fusedPlan } = compile(text, defaultOptions);
  expect(diagnostics.filter(({ severity }) => severity === "error").length).toBe(errors);
  expect(fusedPlan !== null).toBe(errors === 0);
});

test("every edge of attention may be forced on a device of little arithmetic", () => {
  const text = "q: f32[64, 32]\nk: f32[64, 32]\nv: f32[64, 32]\ny = softmax(q @ k.T) @ v\n";
  const options = { ...defaultOptions, profile: { ...defaultOptions.profile, peakFlops: 1e12 } };
  const { naive } = compile(text, options);
  for (const { id, inputs } of naive!.graph.nodes.values())
    inputs.forEach((from, slot) =>
      expect(compile(text, { ...options, forced: [edgeId(from, id, slot)] }).fusedPlan).not.toBeNull(),
    );
});

const sentences = (text: string): string =>
  compile(text, defaultOptions)
    .steps.map((step) => settled(step).text)
    .join("\n");

test("what a fold works on is called a row only where it is one", () => {
  expect(sentences("x: f32[2048, 512]\ny = x - mean(x, dim=0, keepdim=True)\n")).toMatch(
    /work on the same columns.*Each column \(2,048 values/,
  );
  expect(sentences("x: f32[2048, 512]\ny = x - mean(x, dim=1, keepdim=True)\n")).toMatch(/work on the same rows/);
});

test("what looks like data and is a constant is told, with how data is declared; what is only begun with is not", () => {
  const told = (text: string) =>
    compile(text, defaultOptions).diagnostics.filter(({ code }) => code === "constant-data");
  const jax =
    "params = {'w': jnp.zeros((64, 32)), 'b': jnp.zeros(32)}\nx = jnp.ones((16, 64))\ny = jax.nn.relu(x @ params['w'] + params['b'])\n";
  expect(told(jax).map(({ line, text }) => [line, text])).toEqual([
    [
      1,
      "`ones` of 16×64 and 2 others are constants: kernels compute them and read no byte of them. What comes from outside is declared: `x: f32[16, 64]`.",
    ],
  ]);
  expect(told("x: f32[64, 64]\ny = x @ torch.ones(64, 8)\n")).toHaveLength(1);
  const called = "def f(x, w):\n    return x * w\nx = jnp.ones((8, 256, 128))\nw: f32[128]\ny = f(x, w)\n";
  expect(told(called).map(({ line }) => line)).toEqual([3]);
  expect(told(called.replace("ones", "zeros"))).toEqual([]);
  // It comes before what has no effect on the plan.
  const severities = compile(`import torch\n${called}`, defaultOptions).diagnostics.map(({ severity }) => severity);
  expect(severities).toEqual(["warning", "info"]);
  expect(told("x: f32[64]\nh = torch.zeros(64)\nfor i in range(3):\n    h = torch.tanh(h + x)\ny = h\n")).toEqual([]);
});

test("nothing is unused while a graph is drawn", () => {
  const codes = (text: string) => compile(text, defaultOptions).diagnostics.map(({ code }) => code);
  expect(codes("x: f32[8]\n")).not.toContain("unused-value");
  expect(codes("x: f32[8]\nr = relu(...)\n")).not.toContain("unused-value");
  expect(codes("x: f32[8]\nw: f32[8]\ny = relu(x)\n")).toContain("unused-value");
});

test("what is applied to a tile is an op, not a view of it", () => {
  const text = "x: f32[512, 256]\nw: f32[256, 256]\ny = vmap(lambda w, x: gelu(x @ w), in_axes=(None, 0))(w, x)\n";
  expect(sentences(text)).toMatch(
    /Applying `(?:y|gelu)` while the tile of `matmul`, which it reads as `reshape`, is in registers/,
  );
});
