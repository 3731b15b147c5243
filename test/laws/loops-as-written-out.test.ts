/** @file A loop that trains does what its iterations do one after the other: its steps end with the weights that the body gives when it is written once for each iteration. */
import { expect, test } from "vitest";
import { inputData, parseProgram, runReference, type NodeId } from "../../src/fusion";
import { trainingOf } from "../../src/fusion/training";

const ITERATIONS = 4;

const GIVEN = `x: f32[8, 4]
w: f32[4, 2] = param()
`;
const STEP = `g = torch.autograd.grad(loss, w)[0]
w = w - 0.1 * g`;
const MEAN = "loss = ((h @ w) ** 2).mean()";

/** What stands before the loop, and its body over `step` = 0, 1, 2, 3. */
const LOOPS: readonly (readonly [before: string, body: string])[] = [
  ["", `h = x\nfor j in range(step):\n  h = h * 0.9\n${MEAN}\n${STEP}`],
  ["", `h = x[2 * step:2 * step + 2]\n${MEAN}\n${STEP}`],
  ["", `h = x * torch.ones(step + 1).sum()\n${MEAN}\n${STEP}`],
  ["", `h = x\n${MEAN}\n${STEP}\nif step % 2 == 1:\n  w = w * 0.5`],
  ["lr = 0.5", `h = x * lr\n${MEAN}\n${STEP}\nif step == 1:\n  lr = lr * 0.5`],
  ["lr = 0.5\ndef rate():\n  return lr", `h = x * rate()\n${MEAN}\n${STEP}\nlr = lr * 0.5`],
  ["rates = [0.4, 0.3, 0.2, 0.1]", `h = x * rates[step]\n${MEAN}\n${STEP}`],
  ["seen = []", `h = x\n${MEAN}\nseen.append(loss)\nloss = sum(seen) / len(seen)\n${STEP}`],
  ["m = None", `h = x\n${MEAN}\n${STEP}\nm = g if m is None else 0.9 * m + g\nw = w - 0.1 * m`],
  ["first = True", `h = x * 2 if first else x\n${MEAN}\n${STEP}\nfirst = False`],
  ['phase = "slow"', `h = x * (2 if phase == "slow" else 1)\n${MEAN}\n${STEP}\nphase = "fast"`],
  ['state = {"n": 0}\ndef rate():\n  state["n"] += 1\n  return 1 / state["n"]', `h = x * rate()\n${MEAN}\n${STEP}`],
  ["rates = []\ndef note():\n  rates.append(0.1)\n  return sum(rates)", `h = x * note()\n${MEAN}\n${STEP}`],
  ["total = 0.0", `h = x\n${MEAN}\ntotal = total + loss\nloss = loss * (1 + total.detach())\n${STEP}`],
  ["h = x @ x.T @ x / 10", `${MEAN}\n${STEP}\nh = h * 0.9`],
  [
    "class Rate:\n  def __init__(self):\n    self.t = 0\n  def next(self):\n    self.t += 1\n    return 1 / self.t\nrate = Rate()",
    `h = x * rate.next()\n${MEAN}\n${STEP}`,
  ],
  [
    "fc = nn.Linear(4, 2)\nopt = torch.optim.SGD(fc.parameters(), lr=0.1)\nmean = torch.zeros(2)",
    "loss = ((fc(x) - step) ** 2).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()\nmean = 0.9 * mean + fc.bias\nw = w + mean.sum()",
  ],
  [
    "fc = nn.Linear(4, 2)\nopt = torch.optim.SGD(fc.parameters(), lr=0.1)",
    "loss = (fc(x) ** 2).mean()\nloss.backward()\nif (step + 1) % 2 == 0:\n  opt.step()\n  opt.zero_grad()",
  ],
];

const indented = (body: string): string => body.replaceAll(/^/gm, "  ");

/** What the inputs of a text that trains hold after so many steps. */
function trained(text: string, steps: number): ReadonlyMap<string, readonly number[]> {
  const parsed = parseProgram(text);
  expect(parsed.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const { graph } = parsed;
  const training = trainingOf(parsed)!;
  const values = new Map<NodeId, ArrayLike<number>>(
    [...graph.nodes.values()].filter(({ op }) => op === "input").map((node) => [node.id, inputData(node)]),
  );
  for (let step = 0; step < steps; step++) {
    const results = runReference(graph, values, { precision: "f64" });
    for (const { input, index } of training.replaced) values.set(input, results.get(graph.outputs[index]!)!.data);
  }
  return new Map([...values].map(([id, data]) => [id, Array.from(data)]));
}

const isNear = (a: readonly number[], b: readonly number[]): boolean =>
  a.every((value, i) => Math.abs(value - b[i]!) <= 1e-6 * Math.max(1, Math.abs(value)));

test.each(LOOPS)("%s, %s", (before, body) => {
  const given = `${GIVEN}${before}\n`;
  const written = Array.from({ length: ITERATIONS }, (_, step) => `step = ${step}\n${body}`).join("\n");
  const loop = `${given}for step in range(${ITERATIONS}):\n${indented(body)}\n`;
  const wanted = trained(`${given}${written}\n`, 1);
  // One program is one iteration, a block of them, or all of them where they differ.
  const ways = [1, 2, ITERATIONS].map((steps) => trained(loop, steps));
  const weights = [...wanted.keys()].filter((id) => id === "w" || id.startsWith("fc"));
  expect(ways.some((way) => weights.every((id) => isNear(way.get(id)!, wanted.get(id)!)))).toBe(true);
});

test.each(LOOPS)("many iterations compute as few or are refused: %s, %s", (before, body) => {
  const text = `${GIVEN}${before}\nfor step in range(1000):\n${indented(body)}\n`;
  const few = `${GIVEN}${before}\nfor step in range(${ITERATIONS}):\n${indented(body)}\n`;
  const isRefused = parseProgram(text).diagnostics.some(({ code }) => code === "iterations-differ");
  const alike = (): boolean => {
    const [many, some] = [trained(text, ITERATIONS), trained(few, ITERATIONS)];
    return [...many].every(([id, data]) => isNear(data, some.get(id)!));
  };
  expect(isRefused || alike()).toBe(true);
});

test("a step inside of a loop that does more is written out", () => {
  const body = `h = x\n${MEAN}\n${STEP}`;
  const nested = `${GIVEN}for epoch in range(3):\n  for _ in range(2):\n${indented(indented(body))}\n  w = w * 0.9\n`;
  const written = `${GIVEN}${`${body}\n${body}\nw = w * 0.9\n`.repeat(3)}`;
  expect(isNear(trained(nested, 3).get("w")!, trained(written, 1).get("w")!)).toBe(true);
});

test("a block of iterations that repeats is a step", () => {
  const given = `${GIVEN}opt = torch.optim.SGD([w], lr=0.1)\n`;
  const body = (step: string): string => `loss = (x @ w * ${step}).mean()\nloss.backward()\n`;
  const accumulated = (factor: string): string =>
    `${given}for i in range(100):\n${indented(`${body(factor)}if (i + 1) % 2 == 0:\n  opt.step()\n  opt.zero_grad()`)}\n`;
  const written = `${given}${body("3").repeat(2)}opt.step()\nopt.zero_grad()\n`;
  expect(isNear(trained(accumulated("3"), 2).get("w")!, trained(written, 2).get("w")!)).toBe(true);
  const codes = parseProgram(accumulated("(i + 1)")).diagnostics.map(({ code }) => code);
  expect(codes).toContain("iterations-differ");
});
