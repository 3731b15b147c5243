import { describe, expect, test } from "vitest";
import { printGraph } from "./print";
import { parseProgram } from "./program";
import { picture, problems } from "./testing";

const X = "x: f32[4, 8]\n";
/** Nodes after the inputs. */
const after = (text: string): string[] => picture(X + text).slice(1);

describe("forms of the language", () => {
  test("constants are usable in shapes, and nested calls get paths", () => {
    const text = "N = 4\nM = 2 * N // 3 + N ** 2\nx: f32[N, M]\nb: f32[M]\ny = log(relu(x + b))\n";
    expect(picture(text)).toEqual([
      "x = input() f32[4, 18]",
      "b = input() f32[18]",
      "y/0/0 = add(x, b) f32[4, 18]",
      "y/0 = relu(y/0/0) f32[4, 18]",
      "y = log(y/0) f32[4, 18]",
    ]);
    expect(parseProgram(text).constants.get("M")).toBe(18);
    expect(parseProgram(text).complete).toBe(true);
  });

  test("a rebound name is a new version, and an augmented assignment reads the old one", () => {
    expect(after("y = relu(x)\ny = exp(y)\ny += x\n")).toEqual([
      "y = relu(x) f32[4, 8]",
      "y@2 = exp(y) f32[4, 8]",
      "y@3 = add(y@2, x) f32[4, 8]",
    ]);
  });

  test("PyTorch's gather names the axis before the index", () => {
    const text = "x: f32[6, 8]\ni: i32[6, 1]\n";
    const [ours, theirs] = ["gather_elements(x, i, dim=1)", "x.gather(1, i)"].map((call) =>
      picture(`${text}y = ${call}\n`),
    );
    expect(theirs).toEqual(ours);
    expect(picture("x: f32[6, 8]\ni: i32[3]\ny = gather(x, i, 1)\n").at(-1)).toBe("y = gather(x, i) f32[6, 3]");
  });

  test("calls that draw and name no seed draw differently, and say so when they are printed", () => {
    const seeds = (text: string): unknown[] =>
      [...parseProgram(X + text).graph.nodes.values()].flatMap(({ op, attrs }) =>
        op === "dropout" ? attrs["seed"] : [],
      );
    expect(seeds("y = dropout(dropout(x), 0.1, seed=7) + F.dropout(x, 0.2)\nz = x.dropout()\n")).toEqual([0, 7, 1, 2]);
    expect(seeds("for i in range(3):\n    x = dropout(x, 0.5)\ny = dropout(x, 0.5, 4)\n")).toEqual([0, 1, 2, 4]);
    const printed = printGraph(parseProgram(`${X}y = dropout(x) + dropout(x)\n`).graph);
    expect(seeds(printed.replace(X, ""))).toEqual([0, 1]);
  });

  test("operators bind as in Python", () => {
    expect(after("y = -x ** 2 @ x.T * 2\n").map((line) => line.split(" f32")[0])).toEqual([
      "y/0/0/0 = pow(x, 2)",
      "y/0/0 = neg(y/0/0/0)",
      "y/0/1 = transpose(x)",
      "y/0 = matmul(y/0/0, y/0/1)",
      "y = mul(y/0, 2)",
    ]);
    expect(after("y = ~(x > 0) & (x <= 1)\n").at(-1)).toBe("y = bit_and(y/0, y/1) bool[4, 8]");
    expect(after("y = not x and x or x\n").at(-1)).toBe("y = or(y/0, x) bool[4, 8]");
  });

  test.each([
    ["y = softmax(x, dim=-1)", "y = softmax(x, axis=-1)"],
    ["y = x.mean(dim=-1, keepdim=True)", "y = mean(x, axis=-1, keepdims=True)"],
    ["y = F.relu(x)", "y = torch.nn.functional.relu(x)"],
    ["y = jnp.exp(x)", "y = np.exp(x)"],
    ["y = x.reshape(2, 16)", "y = reshape(x, (2, -1))"],
    ["y = x.permute(1, 0)", "y = x.permute((1, 0))"],
    ["y = max(x, x)", "y = maximum(x, x)"],
    ["y = torch.cat([x, x], dim=0)", "y = concat((x, x))"],
    ["y = x.to(torch.float16)", "y = x.half()"],
    ["y = x[:, None]", "y = unsqueeze(x, 1)"],
    ["y = layer_norm(x, (8,))", "y = layer_norm(x)"],
    ["y = x * (1.0 / math.sqrt(x.shape[-1] * 8))", "y = x * 0.125"],
    ["y = where(x > 0., x, 1.e0)", "y = where(x > 0, x, 1.0)"],
  ])("%s is %s", (a, b) => {
    expect(problems(X + a)).toEqual([]);
    expect(after(a).map((line) => line.replaceAll(/\(.*\)/g, ""))).toEqual(
      after(b).map((line) => line.replaceAll(/\(.*\)/g, "")),
    );
  });

  test("scalars take the dtype of what they meet", () => {
    const text = "h: f16[4]\ni: i32[4]\na = h * 2.5\nb = i * 2\nc = i * 2.5\nd = (h > 0) * 2\n";
    expect(
      picture(text)
        .filter((line) => /^[abcd] /.test(line))
        .map((line) => line.split(") ")[1]),
    ).toEqual(["f16[4]", "i32[4]", "f32[4]", "i32[4]"]);
  });

  test("indices become slices and free views", () => {
    expect(after("y = x[1:3, -1, None]\n")).toEqual([
      "y.slice = slice(x) f32[2, 1]",
      "y.squeeze = squeeze(y.slice) f32[2]",
      "y = unsqueeze(y.squeeze) f32[2, 1]",
    ]);
    expect(after("y = relu(x[...])\n")).toEqual(["y = relu(x) f32[4, 8]"]);
  });

  test("a def is inlined at each call, under the call's name", () => {
    const text = `def block(a, w=2.0):\n  t = relu(a)\n  return t * w\nh1 = block(x)\nh2 = block(block(h1), w=x)\n`;
    expect(after(text)).toEqual([
      "h1/block#0/t = relu(x) f32[4, 8]",
      "h1/block#0/return = mul(h1/block#0/t, 2) f32[4, 8]",
      "h2/block#0/t = relu(h1/block#0/return) f32[4, 8]",
      "h2/block#0/return = mul(h2/block#0/t, 2) f32[4, 8]",
      "h2/block#1/t = relu(h2/block#0/return) f32[4, 8]",
      "h2/block#1/return = mul(h2/block#1/t, x) f32[4, 8]",
    ]);
    expect(parseProgram(X + text).calls.map(({ id }) => id)).toEqual(["h1/block#0", "h2/block#0", "h2/block#1"]);
  });

  test("a loop is unrolled, each iteration under its number", () => {
    expect(after("for i in range(1, 3):\n  x = tanh(x * i)\n")).toEqual([
      "i#1/x/0 = mul(x, 1) f32[4, 8]",
      "i#1/x = tanh(i#1/x/0) f32[4, 8]",
      "i#2/x/0 = mul(i#1/x, 2) f32[4, 8]",
      "i#2/x = tanh(i#2/x/0) f32[4, 8]",
    ]);
  });

  test("tuples are bound name by name", () => {
    expect(after("def two(a):\n  return relu(a), exp(a)\np, q = two(x)\nr, s = p + q, q\n")).toEqual([
      "p/two#0/return#0 = relu(x) f32[4, 8]",
      "p/two#0/return#1 = exp(x) f32[4, 8]",
      "r = add(p/two#0/return#0, p/two#0/return#1) f32[4, 8]",
    ]);
  });

  test("outputs are what is returned, or what nobody reads", () => {
    expect(parseProgram(`${X}a = relu(x)\nb = exp(a)\nc = tanh(x)\n`).outputs).toEqual(["b", "c"]);
    expect(parseProgram(`${X}a = relu(x)\nb = exp(a)\nreturn a, b\n`).outputs).toEqual(["a", "b"]);
  });

  test("what is computed and dropped is no output, unless it is the last line or all there is", () => {
    const of = (text: string): string[] => parseProgram(X + text).outputs.map(String);
    expect(of("y = relu(x)\nexp(y)\nx.sum()\nz = y + 1\n")).toEqual(["z"]);
    expect(of("y = relu(x)\nexp(y)\n")).toEqual(["_"]);
    expect(of("relu(x)\n")).toEqual(["_"]);
    expect(of("def f(a):\n  h = a * 2\n  g = h.sum()\n  return h\nz = f(x)\n")).toEqual(["z/f#0/h"]);
    const [warning] = parseProgram(`${X}relu(x)\nz = exp(x)\n`).diagnostics;
    expect(warning).toMatchObject({ line: 2, text: "This line has no effect: give the value a name." });
  });

  test("inputs say their role and where their data comes from", () => {
    const text =
      "w: f32[3] = param(seed=4)\nc: f32[3] = const([0.5, 1, -2])\nu: f32[2] = uniform(-1, 1, seed=7)\ns: i32 = ones()\nz: f32[] = zeros()\ny = w + c\n";
    const { graph } = parseProgram(text);
    const attrs = [...graph.nodes.values()]
      .filter(({ op }) => op === "input")
      .map(({ attrs: a }) => [a["role"], a["source"], a["seed"], a["values"]]);
    expect(attrs).toEqual([
      ["param", "randn", 4, null],
      ["const", "values", null, [0.5, 1, -2]],
      ["input", "uniform", 7, null],
      ["input", "ones", null, null],
      ["input", "zeros", null, null],
    ]);
  });

  test("holes keep the graph and make the plan wait", () => {
    const parsed = parseProgram(`${X}y = add(x, ...)\nz = matmul(..., y)\nw = softmax(z)\n`);
    expect(parsed.complete).toBe(false);
    expect(parsed.diagnostics).toEqual([]);
    expect(picture(parsed.text).slice(1, 3)).toEqual(["y = add(x, ...) ?", "z = matmul(..., y) ?"]);
    expect(parsed.outputs).toEqual(["w"]);
  });

  test("train() and eval() choose for the ops that differ", () => {
    const active = (text: string): unknown =>
      parseProgram(`${X}${text}`).graph.nodes.get("y" as never)?.attrs["training"];
    // What is off is not there: PyTorch hands the tensor on.
    expect([active("y = dropout(x)"), active("eval()\ny = dropout(x)"), active("train()\ny = dropout(x)")]).toEqual([
      true,
      undefined,
      true,
    ]);
    expect(picture(`${X}h = exp(x)\nh = F.dropout(h, 0.1, training=False)\ny = relu(h)`)).toEqual([
      "x = input() f32[4, 8]",
      "h = exp(x) f32[4, 8]",
      "y = relu(h) f32[4, 8]",
    ]);
  });

  test("a composite's parts stand under the call, which is its last part", () => {
    expect(after("h = l2_normalize(x)\n").map((line) => line.split(" = ")[0])).toEqual(
      expect.arrayContaining(["h.square", "h"]),
    );
    const { graph, partOf } = parseProgram(`${X}h = l2_normalize(x)\n`);
    expect([...partOf.values()].every((id) => id === "h")).toBe(true);
    expect(graph.nodes.get("h" as never)?.groups).toEqual([{ kind: "composite", id: "h", label: "l2_normalize" }]);
  });
});

test("what a derivative passes through and nothing reads is no result", () => {
  const inputs = "x: f32[8, 4]\nlabel: i32[8]\nw: f32[4, 3]\n";
  const loss = "def loss(w):\n  return cross_entropy(x @ w, label)\n";
  const { graph } = parseProgram(`${inputs}${loss}value, dw = value_and_grad(loss)(w)\n`);
  expect(graph.outputs.map((id) => graph.nodes.get(id)!.label)).toEqual(["cross_entropy", "d_w"]);
});

describe("a text that is one def", () => {
  test("is its body, with its parameters as inputs", () => {
    const text =
      'import torch\ndef forward(x: f32[4, 8], w: f32[8, 8] = param(), eps=0.5):\n    """doc"""\n    return torch.relu(x @ w) + eps\n';
    expect(picture(text)).toEqual([
      "x = input() f32[4, 8]",
      "w = input() f32[8, 8]",
      "return/0/0 = matmul(x, w) f32[4, 8]",
      "return/0 = relu(return/0/0) f32[4, 8]",
      "return = add(return/0, 0.5) f32[4, 8]",
    ]);
  });

  test("asks for shapes and weights that it does not hold", () => {
    const parsed = parseProgram("def forward(self, x, w: torch.Tensor):\n    return x @ self.v\n");
    expect(problems(parsed)).toEqual([
      "1:19 missing-shape `x` has no shape: write x: f32[8, 64, 256].",
      "1:22 missing-shape `w` has no shape: write w: f32[256, 256].",
      "2:16 self `self.v` is not here: make it a parameter, `v: f32[…]`.",
    ]);
    expect(parsed.diagnostics.map(({ fixes }) => fixes?.[0]?.edits.map(({ insert }) => insert))).toEqual([
      ["x: f32[8, 64, 256]", "w: f32[256, 256]", ", v: f32[256, 256]", "v"],
      ["x: f32[8, 64, 256]", "w: f32[256, 256]", ", v: f32[256, 256]", "v"],
      [", v: f32[1024, 1024]", "v"],
    ]);
    expect(parsed.diagnostics.map(({ fixes }) => fixes?.[1]?.edits.map(({ insert }) => insert))).toEqual([
      ["x: f32[8, 64, 256]"],
      ["w: f32[256, 256]"],
      undefined,
    ]);
  });
});

test("& on whole numbers combines bits, on truths truths; on floats it is refused", () => {
  const typeOf = (line: string): string => picture(`x: f32[4]\ni: i32[4]\n${line}`).at(-1)!;
  expect(typeOf("y = i & 3")).toBe("y = bit_and(i, 3) i32[4]");
  expect(typeOf("y = (x > 0) | (x < -1)")).toMatch(/^y = bit_or\(.*\) bool\[4\]$/);
  expect(problems(parseProgram("x: f32[4]\ny = x & 3")).join()).toMatch(/only whole numbers have bits/);
});

describe("transformations", () => {
  const loss = "w: f32[4, 4]\nx: f32[4]\ndef loss(w, x):\n    return sum(tanh(x @ w))\n";
  const shapes = (line: string): readonly string[] => {
    const { graph, outputs } = parseProgram(`${loss}g = ${line}\nreturn g`);
    return outputs.map((id) => graph.nodes.get(id)!.type.shape.join("×"));
  };

  test("grad takes indices or names of arguments", () => {
    expect(shapes("grad(loss)(w, x)")).toEqual(["4×4"]);
    expect(shapes("grad(loss, argnums=(0, 1))(w, x)")).toEqual(["4×4", "4"]);
    expect(shapes("grad(loss, wrt=(1,))(w, x)")).toEqual(["4"]);
    expect(shapes('grad(loss, wrt="x")(w, x)')).toEqual(["4"]);
    expect(shapes("value_and_grad(loss)(w, x)")).toEqual(["", "4×4"]);
  });

  test("an argument that it does not have is refused where it stands", () => {
    expect(problems(parseProgram(`${loss}g = vmap(grad(loss, reduce_axes=True))(w, x)\nreturn g`))).toEqual([
      "5:21 no-derivative grad has no argument `reduce_axes`; it has argnums, argnum, wrt, has_aux, holomorphic, allow_int, create_graph, retain_graph, allow_unused, materialize_grads, outputs, inputs, grad_outputs, only_inputs.",
    ]);
  });

  test("results in lists and dictionaries are results", () => {
    expect(shapes("{'a': w, 'b': [x, x * 2]}")).toEqual(["4×4", "4", "4"]);
  });
});
