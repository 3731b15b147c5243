/** Classes as libraries write them: settings, inheritance, factories, layers made where they are called. */
import { describe, expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";
import { parseProgram } from "../program";
import { added, errors, mended, opsOf, weightsOf } from "./testing";

describe("what classes of libraries bring along", () => {
  const clean = (text: string): string => {
    const now = mended(text);
    expect(errors(now)).toEqual([]);
    return now;
  };

  test("keywords for devices, first weights and warnings are left out, checks too", () => {
    const now = clean(`class Gate(nn.Module):
    def __init__(self, dim=32, device=None, dtype=None, **kwargs):
        dd = {"device": device, "dtype": dtype}
        super().__init__()
        if dim % 8 != 0:
            raise ValueError(f"dim {dim} is odd")
        self.fc = nn.Linear(dim, dim, **dd)
        self.scale = nn.Parameter(1e-5 * torch.ones((dim,), **dd))
        nn.init.trunc_normal_(self.fc.weight, std=0.02)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.zeros_(self.fc.bias)

    def forward(self, x: torch.Tensor, *args, **kwargs) -> torch.Tensor:
        return torch.sigmoid(self.fc(x)) * self.scale
`);
    expect(weightsOf(now)).toEqual(["fc.weight 32×32", "fc.bias 32", "scale 32"]);
    expect(parseProgram(now).diagnostics).toEqual([]);
  });

  test("a layer given by its class, a factory def, and a method that makes one", () => {
    const now = clean(`def conv3(a, b, stride=1):
    return nn.Conv2d(a, b, kernel_size=3, stride=stride, padding=1, bias=False)

class Down(nn.Module):
    def __init__(self, cin=8, cout=16, norm_layer=nn.BatchNorm2d, act_layer=partial(nn.LeakyReLU, negative_slope=0.3)):
        super().__init__()
        self.conv = conv3(cin, cout, 2)
        self.norm = norm_layer(cout)
        self.act = act_layer()
        self.mix = nn.Sequential(self.pointwise(cout, cout), nn.AvgPool2d(3, stride=1, padding=1, count_include_pad=False))

    @staticmethod
    def pointwise(a, b):
        return nn.Conv2d(a, b, 1)

    def forward(self, x):
        return self.mix(self.act(self.norm(self.conv(x))))
`);
    expect(weightsOf(now)).toEqual(expect.arrayContaining(["conv.weight 16×8×3×3", "mix.0.weight 16×16×1×1"]));
    const nodes = [...parseProgram(now).graph.nodes.values()];
    expect(nodes.find(({ op }) => op === "leaky_relu")!.attrs["negative_slope"]).toBe(0.3);
    expect(parseProgram(now).graph.nodes.get(parseProgram(now).outputs[0]!)!.type.shape).toEqual([8, 16, 16, 16]);
    expect(opsOf(now).get("avg_pool")).toBe(1);
  });

  test("a class takes over what it inherits, and its own arguments reach the one above", () => {
    const now = clean(`class Base(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))
    def norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

class Scaled(Base):
    def __init__(self, width=24):
        super().__init__(width, eps=1e-3)
    def forward(self, x):
        return self.norm(x) * self.weight
`);
    expect(weightsOf(now)).toEqual(["weight 24"]);
    const numbers = [...parseProgram(now).graph.nodes.values()].map(({ attrs }) => attrs["value"]);
    expect(numbers).toContain(1e-3);
  });

  test("settings are asked for by getattr, functions are given self, pairs are taken apart", () => {
    const text = `def attend(module, q, k, v, **kwargs):
    k = k.repeat_interleave(module.groups, dim=1)
    v = v.repeat_interleave(module.groups, dim=1)
    return torch.softmax(q @ k.mT * kwargs["scaling"], dim=-1) @ v, None

class Attention(nn.Module):
    def __init__(self, config, layer_idx: int):
        super().__init__()
        self.config = config
        self.head_dim = getattr(config, "head_dim", config.hidden_size // config.num_heads)
        self.groups = config.num_heads // config.num_kv_heads
        self.scaling = self.head_dim ** -0.5
        self.q = nn.Linear(config.hidden_size, config.num_heads * self.head_dim, bias=False)
        self.kv = nn.Linear(config.hidden_size, 2 * config.num_kv_heads * self.head_dim, bias=False)

    def forward(self, hidden_states, rotary=None, cache: Optional[Cache] = None, **kwargs):
        shape = (*hidden_states.shape[:-1], -1, self.head_dim)
        q = self.q(hidden_states).view(shape).transpose(1, 2)
        k, v = self.kv(hidden_states).chunk(2, dim=-1)
        k, v = (t.view(shape).transpose(1, 2) for t in (k, v))
        cos, sin = rotary
        q = q * cos + q.flip(-1) * sin
        if cache is not None:
            k, v = cache.update(k, v)
        interface: Callable = ALL_FUNCTIONS.get_interface(self.config.kind, attend)
        y, _ = interface(self, q, k, v, scaling=self.scaling, **kwargs)
        return y.transpose(1, 2).flatten(2)
`;
    clean(text);
    expect(added(text)[0]).toBe("config = SimpleNamespace(hidden_size=256, num_heads=8, num_kv_heads=8)");
    expect(added(text)).toContain("y = model(hidden_states, rotary=(rotary_0, rotary_1))");
  });

  test("a module that nothing here knows is missed where it is made", () => {
    const now = mended(
      "class A(nn.Module):\n    def __init__(self):\n        self.net = nn.Sequential(nn.Linear(8, 8), Strange(8))\n    def forward(self, x):\n        return self.net(x)\n",
    );
    expect(errors(now)).toEqual([expect.stringMatching(/^3: No op is called `Strange`/)]);
  });
});

describe("layers that are made where they are called", () => {
  test("a compact module of flax: fields are sizes, weights have the widths of what they meet", () => {
    const text = `class Block(nn.Module):
    features: int
    mult: int = 3

    @nn.compact
    def __call__(self, x, train: bool = False):
        h = nn.LayerNorm(epsilon=1e-5)(x)
        h = nn.gelu(nn.Dense(self.features * self.mult, use_bias=False)(h))
        g = self.param("gain", nn.initializers.ones, (self.features,))
        return x + nn.Dense(features=self.features)(h) * g
`;
    const now = mended(text);
    expect(errors(now)).toEqual([]);
    expect(added(text)).toEqual(["model = Block(features=256)", "x: f32[8, 64, 256]", "y = model(x)"]);
    expect(weightsOf(now)).toEqual([
      "scale 256",
      "bias 256",
      "kernel 256×768",
      "gain 256",
      "kernel 768×256",
      "bias 256",
    ]);
    expect([...parseProgram(now).graph.nodes.values()].find(({ op }) => op === "gelu")?.attrs["approximate"]).toBe(
      "tanh",
    );
  });

  test.each([
    ["y = nn.Softmax(dim=-1)(nn.GELU()(x))", "softmax"],
    ["y = x @ hk.get_parameter('w', shape=[x.shape[-1], 3], init=jnp.zeros)", "matmul"],
    ["act = nn.ReLU()\ny = nn.AvgPool2d(2)(act(x[None, None]))", "avg_pool"],
    ["y = ACT2FN['silu'](x)", "silu"],
  ])("%s", (line, op) => {
    expect(errors(`x: f32[4, 8]\n${line}\n`)).toEqual([]);
    expect([...opsOf(`x: f32[4, 8]\n${line}\n`).keys()]).toContain(op);
  });

  test("a layer of a library below its own class lends it its weights, and layers their own", () => {
    const now = mended(`class Norm(nn.LayerNorm):
    def forward(self, x):
        return F.layer_norm(x.float(), self.normalized_shape, self.weight, self.bias, self.eps).type_as(x)

class Head(nn.Module):
    def __init__(self, dim=16, size=(4, 2)):
        super().__init__()
        self.height, self.width = size
        self.norm = Norm(dim)
        self.fc = nn.Linear(dim, self.height * self.width, bias=False)

    def forward(self, x, output_weights):
        if self.fc.bias is not None or self.norm is None or output_weights:
            x = x * 0
        return F.linear(self.norm(x), self.fc.weight).unflatten(-1, (self.height, self.width))
`);
    expect(errors(now)).toEqual([]);
    expect(now).toContain("y = model(x, False)");
    expect(parseProgram(now).graph.outputs).toHaveLength(1);
  });
});

describe("modules that JAX's libraries have", () => {
  test("flax's GroupNorm takes its channels from what it meets", () => {
    const text =
      "class Net(nn.Module):\n  @nn.compact\n  def __call__(self, x):\n    return nn.GroupNorm(num_groups=4)(x)\nx: f32[2, 3, 3, 8]\nnet = Net()\nparams = net.init(jax.random.PRNGKey(0), x)\nreturn net.apply(params, x)\n";
    expect(errors(text)).toEqual([]);
    expect(weightsOf(text)).toEqual(["GroupNorm_0.scale 8", "GroupNorm_0.bias 8"]);
  });

  test("haiku's nets and functions with state", () => {
    const text =
      "f = hk.transform_with_state(lambda x: hk.nets.MLP([8, 2], activation=jnp.tanh)(x))\nx: f32[5, 4]\nparams, state = f.init(None, x)\ny, state = f.apply(params, state, None, x)\nreturn y\n";
    expect(errors(text)).toEqual([]);
    expect(weightsOf(text)).toHaveLength(4);
    expect(opsOf(text).get("tanh")).toBe(1);
  });

  /** The largest magnitude among the results. */
  const most = (text: string): number =>
    Math.max(...outputValues(text).flatMap(({ data }) => data.map((value) => Math.abs(value))));

  test("haiku's state goes from call to call: norms, moving averages, counts", () => {
    const net = `def f(x, is_training):
  h = x @ hk.get_parameter("w", [4, 6], init=hk.initializers.RandomNormal())
  return hk.BatchNorm(create_scale=False, create_offset=False, decay_rate=0.9)(h, is_training), h
x: f32[5, 4]
net = hk.transform_with_state(f)
params, state = net.init(None, x, is_training=True)
(a, h), state = net.apply(params, state, None, x, is_training=True)
(b, g), state = net.apply(params, state, None, 2 * x + 1, is_training=True)
(c, h), _ = net.apply(params, state, None, x, is_training=False)
m1, m2 = h.mean(0), g.mean(0)
v1, v2 = h.var(0), g.var(0)
m = (0.09 * m1 + 0.1 * m2) / 0.19
v = (0.09 * v1 + 0.1 * v2) / 0.19
return a - (h - m1) / jnp.sqrt(v1 + 1e-5), c - (h - m) / jnp.sqrt(v + 1e-5)
`;
    expect(weightsOf(net).filter((each) => each.startsWith("w "))).toEqual(["w 4×6"]);
    expect(most(net)).toBeLessThan(1e-9);
    const counts = `class Counter(hk.Module):
  def __call__(self, x):
    c = hk.get_state("counter", [], jnp.float32, init=jnp.zeros)
    hk.set_state("counter", c + 1)
    return x * c
x: f32[4]
net = hk.transform_with_state(lambda x: Counter()(x))
params, state = net.init(None, x)
a, state = net.apply(params, state, None, x)
b, state = net.apply(params, state, None, x)
c, state = net.apply(params, state, None, x)
return a, b - x, c - 2 * x
`;
    expect(most(counts)).toBe(0);
  });
});
