/** @file Random programs with their gradients: forward and backward as one graph obey the laws of plans. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { savedChoices, savedPolicies, type CompileOptions, type NodeId, type SavedChoice } from "../../src/fusion/ir";
import { parseProgram } from "../../src/fusion/text";
import { differentiated } from "./gradient-case";
import { caseArbitrary, planned, runFaults, structureFaults, type Case, type Planned } from "./plan-laws";

const [COUNT, SEED] = (process.env["GRADIENT_LAWS"] ?? "20:20261120").split(":").map(Number) as [number, number];
const HALF = Math.ceil(COUNT / 2);

/** What `saved-values` does. */
const RULES: readonly string[] = ["ahead", "bits", "f16", "invert", "recompute"];

/** Policy, whether the passes run apart, a budget, and a choice for every so manieth value: 0 everywhere is no choice at all. */
type Keeping = readonly [policy: number, apart: boolean, budget: number, every: number, choice: number];
const keepingArbitrary: fc.Arbitrary<Keeping> = fc.tuple(
  fc.nat({ max: savedPolicies.length }),
  fc.boolean(),
  fc.nat({ max: 3 }),
  fc.nat({ max: 4 }),
  fc.nat({ max: savedChoices.length - 1 }),
);

/** Those that lose no digits. */
const EXACT: readonly SavedChoice[] = savedChoices.filter((each) => each !== "invert" && each !== "f16");

function keeping(
  text: string,
  [policy, apart, budget, every, choice]: Keeping,
  all: readonly SavedChoice[] = savedChoices,
): Partial<CompileOptions> {
  const values = [...parseProgram(text).graph.nodes.values()].filter(({ op }) => op !== "const");
  const chosen = every === 0 ? [] : values.filter((_, i) => i % (every + 1) === 0);
  const choices: Record<NodeId, SavedChoice> = Object.fromEntries(
    chosen.map(({ id }, i) => [id, all[(i + choice) % all.length]!]),
  );
  const limit = budget === 0 ? {} : { budgetBytes: 64 * (budget - 1) };
  return { savedValues: { apart, policy: policy === 0 ? undefined : savedPolicies[policy - 1]!, ...limit, choices } };
}

/** Kernels that belong to both passes although they run apart. */
function mixed({ compilation }: Planned): string[] {
  if (compilation.options.savedValues?.apart !== true) return [];
  const { graph, regions } = fusionAt(compilation, compilation.steps.length);
  const sides = [...regions.values()].filter(
    ({ members }) => new Set(members.map((id) => graph.nodes.get(id)!.phase)).size > 1,
  );
  return sides.map(({ id }) => `${id} belongs to both passes`);
}

test(
  `what the backward passes of ${HALF} random programs keep, seed ${SEED}: by any policy and choice the same values`,
  { timeout: 300_000 },
  () => {
    const made = new Set<string>();
    const faults = (one: Case, ways: Keeping): readonly string[] => {
      const whole = differentiated(one);
      if (!whole) return [];
      try {
        const plan = planned(whole, keeping(whole.text, ways));
        for (const { pass, rule, accepted } of plan.compilation.steps)
          if (pass === "saved-values" && accepted) made.add(rule);
        return [...structureFaults(plan), ...mixed(plan), ...runFaults(plan, "cpu", one.text.length)];
      } catch (error) {
        return [String(error)];
      }
    };
    const law = fc.property(caseArbitrary, keepingArbitrary, (one, ways) => faults(one, ways).length === 0);
    const result = fc.check(law, { numRuns: HALF, seed: SEED, endOnFailure: true });
    const [one, ways] = result.counterexample ?? [];
    expect(result.failed ? [differentiated(one!)!.text, one!.ways, ways, ...faults(one!, ways!)] : []).toEqual([]);
    expect([...made].filter((rule) => !RULES.includes(rule))).toEqual([]);
    // Few programs keep whole words of bits: a batch of the soak has some, the sample of `npm test` may have none.
    expect(COUNT < 200 ? [] : RULES.filter((rule) => !made.has(rule))).toEqual([]);
  },
);

const eyed = "x: f32[3, 4]\nv = x * eye(3, 4)\nloss = sum(v)\nloss.backward()\nreturn loss, x.grad";
const counted =
  "x: f32[3, 4]\ni: i32[3] = uniform(0, 4)\nv = x * one_hot(i, 4)\nloss = sum(v)\nloss.backward()\nreturn loss, x.grad";
const summed =
  "x: f32[3, 1, 1, 1]\ni: i32[3] = uniform(0, 1)\nv = one_hot(i, 1) + x.sum()\nloss = sum(tanh(v))\nloss.backward()\nreturn loss, x.grad";

test.each<
  readonly [of: string, kernel: string | null, text: string, granularity: number, choices: Record<string, SavedChoice>]
>([
  ["the numbers of rows, inside a matrix", null, eyed, 1, { "v/1.row": "save" }],
  ["the classes, inside a matrix of them", null, counted, 1, { "v/1.classes": "save" }],
  ["a column, beside a sum of rows of four axes", "k:v/0.hot", summed, 2, { "v/0.hot": "save", "v/1": "recompute" }],
])(
  "what is saved of a kernel that walks something else is stored, by a kernel of its own where no loop does both: %s",
  (_, kernel, text, granularity, choices) => {
    const plan = planned(
      { text, ways: [granularity, 0, 0, 0, 0] },
      { savedValues: { apart: false, policy: "recomputed", choices } },
    );
    const added = plan.compilation.steps
      .filter(({ pass }) => pass === "saved-values")
      .flatMap(({ patch }) => patch?.addedRegions ?? []);
    const saved = Object.keys(choices)[0]!;
    expect(added.flatMap<string>(({ id, outputs }) => (kernel === null ? outputs : [id]))).toContain(kernel ?? saved);
    expect([...structureFaults(plan), ...runFaults(plan, "cpu", 1)]).toEqual([]);
  },
);

test("a gradient that the forward pass could have made stays a result where it is saved", () => {
  const text =
    "u: f32[4]\nx: f32[4]\ni: i32[3] = uniform(0, 4)\nloss = sum(tanh(gather(x, i, axis=0)))\nloss.backward()\nreturn loss, u.grad, x.grad";
  const gradient = parseProgram(text).graph.outputs[1]!;
  const plan = planned(
    { text, ways: [1, 0, 0, 0, 0] },
    { savedValues: { apart: false, policy: "recomputed", choices: { [gradient]: "save" } } },
  );
  const taken = plan.compilation.steps.filter(({ pass, accepted }) => pass === "saved-values" && accepted);
  expect(taken.map(({ rule }) => rule)).toContain("ahead");
  expect([...structureFaults(plan), ...runFaults(plan, "cpu", 1)]).toEqual([]);
});

test("a maximum that is tested against what it is the maximum of is not saved as f16", () => {
  const text =
    "x: f32[4, 8]\nv = exp(x * 2)\nm = v.max(dim=1)\nloss = sum(m * m)\nloss.backward()\nreturn loss, x.grad";
  for (const value of ["m", "v"]) {
    const choices: Record<string, SavedChoice> = { [value]: "f16" };
    const plan = planned({ text, ways: [0, 0, 0, 0, 0] }, { savedValues: { apart: true, choices } });
    const refused = plan.compilation.steps.filter(({ pass, rule }) => pass === "saved-values" && rule === "choice");
    expect(refused.map(({ legal }) => legal.text).join()).toMatch(/tests `\w+` against `\w+`/);
    expect([...structureFaults(plan), ...runFaults(plan, "cpu", 1)]).toEqual([]);
  }
});

test("a maximum is not saved where what it is tested against is recomputed: the last bits of both must agree", () => {
  const text =
    "x: f32[4, 8]\nv = exp(x * 2)\nm = v.max(dim=1)\nloss = sum(m * m)\nloss.backward()\nreturn loss, x.grad";
  const choices: Record<string, SavedChoice> = { m: "save", v: "recompute", "v/0": "recompute" };
  const plan = planned({ text, ways: [0, 0, 0, 0, 0] }, { savedValues: { apart: true, choices } });
  const refused = plan.compilation.steps.filter(({ pass, rule }) => pass === "saved-values" && rule === "choice");
  expect(refused.map(({ legal }) => legal.text).join()).toMatch(
    /`\w+` is not saved: the backward pass tests it against `\w+`/,
  );
  expect([...structureFaults(plan), ...runFaults(plan, "cpu", 1)]).toEqual([]);
});

const picked = `x0: f32[2, 7]
v0 = debug_print(x0)
v2 = concat([v0, v0 + 0], dim=1)
x1: i32[3] = uniform(0, 7)
v3 = index_select(v0, 1, x1)
v4 = v2 - v2
v5 = x0 - x0.max(dim=1, keepdim=True)
x2: i32[2] = uniform(0, 14)
v6 = cross_entropy(v2, x2, reduction="sum")
loss = sum(tanh(v6))
loss.backward()
return loss, x0.grad`;
const scaled = `x0: f32[127, 1, 2]
v0 = log_softmax(x0, dim=1)
v3 = concat([v0, v0], dim=0)
x1: f32[1]
x2: f32[1]
x3: f32[1]
x4: f32[1] = uniform(0.5, 2)
v5 = batch_norm(v3, x3, x4, x1, x2)
v7 = mse_loss(x1, x1 * 0.5)
v8 = v7 * v5
loss = sum(tanh(v8))
loss.backward()
return loss, x0.grad, x1.grad, x2.grad, x3.grad, x4.grad`;

test.each<readonly [when: string, text: string, ways: Case["ways"], saved: Keeping]>([
  ["a third comes to read it", picked, [1, 4, 0, 4, 23], [4, false, 1, 1, 1]],
  ["readers of another output compute that instead", scaled, [2, 2, 9, 2, 1], [3, false, 3, 1, 2]],
])("a value that two kernels compute is stored by one of them: %s", (_, text, ways, saved) => {
  expect(structureFaults(planned({ text, ways }, keeping(text, saved, EXACT)))).toEqual([]);
});

test.each<readonly [what: string, text: string, ways: Case["ways"], saved: Keeping]>([
  [
    "that no one cut brings closer to what the device binds is cut on until it is there",
    "x: f32[3, 4]\nw: f32[1]\nb: f32[1]\nv = x.sum(dim=1, keepdim=True)\ny = group_norm(v, 1, w, b)\nloss = sum(tanh(y))\nloss.backward()\nreturn loss, x.grad, w.grad, b.grad",
    [1, 0, 15, 3, 0],
    [0, false, 1, 1, 2],
  ],
  [
    "of four results binds no input that has no elements",
    "x: f32[0]\nv = relu(x + 0.5).max(dim=0, keepdim=True)\nw = v - v\ny = tanh(w).reshape(1)\nloss = sum(tanh(y))\nloss.backward()\nreturn loss, x.grad",
    [1, 4, 4, 3, 0],
    [4, false, 3, 2, 2],
  ],
])("a kernel %s", (_, text, ways, saved) => {
  const plan = planned({ text, ways }, keeping(text, saved, EXACT));
  expect([...structureFaults(plan), ...runFaults(plan, "cpu", 1)]).toEqual([]);
});

const turnedTwice = `x0: f32[4, 1, 31, 1]
v0 = x0 / 3
v2 = relu(permute(permute(v0, 1, 2, 3, 0), 1, 2, 3, 0))
v3 = dropout(v2, p=0.25, seed=2)
x1: f32[1, 3]
v4 = tensordot(v2, x1, dims=1)
v5 = concat([v4, v3], dim=3)
v7 = permute(tanh(permute(x1, 1, 0)), 1, 0)
loss = sum(tanh(v7))
loss.backward()
return loss, x0.grad, x1.grad`;

test("what several passes made for one position is counted as it is written down: what is read comes first", () => {
  const saved = { apart: true, policy: "segments" as const, choices: { "d_x1/grad#0/square@2": "f16" as const } };
  const text = turnedTwice
    .replaceAll(/x([01])\.grad/g, "d_x$1")
    .replace("return", "d_x0 = x0.grad\nd_x1 = x1.grad\nreturn");
  const plan = planned({ text, ways: [1, 0, 4, 3, 3] }, { savedValues: saved });
  const taken = plan.compilation.steps.filter(({ pass, accepted }) => pass === "saved-values" && accepted);
  expect(taken.map(({ rule }) => rule)).toContain("f16");
  expect([...structureFaults(plan), ...runFaults(plan, "cpu", 1)]).toEqual([]);
});

test("a product that is computed back from what follows is cut where that is saved", () => {
  const text =
    "x: f32[8, 8]\nw: f32[8, 31]\nc: f32[31]\np = x @ w\ny = p * c\nloss = sum(tanh(y))\nloss.backward()\nreturn loss, x.grad, w.grad, c.grad";
  const choices: Record<string, SavedChoice> = { p: "invert" };
  const plan = planned({ text, ways: [0, 0, 0, 0, 0] }, { savedValues: { apart: true, policy: "cut", choices } });
  const taken = plan.compilation.steps.filter(({ pass, accepted }) => pass === "saved-values" && accepted);
  expect(taken.map(({ rule }) => rule)).toContain("invert");
  expect([...structureFaults(plan), ...runFaults(plan, "cpu", 1)]).toEqual([]);
});

test(
  `gradients of ${COUNT} random programs, seed ${SEED}: planned, counted and computed like any graph`,
  { timeout: 300_000 },
  () => {
    let taken = 0;
    const faults = (one: Case): readonly string[] => {
      const whole = differentiated(one);
      if (!whole) return [];
      taken++;
      const plan = planned(whole);
      return [...structureFaults(plan), ...runFaults(plan, "cpu", one.text.length)];
    };
    const result = fc.check(
      fc.property(caseArbitrary, (one) => faults(one).length === 0),
      { numRuns: COUNT, seed: SEED, endOnFailure: true },
    );
    const failing = result.failed ? differentiated(result.counterexample![0])!.text : "";
    expect(result.failed ? [failing, ...faults(result.counterexample![0])] : []).toEqual([]);
    expect(taken).toBeGreaterThan(COUNT / 4);
  },
);
