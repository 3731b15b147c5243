/** Pytrees: gradients, batches and maps over dictionaries, lists and tuples, one in the other. */
import { describe, expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";
import { problems } from "../testing";

const INPUTS =
  "w: f32[4, 3] = randn(seed=1)\nb: f32[3] = randn(seed=2)\nx: f32[5, 4] = randn(seed=3)\ndef loss(w, b, x):\n  return ((x @ w + b) ** 2).mean()\n";
const PLAIN = `${INPUTS}gw, gb = jax.grad(loss, argnums=(0, 1))(w, b, x)\nreturn gw * 1, gb * 1, loss(w, b, x)\n`;

const close = (found: readonly number[], wanted: readonly number[]): void => {
  expect(found.length).toBe(wanted.length);
  found.forEach((value, i) => expect(value).toBeCloseTo(wanted[i]!, 12));
};

/** Programs that answer the gradients of w and b in another spelling. */
const spelled: readonly (readonly [name: string, body: string])[] = [
  [
    "a dictionary",
    'p = {"w": w, "b": b}\ndef f(p, x):\n  return loss(p["w"], p["b"], x)\ng = jax.grad(f)(p, x)\nreturn g["w"] * 1, g["b"] * 1\n',
  ],
  [
    "a list",
    "def f(p, x):\n  w, b = p\n  return loss(w, b, x)\ng = jax.grad(f)([w, b], x)\nreturn g[0] * 1, g[1] * 1\n",
  ],
  [
    "a list of tuples",
    "def f(ps, x):\n  for w, b in ps:\n    x = x @ w + b\n  return (x ** 2).mean()\ng = jax.grad(f)([(w, b)], x)\nreturn g[0][0] * 1, g[0][1] * 1\n",
  ],
  [
    "nested dictionaries, with the value",
    'p = {"layer": {"w": w, "b": b}, "none": None}\ndef f(p, x):\n  return loss(p["layer"]["w"], p["layer"]["b"], x)\nvalue, g = jax.value_and_grad(f)(p, x)\nreturn g["layer"]["w"] * 1, g["layer"]["b"] * 1, value * 1\n',
  ],
  [
    "something beside the loss",
    'def f(p, x):\n  return loss(p["w"], p["b"], x), x.sum()\n(value, aux), g = jax.value_and_grad(f, has_aux=True)({"w": w, "b": b}, x)\nreturn g["w"] * 1, g["b"] * 1, value * 1\n',
  ],
  [
    "a pullback of a tree",
    'def f(p):\n  return loss(p["w"], p["b"], x)\nvalue, pull = jax.vjp(f, {"w": w, "b": b})\ng = pull(1.0)[0]\nreturn g["w"] * 1, g["b"] * 1\n',
  ],
];

describe("gradients by trees are the gradients by argument", () => {
  const wanted = outputValues(PLAIN).map(({ data }) => data);
  test.each(spelled)("%s", (_, body) => {
    expect(problems(INPUTS + body).filter((line) => !line.includes("unused"))).toEqual([]);
    outputValues(INPUTS + body).forEach(({ data }, i) => close(data, wanted[i]!));
  });
});

describe("functions of trees", () => {
  const [w, b] = outputValues(PLAIN).map(({ data }) => data) as [number[], number[]];
  test.each([
    [
      "tree_map over two trees",
      'p = {"w": w, "b": b}\ng = jax.grad(lambda p: loss(p["w"], p["b"], x))(p)\nn = jax.tree_util.tree_map(lambda p, q: q * 1, p, g)\nreturn n["w"], n["b"]\n',
    ],
    [
      "jax.tree.map, leaves by key, flatten and unflatten",
      'g = jax.tree.map(lambda q: q * 1, jax.grad(lambda p: loss(p[1], p[0], x))([b, w]))\nleaves, kind = jax.tree_util.tree_flatten({"w": g[1], "b": g[0]})\nback = jax.tree_util.tree_unflatten(kind, [leaf * 1 for leaf in leaves])\nreturn back["w"], back["b"]\n',
    ],
    [
      "zip over lists of parameters and gradients",
      "ps = [w, b]\ngs = jax.grad(lambda p: loss(p[0], p[1], x))(ps)\nnew = [p * 0 + g for p, g in zip(ps, gs)]\nreturn new[0], new[1]\n",
    ],
  ])("%s", (_, body) => {
    const [first, second] = outputValues(INPUTS + body).map(({ data }) => data);
    close(first!, w);
    close(second!, b);
  });

  test("the norm of a tree", () => {
    const body =
      'g = jax.grad(lambda p: loss(p["w"], p["b"], x))({"w": w, "b": b})\nreturn sqrt(sum(jnp.sum(q ** 2) for q in jax.tree.leaves(g)))\n';
    const norm = Math.sqrt([...w, ...b].reduce((sum, value) => sum + value * value, 0));
    close(outputValues(INPUTS + body)[0]!.data, [norm]);
  });

  test("trees that branch otherwise are refused", () => {
    expect(problems('x: f32[4]\ny = jax.tree.map(lambda a, b: a + b, {"a": x}, [x])\n')[0]).toContain(
      "tree_map takes trees of the same structure; beside a dictionary stands a list.",
    );
  });
});

describe("batches of trees, and of batches", () => {
  const X = "x: f32[2, 3, 4] = randn(seed=4)\ny: f32[2, 4] = randn(seed=5)\n";
  test.each([
    ["z = jax.vmap(jax.vmap(f))(x)", "z = (x * x).sum(-1)", "def f(a):\n  return (a * a).sum()\n"],
    ["z = jax.vmap(jax.vmap(jax.grad(f)))(x)", "z = 2 * x", "def f(a):\n  return (a * a).sum()\n"],
    [
      'z = jax.vmap(f)({"a": x, "b": y})',
      "z = (x + y[:, None]).sum(-1)",
      'def f(p):\n  return (p["a"] + p["b"]).sum(-1)\n',
    ],
    [
      'z = jax.vmap(f, in_axes=({"a": 1, "b": None},))({"a": x, "b": y})',
      "z = (x.permute(1, 0, 2) + y).sum(-1)",
      'def f(p):\n  return (p["a"] + p["b"]).sum(-1)\n',
    ],
    ["z = jax.vmap(f, out_axes=(0, 1))(y)[1]", "z = (y + 1).T", "def f(a):\n  return a * 2, a + 1\n"],
  ])("%s", (lifted, plain, def) => {
    const [found] = outputValues(`${X}${def}${lifted}\nreturn z * 1\n`);
    const [wanted] = outputValues(`${X}${plain}\nreturn z * 1\n`);
    expect(found!.type.shape).toEqual(wanted!.type.shape);
    close(found!.data, wanted!.data);
  });
});

describe("what Python goes through", () => {
  test.each([
    ["a = torch.stack([r * 2 for r in x])", "a = x * 2"],
    ["a = torch.stack([r + s for r, s in zip(x, x)])", "a = x + x"],
    ["a = torch.stack([r * i for i, r in enumerate(x)])", "a = x * torch.tensor([[0], [1], [2]])"],
    ["a = torch.stack(list(reversed(x)))", "a = x.flip(0)"],
  ])("%s", (walked, plain) => {
    const X = "x: f32[3, 4] = randn(seed=6)\n";
    close(outputValues(`${X}${walked}\nreturn a\n`)[0]!.data, outputValues(`${X}${plain}\nreturn a\n`)[0]!.data);
  });
});
