/** Classes as people write them are read as they are; one fix gives them example inputs. */
import { describe, expect, test } from "vitest";
import { applyTextEdits } from "../edits/apply";
import { parseProgram } from "../program";
import { added, errors, mended, opsOf, weightsOf } from "./testing";

const MLP = `import torch.nn as nn

class Block(nn.Module):
    """Two layers."""
    def __init__(self, dim=96, mult=4, bias=False):
        super().__init__()
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.fc1 = nn.Linear(dim, mult * dim, bias=bias)
        self.act = nn.GELU(approximate="tanh")
        self.fc2 = nn.Linear(mult * dim, dim)
        self.drop = nn.Dropout(0.2)
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        # residual
        h = self.act(self.fc1(self.norm(x)))
        return x + self.drop(self.fc2(h)) * self.gain
`;

describe("one class", () => {
  test("the text stays, and a call with example inputs comes after it", () => {
    const now = mended(MLP);
    expect(now.startsWith(MLP.slice(MLP.indexOf("\n\n") + 1))).toBe(true);
    expect(added(MLP)).toEqual(["model = Block()", "x: f32[8, 64, 96]", "y = model(x)"]);
    expect(errors(now)).toEqual([]);
    expect(weightsOf(now)).toEqual([
      "norm.weight 96",
      "norm.bias 96",
      "fc1.weight 384×96",
      "fc2.weight 96×384",
      "fc2.bias 96",
      "gain 96",
    ]);
    const { graph } = parseProgram(now);
    const linear = [...graph.nodes.values()].find(({ label }) => label === "fc2.weight")!;
    expect(linear.attrs["hi"]).toBeCloseTo(1 / Math.sqrt(384), 6);
    expect([...graph.nodes.values()].find(({ op }) => op === "gelu")!.attrs["approximate"]).toBe("tanh");
    // Dropout is off until train() says otherwise.
    const dropout = (of: string): unknown =>
      [...parseProgram(of).graph.nodes.values()].find(({ op }) => op === "dropout")?.attrs["training"];
    expect([dropout(now), dropout(now.replace("model = ", "train()\nmodel = "))]).toEqual([undefined, true]);
  });

  test("an object beside it says the sizes, and needs no fix", () => {
    const text = `${MLP}\nmodel = Block(32, mult=2)\nx: f32[4, 32]\nout = model(x)\n`;
    expect(errors(text)).toEqual([]);
    expect(mended(text)).toBe(text.slice(text.indexOf("\n") + 1));
    expect(weightsOf(text)).toContain("fc1.weight 64×32");
    const { graph, outputs } = parseProgram(text);
    expect(outputs.map((id) => graph.nodes.get(id)!.type.shape)).toEqual([[4, 32]]);
  });

  test.each([
    ["fc(x)", "y = Net()(x)", "8: No op is called `fc`. Did you mean `self.fc`?"],
    ["self.fc(x @ w)", "net = Net()\ny = net.forward(x)", "8: Nothing is called `w`. Did you mean `self.w`?"],
    ["own(x)", "net = Net().eval()\ny = net(x)", "8: No op is called `own`. Did you mean `self.own`?"],
    ["self.fc(x)", "y = Net()(x, x)", "13: Net takes 1 arguments; this is number 2."],
    ["self.fc(x)", "y = Net(8)(x)", expect.stringMatching(/^13: /)],
    ["fc(x)", "for net in [Net()]:\n    y = net(x)", "8: No op is called `fc`. Did you mean `self.fc`?"],
  ])("a call that fails is a call: %s, %s", (body, call, said) => {
    const text = `import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.w = nn.Linear(64, 32), nn.Parameter(torch.randn(64, 64))
    def forward(self, x):
        return ${body}
    def own(self, x):
        return x

x = torch.randn(8, 64)
${call}
`;
    expect(errors(text)).toEqual([said]);
  });

  test.each([
    ["x = self.fc(x)", "y = Net()(x)", "return x", "return x"],
    ["x = self.fc(x)", "Net()(x)", "return x", "return x"],
    ["for _ in range(2):\n            x = relu(x)  # twice", "y = Net()(x)", "return x", "return x"],
    ["with torch.no_grad():\n            x = relu(x)", "y = Net()(x)", "return x", "return x"],
    ["self.h = self.fc(x)", "y = relu(Net()(x))", "return self.h", "return self.h"],
    ["x += 1", "y = Net()(x)", "return x", "return x"],
    ["self.fc(x)", "y = Net()(x)", "return", "return self.fc(x)"],
    ["return self.own(x)", "y = Net()(x)", "return v", "return v"],
  ])("a return that is forgotten is said and offered: %s, %s", (body, call, said, line) => {
    const text = `import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(64, 32)

    def forward(self, x):
        ${body}

    def own(self, x):
        v = self.fc(x)

x = torch.randn(8, 64)
${call}
`;
    const at = body.includes("own") ? "11: `own`" : "8: `forward`";
    expect(errors(text)).toEqual([`${at} has no return, so its call gives None: end it with \`${said}\`.`]);
    const { fixes } = parseProgram(text).diagnostics.find(({ code }) => code === "no-return")!;
    const now = applyTextEdits(text, fixes![0]!.edits);
    expect(now).toContain(`        ${line}\n`);
    expect([errors(now), parseProgram(now).outputs.length]).toEqual([[], 1]);
  });

  test("a method that is called for what it does needs no return", () => {
    const text = (call: string): string =>
      `class A(nn.Module):\n    def set(self, x):\n        self.h = relu(x)\n    def forward(self, x):\n        ${call}\n        return self.h\nx: f32[8]\ny = A()(x)\n`;
    for (const call of ["self.set(x)", "_ = self.set(x)", "[self.set(each) for each in [x]]"])
      expect(errors(text(call))).toEqual([]);
  });

  test("an object that is made and not called is called by the fix", () => {
    const rest = "print(sum(p.numel() for p in Block().parameters()))";
    expect(added(`${MLP}\nnet = Block().to("cuda")\n${rest}\n`)).toEqual(["x: f32[8, 64, 96]", "y = net(x)"]);
    expect(added(`${MLP}\nn = sum(p.numel() for p in Block().parameters())\n`).at(-1)).toBe("y = model(x)");
  });

  test("what goes wrong in __init__ is told where it is missing, and warned of where nothing misses it", () => {
    const text = (use: string): string =>
      `class A(nn.Module):\n    def __init__(self):\n        self.a = nn.Linear(8, 8)\n        self.b = strange(3)\n    def forward(self, x):\n        return self.a(x)${use}\n`;
    expect(errors(mended(text("")))).toEqual([]);
    expect(parseProgram(mended(text(""))).diagnostics.map(({ line, severity }) => [line, severity])).toEqual([
      [4, "warning"],
    ]);
    expect(errors(mended(text(" * self.b")))).toEqual([expect.stringMatching(/^4: No op is called `strange`/)]);
  });

  test("a mistake in a method is told at the line that was pasted", () => {
    const text = MLP.replace("self.fc2 = nn.Linear(mult * dim, dim)", "self.fc2 = nn.Linear(7, dim)");
    const wrong = parseProgram(mended(text)).diagnostics.find(({ severity }) => severity === "error")!;
    expect(mended(text).split("\n")[wrong.line - 1]).toContain("self.drop(self.fc2(h))");
    expect(wrong.text).toMatch(/h is 8×64×384/);
  });

  test("a class without forward() has no fix, and says so", () => {
    const { diagnostics } = parseProgram("class A:\n    size: int = 3\n");
    expect(diagnostics.map(({ code, fixes }) => [code, fixes])).toEqual([["class", []]]);
    expect(diagnostics[0]!.text).toMatch(/needs a forward\(\)/);
  });
});

const CNN = `class Stage(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super(Stage, self).__init__()
        self.conv = nn.Conv2d(cin, cout, kernel_size=(3, 5), stride=stride, padding=(1, 2), bias=False)
        self.bn = nn.BatchNorm2d(cout)
        self.short = nn.Sequential(nn.Conv2d(cin, cout, 1, stride=stride), nn.BatchNorm2d(cout), nn.Identity())
    def forward(self, x):
        y = self.bn(self.conv(x))
        y += self.short(x)
        return F.relu(y, inplace=True)

class Net(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.stage = Stage(3, 8, stride=2)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 8 * 8, classes)
    def forward(self, x):
        x = self.pool(self.stage(x))
        x = x.view(x.size(0), -1)
        return F.log_softmax(self.fc(x), dim=1)
`;

test("classes that use classes: the outermost one is called", () => {
  const found = parseProgram(CNN).diagnostics.filter(({ code }) => code === "class");
  expect(found.map(({ fixes }) => fixes![0]!.title)).toEqual(["Call Net with example inputs"]);
  const now = mended(CNN);
  expect(errors(now)).toEqual([]);
  const ops = opsOf(now);
  expect([ops.get("conv"), ops.get("batch_norm"), ops.get("max_pool"), ops.get("linear")]).toEqual([2, 2, 1, 1]);
  expect(parseProgram(now).graph.outputs).toHaveLength(1);
});

const GPT = `@dataclass
class Config:
    n_head: int = 4
    n_embd: int = 64
    bias: bool = False

class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        self.flash = hasattr(torch.nn.functional, 'scaled_dot_product_attention')
    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        if self.flash:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            att = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(k.size(-1)))
            y = F.softmax(att, dim=-1) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)

class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln = nn.LayerNorm(config.n_embd, bias=config.bias)
        self.attn = Attention(config)
    def forward(self, x):
        return x + self.attn(self.ln(x))
`;

test("settings are an object of their class, and flags decide which weights there are", () => {
  const now = mended(GPT);
  expect(errors(now)).toEqual([]);
  expect(added(GPT)).toEqual([
    "config = Config()",
    "model = Block(config=config)",
    "x: f32[8, 64, 64]",
    "y = model(x)",
  ]);
  expect(weightsOf(now)).toEqual(["ln.weight 64", "attn.c_attn.weight 192×64", "attn.c_proj.weight 64×64"]);
  expect(opsOf(now).get("scaled_dot_product_attention")).toBe(1);
});

const TRANSFORMER = `class Head(nn.Module):
    def __init__(self, n_embd, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
    def forward(self, x):
        k, q = self.key(x), self.query(x)
        wei = F.softmax(q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5, dim=-1)
        return wei @ self.value(x)

class MultiHead(nn.Module):
    def __init__(self, n_embd, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd, n_embd // num_heads) for _ in range(num_heads)])
        self.proj = nn.Linear(n_embd, n_embd)
    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))

class Model(nn.Module):
    def __init__(self, n_embd=32, num_heads=2, n_layer=3):
        super().__init__()
        self.attn = MultiHead(n_embd, num_heads)
        self.mlps = nn.ModuleList([nn.Linear(n_embd, n_embd) for i in range(n_layer)])
        self.tail = nn.Sequential(*[nn.Linear(n_embd, n_embd) for _ in range(2)], nn.LayerNorm(n_embd))
    def forward(self, x):
        x = x + self.attn(x)
        for mlp in self.mlps:
            x = x + F.relu(mlp(x))
        return self.tail(x) + self.mlps[0](x)
`;

test("lists of modules: each has weights of its own", () => {
  const now = mended(TRANSFORMER);
  expect(errors(now)).toEqual([]);
  expect(opsOf(now).get("linear")).toBe(2 * 3 + 1 + 3 + 2 + 1);
  expect(opsOf(now).get("softmax")).toBe(2);
});

test("attention as a module has one weight for query, key and value", () => {
  const text = `class Block(nn.Module):
    def __init__(self, dim=64, heads=4, mlp_ratio=2.0, norm_layer=nn.LayerNorm, act_layer=nn.GELU, drop=0.):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.act = act_layer()
        self.fc = nn.Linear(dim, int(dim * mlp_ratio))
        self.drop = nn.Dropout(drop) if drop > 0. else nn.Identity()
    def forward(self, x):
        h = self.norm1(x)
        h, _ = self.attn(h, h, h, need_weights=False)
        return self.drop(self.act(self.fc(x + h)))
`;
  const now = mended(text);
  expect(errors(now)).toEqual([]);
  expect(weightsOf(now)).toContain("attn.in_proj_weight 192×64");
  expect(opsOf(now).get("MultiheadAttention")).toBe(1);
  expect(opsOf(now).get("dropout")).toBeUndefined();
  expect(added(text)[1]).toBe("x: f32[8, 64, 64]");
});

test("an encoder has a weight of its own in every layer, and norms where it is told", () => {
  const text = (first: boolean): string => `x: f32[2, 8, 16]
layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, activation="gelu", batch_first=True, norm_first=${first ? "True" : "False"})
y = nn.TransformerEncoder(layer, num_layers=2)(x)
`;
  for (const first of [true, false]) {
    const now = mended(text(first));
    expect(errors(now)).toEqual([]);
    expect(weightsOf(now)).toHaveLength(2 * 12);
    // A block ends with a sum, or with the scale and shift of a norm.
    const { graph, outputs } = parseProgram(now);
    const last = graph.nodes.get(outputs[0]!)!.inputs.map((id) => graph.nodes.get(id)!.op);
    expect(last.includes("mul")).toBe(!first);
  }
});

test("lists that loops fill, branches on sizes, constants of the class", () => {
  const now = mended(`class Net(nn.Module):
    expansion = 2
    def __init__(self, dims=(8, 16, 32), up=False):
        super().__init__()
        layers = []
        for a, b in zip(dims[:-1], dims[1:]):
            layers.append(nn.Linear(a, b))
            layers += [nn.ReLU()]
        self.net = nn.Sequential(*layers)
        self.blocks = nn.ModuleList([])
        for _ in range(2):
            self.blocks.append(nn.ModuleList([nn.Linear(32, 32), nn.LayerNorm(32)]))
        if up:
            self.out = nn.Linear(32, 1)
        else:
            self.out = nn.Linear(32, 4 * self.expansion)
    def forward(self, x):
        x = self.net(x)
        for fc, norm in self.blocks:
            x = x + fc(norm(x))
        return self.out(x) * Net.expansion
`);
  expect(errors(now)).toEqual([]);
  expect(opsOf(now).get("linear")).toBe(2 + 2 + 1);
  expect(weightsOf(now)).toEqual(expect.arrayContaining(["net.0.weight 16×8", "out.weight 8×32"]));
});

test.each([
  [
    "pictures of the extent that a flattened layer wants",
    "nn.Conv2d(1, 4, 3)",
    "self.fc(torch.flatten(self.a(x), 1))",
    4 * 26 * 26,
    "x: f32[8, 1, 28, 28]",
  ],
  [
    "a rank that shows in how the input is unpacked",
    "nn.AdaptiveAvgPool2d(1)",
    "self.fc(self.a(x).view(x.size(0), -1)) * x.size(3)",
    16,
    "x: f32[8, 16, 32, 32]",
  ],
])("types of inputs are found by trying: %s", (_, layer, result, width, type) => {
  const now = mended(`class Net(nn.Module):
    def __init__(self, channels=16):
        super().__init__()
        self.a = ${layer}
        self.fc = nn.Linear(${width}, 10 + 0 * channels)
    def forward(self, x):
        return ${result}
`);
  expect(errors(now)).toEqual([]);
  expect(now).toContain(type);
});

test("inputs that the program declares itself stay, and the call comes after them", () => {
  const now = mended(
    "class VQ(nn.Module):\n    def forward(self, z, emb):\n        return emb[(z @ emb.t()).argmax(1)]\nz: f32[32, 8]\nemb: f32[16, 8]\n",
  );
  expect(errors(now)).toEqual([]);
  expect(
    now.endsWith("emb: f32[16, 8]\n\n# Example sizes and shapes: change them here.\nmodel = VQ()\ny = model(z, emb)\n"),
  ).toBe(true);
});

test("activations by the name that a configuration gives them", () => {
  const now = mended(
    "class MLP(nn.Module):\n    def __init__(self, config):\n        super().__init__()\n        self.config = config\n        self.up = nn.Linear(config.hidden_size, 8)\n        self.act_fn = ACT2FN[config.hidden_act]\n    def forward(self, x):\n        return self.act_fn(self.up(x))\n",
  );
  expect(errors(now)).toEqual([]);
  expect(now).toContain('config = SimpleNamespace(hidden_size=256, hidden_act="silu")');
  expect([...opsOf(now).keys()]).toContain("silu");
});
