/** @file What a layer holds has the names and the shapes of its library: computed again by hand with what the program reads of it, it is the same. */
import { expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";
import { showType } from "../../ir";

const FLAX = "import flax.linen as nn\nx: f32[4, 8]\ni: i32[4] = uniform(0, 10)\n";
const NNX = "from flax import nnx\nx: f32[4, 8]\ni: i32[4] = uniform(0, 10)\n";
const TORCH = "import torch.nn as nn\nx: f32[4, 8]\n";
const begun = (model: string, input: string): string =>
  `${FLAX}m = ${model}\np = m.init(jax.random.PRNGKey(0), ${input})\n`;

test.each([
  [
    "a matrix inside a module of flax",
    `${FLAX}class M(nn.Module):\n  @nn.compact\n  def __call__(self, x):\n    return nn.Dense(3)(x)\nm = M()\np = m.init(jax.random.PRNGKey(0), x)\nd = p["params"]["Dense_0"]\nreturn m.apply(p, x) - (x @ d["kernel"] + d["bias"])\n`,
  ],
  [
    "a layer of flax that is the model",
    `${begun("nn.Dense(3)", "x")}return m.apply(p, x) - (x @ p["params"]["kernel"] + p["params"]["bias"])\n`,
  ],
  ["an embedding of flax", `${begun("nn.Embed(10, 3)", "i")}return m.apply(p, i) - p["params"]["embedding"][i]\n`],
  [
    "a norm of flax that is the model",
    `${begun("nn.RMSNorm()", "x")}return m.apply(p, x) / m.apply(p, x)[:, :1] * p["params"]["scale"][0] / (x / x[:, :1] * p["params"]["scale"]) - 1\n`,
  ],
  [
    "attention of flax",
    `${begun("nn.MultiHeadDotProductAttention(num_heads=2)", "x[:1], x")}q = p["params"]["query"]\nreturn (x @ q["kernel"].reshape(8, 8)).reshape(4, 2, 4) - jnp.einsum("td,dhk->thk", x, q["kernel"])\n`,
  ],
  ["a matrix of nnx", `${NNX}l = nnx.Linear(8, 3, rngs=nnx.Rngs(0))\nreturn l(x) - (x @ l.kernel.value + l.bias)\n`],
  ["an embedding of nnx", `${NNX}l = nnx.Embed(10, 3, rngs=nnx.Rngs(0))\nreturn l(i) - l.embedding.value[i]\n`],
  [
    "a norm of nnx",
    `${NNX}l = nnx.BatchNorm(8, use_running_average=True, rngs=nnx.Rngs(0))\nreturn l(x) - ((x - l.mean.value) * jax.lax.rsqrt(l.var.value + 1e-5) * l.scale.value + l.bias.value)\n`,
  ],
  [
    "a window of nnx",
    `${NNX}l = nnx.Conv(8, 3, kernel_size=(1,), rngs=nnx.Rngs(0))\nreturn l(x[None])[0] - (x @ l.kernel.value[0] + l.bias)\n`,
  ],
  [
    "a recurrent layer of PyTorch",
    `${TORCH}l = nn.RNN(8, 3, num_layers=2, bidirectional=True)\nh = torch.tanh(x[:1] @ l.weight_ih_l0_reverse.T + l.bias_ih_l0_reverse + l.bias_hh_l0_reverse)\nreturn l(x[:1].unsqueeze(0))[1][1] - h\n`,
  ],
])("%s", (_what, text) => {
  const apart = outputValues(text).flatMap(({ data }) => data.map(Math.abs));
  expect(Math.max(...apart)).toBeLessThan(1e-5);
});

test("sizes of a window are tuples, other arguments as they were given", () => {
  const text = `${TORCH}c = nn.Conv2d(3, 4, 3, padding=1)\ne = nn.Embedding(10, 4, padding_idx=2)\na = nn.MultiheadAttention(8, 2)\nreturn torch.tensor([c.kernel_size[1], c.stride[0], c.padding[1], c.groups, e.padding_idx, a.head_dim])\n`;
  expect(outputValues(text)[0]!.data).toEqual([3, 1, 1, 1, 2, 4]);
});

test("a norm counts the batches that it is trained with", () => {
  const text = `${TORCH}bn = nn.BatchNorm1d(8)\nbn(x)\nbn.train()\nbn(bn(x))\nreturn bn.num_batches_tracked, bn.state_dict()["num_batches_tracked"] + len(list(bn.buffers()))\n`;
  expect(outputValues(text).map(({ type, data }) => [showType(type), ...data])).toEqual([
    ["i32[]", 2],
    ["i32[]", 5],
  ]);
});

test("a transposed convolution of JAX reads its kernel as it stands", () => {
  const text = `x: f32[1, 3, 1] = const([1, 2, 3])\nk: f32[3, 1, 1] = const([1, 10, 100])\nreturn lax.conv_transpose(x, k, (2,), "SAME"), lax.conv_transpose(x, k, (2,), "VALID", transpose_kernel=True)\n`;
  expect(outputValues(text).map(({ data }) => data)).toEqual([
    [100, 10, 201, 20, 302, 30],
    [1, 10, 102, 20, 203, 30, 300],
  ]);
});
