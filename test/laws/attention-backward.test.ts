/** @file The backward pass of attention in every spelling: scores are recomputed tile by tile, nothing as large as they is stored, values and counts are right. */
import { describe, expect, test } from "vitest";
import { fusionAt, planAt } from "../../src/fusion/compile";
import { generic } from "../../src/fusion/cost";
import { node, type CompileOptions, type Fusion } from "../../src/fusion/ir";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { compiled, stepFaults } from "./pass-harness";
import type { Compilation } from "../../src/fusion";

/** `value_and_grad` of a sum over what `body` makes of the inputs. */
const backward = (inputs: readonly string[], body: readonly string[]): string => {
  const names = inputs.map((line) => line.slice(0, line.indexOf(":")));
  const wrt = names.filter((name) => ["q", "k", "v"].includes(name));
  return [
    ...inputs,
    `def loss(${names.join(", ")}):`,
    ...body.map((line) => `    ${line}`),
    "    return sum(o * o)",
    `y, (${wrt.map((name) => `d${name}`).join(", ")}) = value_and_grad(loss, argnums=(${wrt.map((name) => names.indexOf(name)).join(", ")}))(${names.join(", ")})`,
    `return y, ${wrt.map((name) => `d${name}`).join(", ")}`,
  ].join("\n");
};
const qkv = (m: number, n: number, d: number, batch = "", dv = d): readonly string[] => [
  `q: f32[${batch}${m}, ${d}]`,
  `k: f32[${batch}${n}, ${d}]`,
  `v: f32[${batch}${n}, ${dv}]`,
];
const call = (rest = ""): readonly string[] => [`o = scaled_dot_product_attention(q, k, v${rest})`];

const CASES: Readonly<Record<string, string>> = {
  "as one call": backward(qkv(40, 72, 8, "2, "), call()),
  square: backward(qkv(48, 48, 8), call()),
  "from primitives": backward(qkv(33, 50, 12), ["o = softmax(q @ k.T * 0.3, dim=-1) @ v"]),
  masked: backward([...qkv(33, 50, 12), "mask: f32[33, 50]"], ["o = softmax(q @ k.T * 0.3 + mask, dim=-1) @ v"]),
  causal: backward(qkv(45, 45, 8, "2, "), call(", is_causal=True")),
  "causal, over several tiles": backward(qkv(100, 100, 8), call(", is_causal=True")),
  "causal with a bias": backward([...qkv(40, 40, 8), "b: f32[40, 40]"], call(", b, is_causal=True")),
  "soft cap": backward(qkv(24, 64, 8), call(", softcap=5")),
  "no maximum": backward(qkv(24, 40, 8), ["e = exp(q @ k.T * 0.1)", "o = (e / e.sum(dim=-1, keepdim=True)) @ v"]),
  "division by hand": backward(qkv(24, 40, 8), [
    "s = q @ k.T",
    "e = exp(s - stop_gradient(s.max(dim=-1, keepdim=True)))",
    "o = (e @ v) / e.sum(dim=-1, keepdim=True)",
  ]),
  dropped: backward(qkv(24, 40, 8), ["o = dropout(softmax(q @ k.T, dim=-1), p=0.2, seed=3) @ v"]),
  "shared heads": backward(["q: f32[2, 4, 24, 8]", "k: f32[2, 2, 40, 8]", "v: f32[2, 2, 40, 8]"], call()),
  "heads last": backward(
    ["q: f32[2, 24, 3, 8]", "k: f32[2, 40, 3, 8]", "v: f32[2, 40, 3, 8]"],
    ["o = (softmax(q.transpose(1, 2) @ k.transpose(1, 2).mT, dim=-1) @ v.transpose(1, 2)).transpose(1, 2)"],
  ),
  "other width": backward(qkv(35, 33, 20, "", 7), call()),
};

const EAGER: Partial<CompileOptions> = { profile: { ...generic, multiprocessors: 1, launchMicros: 100 } };

/** Stored values in the shape of the scores. */
function asLargeAsScores({ graph, regions }: Fusion, scores: string): string[] {
  return [...regions.values()].flatMap(({ outputs }) =>
    outputs.filter((id) => node(graph, id).type.shape.slice(-2).join() === scores),
  );
}

/** Planned with the scores recomputed: where stored ones look quicker, by the choice that the refusal names. */
function recomputing(text: string, given: Partial<CompileOptions>): Compilation {
  const graph = graphOf(text);
  const first = compiled(graph, given);
  const refused = first.steps.find(({ pass, profitable }) => pass === "tiles-again" && profitable?.ok === false);
  return refused ? compiled(graph, { ...given, ...refused.profitable!.remedyOptions }) : first;
}

const GRANULARITY = ["op", "primitive"] as const;
const spelled = Object.entries(CASES).map(([name, text], i) => [name, GRANULARITY[i % 2]!, text] as const);

test.each(spelled)("%s, by %s", (_, granularity, text) => {
  const compilation = recomputing(text, { ...EAGER, granularity });
  expect(stepFaults(compilation, { mayDuplicate: true })).toEqual([]);
  const { steps } = compilation;
  const again = steps.filter(({ pass }) => pass === "tiles-again");
  expect(again.map((step) => (step.profitable ?? step.legal).code)).toEqual([
    expect.stringMatching(/^(A_BYTES|A_LAUNCH|U_FORCE)$/),
  ]);
  const final = fusionAt(compilation, steps.length);
  const [product] = again[0]!.nodes;
  const scores = node(compilation.naive!.graph, product!).type.shape.slice(-2).join();
  expect(asLargeAsScores(final, scores)).toEqual([]);
  for (const target of [gpu, cpu]) {
    expect(complaints(final, target, 1e-7)).toEqual([]);
    expect(complaints(fusionAt(compilation, again[0]!.seq), target, 1e-7)).toEqual([]);
  }
});

describe("counts", () => {
  const text = (n: number): string => backward(qkv(n, n, 64, "4, "), call());
  const totals = (n: number, disabledPasses: readonly string[] = []) => {
    const compilation =
      disabledPasses.length > 0 ? compiled(graphOf(text(n)), { disabledPasses }) : recomputing(text(n), {});
    const at = (seq: number) => planAt(compilation, seq).totals;
    return { naive: at(0), fused: at(compilation.steps.length) };
  };

  test("memory grows with the rows; as written, and where scores are saved, with their square", () => {
    const [half, whole] = [totals(1024), totals(2048)];
    expect(whole.fused.peakBytes / half.fused.peakBytes).toBeLessThan(2.01);
    expect(whole.naive.peakBytes / half.naive.peakBytes).toBeGreaterThan(3.5);
    const [stored, storedWhole] = [totals(1024, ["tiles-again"]), totals(2048, ["tiles-again"])];
    expect(storedWhole.fused.peakBytes / stored.fused.peakBytes).toBeGreaterThan(3.5);
  });

  test("1,024 rows of four heads: one kernel forward, three backward, two for the loss", () => {
    const { fused } = totals(1024);
    expect(fused).toMatchObject({ kernels: 6, fullSizeTransfers: 0 });
  });
});

describe("why not", () => {
  const verdicts = (text: string, given: Partial<CompileOptions> = {}): string[] =>
    compiled(graphOf(text), { ...EAGER, ...given })
      .steps.filter(({ pass }) => pass === "tiles-again")
      .map((step) => (step.profitable ?? step.legal).code);
  const plain = backward(qkv(64, 64, 8), call());

  test("strict mode", () => expect(verdicts(plain, { strict: true })).toEqual(["L_STRICT"]));
  test("heads are too wide", () => expect(verdicts(backward(qkv(64, 64, 160), call()))).toEqual(["L_WGMEM"]));
  test("more matrices than the device binds", () =>
    expect(verdicts(plain, { profile: { ...generic, maxBindings: 3 } })).toEqual(["L_BINDINGS"]));
  test("the forward pass alone has nothing to make again", () =>
    expect(verdicts(`${qkv(64, 64, 8).join("\n")}\n${call()[0]}\nreturn o`)).toEqual([]));
});

test("where the passes run apart, each makes its own: what is saved between them has one number a row, or a row", () => {
  const text = backward(qkv(256, 256, 16, "2, "), call());
  for (const policy of ["stored", "cut"] as const) {
    const compilation = compiled(graphOf(text), { ...EAGER, savedValues: { apart: true, policy, choices: {} } });
    expect(stepFaults(compilation, { mayDuplicate: true })).toEqual([]);
    const final = fusionAt(compilation, compilation.steps.length);
    expect(asLargeAsScores(final, "256,256")).toEqual([]);
  }
});
