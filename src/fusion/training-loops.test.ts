/** @file Loops that train as they are pasted, without an optimizer of PyTorch: they end where PyTorch's optimizers do; what they begin with, count and keep. */
import { describe, expect, test } from "vitest";
import { parseProgram } from "./text/program";
import { trainedFor } from "./testing";

const near = (got: readonly number[], want: readonly number[], within = 2e-5): void => {
  expect(got.length).toBe(want.length);
  got.forEach((value, i) => expect(Math.abs(value - want[i]!)).toBeLessThanOrEqual(within));
};

const LOSS = "((k + 1) * (w - k * 0.7 - 0.2) ** 2).sum() + (0.1 * w ** 3).sum()";
const JAX = `k: f32[3] = arange()
w = jnp.ones(3)
def loss_fn(w):
    return ${LOSS}
`;
const TORCH = `k: f32[3] = arange()
w = torch.ones(3, requires_grad=True)
`;
const optax = (call: string): string => `${JAX}tx = optax.${call}
state = tx.init(w)
@jax.jit
def update(w, state):
    loss, g = jax.value_and_grad(loss_fn)(w)
    updates, state = tx.update(g, state, w)
    return optax.apply_updates(w, updates), state, loss
for step in range(500):
    w, state, loss = update(w, state)
    if step % 100 == 0:
        print(f"{step}: {loss:.3f}")
`;
const ADAM = [0.020052, 0.897322, 1.674592];
const SGD = [0.386517, 0.853369, 1.485955];
const MOMENTUM = [-0.109559, 0.925951, 1.404358];

/** The numbers are PyTorch 2.13's for the optimizer of that name. */
test.each<readonly [name: string, text: string, want: readonly number[]]>([
  ["optax.sgd", optax("sgd(0.05)"), SGD],
  ["optax.sgd with momentum", optax("sgd(0.05, momentum=0.9)"), MOMENTUM],
  ["optax.adam", optax("adam(0.1)"), ADAM],
  ["optax.adam of a schedule", optax("adam(optax.constant_schedule(0.1))"), ADAM],
  ["optax.chain", optax("chain(optax.clip_by_global_norm(1e9), optax.adam(0.1))"), ADAM],
  ["optax.adamw", optax("adamw(0.1, weight_decay=0.2)"), [-0.025093, 0.891304, 1.573813]],
  [
    "TrainState",
    `${JAX}state = train_state.TrainState.create(apply_fn=None, params=w, tx=optax.adam(0.1))
for _ in range(100):
    g = jax.grad(loss_fn)(state.params)
    state = state.apply_gradients(grads=g)
`.replace("train_state.", ""),
    ADAM,
  ],
  [
    "Adam by hand, moments that begin as one tree and a count in a tuple",
    `${JAX}def adam(g, state, w):
    m, v, t = state
    t = t + 1
    m = jax.tree_util.tree_map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = jax.tree_util.tree_map(lambda v, g: 0.999 * v + 0.001 * g ** 2, v, g)
    return w - 0.1 * (m / (1 - 0.9 ** t)) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8), (m, v, t)
zeros = jax.tree_util.tree_map(jnp.zeros_like, w)
state = (zeros, zeros, 0)
for _ in range(100):
    w, state = adam(jax.grad(loss_fn)(w), state, w)
`,
    ADAM,
  ],
  [
    "Adam by hand, counting by the loop",
    `${JAX}m = jnp.zeros(3)
v = jnp.zeros(3)
for t in range(1, 501):
    g = jax.grad(loss_fn)(w)
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    w = w - 0.1 * (m / (1 - 0.9 ** t)) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8)
`,
    ADAM,
  ],
  [
    "a while loop and a number",
    `${JAX}i = 0
while i < 1000:
    w = w - 0.05 * jax.grad(loss_fn)(w)
    i += 1
`,
    SGD,
  ],
  [
    "PyTorch, no_grad and zero_()",
    `${TORCH}for i in range(500):
    loss = ${LOSS}
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
        w.grad.zero_()
`,
    SGD,
  ],
  [
    "PyTorch, a list of parameters and their data",
    `${TORCH}parameters = [w]
lossi = []
for i in range(500):
    loss = ${LOSS}
    for p in parameters:
        p.grad = None
    loss.backward()
    for p in parameters:
        p.data += -0.05 * p.grad
    lossi.append(loss.log10().item())
`,
    SGD,
  ],
  [
    "PyTorch, an optimizer of a tensor that is drawn or computed",
    `${TORCH}opt = torch.optim.Adam([w], lr=0.1)
def train():
    for i in range(500):
        opt.zero_grad()
        loss = ${LOSS}
        loss.backward()
        opt.step()
if __name__ == "__main__":
    train()
`,
    ADAM,
  ],
])("%s", (_name, text, want) => {
  const inputs = trainedFor(text, 12);
  near(inputs.get("w") ?? inputs.get("state.params") ?? [], want);
});

const updatesOf = (text: string): readonly string[] => {
  const { diagnostics, graph, updates } = parseProgram(text);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return updates.map(({ input }) => graph.nodes.get(input)!.label).toSorted();
};

describe("what a loop replaces", () => {
  const init = `key = jax.random.PRNGKey(0)
k1, k2 = jax.random.split(key)
params = {"w": jax.random.normal(k1, (2, 8)) * jnp.sqrt(0.5), "b": jnp.zeros(8) + 0.25, "c": 2 * jax.random.uniform(k2, (8,)) - 1}
x: f32[4, 2]
`;
  const loop = `for step in range(1000):
    loss, g = jax.value_and_grad(lambda p: ((x @ p["w"] + p["b"] + p["c"]) ** 2).mean())(params)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, g)
`;

  test("begins as it was drawn or computed, under the name that holds it", () => {
    expect(updatesOf(init + loop)).toEqual(["params.b", "params.c", "params.w"]);
    const { graph } = parseProgram(init + loop);
    const started = [...graph.nodes.values()].flatMap(({ label, attrs }) =>
      label.startsWith("params.") ? [[label, attrs["source"], attrs["values"] ?? attrs["std"] ?? attrs["lo"]]] : [],
    );
    expect(started.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ["params.b", "values", [0.25]],
      ["params.c", "uniform", -1],
      ["params.w", "randn", Math.SQRT1_2],
    ]);
    // Nothing is left of how it was computed.
    expect([...graph.nodes.values()].filter(({ op }) => op === "input").length).toBe(4);
  });

  test("the numbers of a scaled draw are those of the draw, scaled", () => {
    const drawn = trainedFor(`${init}y = params["w"]\n${loop}return loss, y\n`, 0);
    const plain = trainedFor(
      "w: f32[2, 8] = randn(seed=1)\nv: f32[2, 8] = randn(std=0.5, seed=1)\nx: f32[2, 8] = state()\nx = grad(lambda x: (x * w * v).sum())(x)\nreturn x.sum()\n",
      0,
    );
    near(
      plain.get("v")!,
      plain.get("w")!.map((value) => value / 2),
      0,
    );
    expect(drawn.size).toBeGreaterThan(0);
  });

  test("a step that a def differentiates is none of training: all iterations are read", () => {
    const inner = `x: f32[4]
w: f32[4] = param()
def adapted(w):
    for _ in range(3):
        w = w - 0.1 * grad(lambda w: (w * x).sum() ** 2)(w)
    return w
g = grad(lambda w: (adapted(w) ** 2).sum())(w)
return g
`;
    expect(updatesOf(inner)).toEqual([]);
    const one = parseProgram(inner.replace("range(3)", "range(1)")).graph.nodes.size;
    expect(parseProgram(inner).graph.nodes.size).toBeGreaterThan(2 * one);
  });

  test("a schedule that asks for the count is computed from it in every step", () => {
    const text = `${JAX}for step in range(500):
    rate = 0.1 if step < 2 else 0.0
    w = w - rate * jax.grad(loss_fn)(w)
`;
    expect(parseProgram(text).diagnostics.map(({ code }) => code)).toEqual([]);
    near(trainedFor(text, 4).get("w")!, trainedFor(text.replace(" if step < 2 else 0.0", ""), 2).get("w")!);
  });

  test("a loader that is not here: the data set that the model reads is offered", () => {
    const text = `model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for i, (images, labels) in enumerate(train_loader):
        loss = F.cross_entropy(model(images), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
`;
    const [wrong] = parseProgram(text).diagnostics.filter(({ severity }) => severity === "error");
    expect(wrong!.code).toBe("missing-data");
    expect(wrong!.fixes![0]!.edits[0]!.insert).toContain("train_loader = [(images_2, labels_2)]");
    expect(updatesOf(wrong!.fixes![0]!.edits[0]!.insert + text).length).toBe(2);
  });
});
