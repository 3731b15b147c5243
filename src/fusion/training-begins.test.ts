/** @file What training begins with: the numbers that the program gives its weights, in place, by a function, or as flax keeps them. */
import { describe, expect, test } from "vitest";
import { parseProgram } from "./text";
import { batchesAt, trainingOf } from "./training";
import type { NodeId } from "./ir";

const HEAD = `import torch
from torch import nn
import torch.nn.functional as F
x: f32[32, 64] = data("digits", "images")
y: i32[32] = data("digits", "labels")
`;
const STEP = `opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    opt.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
`;

function read(text: string) {
  const { graph, updates, symbols, diagnostics } = parseProgram(text);
  expect(diagnostics.filter(({ severity }) => severity === "error").map((each) => each.text)).toEqual([]);
  const training = trainingOf({ graph, updates, symbols })!;
  const begins = new Map(training.replaced.map(({ input }) => [input, graph.nodes.get(input)!]));
  return { training, begins };
}

/** How each weight begins, by its name: the source, and the numbers that say how far it is spread. */
function begin(text: string): Record<string, string> {
  return Object.fromEntries(
    [...read(text).begins.values()].map(({ label, attrs }) => {
      const { source, std, lo, hi, values } = attrs;
      const numbers =
        source === "uniform" ? [lo, hi] : source === "randn" ? [std ?? 1] : source === "values" ? values : [];
      return [label, [source, ...(numbers as number[]).map((each) => Number(each.toFixed(4)))].join(" ")];
    }),
  );
}

describe("PyTorch", () => {
  test("layers begin as their constructors say", () => {
    const model = `model = nn.Sequential(nn.Linear(64, 16), nn.LayerNorm(16), nn.PReLU(), nn.Linear(16, 10))\n`;
    expect(begin(HEAD + model + STEP)).toEqual({
      "model.0.weight": "uniform -0.125 0.125",
      "model.0.bias": "uniform -0.125 0.125",
      "model.1.weight": "ones",
      "model.1.bias": "zeros",
      "model.2.weight": "values 0.25",
      "model.3.weight": "uniform -0.25 0.25",
      "model.3.bias": "uniform -0.25 0.25",
    });
  });

  test.each([
    ["nn.init.zeros_(model.weight)", "zeros"],
    ["torch.nn.init.ones_(model.weight)", "ones"],
    ["nn.init.constant_(model.weight, 0.5)", "values 0.5"],
    ["nn.init.normal_(model.weight, std=0.02)", "randn 0.02"],
    ["nn.init.normal_(model.weight, 0.0, 0.02)", "randn 0.02"],
    ["nn.init.uniform_(model.weight, -0.1, 0.3)", "uniform -0.1 0.3"],
    ["nn.init.uniform_(model.weight, a=-0.1, b=0.3)", "uniform -0.1 0.3"],
    // √(6 / (64 + 10)), √(2 / 74), √(6 / 64), √(2 / 10)
    ["nn.init.xavier_uniform_(model.weight)", "uniform -0.2847 0.2847"],
    ["init.xavier_normal_(model.weight)", "randn 0.1644"],
    ['nn.init.kaiming_uniform_(model.weight, nonlinearity="relu")', "uniform -0.3062 0.3062"],
    ['nn.init.kaiming_normal_(model.weight, mode="fan_out", nonlinearity="relu")', "randn 0.4472"],
    ["model.weight.data.normal_(mean=0.0, std=0.02)", "randn 0.02"],
    ["model.weight.data.zero_()", "zeros"],
    ["model.apply(lambda m: nn.init.zeros_(m.weight))", "zeros"],
    ["for p in model.parameters():\n    if p.dim() > 1:\n        nn.init.ones_(p)", "ones"],
  ])("%s", (line, want) => {
    expect(begin(`${HEAD}model = nn.Linear(64, 10)\n${line}\n${STEP}`)).toEqual({
      "model.weight": want,
      "model.bias": "uniform -0.125 0.125",
    });
  });

  test("a model sets its own weights while it is made, one by one or all by their classes", () => {
    const model = `class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(64, 16)
        self.out = nn.Linear(16, 10)
        self.scale = nn.Parameter(torch.full((16,), 0.1))
        self.apply(self._init_weights)
        nn.init.zeros_(self.out.weight)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.02)
            nn.init.zeros_(module.bias)

    def forward(self, x):
        return self.out(torch.relu(self.fc(x)) * self.scale)

model = Net()
`;
    expect(begin(HEAD + model + STEP)).toEqual({
      "fc.weight": "randn 0.02",
      "fc.bias": "zeros",
      "out.weight": "zeros",
      "out.bias": "zeros",
      scale: "values 0.1",
    });
  });
});

const FLAX = `import jax, jax.numpy as jnp, optax
import flax.linen as nn
x: f32[32, 64] = data("digits", "images")
y: i32[32] = data("digits", "labels")
class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(16, kernel_init=nn.initializers.he_normal(), bias_init=nn.initializers.constant(0.1))(x))
        return nn.Dense(10, kernel_init=nn.initializers.zeros)(x)
model = Net()
`;

describe("flax", () => {
  const loop = (init: string, apply: string): string => `${FLAX}${init}
def loss_fn(params):
    return optax.softmax_cross_entropy_with_integer_labels(${apply}, y).mean()
for i in range(100):
    loss, grads = jax.value_and_grad(loss_fn)(params)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
`;
  const WEIGHTS = { kernel: "randn 0.1768", bias: "values 0.1" };

  test.each([
    ["params = model.init(jax.random.key(0), x)", "model.apply(params, x)"],
    ['params = model.init(jax.random.key(0), jnp.ones((1, 64)))["params"]', 'model.apply({"params": params}, x)'],
  ])("%s, %s: weights are the program's, by the names that flax gives them", (init, apply) => {
    const found = begin(loop(init, apply));
    expect(Object.entries(found).map(([name, how]) => [name.split(".").slice(-2).join("."), how])).toEqual([
      ["Dense_0.kernel", WEIGHTS.kernel],
      ["Dense_0.bias", WEIGHTS.bias],
      ["Dense_1.kernel", "zeros"],
      ["Dense_1.bias", "zeros"],
    ]);
  });

  test("a state of training is given the model's function", () => {
    const text = `${FLAX}params = model.init(jax.random.key(0), x)["params"]
state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(0.1))
def train_step(state):
    def loss_fn(params):
        return optax.softmax_cross_entropy_with_integer_labels(state.apply_fn({"params": params}, x), y).mean()
    return state.apply_gradients(grads=jax.grad(loss_fn)(state.params))
for i in range(100):
    state = train_step(state)
`;
    expect(Object.values(begin(text)).filter((each) => each !== "zeros")).toEqual([WEIGHTS.kernel, WEIGHTS.bias]);
  });
});

describe("what the loop draws", () => {
  const LOOP = (index: string, noise = "") => `import torch, numpy as np
from torch import nn
import torch.nn.functional as F
X: f32[1024, 64] = data("digits", "images")
Y: i32[1024] = data("digits", "labels")
model = nn.Linear(64, 10)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    ix = ${index}
    loss = F.cross_entropy(model(X[ix]${noise}), Y[ix])
    opt.zero_grad()
    loss.backward()
    opt.step()
`;
  test.each([
    ["torch.randint(0, 1024, (32,))", "", 1],
    ["torch.randperm(1024)[:32]", "", 1],
    ["np.random.choice(1024, 32, replace=False)", "", 1],
    ["np.random.choice(1024, 32)", " + 0.1 * torch.randn(32, 64)", 2],
  ])("%s%s is drawn anew in every step, and alike in every run", (index, noise, count) => {
    const { training } = read(LOOP(index, noise));
    expect(training.redrawn).toHaveLength(count);
    const drawnAt = (seed: number, step: number): string[] =>
      training.redrawn.map(({ id }) => [...batchesAt(training, seed, step)!.get(id as NodeId)!].join());
    const draws = [drawnAt(0, 0), drawnAt(0, 1), drawnAt(0, 2), drawnAt(1, 1)];
    for (const i of training.redrawn.keys()) expect(new Set(draws.map((each) => each[i])).size).toBe(draws.length);
    expect(drawnAt(0, 1)).toEqual(draws[1]);
  });

  test("what is drawn before the loop stays", () => {
    const text = LOOP("fixed").replace("for step", "fixed = torch.randint(0, 1024, (32,))\nfor step");
    expect(read(text).training.redrawn).toEqual([]);
  });
});
