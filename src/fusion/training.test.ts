import { describe, expect, test } from "vitest";
import { compile, defaultOptions, fusionAt } from "./compile";
import { targetOf } from "./cost";
import { parseProgram, printGraph } from "./text";
import { trainingOf, trainOnCpu } from "./training";

const HEAD = `x: f32[8, 3] = uniform(-1, 1)
w: f32[3] = param()
m: f32[3] = state()
v: f32[3] = state()
t: f32[] = state()

def loss_of(w):
    return ((x @ w - x.sum(-1)) ** 2).mean()

loss, g = value_and_grad(loss_of)(w)
`;
const SGD = `${HEAD}w = w - 0.1 * g\nreturn loss\n`;
const MOMENTUM = `${HEAD}m = 0.9 * m + g\nw -= 0.05 * m\nreturn loss\n`;
const ADAM = `${HEAD}t = t + 1
m = 0.9 * m + 0.1 * g
v = 0.999 * v + 0.001 * g * g
w = w - 0.05 * (m / (1 - 0.9 ** t)) / (sqrt(v / (1 - 0.999 ** t)) + 1e-8)
return loss
`;
/** Half of what is learned from is dropped; a mask that stayed would leave half of the weights where they are. */
const DROPOUT = `x: f32[8, 64] = uniform(0.5, 1)
w: f32[64] = param(zeros())
opt = torch.optim.SGD([w], lr=0.1)
opt.zero_grad()
dropped = dropout(x * w + 1, p=0.5)
loss = dropped.sum()
loss.backward()
opt.step()
return loss, dropped
`;
/** Four batches are added up before the weights move. */
const ACCUMULATED = `${HEAD}t = t + 1
due = (t % 4 == 0).float()
m = m + g / 4
w = w - 0.1 * due * m
m = m * (1 - due)
return loss
`;

const errors = (text: string) =>
  parseProgram(text)
    .diagnostics.map(({ code, text: words }) => `${code}: ${words}`)
    .filter((words) => !/^unused-value: `[mvt]`/.test(words));
const replacedBy = (text: string) => parseProgram(text).updates.map(({ input }) => input);

function trained(text: string, steps: number, { seed = 0, fused = true } = {}) {
  const compilation = compile(text, defaultOptions);
  const { naive, updates, symbols } = compilation;
  const training = trainingOf({ graph: naive!.graph, updates, symbols })!;
  const program = {
    source: naive!.graph,
    fusion: fusionAt(compilation, fused ? compilation.steps.length : 0),
    training,
  };
  const trainer = trainOnCpu(program, targetOf(defaultOptions.profile), defaultOptions.profile, seed);
  const losses = Array.from({ length: steps }, () => trainer.step()[0]!);
  return { losses, trainer, training };
}

describe("what a step replaces, in the text", () => {
  test("an input whose name ends as a value computed from a derivative; instead of a state, any value", () => {
    expect(replacedBy(SGD)).toEqual(["w"]);
    expect(replacedBy(MOMENTUM).toSorted()).toEqual(["m", "w"]);
    expect(replacedBy(ADAM).toSorted()).toEqual(["m", "t", "v", "w"]);
  });

  test("as pasted from either library, in lists and dictionaries too", () => {
    const jax = `def step(params, x: f32[8, 3], a: f32[3], b: f32[]):
    params = {"a": a, "b": b}
    def loss_of(p): return ((x @ p["a"] + p["b"]) ** 2).mean()
    loss, grads = value_and_grad(loss_of)(params)
    params = {k: params[k] - 0.1 * grads[k] for k in params}
    return loss
`.replace("params, x", "x");
    expect(errors(jax)).toEqual([]);
    expect(replacedBy(jax)).toEqual(["a", "b"]);
    const torch = `x: f32[8, 3]
w: f32[3] = param()
loss = ((x @ w) ** 2).mean()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
return loss
`;
    expect(replacedBy(torch)).toEqual(["w"]);
    expect(replacedBy(SGD.replace("w = w - 0.1 * g", "w.sub_(0.1 * g)"))).toEqual(["w"]);
    const packed = `x: f32[8, 3]
a: f32[3] = param()
b: f32[] = param()
weights = (a, b)
def loss_of(a, b): return ((x @ a + b) ** 2).mean()
loss, grads = value_and_grad(loss_of, argnums=(0, 1))(*weights)
a, b = [w - 0.1 * g for w, g in zip(weights, grads)]
return loss
`;
    expect(errors(packed)).toEqual([]);
    expect(replacedBy(packed)).toEqual(["a", "b"]);
  });

  test("nothing else: a name bound again without a derivative, another name, a derivative that is only returned", () => {
    expect(replacedBy("x: f32[4]\nx = relu(x)\n")).toEqual([]);
    expect(replacedBy("x: f32[4] = zeros()\nw: f32[4] = param()\nw = w * 2\ny = x + w\n")).toEqual([]);
    expect(replacedBy(`${HEAD}next_w = w - 0.1 * g\nreturn loss, next_w\n`)).toEqual([]);
    expect(parseProgram(`${HEAD}return loss, g\n`).updates).toEqual([]);
  });

  test("values of another type are told, and so is a state that would begin anew", () => {
    expect(errors(SGD.replace("0.1 * g", "0.1 * g[0:1].sum()[None, None]"))[0]).toContain(
      "other-type: `w` begins as f32[3] and ends as f32[1, 3]",
    );
    expect(errors(`${HEAD}t = t[None] + 1\nw -= g * t\nreturn loss\n`).join()).toContain(
      "`t` begins as f32[] and ends as f32[1]",
    );
    expect(errors(`${HEAD}w -= g * t\nreturn loss\n`).join()).toContain("state-unchanged: `t` is declared state()");
    const forgotten = ADAM.replace("t: f32[] = state()", "t: f32[] = zeros()");
    const [told] = parseProgram(forgotten).diagnostics;
    expect(told).toMatchObject({ code: "not-carried", fixes: [{ edits: [{ insert: "state()" }] }] });
  });

  test("what is replaced is no constant that passes may fold, and prints as a state", () => {
    const { graph } = parseProgram(SGD);
    expect([...graph.nodes.values()].find(({ id }) => id === "w")!.attrs["role"]).toBe("state");
    expect(printGraph(graph)).toContain("w: f32[3] = state(randn())");
  });
});

describe("steps on the CPU", () => {
  test("the same seed gives the same curve, another seed another one", () => {
    const { losses } = trained(ADAM, 20);
    expect(trained(ADAM, 20).losses).toEqual(losses);
    expect(trained(ADAM, 20, { seed: 1 }).losses).not.toEqual(losses);
    expect(trained(ADAM, 20, { seed: 1 }).losses).toEqual(trained(ADAM, 20, { seed: 1 }).losses);
  });

  test.each([
    ["SGD", SGD, 1e-4],
    ["momentum", MOMENTUM, 1e-3],
    ["Adam", ADAM, 1e-3],
    ["accumulation", ACCUMULATED, 1e-4],
  ])("%s learns, and naive and fused stay together for 100 steps", (_, text, bound) => {
    const [naive, fused] = [trained(text, 100, { fused: false }).losses, trained(text, 100).losses];
    expect(fused.at(-1)!).toBeLessThan(0.2 * fused[0]!);
    naive.forEach((loss, step) =>
      expect(Math.abs(fused[step]! - loss), `${step}`).toBeLessThanOrEqual(bound * Math.abs(loss)),
    );
  });

  test("SGD's first step is the one that is written", () => {
    const { trainer, training } = trained(SGD, 0);
    expect(training).toMatchObject({ loss: { name: "loss" }, answer: null, batches: [] });
    const before = Float64Array.from(trainer.values.get(training.replaced[0]!.input)!);
    trainer.step();
    const after = trainer.values.get(training.replaced[0]!.input)!;
    const x = [...trainer.values].find(([id]) => id === "x")![1];
    const row = (r: number) => Array.from(x.slice(3 * r, 3 * r + 3));
    const gradient = [0, 1, 2].map((j) =>
      Array.from({ length: 8 }, (__, r) => {
        const off = row(r).reduce((sum, value, k) => sum + value * (before[k]! - 1), 0);
        return (2 / 8) * off * row(r)[j]!;
      }).reduce((a, b) => a + b, 0),
    );
    gradient.forEach((g, j) => expect(after[j]).toBeCloseTo(before[j]! - 0.1 * g, 5));
  });

  test("accumulated gradients move the weights at every fourth step only", () => {
    const { trainer } = trained(ACCUMULATED, 0);
    const weights = () => [...[...trainer.values].find(([id]) => id === "w")![1]];
    const seen = [weights(), ...Array.from({ length: 8 }, () => (trainer.step(), weights()))];
    const moved = seen.slice(1).map((now, i) => now.some((value, k) => value !== seen[i]![k]));
    expect(moved).toEqual([false, false, false, true, false, false, false, true]);
  });

  test.each([false, true])("dropout draws anew in each step, the same forward and backward (fused: %s)", (fused) => {
    const { trainer, training } = trained(DROPOUT, 0, { fused });
    expect(training.replaced.map(({ input }) => input)).toEqual(["w", "draws"]);
    const weights = () => [...[...trainer.values].find(([id]) => id === "w")![1]];
    const moves = Array.from({ length: 6 }, () => {
      const before = weights();
      trainer.step();
      return weights().map((value, k) => before[k]! - value);
    });
    // By the number of rows that stay, each weight moves another way in each step.
    const patterns = moves.map((move) => move.map((by) => by.toFixed(4)).join());
    expect(new Set(patterns).size).toBe(6);
    const other = trained(DROPOUT, 6, { fused: !fused }).losses;
    expect(trained(DROPOUT, 6, { fused }).losses).toEqual(other.map((loss) => expect.closeTo(loss, 3)));
  });
});
