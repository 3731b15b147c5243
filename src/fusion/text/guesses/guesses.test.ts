/** @file Types that pasted functions and modules get: as their own text says them, in shapes taken apart, comments, indices and what they meet. */
import { describe, expect, test } from "vitest";
import { applyTextEdits } from "../edits/apply";
import { parseProgram } from "../program";

/** The text after every fix that gives inputs types or calls a class. */
function filled(text: string): string {
  let now = text;
  for (let round = 0; round < 4; round++) {
    const found = parseProgram(now).diagnostics.find(
      ({ code, fixes }) => /^(missing-shape|class)$/.test(code) && (fixes ?? []).length > 0,
    );
    if (!found) return now;
    now = applyTextEdits(now, found.fixes![0]!.edits);
  }
  return now;
}

const inputs = (text: string): string[] =>
  [...parseProgram(filled(text)).graph.nodes.values()]
    .filter(({ op, attrs }) => op === "input" && attrs["role"] !== "param")
    .map(({ label, type }) => `${label} ${type.dtype} ${type.shape.join("×")}`);

const mistakes = (text: string): string[] =>
  parseProgram(filled(text))
    .diagnostics.filter(({ severity }) => severity === "error")
    .map((each) => each.text);

const CASES: readonly (readonly [what: string, text: string, types: readonly string[]])[] = [
  [
    "a shape taken apart",
    "def squeeze(x):\n  n, c, h, w = x.size()\n  return x.reshape(n, c, h * w).mean(-1)\n",
    ["x f32 8×16×32×32"],
  ],
  [
    "comments behind parameters, with one name for one size",
    "def recur(\n  a: Tensor,  # (B, T, C, S)\n  u: Tensor,  # (B, T, C)\n  d: Tensor,  # (C,)\n):\n  return (a * u.unsqueeze(-1)).sum(-1) + d * u\n",
    ["a f32 8×64×256×64", "u f32 8×64×256", "d f32 256"],
  ],
  [
    "a docstring",
    'def total(pred, valid):\n  """\n  pred (Tensor): logits of shape (B, T, 4).\n  valid: [B, T]\n  """\n  return (pred.sum(-1) * valid).sum()\n',
    ["pred f32 8×64×4", "valid f32 8×64"],
  ],
  [
    "indices that are written, through a call",
    "def width(b):\n  return b[:, 2] - b[:, 0]\ndef overlap(p, q):\n  return width(p)[:, None] * width(q)\n",
    ["p f32 64×3", "q f32 64×3"],
  ],
  ["what is an index", "def pick(table, rows):\n  return table[rows].sum()\n", ["table f32 8×64×256", "rows i32 64"]],
  [
    "rows of a tensor of indices",
    "def along(x, edges):\n  a, b = edges[0], edges[1]\n  return x[a] - x[b]\n",
    ["x f32 8×64×256", "edges i32 2×64"],
  ],
  [
    "what is added to what is known",
    "def shifted(x, step):\n  n, c, h, w = x.shape\n  return torch.stack((x[:, 0], x[:, 1]), 1) + step * step.flip(-1)\n",
    ["x f32 8×16×32×32", "step f32 8×2×32×32"],
  ],
  [
    "spelled axes",
    'def scores(q: Float[Array, "t d"], k):\n  return jnp.einsum("td,sd->ts", q, k)\n',
    ["q f32 64×256", "k f32 64×256"],
  ],
  [
    "attention over heads, with a mask in the shape of what it meets",
    `def attention(q, k, v, mask):
  s = jnp.einsum('bhqd,bhkd->bhqk', q, k) / jnp.sqrt(q.shape[-1])
  p = jax.nn.softmax(jnp.where(mask, s, -1e9), axis=-1)
  return jnp.einsum('bhqk,bhkd->bhqd', p, v)
`,
    ["q f32 8×8×256×64", "k f32 8×8×256×64", "v f32 8×8×256×64", "mask bool 256×256"],
  ],
  [
    "a mask over rows of a sequence",
    "def mixed(x, w, mask):\n  s = torch.softmax((x @ w @ x.transpose(-2, -1)).masked_fill(mask, -1e9), -1)\n  return s @ x\n",
    ["x f32 8×64×256", "w f32 256×256", "mask bool 64×64"],
  ],
  [
    "weights of heads as wide as what they meet",
    "def projected(x, w):\n  return jnp.einsum('btd,dhk->bthk', x, w)\n",
    ["x f32 8×64×256", "w f32 256×8×64"],
  ],
  [
    "dictionaries that are handed on to other defs",
    `def dense(params, x):
  return x @ params["w"] + params["b"]
def mlp(params, x):
  h = jax.nn.relu(dense(params["one"], x))
  return dense(params["two"], h)
`,
    ["one_w f32 256×256", "one_b f32 256", "two_w f32 256×256", "two_b f32 256", "x f32 8×64×256"],
  ],
  [
    "a state that the body of a loop takes apart, under a name of its own",
    `def step(carry, x):
  h, c = carry
  c = c * 0.9 + x
  return (h + c, c), h
def run(carry, xs):
  return jax.lax.scan(step, carry, xs)
`,
    ["carry_0 f32 8×64×256", "carry_1 f32 8×64×256", "xs f32 8×64×256"],
  ],
  [
    "what a gradient is taken of is given its arguments",
    `def loss(params, batch):
  x, y = batch
  return jnp.mean((x @ params["w"] - y) ** 2)
def step(params, batch):
  value, grads = jax.value_and_grad(loss)(params, batch)
  return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads), value
`,
    ["w f32 256×256", "batch_0 f32 256×256", "batch_1 f32 256×256"],
  ],
  [
    "a class of tensors",
    "class State(NamedTuple):\n  pos: jnp.ndarray\n  vel: jnp.ndarray\ndef drift(state: State, dt: float):\n  return State(state.pos + dt * state.vel, state.vel)\n",
    ["state_pos f32 256×256", "state_vel f32 256×256", "dt f32 "],
  ],
  [
    "what is taken apart and computed with is one tensor",
    "def slope(s):\n  a, va, b, vb = s\n  return np.array([va, -np.sin(a), vb, -np.sin(b)])\ndef step(s, dt):\n  half = slope(s + 0.5 * dt * slope(s))\n  return s + dt * half\n",
    ["s f32 4", "dt f32 "],
  ],
  [
    "series over time with numbers beside them",
    "def smooth(x, a, b):\n  y = torch.zeros_like(x)\n  last = 0.0\n  for n in range(len(x)):\n    y[n] = a * x[n] + b * last\n    last = y[n]\n  return y\n",
    ["x f32 256", "a f32 ", "b f32 "],
  ],
  [
    "numbers alone",
    "def search(now, new, step, slope):\n  if new <= now + step * slope:\n    return step\n  return step * 0.5\n",
    ["now f32 ", "new f32 ", "step f32 ", "slope f32 "],
  ],
  [
    "rows that are numbered, and the class of each",
    "def picked(x, y):\n  x[np.arange(x.shape[0]), y] -= 1\n  return x / x.max(axis=1, keepdims=True)\n",
    ["x f32 64×256", "y i32 64"],
  ],
  [
    "all axes of what is given others",
    "def turn(x, sin):\n  last = sin.shape[-2]\n  return x[..., -last:, :] * sin[None, :, :]\n",
    ["x f32 8×64×256", "sin f32 64×256"],
  ],
];

describe("types of what a pasted function takes", () => {
  test.each(CASES)("%s", (_what, text, types) => {
    expect(mistakes(text)).toEqual([]);
    expect(inputs(text)).toEqual(types);
  });

  test.each(CASES)("%s: each type is told as it would be filled in", (_what, text) => {
    const missing = parseProgram(text).diagnostics.filter(({ code }) => code === "missing-shape");
    const whole = filled(text);
    for (const each of missing) expect(whole).toContain(/write (.*)\.$/.exec(each.text)?.[1] ?? "");
  });

  test("sizes are numbers, whatever they are called", () => {
    const text =
      "def tiles(x, rows, gap):\n  first = x[:, : rows * gap]\n  return first.reshape(-1, rows, gap, x.shape[-1])\n";
    expect(mistakes(text)).toEqual([]);
    expect(filled(text)).toMatch(/rows=\d+, gap=\d+/);
  });

  test("a size that another size is computed from is a number", () => {
    const text = "def steps(t, dim):\n  half = dim // 2\n  return t[:, None] * torch.arange(start=0, end=half)[None]\n";
    expect(mistakes(text)).toEqual([]);
    expect(filled(text)).toMatch(/dim=\d+/);
  });

  test("what a layer takes is no size, whatever it is called", () => {
    const text =
      "class Gate(nn.Module):\n  def __init__(self):\n    super().__init__()\n    self.avg_pool = nn.AdaptiveAvgPool2d(1)\n  def forward(self, x):\n    return x * torch.sigmoid(self.avg_pool(x))\n";
    expect(mistakes(text)).toEqual([]);
    expect(inputs(text)).toEqual(["x f32 8×64×256"]);
  });

  test("an argument that the text refuses to go without is given", () => {
    const text =
      'def blend(x, other=None):\n  if other is None:\n    raise ValueError("two are needed")\n  return x + other\n';
    expect(mistakes(text)).toEqual([]);
    expect(inputs(text).map((each) => each.split(" ")[0])).toEqual(["x", "other"]);
  });

  test("a module's inputs in the shape of what they meet", () => {
    const text =
      "class Warped(nn.Module):\n  def forward(self, x, move):\n    n, _, h, w = x.size()\n    at = torch.zeros(n, 2, h, w) + move\n    return F.grid_sample(x, at.permute(0, 2, 3, 1))\n";
    expect(mistakes(text)).toEqual([]);
    expect(inputs(text)).toEqual(["x f32 8×8×32×32", "move f32 8×2×32×32"]);
  });

  test("states that a convolution reads beside its input", () => {
    const text =
      "class Cell(nn.Module):\n  def __init__(self, in_channels, hidden_channels):\n    super().__init__()\n    self.mix = nn.Conv2d(in_channels + hidden_channels, hidden_channels, 3, padding=1)\n  def forward(self, x, state):\n    h, c = state\n    return torch.tanh(self.mix(torch.cat([x, h], 1))) * c\n";
    expect(mistakes(text)).toEqual([]);
    expect(inputs(text)).toEqual(["x f32 8×16×32×32", "state_0 f32 8×256×32×32", "state_1 f32 8×256×32×32"]);
  });
});

describe("a text of several functions", () => {
  const TEXT =
    "def half(x):\n  return x / 2\ndef first(x: f32[8]):\n  return half(x)\ndef last(x: f32[8]):\n  return half(x) + 1\n";

  test("nothing calls two: the last is the program, and the other is told", () => {
    const { graph, diagnostics, main } = parseProgram(TEXT);
    expect(main?.name.text).toBe("last");
    expect([...graph.nodes.values()].map(({ op }) => op)).toContain("add");
    expect(diagnostics.map(({ text }) => text)).toEqual(["`first` is never called."]);
  });

  test("one that is handed on as a value is called", () => {
    const { main } = parseProgram("def main(x: f32[8, 4]):\n  return vmap(row)(x)\ndef row(v):\n  return v.sum()\n");
    expect(main?.name.text).toBe("main");
  });
});
