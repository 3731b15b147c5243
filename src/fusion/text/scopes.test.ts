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

  test("what a context does behind its yield is told", () => {
    const text =
      "s = [1]\n@contextmanager\ndef doubled():\n  s[0] = 2\n  yield\n  s[0] = 1\nwith doubled():\n  y = x * s[0]\nreturn y\n";
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
