/** What pasted Python brings along beside ops: branches on what is known, loops over tuples, calls with several results. */
import { describe, expect, test } from "vitest";
import { parseProgram } from "./program";
import { applyTextEdits } from "./edits/apply";
import { picture, problems } from "./testing";
import { allOps } from "../ops";
import { showType } from "../ir";

const X = "x: f32[4, 8]\n";
const after = (text: string): string[] => picture(X + text).slice(1);

describe("branches on what is known", () => {
  test.each([
    ["if 2 > 1:\n  y = exp(x)\nelse:\n  y = relu(x)\n", "y = exp(x)"],
    ["if False:\n  y = exp(x)\nelif x.shape[0] == 4 and not None:\n  y = relu(x)\nelse:\n  y = x\n", "y = relu(x)"],
    ["n = 3\nif n in (1, 2):\n  y = exp(x)\nelse:\n  if n is not None:\n    y = relu(x)\n", "y = relu(x)"],
    ["y = exp(x) if x.dtype == torch.float32 else relu(x)\n", "y = exp(x)"],
    ['y = relu(exp(x) if "gelu" == "relu" else x)\n', "y = relu(x)"],
    [
      "def f(a, mask=None):\n  if mask is not None:\n    a = a * mask\n  return relu(a)\ny = f(x)\n",
      "y/f#0/return = relu(x)",
    ],
    ["def f(a):\n  if a.dim() == 2:\n    return exp(a)\n  return relu(a)\ny = f(x)\n", "y/f#0/return = exp(x)"],
  ])("%s", (text, last) => {
    expect(problems(X + text).filter((line) => !line.includes("unused"))).toEqual([]);
    expect(after(text).at(-1)).toBe(`${last} f32[4, 8]`);
  });

  test("a condition that only the graph knows is refused, once, and its names stay silent", () => {
    const found = problems(`${X}if x > 0:\n  y = exp(x)\nelse:\n  y = relu(x)\nz = y + 1\n`);
    expect(found).toEqual([
      "2:4 branch A condition is one number or truth; this is bool[4, 8]. Write where(condition, a, b) to choose element by element, or ask for any() or all() of it.",
    ]);
  });

  test("what a branch that is not taken reads is used, and a rename would reach it", () => {
    const parsed = parseProgram(`${X}w: f32[8]\nif x.ndim == 3:\n  y = x * w\nelse:\n  y = relu(x)\n`);
    expect(parsed.diagnostics).toEqual([]);
    expect(parsed.symbols.find(({ name }) => name === "w")!.uses).toHaveLength(1);
  });

  test("mistakes of form inside a branch are found whether it is taken or not", () => {
    expect(problems(`${X}if True:\n  y = relu(x\nelse:\n  z = exp(x\n`).length).toBeGreaterThanOrEqual(2);
  });
});

describe("loops over tuples", () => {
  test.each([
    ["y = x\nfor w in (2.0, 3.0):\n  y = y * w\n", ["w#0/y = mul(x, 2)", "w#1/y = mul(w#0/y, 3)"]],
    [
      "y = x\nfor i, s in enumerate([0.5, 2.0]):\n  y = y * s + i\n",
      ["i#0/y/0 = mul(x, 0.5)", "i#0/y = add(i#0/y/0, 0)", "i#1/y/0 = mul(i#0/y, 2)", "i#1/y = add(i#1/y/0, 1)"],
    ],
    [
      "y = x\nfor a, b in zip((1, 2), (3, 4)):\n  y = y * a + b\n",
      ["a#0/y/0 = mul(x, 1)", "a#0/y = add(a#0/y/0, 3)", "a#1/y/0 = mul(a#0/y, 2)", "a#1/y = add(a#1/y/0, 4)"],
    ],
  ])("%s", (text, lines) => {
    expect(problems(X + text)).toEqual([]);
    expect(after(text).map((line) => line.replace(" f32[4, 8]", ""))).toEqual(lines);
  });
});

describe("several results", () => {
  test.each([
    [
      "a, b = x.split(4, dim=1)",
      [
        [4, 4],
        [4, 4],
      ],
    ],
    [
      "a, b, c = torch.split(x, [1, 2, 5], -1)",
      [
        [4, 1],
        [4, 2],
        [4, 5],
      ],
    ],
    [
      "a, b = torch.split(x, 3)",
      [
        [3, 8],
        [1, 8],
      ],
    ],
    [
      "a, b = jnp.split(x, 2, axis=-1)",
      [
        [4, 4],
        [4, 4],
      ],
    ],
    [
      "a, b, c = np.split(x, (2, 3), 1)",
      [
        [4, 2],
        [4, 1],
        [4, 5],
      ],
    ],
    [
      "a, b, c = torch.chunk(x, 3, dim=-1)",
      [
        [4, 3],
        [4, 3],
        [4, 2],
      ],
    ],
    [
      "a, b, c = torch.tensor_split(x, 3, dim=-1)",
      [
        [4, 3],
        [4, 3],
        [4, 2],
      ],
    ],
    ["a, b, c, d = x.unbind(0)", [[8], [8], [8], [8]]],
    [
      "a, _ = jnp.split(x * 2, indices_or_sections=2)",
      [
        [2, 8],
        [2, 8],
      ],
    ],
  ])("%s", (text, shapes) => {
    expect(problems(X + text)).toEqual([]);
    const names = text.split(" =")[0]!.split(", ");
    const { graph } = parseProgram(X + text);
    const made = [...graph.nodes.values()].filter(({ label }) => names.includes(label));
    expect(made.map(({ type }) => type.shape)).toEqual(shapes);
  });

  test.each([
    ["a, b = x.split(3, dim=1)", "2:1 bad-unpacking There are 2 names and 3 values."],
    ["a, b = torch.split(x, [1, 2], 1)", "2:8 shape-mismatch Axis 1 has 8 elements: it can't be cut into 1 + 2."],
    ["a, b = x.chunk(2, dim=5)", "2:8 bad-axis There is no axis 5: the tensor has 2."],
    ["a, b = torch.chunk(x)", "2:8 missing-argument chunk takes a tensor, sizes and dim."],
  ])("%s", (text, message) => expect(problems(X + text)).toEqual([message]));
});

describe("what is no program of tensors", () => {
  test.each([
    [
      "import triton\nimport triton.language as tl\n@triton.jit\ndef add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n  pid = tl.program_id(0)\n  x = tl.load(x_ptr + pid)\n  tl.store(y_ptr + pid, x)\n",
      "3:1 pasted-kernel This is a Triton kernel",
    ],
    [
      "__global__ void add(float* x, float* y) { y[threadIdx.x] += x[threadIdx.x]; }\n",
      "1:1 pasted-kernel This is a CUDA kernel",
    ],
  ])("%s", (text, message) => {
    const found = problems(text).filter((line) => !line.includes("unused"));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  test("line breaks that only Unicode knows are no part of a name", () => {
    const { graph } = parseProgram("x: f32[8]\nv\u2028w = x * 2\n");
    expect([...graph.nodes.values()].filter(({ label }) => /[\u2028\u2029\u0085]/.test(label))).toEqual([]);
  });
});

describe("a tensor that is returned twice", () => {
  test.each([
    ["v0 = x * 2\nv1 = v0[:]\nreturn v1, v0\n", ["v0", "v0 again"]],
    ["v0 = x * 2\nreturn v0, v0 + 1, v0\n", ["v0", "return#1", "v0 again"]],
  ])("%s", (text, outputs) => {
    const parsed = parseProgram(X + text);
    expect(problems(parsed)).toEqual([]);
    expect(parsed.outputs).toHaveLength(outputs.length);
  });
});

describe("small things that code brings along", () => {
  test.each([
    ["y = x.view(*x.shape[:-1], 2, 4)", "y = x.view(4, 2, 4)"],
    ["y = x.reshape((*x.shape[:1], 2, 4))", "y = x.reshape(4, 2, 4)"],
    ["y = F.relu(x, inplace=True)", "y = relu(x)"],
    ["y = x * len(x)", "y = x * 4"],
  ])("%s is %s", (a, b) => {
    expect(problems(X + a)).toEqual([]);
    const plain = (text: string): string[] => after(text).map((line) => line.replaceAll(/\(.*\)/g, ""));
    expect(plain(a)).toEqual(plain(b));
  });

  test("print is ignored, with a word about it", () => {
    const { diagnostics, complete } = parseProgram(`${X}y = relu(x)\nprint(y)\n`);
    expect(diagnostics.map(({ severity, line }) => `${line} ${severity}`)).toEqual(["3 info"]);
    expect(complete).toBe(true);
  });

  test("where nothing else is computed, what is printed is the result", () => {
    const f = "def f(a):\n  return a * 2\n";
    for (const text of [`${X}print(x * 2)\n`, `${f}if __name__ == "__main__":\n  ${X}  print("got", f(x))\n`]) {
      const { graph, complete } = parseProgram(text);
      expect([complete, graph.outputs.map((id) => graph.nodes.get(id)!.op)]).toEqual([true, ["mul"]]);
    }
    expect(parseProgram(`${X}y = relu(x)\nprint(y.sum())\n`).graph.outputs).toEqual(["y"]);
  });

  test("a whole number that i32 can't hold is told, and bits of one are not", () => {
    const told = (text: string) => parseProgram(text).diagnostics.map(({ text: what }) => what);
    const large = "9999999999 is more than i32 holds, and whole numbers are i32 here: with a point it is f32.";
    expect(told("i: i32[3]\ny = i + 9999999999\n")).toEqual([large]);
    expect(told("y = torch.tensor([9999999999, 1]) + 1\n")).toEqual([large]);
    expect(told(`i: i32[3]\ny = (i & 0xffffffff) + 1\n`)).toEqual([]);
    expect(told(`${X}y = x + 9999999999\n`)).toEqual([]);
  });

  test("an assertion that does not hold is told, and computes nothing", () => {
    const claims = "assert y.shape == x.shape\nassert x.ndim == 3, 'three'\nassert allclose(x, y)\n";
    const { diagnostics, complete, graph } = parseProgram(`${X}y = relu(x)\n${claims}`);
    expect(diagnostics.map(({ severity, line, text }) => `${line} ${severity} ${text}`)).toEqual([
      "4 warning This does not hold here. This line is ignored.",
      "5 warning Only the running program would know whether this holds. This line is ignored.",
    ]);
    expect([complete, graph.nodes.size]).toEqual([true, 2]);
  });

  test("a data set without a type is declared by one click", () => {
    const text = 'x = data("digits", "images")\ny = relu(x)\n';
    const [first] = parseProgram(text).diagnostics;
    const mended = applyTextEdits(text, first!.fixes![0]!.edits);
    expect(mended).toBe('x: f32[64, 64] = data("digits", "images")\ny = relu(x)\n');
    expect(parseProgram(mended).complete).toBe(true);
  });

  test.each([
    ["x = torch.randn(4, 8, requires_grad=True)", 'f32[4, 8] {"source":"randn"}'],
    ["x = torch.rand((4, 8))", 'f32[4, 8] {"source":"uniform","lo":0,"hi":1}'],
    ["x = jax.random.uniform(key, (4, 8), minval=-2, maxval=2)", 'f32[4, 8] {"source":"uniform","lo":-2,"hi":2}'],
    ["x = jax.random.randint(key, (4,), 0, 9)", 'i32[4] {"source":"uniform","lo":0,"hi":9}'],
    ["x = torch.randint(9, (4,))", 'i32[4] {"source":"uniform","lo":0,"hi":9}'],
    ["x = np.random.normal(0, 0.5, size=(4, 8))", 'f32[4, 8] {"source":"randn","std":0.5}'],
    ["rng = np.random.default_rng(3)\nx = rng.uniform(-1, 1, 8)", 'f32[8] {"source":"uniform","lo":-1,"hi":1}'],
    ["k1, k2 = jax.random.split(key)\nx = jax.random.normal(k2, (4, 8))", 'f32[4, 8] {"source":"randn"}'],
    ["ks = jax.random.split(key, 3)\nx = jax.random.normal(ks[2])", 'f32[] {"source":"randn"}'],
  ])("%s is an input of that name", (line, want) => {
    const { graph, diagnostics } = parseProgram(`key = jax.random.PRNGKey(0)\n${line}\ny = x + 1\nreturn y\n`);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const { type, attrs, label } = [...graph.nodes.values()].find(({ op }) => op === "input")!;
    const { source, lo, hi, std } = attrs;
    const bounds = source === "uniform" ? { lo, hi } : {};
    expect(`${label} ${showType(type)} ${JSON.stringify({ source, ...bounds, std })}`).toBe(`x ${want}`);
  });
});

describe("comprehensions", () => {
  test.each([
    ["ys = [x * i for i in range(3)]\ny = ys[2]", "ys#2 = mul(x, 2) f32[4, 8]"],
    ["y = torch.cat([relu(x) * s for s in (1.5, 2.5)], dim=0)", "y = concat(y/0#0, y/0#1) f32[8, 8]"],
    ["y = torch.stack([x[i] for i in range(4) if i % 2 == 0])", "y = stack(y/0#0, y/0#2) f32[2, 8]"],
    ["y = torch.cat(list(relu(a) for a in x.split(2)), dim=0)", "y = concat(y/0/0#0, y/0/0#1) f32[4, 8]"],
    ["y = torch.cat([a * b for a, b in zip(x.split(2), (2, 3))])", "y = concat(y/0#0, y/0#1) f32[4, 8]"],
  ])("%s", (text, last) => {
    expect(problems(X + text)).toEqual([]);
    expect(after(text)).toContain(last);
  });

  test("defs in a tuple are called by their index, or one after the other", () => {
    const defs = "def f(a):\n  return relu(a)\ndef g(a):\n  return exp(a)\nlayers = (f, g)\n";
    expect(after(`${defs}y = layers[1](x)`)).toEqual(["y/g#0/return = exp(x) f32[4, 8]"]);
    expect(after(`${defs}y = x\nfor layer in layers:\n  y = layer(y)`)).toHaveLength(2);
    expect(after(`${defs}y = torch.stack([layer(x) for layer in layers])`)).toHaveLength(3);
  });

  test("thousands of them in each other end in a message, not in a crash", () => {
    const deep = `${"[".repeat(3000)}x${" for i in range(1)]".repeat(3000)}`;
    expect(problems(`${X}y = ${deep}`).length).toBeGreaterThan(0);
  });
});

describe("functions as values", () => {
  test.each([
    [
      "f = lambda a, k=2: relu(a) * k\ny = f(x)\n",
      ["y/lambda#0/return/0 = relu(x)", "y/lambda#0/return = mul(y/lambda#0/return/0, 2)"],
    ],
    ["y = (lambda a: exp(a))(x)\n", ["y/lambda#0/return = exp(x)"]],
    [
      "a, b = map(lambda t: -t, (x, x + 1))\n",
      ["a/1/1 = add(x, 1)", "a/lambda#0/return = neg(x)", "a/lambda#1/return = neg(a/1/1)"],
    ],
    ["acts = [relu, F.gelu]\nh = x\nfor act in acts:\n  h = act(h)\n", ["act#0/h = relu(x)"]],
  ])("%s", (text, lines) => {
    expect(problems(X + text)).toEqual([]);
    expect(
      after(text)
        .map((line) => line.replace(/ f32.*/, ""))
        .slice(0, lines.length),
    ).toEqual(lines);
  });
});

describe("dictionaries", () => {
  test.each([
    ['p = {"w": x, "act": "gelu"}\ny = p["w"] * 2 if p["act"] == "gelu" else x\n', "y = mul(x, 2)"],
    ['p = {"a": {"w": x}}\ny = exp(p["a"]["w"])\n', "y = exp(x)"],
    ['p = {"a": 2, "b": 3}\ny = x\nfor k, v in p.items():\n  y = y * v\n', "k#1/y = mul(k#0/y, 3)"],
    ['p = {"a": 2}\ny = x * p.get("b", 5) if "a" in p else x\n', "y = mul(x, 5)"],
  ])("%s", (text, last) => {
    expect(problems(X + text)).toEqual([]);
    expect(after(text).at(-1)).toBe(`${last} f32[4, 8]`);
  });

  test("a key that is not there is named with those that are", () => {
    expect(problems(`${X}p = {"w": x}\ny = p["v"]\n`).at(-1)).toMatch(
      /The dictionary has "w"; this asks for the text "v"/,
    );
  });
});

describe("indices that are data", () => {
  const DATA = "x: f32[4, 8]\ni: i32[5]\nj: i32[5]\n";
  test.each([
    ["y = x[i]", "f32[5, 8]"],
    ["y = x[:, i]", "f32[4, 5]"],
    ["y = x[1:, i, None]", "f32[3, 5, 1]"],
    ["y = x[None, i]", "f32[1, 5, 8]"],
    ["y = x[i, j]", "f32[5]"],
    ["y = x[i[:, None], j]", "f32[5, 5]"],
    ["y = x[i, -1]", "f32[5]"],
    ["y = x[torch.arange(4), x.argmax(-1)]", "f32[4]"],
    ["z: f32[2, 3, 4]\ny = z[i, :, j]", "f32[5, 3]"],
    ["z: f32[2, 3, 4]\ny = z[i, ..., 1]", "f32[5, 3]"],
    ["z: f32[2, 3, 4]\ny = z[i, :, None, j]", "f32[5, 3, 1]"],
  ])("%s", (line, type) => {
    expect(problems(DATA + line).filter((each) => !each.includes("unused"))).toEqual([]);
    expect(picture(DATA + line).at(-1)).toContain(type);
  });

  test.each([
    ["y = x[x > 0]", /what a mask picks, whose size depends on data: write where/],
    ["y = x[x]", /An index holds whole numbers; this one is f32/],
    [
      "z: f32[2, 3, 4]\ny = z[0, :, j]",
      /NumPy puts the indexed axes first here, and PyTorch leaves them where they are/,
    ],
    ["y = x[i, 9]", /no such index on axis 1: its size is 8/],
  ])("%s is refused", (line, why) => {
    expect(problems(DATA + line).join("\n")).toMatch(why);
  });
});

describe("einops", () => {
  test.each([
    ["y = rearrange(x, 'a (b c) -> b a c', c=2)", "f32[4, 4, 2]"],
    ["y = einops.rearrange(x, 'a b -> (b a)')", "f32[32]"],
    ["y = rearrange(x, '... (h d) -> h ... d', h=4)", "f32[4, 4, 2]"],
    ["y = rearrange(x, 'a b -> a 1 b')", "f32[4, 1, 8]"],
    ["y = reduce(x, 'a (b c) -> a b', 'mean', c=4)", "f32[4, 2]"],
    ["y = repeat(x, 'a b -> a r b', r=3)", "f32[4, 3, 8]"],
    ["y = repeat(x, 'a b -> (a 2) b')", "f32[8, 8]"],
  ])("%s", (line, type) => {
    expect(problems(X + line)).toEqual([]);
    expect(after(line).at(-1)).toContain(type);
  });

  test.each([
    ["y = rearrange(x, 'a b c -> a b c')", /3 axes on its left, the tensor has 2/],
    ["y = rearrange(x, 'a (b c) -> a b c')", /One of b and c must be given/],
    ["y = rearrange(x, 'a (b c) -> a b c', b=3)", /Axis 1 has 8 elements/],
    ["y = rearrange(x, 'a b -> a')", /only reduce may drop axes/],
    ["y = rearrange(x, 'a b -> a b c', c=2)", /only repeat adds axes/],
  ])("%s is refused", (line, why) => {
    expect(problems(X + line).join("\n")).toMatch(why);
  });
});

test("numpy's split makes equal pieces only", () => {
  expect(problems(`${X}a, b, c = jnp.split(x, 3, axis=1)`)[0]).toContain(
    "Axis 1 has 8 elements: it can't be cut into 3 equal pieces.",
  );
});

describe("a def without types gets types that fit, all at once", () => {
  const fixed = (text: string): string => {
    const fix = parseProgram(text)
      .diagnostics.flatMap(({ fixes }) => fixes ?? [])
      .find(({ title }) => /example shapes/.test(title));
    return applyTextEdits(text, fix!.edits);
  };
  test.each([
    ["def f(x, w1, b1, w2, b2):\n  return gelu(x @ w1 + b1) @ w2 + b2\n", "w1: f32[256, 256], b1: f32[256]"],
    [
      "def f(q, k, v):\n  return softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, dim=-1) @ v\n",
      "q: f32[8, 8, 256, 64]",
    ],
    [
      "def f(x, conv1_w, conv1_b, fc_w, fc_b):\n  x = relu(F.conv2d(x, conv1_w, conv1_b, padding=1))\n  return linear(x.mean(dim=(2, 3)), fc_w, fc_b)\n",
      "fc_w: f32[10, 16]",
    ],
    [
      'def f(params, x, heads=8):\n  B, T, C = x.shape\n  q, k, v = jnp.split(x @ params["qkv"]["w"] + params["qkv"]["b"], 3, axis=-1)\n  q = q.reshape(B, T, heads, C // heads).transpose(0, 2, 1, 3)\n  return q @ (k * v).reshape(B, T, heads, C // heads).transpose(0, 2, 3, 1)\n',
      "def f(qkv_w: f32[256, 768], qkv_b: f32[768], x: f32[8, 64, 256], heads=8):",
    ],
    [
      "def predict(params, inputs):\n  for W, b in params:\n    outputs = jnp.dot(inputs, W) + b\n    inputs = jnp.tanh(outputs)\n  return outputs\n",
      "params = ((W_0, b_0), (W_1, b_1), (W_2, b_2))\n  for",
    ],
    [
      "def predict(params, image):\n  x = image\n  for w, b in params[:-1]:\n    x = relu(jnp.dot(w, x) + b)\n  w, b = params[-1]\n  y = jnp.dot(w, x) + b\n  return y - logsumexp(y)\n",
      "w_2: f32[256, 256], b_2: f32[256]",
    ],
  ])("%s", (text, part) => {
    const now = fixed(text);
    expect(now).toContain(part);
    expect(problems(now)).toEqual([]);
  });
});

test("one tensor under two names is itself, and a tuple of indices is those indices", () => {
  expect(after("y = x\nz = exp(x) if y is x else relu(x)\n").at(-1)).toBe("z = exp(x) f32[4, 8]");
  expect(after("y = x[(...,) + (None,) * 2]").at(-1)).toContain("f32[4, 8, 1, 1]");
});

describe("statements that people's code has around the ops", () => {
  test.each([
    ["with torch.no_grad():\n  y = relu(x)\n", "y = relu(x)"],
    ["try:\n  y = relu(x)\nexcept ValueError as e:\n  y = exp(x)\n", "y = relu(x)"],
    ['if x.ndim != 2:\n  raise ValueError(f"{x.ndim} axes")\ny = relu(x)\n', "y = relu(x)"],
    ["a = exp(x)\ny = relu(a)\ndel a\n", "y = relu(a)"],
    ["y = x\nn = 0\nwhile n < 2:\n  y = relu(y)\n  n += 1\n", "while#1/y = relu(while#0/y)"],
    [
      "y = x\nfor i in range(9):\n  if i == 1:\n    continue\n  if i == 3:\n    break\n  y = y * i\n",
      "i#2/y = mul(i#0/y, 2)",
    ],
    ["if (n := x.shape[1]) > 4:\n  y = x * n\n", "y = mul(x, 8)"],
    ["a, b, c = *x.shape, 3\ny = x * (a + b + c)\n", "y = mul(x, 15)"],
    ['p = {f"w{i}": x * i for i in range(3)}\ny = relu(p["w" "2"])\n', "y = relu(p#2)"],
    ["ys = [x * i * j for i in range(1, 3) for j in (2, 3)]\ny = relu(ys[3])\n", "y = relu(ys#1#1)"],
    ["outs = []\nfor i in range(2):\n  outs.append(x[i])\ny = torch.stack(outs)\n", "y = stack(i#0/_/1, i#1/_/1)"],
    ["y = x * (None or 3) * (0 or 2)\n", "y = mul(y/0, 2)"],
    ["m = None\ny = x if m is None or m.ndim == 9 else exp(x)\nz = relu(y)\n", "z = relu(x)"],
    ["y = relu(x) if isinstance(x, torch.Tensor) and not isinstance(x.shape[0], float) else x\n", "y = relu(x)"],
    ['utils.check_rank(x, 2)\nwarnings.warn("slow")\ny = relu(x)\n', "y = relu(x)"],
    ["f = partial(torch.sum, dim=-1)\ny = f(x, keepdim=True)\n", "y = sum(x)"],
    ["y = x + torch.finfo(x.dtype).eps\n", `y = add(x, ${2 ** -23})`],
  ])("%s", (text, last) => {
    expect(problems(X + text).filter((line) => !/no-effect|unused/.test(line))).toEqual([]);
    expect(after(text).at(-1)).toContain(`${last} f32`);
  });

  test("the program's own refusal is said where its sizes lead there", () => {
    expect(problems(`${X}if x.shape[1] % 3 != 0:\n  raise ValueError("not thirds")\ny = relu(x)\n`)).toContain(
      '3:3 raise The program itself rejects these sizes or arguments: raise ValueError("not thirds")',
    );
  });

  test("stars give and take what is left over", () => {
    const f = 'def f(a, *rest, k=2, **options):\n  return a * k + len(rest) + options.get("bias", 0)\n';
    expect(problems(`${X}${f}y = f(x, x, 1, bias=5, k=3)\n`)).toEqual([]);
    expect(after(`${f}y = f(x, x, 1, bias=5, k=3)\n`).at(-1)).toBe("y/f#0/return = add(y/f#0/return/0, 5) f32[4, 8]");
    expect(after(`${f}args = (x, 1)\no = {"bias": 7}\ny = f(*args, **o)\n`).at(-1)).toBe(
      "y/f#0/return = add(y/f#0/return/0, 7) f32[4, 8]",
    );
  });
});

describe("values and indices at once", () => {
  test.each([
    ["v, i = torch.topk(x, 2, dim=-1)\ny = x.gather(1, i) - v\n", ["topk", "topk_indices"]],
    ["v = x.max(dim=1).values\ni = x.max(dim=1).indices\ny = v + i\n", ["max", "argmax"]],
    ["y = torch.max(x, dim=1, keepdim=True)[0] + torch.sort(x, dim=1)[1]\n", ["max", "argsort"]],
  ])("%s", (text, names) => {
    const parsed = parseProgram(X + text);
    expect(problems(parsed)).toEqual([]);
    const made = new Set([
      ...[...parsed.graph.nodes.values()].map(({ op }) => op),
      ...parsed.calls.map(({ label }) => label),
    ]);
    for (const name of names) expect(made).toContain(name);
  });

  test("NumPy's maximum is a tensor, and rows are taken by as many names", () => {
    expect(after("y = jnp.max(x, axis=1)[0]\n").at(-1)).toContain("f32[]");
    expect(after("a, b, c, d = x\ny = a + d\n").at(-1)).toBe("y = add(a#0, a#3) f32[8]");
    expect(after("y = 0\nfor row in x:\n  y = y + row\n").at(-1)).toContain("f32[8]");
  });
});

describe("what is written in place keeps its type", () => {
  test.each(["i32", "bool", "f16"])("%s", (dtype) => {
    const calls = allOps
      .filter(({ kind }) => kind === "elementwise")
      .flatMap(({ name }) => [`${name}_()`, `${name}_(2)`, `${name}_(w, 2.5)`])
      .concat(
        "fill_(2)",
        "fill_diagonal_(0)",
        "masked_fill_(w, 1.5)",
        "index_fill_(0, at, 1)",
        "zero_()",
        "bernoulli_()",
      );
    const read = calls.flatMap((call) => {
      const text = `import torch\nx: ${dtype}[4, 4]\nw: bool[4, 4]\nat: i32[2]\ny = x.clone()\ny.${call}\nreturn y + y\n`;
      const { diagnostics, graph, outputs } = parseProgram(text);
      return diagnostics.some(({ severity }) => severity === "error")
        ? []
        : [`${call} ${graph.nodes.get(graph.nodes.get(outputs[0]!)!.inputs[0]!)!.type.dtype}`];
    });
    expect(read.length).toBeGreaterThan(40);
    expect(read.filter((each) => !each.endsWith(` ${dtype}`))).toEqual([]);
  });
});

describe("writing at an index", () => {
  test.each([
    ["y = x * 1\ny[:, 1:] = torch.zeros(5)\n", /The part that is assigned to is 4×7; the value is 5/],
    ["import jax.numpy as jnp\ny = (x, 1)\ny[0][1] = 2\n", /Only elements of a named tensor/],
  ])("%s is refused", (text, why) => expect(problems(X + text).join("\n")).toMatch(why));
});
