/** `with`, `nonlocal`, `global`, imports that fail, and objects with operators: what programs set up around what they compute. Values are held to PyTorch's in test/fixtures/torch-pasted.txt. */
import { describe, expect, test } from "vitest";
import { picture, problems } from "./testing";

const X = "x: f32[4, 8]\n";
const last = (text: string): string => picture(X + text).at(-1)!;

describe("contexts", () => {
  test("a library's context without a meaning here is no mistake unless its value is read", () => {
    const bar = "with tqdm(total=3) as bar:\n  y = relu(x)\n  bar.update(1)\nreturn y\n";
    expect(problems(X + bar).filter((line) => !line.includes("no-effect"))).toEqual([]);
    const read = "with tqdm(total=3) as bar:\n  y = x * bar.n\nreturn y\n";
    expect(problems(X + read).join("\n")).toContain("No op is called `tqdm`");
  });

  const doubled = "s = [1]\n@contextmanager\ndef doubled():\n  s[0] = 2\n  yield\n  s[0] = 5\n";
  test("what a context does behind its yield is done where the block ends, and where it is left", () => {
    expect(last(`${doubled}with doubled():\n  y = x * s[0]\nreturn y * s[0]\n`)).toContain("mul(y, 5)");
    const left = "def f(t):\n  with doubled():\n    return t * s[0]\ny = f(x)\nreturn y * s[0]\n";
    expect(last(doubled + left)).toContain("mul(y/f#0/return, 5)");
  });

  test("what a context does behind a yield in a branch is told", () => {
    const text = `${doubled.replace("  yield", "  if s[0] > 1:\n    yield")}with doubled():\n  y = x * s[0]\nreturn y\n`;
    expect(problems(X + text).join("\n")).toContain("`doubled` does something behind its `yield`");
  });

  test("an object is entered and left", () => {
    const text =
      "class Scaled:\n  def __enter__(self):\n    self.k = 3\n    return self\n  def __exit__(self, *e):\n    self.k = 5\ns = Scaled()\nwith s as t:\n  y = x * t.k\nreturn y * s.k\n";
    expect(problems(X + text)).toEqual([]);
    expect(picture(X + text).slice(1)).toEqual(["y = mul(x, 3) f32[4, 8]", "return = mul(y, 5) f32[4, 8]"]);
  });
});

describe("names of scopes around a def", () => {
  test("a loop that counts by one is written out", () => {
    const text =
      "n = 0\ndef inc():\n  global n\n  n += 1\n  return n\ny = x\nfor _ in range(3):\n  y = y * inc()\nreturn y\n";
    expect(problems(X + text)).toEqual([]);
    expect(last(text)).toContain("3)");
  });

  test("a condition on data chooses what a branch leaves in them", () => {
    const text =
      "s = 0 * x\ndef keep(v):\n  global s\n  s = v\n  return v\ny = x\nif x.sum() > 0:\n  y = keep(exp(x))\nreturn s\n";
    expect(problems(X + text).filter((line) => !line.includes("unused"))).toEqual([]);
    expect(last(text)).toContain("where(");
  });
});

describe("imports that fail", () => {
  const text = (library: string): string =>
    `try:\n  from ${library} import norm\n  fast = True\nexcept ImportError:\n  fast = False\ny = relu(x) if fast else exp(x)\nreturn y\n`;
  test("a library that is not here fails to be imported; others don't", () => {
    expect(last(text("apex.normalization"))).toContain("exp");
    expect(last(text("torch.nn"))).toContain("relu");
    expect(last(text(".layers"))).toContain("relu");
  });
});

describe("texts", () => {
  test.each([
    ['y = x * len("abc")\n', "mul(x, 3)"],
    ['y = x * int("conv3x1"[4])\n', "mul(x, 3)"],
    ['p = {"block_%d" % i: i for i in range(3)}\ny = x * p["block_{}".format(2)]\n', "mul(x, 2)"],
    ['p = {f"l{i:02d}": i for i in range(3)}\ny = x * p["l02"]\n', "mul(x, 2)"],
    ['y = x * ("a.b.c".split(".").index("c") + len("_".join(["a", "b"])))\n', "mul(x, 5)"],
    ['y = x * len("ab" * 3) * len(f"{2.0}")\n', "mul(y/0, 3)"],
    ["y = x * sum(map(len, [[1, 2], [3]]))\n", "mul(x, 3)"],
  ])("%s", (text, op) => {
    expect(problems(X + text)).toEqual([]);
    expect(last(text)).toContain(op);
  });
});

describe("results that are no tensors", () => {
  test("beside tensors they are passed over, alone they are a mistake", () => {
    expect(problems(`${X}return relu(x), 3\n`)).toEqual([
      "2:17 bad-return This is the number 3, no tensor: it is no result.",
    ]);
    expect(problems(`${X}return 3\n`).join("\n")).toContain("Only tensors can be results; this is the number 3.");
  });
});

describe("einops", () => {
  test.each([
    ["y = rearrange(x[None], '... d -> (...) d')\n", "f32[4, 8]"],
    ["y = reduce(x, 'a (b 2) -> a b', 'max')\n", "f32[4, 4]"],
    ["y = repeat(x, 'a b -> a (b 2)')\n", "f32[4, 16]"],
    ["y = rearrange([x, x], 'n a b -> a (n b)')\n", "f32[4, 16]"],
  ])("%s", (text, type) => {
    expect(problems(X + text)).toEqual([]);
    expect(last(text)).toContain(type);
  });
});

describe("what is written in place keeps its type", () => {
  test.each([
    ["m = torch.ones(4, 4, dtype=torch.bool).fill_diagonal_(0)\nreturn x[:, :4] * ~m\n", "f32[4, 4]"],
    ["m = x > 0\nm.scatter_(1, torch.zeros(4, 1).long(), True)\nreturn m\n", "bool[4, 8]"],
    ["c = torch.zeros(3, dtype=torch.long).copy_(x[0, :3])\nreturn c\n", "i32[3]"],
  ])("%s", (text, type) => {
    expect(problems(X + text)).toEqual([]);
    expect(last(text)).toContain(type);
  });
});

test("a method's tensor is the operand that its function has it as", () => {
  expect(last("return x.where(x > 0, 0.5)\n")).toContain("where(return/1, x, 0.5)");
  expect(last("return x.where(condition=x > 0, other=0.5)\n")).toContain("x, 0.5)");
});

test("a list of a class is one for all of its objects", () => {
  const text =
    "class A:\n  items = []\n  def add(self, v):\n    self.items.append(v)\na, b = A(), A()\na.add(1)\nb.add(2)\nreturn x * len(a.items) * len(b.items) * len(A.items)\n";
  expect(problems(X + text)).toEqual([]);
  expect(picture(X + text).join()).toMatch(/mul\(x, 2\).*, 2\).*, 2\)/);
});

describe("keys of dictionaries", () => {
  test.each([
    ["d = {1: 2, 3: 4}\nn = 0\nfor k, v in d.items():\n  n += k * v\nreturn x * n\n", "mul(x, 14)"],
    ['d = {(1, "a"): 5}\nreturn x * d[1, "a"]\n', "mul(x, 5)"],
    ["d = {nn.Linear: 6}\nreturn x * d[type(nn.Linear(8, 2))]\n", "mul(x, 6)"],
    ["d = {}\nfor i in range(3):\n  d[i, i + 1] = i\nreturn x * sum(a * b for a, b in d)\n", "mul(x, 8)"],
    ["return x * max({2: 1, 7: 1})\n", "mul(x, 7)"],
  ])("%s", (text, op) => {
    expect(problems(X + text)).toEqual([]);
    expect(last(text)).toContain(op);
  });
});

describe("weights apart", () => {
  test("a loop in a flax module makes the same weights in init and apply", () => {
    const text =
      "class M(nn.Module):\n  @nn.compact\n  def __call__(self, x):\n    for i in range(2):\n      x = nn.Dense(8)(x)\n      x = nn.relu(x)\n    return nn.Dense(2)(x)\nm = M()\np = m.init(jax.random.PRNGKey(0), x)\nreturn m.apply(p, x)\n";
    expect(problems(X + text)).toEqual([]);
    expect(picture(X + text).filter((line) => line.includes("input"))).toHaveLength(7);
    expect(last(text)).toContain("f32[4, 2]");
  });

  test("hk.transform holds the weights of the modules that a function makes", () => {
    const text =
      "net = hk.without_apply_rng(hk.transform(lambda t: hk.Linear(3)(t)))\np = net.init(jax.random.PRNGKey(0), x)\ng = jax.grad(lambda p: net.apply(p, x).sum())(p)\nreturn net.apply(p, x), g\n";
    expect(problems(X + text)).toEqual([]);
    expect(picture(X + text).join("\n")).toContain("f32[8, 3]");
  });
});
