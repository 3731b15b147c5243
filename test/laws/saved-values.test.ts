/** @file What backward passes keep: each policy, each choice, the budget, checkpoints of the text. */
import { describe, expect, test } from "vitest";
import { compile, defaultOptions, fusionAt } from "../../src/fusion/compile";
import { savedBuffers } from "../../src/fusion/cost";
import { nodeId, type SavedChoice, type SavedValues } from "../../src/fusion/ir";

const MIB = 2 ** 20;
const chain =
  "x: f32[1048576]\ng: f32[1048576]\ndef f(x):\n    a = exp(x)\n    b = a + 1\n    return log(b)\ny, pull = vjp(f, x)\nreturn y, pull(g)\n";
const relu =
  "x: f32[1024, 1024]\nw: f32[1024, 1024]\nh = relu(x)\nloss = sum(h * w)\nloss.backward()\nreturn loss, x.grad\n";

/** Bytes of the forward pass that are saved, the rules that said yes and no, and the kernels. */
function savedBy(text: string, asked: Partial<SavedValues>, strict = false) {
  const options = { ...defaultOptions, strict, savedValues: { apart: true, choices: {}, ...asked } };
  const compilation = compile(text, options);
  expect(compilation.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const steps = compilation.steps.filter(({ pass }) => pass === "saved-values");
  const final = fusionAt(compilation, compilation.steps.length);
  return {
    bytes: savedBuffers(final).reduce((sum, { bytes }) => sum + bytes, 0),
    yes: steps.filter(({ accepted }) => accepted).map(({ rule }) => rule),
    codes: steps.filter(({ accepted }) => !accepted).map(({ legal, profitable }) => (profitable ?? legal).code),
    kernels: compilation.fusedPlan!.kernels.length,
  };
}
const choices = (given: Readonly<Record<string, SavedChoice>>): Partial<SavedValues> => ({
  choices: Object.fromEntries(Object.entries(given).map(([id, choice]) => [nodeId(id), choice])),
});

describe("log(exp(x) + 1), whose derivative reads a and b", () => {
  test("stored: both", () => {
    expect(savedBy(chain, {})).toEqual({ bytes: 8 * MIB, yes: [], codes: ["L_SAVED", "L_SAVED"], kernels: 2 });
  });

  test("recomputed: nothing, and a kernel for each pass", () => {
    expect(savedBy(chain, { policy: "recomputed" })).toMatchObject({
      bytes: 0,
      yes: ["recompute", "recompute"],
      kernels: 2,
    });
    expect(savedBy(chain, { policy: "cut" })).toMatchObject({ bytes: 0, kernels: 2 });
  });

  test("inverted: the result gives b, and b gives a", () => {
    const asked = choices({ "y/f#0/a": "invert", "y/f#0/b": "invert" });
    expect(savedBy(chain, asked)).toMatchObject({ bytes: 4 * MIB, yes: ["invert", "invert"], kernels: 2 });
    expect(savedBy(chain, choices({ "y/f#0/b": "invert" }))).toMatchObject({ bytes: 8 * MIB, yes: ["invert"] });
  });

  test("one graph: nothing is saved that fusion does not save by itself", () => {
    expect(savedBy(chain, { apart: false })).toMatchObject({ bytes: 0, yes: [], codes: [], kernels: 1 });
  });
});

describe("relu, whose derivative asks for a sign", () => {
  test("a bit an element: 32 times less", () => {
    const whole = savedBy(relu, {});
    const bits = savedBy(relu, choices({ h: "bits" }));
    expect([whole.bytes, bits.bytes]).toEqual([4 * MIB, MIB / 8]);
    expect(bits.yes).toEqual(["bits"]);
  });

  test("bits are refused where the number is needed", () => {
    const squares = relu.replace("relu(x)", "exp(x)");
    expect(savedBy(squares, choices({ h: "bits" }))).toMatchObject({ yes: [], codes: ["L_DTYPE", "L_SAVED"] });
  });
});

describe("as f16", () => {
  const exponentials = relu.replace("relu(x)", "exp(x)");

  test("half the bytes, whatever the backward pass does with it", () => {
    const half = savedBy(exponentials, choices({ h: "f16" }));
    expect([half.bytes, half.yes]).toEqual([2 * MIB, ["f16"]]);
  });

  test("is refused where it saves nothing, and in strict mode", () => {
    const halves = exponentials.replaceAll("f32", "f16").replace("sum(h * w)", "sum(h * w).float()");
    expect(savedBy(halves, choices({ h: "f16" }))).toMatchObject({ yes: [], codes: ["L_DTYPE", "L_SAVED"] });
    expect(savedBy(exponentials, choices({ h: "f16" }), true)).toMatchObject({
      yes: [],
      codes: ["L_STRICT", "L_SAVED"],
    });
  });
});

describe("a budget", () => {
  const opaque =
    "n: f32[1024]\nx: f32[1024]\nh = custom_call(n)\nloss = sum(h * x)\nloss.backward()\nreturn loss, x.grad\n";
  const warned = (budgetBytes: number): string[] =>
    compile(opaque, {
      ...defaultOptions,
      savedValues: { apart: true, policy: "cut", budgetBytes, choices: {} },
    }).diagnostics.map(({ code, severity, line, text }) => `${severity} ${code} ${line}: ${text}`);

  test("that can't be met is a warning where the largest value is made, with what is missing", () => {
    expect(warned(1000)).toEqual([
      "warning saved-budget 3: The backward pass saves 4 KiB, 3.02 KiB more than the 1,000 B allowed: h is opaque, so it is not computed twice. Allow 4 KiB.",
    ]);
  });

  test("that is met says nothing", () => expect(warned(4096)).toEqual([]));
});

describe("products", () => {
  const layers = (count: number): string => {
    const names = Array.from({ length: count }, (_, i) => `w${i}`);
    const body = names.map((name) => `h = gelu(h @ ${name})\n`).join("");
    return `x: f32[256, 256]\n${names.map((name) => `${name}: f32[256, 256] = param()\n`).join("")}h = x\n${body}loss = sum(h)\nloss.backward()\nreturn loss, ${names.map((name) => `${name}.grad`).join(", ")}\n`;
  };
  const size = 256 * 1024;

  test("are saved by the cut, and what follows is recomputed", () => {
    expect(savedBy(layers(3), { policy: "cut" })).toMatchObject({
      bytes: 3 * size,
      codes: ["C_RECOMPUTE", "C_RECOMPUTE", "C_RECOMPUTE"],
    });
    expect(savedBy(layers(3), {}).bytes).toBe(5 * size);
  });

  test("are made again when the budget asks for it", () => {
    const within = [0, 1, 2].map((budget) => savedBy(layers(3), { policy: "cut", budgetBytes: budget * size }).bytes);
    within.forEach((bytes, i) => expect(bytes).toBeLessThanOrEqual(i * size));
  });

  test("segments keep the ends of √n stretches", () => {
    const { bytes } = savedBy(layers(9), { policy: "segments" });
    expect(bytes).toBe(2 * size);
  });
});

describe("the peak of memory", () => {
  const layers: readonly [body: string, times: number][] = [
    ["gelu(h)", 9],
    ["gelu(h @ w)", 4],
    ["rms_norm(gelu(h), g)", 2],
    ["h + gelu(h @ w)", 3],
  ];
  const deep = (body: string, times: number): string => {
    const leaves = ["x", ...["w", "g"].filter((name) => new RegExp(`\\b${name}\\b`).test(body))];
    const given = "x: f32[256, 256] = param()\nw: f32[256, 256] = param()\ng: f32[256] = param()\n";
    const grads = leaves.map((name) => `${name}.grad`).join(", ");
    return `${given}h = x\n${`h = ${body}\n`.repeat(times)}loss = sum(h)\nloss.backward()\nreturn loss, ${grads}\n`;
  };
  const peakOf = (text: string, savedValues: SavedValues): number => {
    const { fusedPlan, diagnostics } = compile(text, { ...defaultOptions, savedValues });
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    return fusedPlan!.totals.peakBytes;
  };

  test.each(layers)("%s, %i times: never above that of saving every value", (body, times) => {
    const text = deep(body, times);
    for (const apart of [true, false]) {
      const stored = peakOf(text, { apart, policy: "stored", choices: {} });
      const policies = ["cut", "segments", "recomputed"] as const;
      expect(policies.filter((policy) => peakOf(text, { apart, policy, choices: {} }) > stored)).toEqual([]);
    }
  });
});

describe("checkpoint", () => {
  const program = (h: string): string =>
    `x: f32[256, 256]\nw: f32[256, 256] = param()\nv: f32[256, 256] = param()\ndef f(x, w):\n    return gelu(x @ w) @ w\nh = ${h}\nloss = sum(gelu(h @ v))\nloss.backward()\nreturn loss, w.grad, v.grad\n`;

  test("makes its inside again, in either library's form", () => {
    const plain = savedBy(program("f(x, w)"), {});
    for (const form of [
      "checkpoint(f, x, w)",
      "jax.checkpoint(f)(x, w)",
      "jax.remat(f)(x, w)",
      "checkpoint(f, x, w, use_reentrant=False)",
    ]) {
      const { bytes, yes } = savedBy(program(form), {});
      expect(yes).toContain("recompute");
      expect(bytes).toBeLessThan(plain.bytes);
    }
  });
});

test("an opaque value is never made again", () => {
  const text =
    "x: f32[1024]\nn: f32[1024]\nh = custom_call(n)\nloss = sum(h * x)\nloss.backward()\nreturn loss, x.grad\n";
  expect(savedBy(text, { policy: "recomputed" }).bytes).toBe(4096);
});
