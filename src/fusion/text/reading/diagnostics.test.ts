import { describe, expect, test } from "vitest";
import { applyTextEdits } from "../edits/apply";
import { parseProgram } from "../program";
import { picture, problems } from "../testing";

const X = "x: f32[4, 8]\n";

describe("mistakes", () => {
  test("all are told at once, and the rest of the text still makes nodes", () => {
    const text = `${X}y = gelo(x)\nz = relu(y)\nq = exp(xs)\na = relu(x\nb = exp(x)\nc = x +\nk = tanh(x)\n`;
    expect(problems(text)).toEqual([
      "2:5 unknown-op No op is called `gelo`. Did you mean `gelu`?",
      "4:9 unknown-name Nothing is called `xs`. Did you mean `x`?",
      "5:9 not-closed This call is not closed: add `)`.",
      "7:7 syntax An operand is missing after `+`.",
    ]);
    expect(picture(text)).toEqual(["x = input() f32[4, 8]", "b = exp(x) f32[4, 8]", "k = tanh(x) f32[4, 8]"]);
  });

  test("a line of odd indentation in a class is the one mistake, where it stands", () => {
    const layer = "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(8, 8)\n";
    const rest = "    def forward(self, x):\n        return self.fc(x)\n";
    expect(problems(`class M(nn.Module):\n${layer}     self.size = 8\n${rest}y = M()(ones(4, 8))\n`)).toEqual([
      "5:6 syntax This line's indentation matches no line above it: indent it like the lines that it belongs to.",
    ]);
  });

  test.each([
    [
      "def f(a):\n    b = a * 2\n  return b\ny = f(x)",
      "4:3 syntax This line's indentation matches no line above it: indent it like the lines that it belongs to.",
    ],
    ["y = softmax(x, dmi=-1)", "2:16 unknown-argument softmax has no argument `dmi`. Did you mean `dim`?"],
    ["y = relu()", "2:5 missing-argument relu still needs the tensor `x`: The tensor."],
    ["y = relu(x, x)", "2:13 too-many-arguments relu takes one argument; this is number 2."],
    ['y = softmax(x, dim="a")', '2:16 bad-argument `axis` of softmax must be a whole number; this is the text "a".'],
    ["y = x < x < x", "2:5 chained-comparison Tensors can't be compared in a chain: write (a < b) & (b < c)."],
    [
      "y = x if x else x",
      "2:10 branch A condition is one number or truth; this is f32[4, 8]. Write where(condition, a, b) to choose element by element, or ask for any() or all() of it.",
    ],
    [
      "y = relu(z)\nz = exp(x)",
      "2:10 used-before-definition `z` is defined only further down. Move that line above this one.",
    ],
    [
      "y = grad(x)",
      "2:5 no-derivative A gradient is taken of one number; this is f32[4, 8]. Sum it first, or use vjp.",
    ],
    ["y = x.foo", "2:7 unknown-member A tensor has no `.foo`. It has .T, .mT, .shape, .ndim and .dtype."],
    ["y = x.relu", "2:7 unknown-member A tensor has no `.relu`. It is called with brackets: .relu()."],
    ["y = x[9]", "2:5 bad-index There is no index 9 on axis 0: its size is 4."],
    ["y, z = relu(x)", "2:1 bad-unpacking 2 names can't be bound to a tensor."],
    ["w: f33[4]", "2:4 bad-type A type is f32, f16, i32 or bool with its sizes, such as f32[4]. Did you mean `f32`?"],
    ["w: f32[-1]", "2:8 bad-size A size is a whole number from 0 on; this is -1."],
    [
      "p: f32[1, 1, 8, 8]\ny = F.avg_pool2d(p, 3, padding=2)",
      "3:5 bad-attr PyTorch refuses a border wider than half a window: padding is 2, and half a window of 3 is 1.",
    ],
    [
      "p: f32[1, 1, 8, 8]\nq = F.avg_pool2d(p, 4, padding=2)\ny = F.max_pool2d(p, 2, padding=(1, 2))",
      "4:5 bad-attr PyTorch refuses a border wider than half a window: padding is 2, and half a window of 2 is 1.",
    ],
    [
      'y = F.pad(x, (1, 1), mode="symmetric")',
      '2:5 bad-attr pad has no mode "symmetric"; the modes are constant, reflect, replicate (edge) and circular (wrap).',
    ],
    [
      'y = np.load("x.npy")',
      "2:8 unknown-op No op is called `load`. No file is read here: declare what it holds as an input with its shape, such as x: f32[128, 64].",
    ],
    ["c: f32[3] = const([1, 2])", "2:13 bad-values The type holds 3 values; 2 are given."],
    [
      'y = data("spirals", "points")',
      '2:5 source-without-type `data` feeds an input, and an input is declared with its type: y: f32[256, 2] = data("spirals", "points").',
    ],
    [
      "for t in 3.5: y = t",
      "2:10 outside-language A loop goes over range(n) with a constant n, or over a tuple: it is unrolled into the graph.",
    ],
    ["class A:\n  pass", "2:1 class Nothing here can be computed: a class needs a forward() or a __call__()."],
    [
      "while x:\n  y = x",
      "2:7 branch A condition is one number or truth; this is f32[4, 8]. Write where(condition, a, b) to choose element by element, or ask for any() or all() of it.",
    ],
    [
      "y = x.view(2, x.sum(), -1)",
      "2:15 bad-argument `shape` of reshape must be a tuple of sizes; this is a tensor. The graph's shapes are fixed before it runs, so it can't be computed from data.",
    ],
    [
      "y = x[x.argmax(0), x.argmax(1)]",
      "2:5 bad-index These index tensors don't broadcast to one shape: they are 8 and 4.",
    ],
    [
      "def f(a):\n  return f(a)\ny = f(x)",
      "3:10 recursion `f` calls itself more than 40 deep: it must end at a value that is known before the graph runs. Use a loop over range(n).",
    ],
    [
      "def f(a):\n  b = relu(a)\ny = f(x)",
      "2:5 no-return `f` has no return, so its call gives None: end it with `return b`.",
    ],
  ])("%s", (line, expected) => {
    const errors = parseProgram(X + line).diagnostics.filter(({ severity }) => severity === "error");
    expect(errors.map(({ line: at, column, code, text }) => `${at}:${column} ${code} ${text}`)).toEqual([expected]);
  });

  test("clashing shapes are both said, and a transpose that helps is offered", () => {
    const text = "x: f32[4, 8]\nw: f32[16, 8]\ny = relu(x @ w)\n";
    const [problem] = parseProgram(text).diagnostics;
    expect(text.slice(problem!.span.from, problem!.span.to)).toBe("x @ w");
    expect(problem!.text).toMatch(/x is 4×8.*w is 16×8/);
    expect(problem!.nodes).toEqual(["x", "w"]);
    const fixed = applyTextEdits(text, problem!.fixes![0]!.edits);
    expect(fixed).toContain("relu(x @ w.T)");
    expect(parseProgram(fixed).complete).toBe(true);
  });

  test("fixes mend the text", () => {
    for (const [wrong, right] of [
      ["y = gelo(x)", "y = gelu(x)"],
      ["y = relu(x", "y = relu(x)"],
      ["y = x.sum", "y = x.sum()"],
      ["y = softmax(x, dmi=1)", "y = softmax(x, dim=1)"],
    ]) {
      const text = X + wrong!;
      const fix = parseProgram(text).diagnostics.find(({ severity }) => severity === "error")!.fixes![0]!;
      expect(applyTextEdits(text, fix.edits)).toBe(X + right!);
      expect(parseProgram(X + right!).complete).toBe(true);
    }
  });

  test("a name that is missing is declared as fits the other side", () => {
    const declared = (text: string): string => {
      const { diagnostics } = parseProgram(text);
      return applyTextEdits(text, diagnostics.find(({ code }) => code === "unknown-name")!.fixes!.at(-1)!.edits);
    };
    for (const line of ["return h * gate", "return (gate) + h", "return gate @ h", "return h @ gate"]) {
      const text = `def f(h):\n    ${line}\nx: f32[4, 8]\ny = f(x)\n`;
      expect([line, ...problems(declared(text))]).toEqual([line]);
    }
    // Whatever stands beside it: what is declared lets the line be read.
    for (const line of [
      "y = relu(x) + gate",
      "y = gate * (x @ w)",
      "y = relu(x @ w) @ gate",
      "y = x.exp() - gate",
      "y = torch.maximum(x, gate)",
      "y = relu(add(gate, x))",
      "y = -x / gate",
    ])
      expect([
        line,
        ...problems(declared(`x: f32[4, 8]\nw: f32[8, 16] = param()\nh = x @ w\n${line}\nz = h\n`)),
      ]).toEqual([line]);
    expect(declared("y = relu(gate)\n")).toBe("gate: f32[1024, 1024]\ny = relu(gate)\n");
  });

  test("what nobody uses is said, with the line to remove", () => {
    const text = "x: f32[4]\nm: f32[4]  # spare\ny = relu(x)\nz = exp(x)\nreturn y\n";
    const warnings = parseProgram(text).diagnostics;
    expect(warnings.map(({ severity, line, text: shown }) => `${severity} ${line} ${shown}`)).toEqual([
      "warning 2 `m` is never used.",
      "warning 4 `z` is never used. It is not returned either.",
    ]);
    expect(warnings[0]!.fixes![0]!.title).toBe("Remove line 2");
    expect(applyTextEdits(text, warnings[0]!.fixes![0]!.edits)).toBe("x: f32[4]\ny = relu(x)\nz = exp(x)\nreturn y\n");
    expect(parseProgram(text).complete).toBe(true);
    expect(warnings[1]!.fixes!.map(({ title }) => title)).toEqual(["Return z, too", "Remove line 4"]);
    const returned = applyTextEdits(text, warnings[1]!.fixes![0]!.edits);
    expect([returned.endsWith("return y, z\n"), parseProgram(returned).graph.outputs.length]).toEqual([true, 2]);
  });

  test("what follows the program's return is pointed at, once", () => {
    const warnings = parseProgram("x: f32[4]\ny = relu(x)\nreturn y\nz = exp(y)\nw = log(z)\n").diagnostics;
    expect(warnings.map(({ severity, line, text }) => `${severity} ${line} ${text}`)).toEqual([
      "warning 4 Nothing after `return` is computed: move `return` to the end.",
    ]);
  });

  test("an unclosed bracket spoils its own statement only", () => {
    const text = `${X}a = layer_norm(\n  x,\n  eps=1e-5\nb = exp(x)\nc = softmax(x,\n  dim=-1)\n`;
    expect(problems(text)).toEqual(["2:15 not-closed This call is not closed: add `)`."]);
    expect(picture(text).map((line) => line.split(" ")[0])).toEqual(expect.arrayContaining(["b", "c"]));
  });

  test("a mistake inside a def is told once, however often it is called", () => {
    expect(problems(`${X}def f(a):\n  return a + nope\ny = f(x)\nz = f(y)\n`)).toHaveLength(1);
  });

  test("gradients that nothing reads are no results, and the line that asks for them says so", () => {
    const text = "w = torch.randn(8, requires_grad=True)\nloss = (w * w).sum()\nloss.backward()\n";
    const told = (more: string): string[] =>
      parseProgram(text + more).diagnostics.map((each) => `${each.line} ${each.text}`);
    expect(told("")).toEqual([
      "3 Nothing reads a gradient after this line, so none is computed. To see the backward pass, return one: `return w.grad`.",
    ]);
    expect(told("g = w.grad\n")).toEqual([]);
    expect(told("torch.optim.SGD([w], lr=0.1).step()\n").join()).not.toContain("Nothing reads a gradient");
  });
});

describe("hostile texts", () => {
  const noise = (length: number, alphabet: string): string => {
    let state = 12345;
    let out = "";
    for (let i = 0; i < length; i++) {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      out += alphabet[(state >> 8) % alphabet.length];
    }
    return out;
  };
  const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("");

  test.each([
    ["100,000 open brackets", `y = ${"(".repeat(100_000)}`],
    ["100,000 brackets around a name", `${X}y = ${"(".repeat(100_000)}x${")".repeat(100_000)}`],
    ["1 MB of printable noise", noise(1_000_000, `${printable}\n`)],
    ["1 MB of words and brackets", noise(1_000_000, "abc xyz=+()\n")],
    ["1 MB of operators", noise(1_000_000, "ab+-*/ \n=.,")],
    ["1 MB of letters", noise(1_000_000, "abcdefg \n")],
  ])("%s end in a diagnostic in time", (_name, text) => {
    const start = performance.now();
    const parsed = parseProgram(text, { patience: 1 });
    const millis = performance.now() - start;
    expect(
      parsed.diagnostics.some(({ severity, line, column }) => severity === "error" && line >= 1 && column >= 1),
    ).toBe(true);
    expect(parsed.diagnostics.length).toBeLessThanOrEqual(201);
    // 100 ms on a machine of its own; the check shares its cores, so only a runaway is caught here.
    expect(millis).toBeLessThan(15_000);
  });

  test("long chains of every kind neither throw nor recurse", () => {
    for (const text of [
      `y = x${"+x".repeat(20_000)}`,
      `y = ${"-".repeat(20_000)}x`,
      `y = x${".T".repeat(5_000)}`,
      `y = x${"[0]".repeat(5_000)}`,
      `y = ${"not ".repeat(5_000)}x`,
      `y = ${"relu(".repeat(490)}x${")".repeat(490)}`,
    ]) {
      expect(() => parseProgram(X + text, { patience: 1 })).not.toThrow();
    }
    expect(parseProgram(`${X}y = ${"relu(".repeat(490)}x${")".repeat(490)}`).graph.nodes.size).toBe(491);
  });

  test("calls that double again and again are stopped", () => {
    const defs = Array.from({ length: 30 }, (_, i) => `def f${i + 1}(a):\n  return f${i}(f${i}(a))\n`).join("");
    const parsed = parseProgram(`${X}def f0(a):\n  return relu(a)\n${defs}y = f30(x)\n`, {
      patience: 1,
    });
    expect(problems(parsed)[0]).toMatch(/too-long/);
  });

  test("where reading ends hangs on the text alone", () => {
    const text = `${X}${"x = relu(x)\n".repeat(40_000)}`;
    const ends = [0, 1].map(() =>
      parseProgram(text, { patience: 1 }).diagnostics.find(({ code }) => code === "too-long"),
    );
    expect(ends[0]!.line).toBeGreaterThan(1_000);
    expect(ends[1]).toEqual(ends[0]);
    expect(parseProgram(text, { patience: 20 }).diagnostics.some(({ code }) => code === "too-long")).toBe(false);
  });

  test("10,000 statements are read", () => {
    const text = `v0: f32[8]\n${Array.from({ length: 10_000 }, (_, i) => `v${i + 1} = relu(v${i} + 1)`).join("\n")}`;
    const { graph, complete } = parseProgram(text);
    expect([graph.nodes.size, complete]).toEqual([30_001, true]);
  });
});
