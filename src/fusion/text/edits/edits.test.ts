import { describe, expect, test } from "vitest";
import { edgeId, nodeId } from "../../ir";
import { allComposites, allOps } from "../../ops";
import { addInput, addOp } from "./add";
import { setAttr, setConstant, setInputType, writtenAttr } from "./attrs";
import { connect, disconnect } from "./connect";
import type { Edited } from "./draft";
import { applyTextEdits } from "./apply";
import { legalSources, legalTargets } from "./legal";
import { removeNode } from "./remove";
import { renameNode } from "./rename";
import { parseProgram } from "../program";

const id = nodeId;
const X = "x: f32[4, 8]  # data\n";
const result = (text: string, edited: Edited): string =>
  edited.ok ? applyTextEdits(text, edited.edits) : `refused: ${edited.text}`;
const edit = (text: string, change: (text: string) => Edited): string =>
  result(X + text, change(X + text)).replace(X, "");

describe("connect", () => {
  test("changes one argument's span and nothing else", () => {
    const text = `${X}a = exp( x )  # keep\nb = relu(...)\n`;
    const edited = connect(text, id("a"), id("b"), 0);
    expect(edited.ok && edited.edits).toEqual([
      { span: { from: text.indexOf("..."), to: text.indexOf("...") + 3 }, insert: "a" },
    ]);
  });

  test("gives a nested value a name first", () => {
    expect(edit("y = log(relu(x) + 1)  # c\nz = exp(...)\n", (t) => connect(t, id("y/0/0"), id("z"), 0))).toBe(
      "relu_1 = relu(x)\ny = log(relu_1 + 1)  # c\nz = exp(relu_1)\n",
    );
    const edited = connect(`${X}y = log(relu(x) + 1)\nz = exp(...)\n`, id("y/0/0"), id("z"), 0);
    expect(edited.ok && edited.ids.get(id("y/0/0"))).toBe("relu_1");
  });

  test("keeps a nested value that is replaced", () => {
    expect(edit("y = log(relu(x))\n", (t) => connect(t, id("x"), id("y"), 0))).toBe("relu_1 = relu(x)\ny = log(x)\n");
  });

  test("moves a later producer up, with what it needs", () => {
    expect(
      edit("y = relu(...)\na = exp(x)  # first\n\nb = tanh(a)\nc = b\n", (t) => connect(t, id("b"), id("y"), 0)),
    ).toBe("a = exp(x)  # first\nb = tanh(a)\ny = relu(b)\n\nc = b\n");
  });

  test("renames a version that is hidden", () => {
    expect(edit("y = relu(x)\ny = exp(y)\nz = tanh(y)\n", (t) => connect(t, id("y"), id("z"), 0))).toBe(
      "y_1 = relu(x)\ny = exp(y_1)\nz = tanh(y_1)\n",
    );
    expect(edit("y = relu(x)\ny += x * 2\nz = tanh(y)\n", (t) => connect(t, id("y"), id("z"), 0))).toBe(
      "y_1 = relu(x)\ny = y_1 + (x * 2)\nz = tanh(y_1)\n",
    );
  });

  test("reaches a composite's argument through the parts that read it", () => {
    const text = "a = relu(x)\nh = softmax(x)\n";
    expect(edit(text, (t) => connect(t, id("a"), id("h.max"), 0))).toBe("a = relu(x)\nh = softmax(a)\n");
    expect(edit(text, (t) => connect(t, id("a"), id("h"), 0))).toMatch(/refused: .*locked/);
  });

  test("says how many instances an edit changes", () => {
    const text = `${X}def f(p):\n  a = exp(p)\n  return relu(p)\ny = f(x)\nz = f(y)\n`;
    const edited = connect(text, id("y/f#0/a"), id("y/f#0/return"), 0);
    expect(edited.ok && edited.note).toBe("Changes all 2 calls of f.");
    expect(result(text, edited)).toContain("return relu(a)");
  });

  test.each([
    ["y = relu(x)\nz = exp(y)\n", "z", "y", /cycle/],
    ["y = relu(x)\n", "y", "y", /itself/],
    ["w: f32[3]\ny = x + x\n", "w", "y", /x is 4×8, w is 3|w is 3/],
    ["def f(p):\n  t = exp(p)\n  return t + 1\ny = f(x)\nz = relu(x)\n", "y/f#0/t", "z", /lives inside f/],
  ])("refuses with a reason: %s", (text, producer, consumer, reason) => {
    expect(edit(text, (t) => connect(t, id(producer), id(consumer), 0))).toMatch(reason);
  });

  test("legal targets agree with it", () => {
    const parsed = parseProgram(`${X}w: f32[3]\ny = relu(x)\nz = add(y, ...)\n`);
    expect(legalTargets(parsed, id("w")).map(({ consumer, operand, ok }) => `${consumer}:${operand} ${ok}`)).toEqual([
      "y:0 true",
      "z:0 true",
      "z:1 false",
    ]);
    expect(legalTargets(parsed, id("z")).every(({ ok, reason }) => !ok && reason !== "")).toBe(true);
  });

  test("an empty operand is offered what fits, values that nothing reads first", () => {
    const offered = (text: string, op: string): string[] => {
      const sources = legalSources(parseProgram(X + text), id(op));
      for (const { producer, consumer, operand } of sources)
        expect(connect(X + text, producer, consumer, operand).ok).toBe(true);
      return sources.map(({ argument, producer }) => `${argument} ${producer}`);
    };
    expect(offered("h = exp(x)\ny = relu(h) * 2\ns = sigmoid(...)\nreturn y\n", "s")).toEqual([
      "0 y",
      "0 y/0",
      "0 h",
      "0 x",
    ]);
    expect(offered("w: f32[3]\nz = add(x, ...)\nu = exp(z)\n", "z")).toEqual(["1 x"]);
    expect(offered("s = softmax(...)\n", "s")).toEqual(["0 x"]);
    expect(offered("z = add(..., ...)\n", "z")).toEqual(["0 x", "1 x"]);
    expect(offered("s = relu(x)\n", "s")).toEqual([]);
  });
});

describe("disconnect and remove", () => {
  test("an edge that is cut leaves `...`", () => {
    expect(edit("y = add(x, x)\n", (t) => disconnect(t, edgeId(id("x"), id("y"), 1)))).toBe("y = add(x, ...)\n");
    expect(edit("y = x.mean()\n", (t) => disconnect(t, edgeId(id("x"), id("y"), 0)))).toBe("y = (...).mean()\n");
    expect(edit("y = exp(x)\ny += x\n", (t) => disconnect(t, edgeId(id("y"), id("y@2"), 0)))).toBe(
      "y = exp(x)\ny = ... + x\n",
    );
    expect(edit("y = log(relu(x))\n", (t) => disconnect(t, edgeId(id("y/0"), id("y"), 0)))).toBe(
      "relu_1 = relu(x)\ny = log(...)\n",
    );
  });

  test("a deleted statement leaves `...` where it was read, and the rest as it was", () => {
    const text = "# head\ny = relu(x)  # gone\n\nz = y * 2  # stays\nw = y.sum()\nreturn y, z, w\n";
    expect(edit(text, (t) => removeNode(t, id("y")))).toBe(
      "# head\n\nz = ... * 2  # stays\nw = (...).sum()\nreturn z, w\n",
    );
    expect(edit("a = exp(x); b = tanh(x)\n", (t) => removeNode(t, id("a")))).toBe("b = tanh(x)\n");
    expect(edit("y = log(relu(x) + 1)\n", (t) => removeNode(t, id("y/0/0")))).toBe("y = log(... + 1)\n");
    expect(edit("y = relu(x)\n", (t) => removeNode(t, id("x")))).toContain("y = relu(...)");
    expect(edit("for i in range(2):\n  y = relu(x)\n", (t) => removeNode(t, id("i#0/y")))).toBe(
      "for i in range(2):\n  pass\n",
    );
  });

  test("a composite's part is locked, its call is not", () => {
    expect(edit("h = softmax(x)\n", (t) => removeNode(t, id("h.max")))).toMatch(
      /part of softmax h, and parts are locked/,
    );
    expect(edit("h = softmax(x)\ng = exp(h)\n", (t) => removeNode(t, id("h")))).toBe("g = exp(...)\n");
  });
});

describe("rename", () => {
  test("edits the name's own spots and carries identities along", () => {
    const text = `${X}y = relu(x)  # y stays here\nz = y + y\ny = exp(y)\n`;
    const edited = renameNode(text, id("y"), "h");
    expect(result(text, edited)).toBe(`${X}h = relu(x)  # y stays here\nz = h + h\ny = exp(h)\n`);
    expect(edited.ok && [...edited.ids]).toEqual([
      ["y", "h"],
      ["y@2", "y"],
    ]);
  });

  test("follows what a loop carries and what a keyword names", () => {
    expect(edit("h = relu(x)\nfor i in range(2):\n  h = exp(h)\n", (t) => renameNode(t, id("h"), "g"))).toBe(
      "g = relu(x)\nfor i in range(2):\n  g = exp(g)\n",
    );
  });

  test("a nested value gets a line of its own", () => {
    expect(edit("y = log(relu(x))\n", (t) => renameNode(t, id("y/0"), "r"))).toBe("r = relu(x)\ny = log(r)\n");
  });

  test.each([
    ["x", /already used/],
    ["for", /Python keyword/],
    ["2y", /not a valid name/],
    ["f32", /a type/],
    ["y", /already/],
  ])("not to %s", (name, reason) => {
    expect(edit("y = relu(x)\n", (t) => renameNode(t, id("y"), name))).toMatch(reason);
  });
});

describe("attributes, types, constants, additions", () => {
  test("an attribute is changed where it stands, or added", () => {
    expect(edit("y = softmax(x, dim=-1)\n", (t) => setAttr(t, id("y"), "axis", "0"))).toBe("y = softmax(x, dim=0)\n");
    expect(edit("y = x.mean(1)\n", (t) => setAttr(t, id("y"), "axes", "0"))).toBe("y = x.mean(0)\n");
    expect(edit("y = mean(x)\n", (t) => setAttr(t, id("y"), "keepdims", "True"))).toBe("y = mean(x, keepdims=True)\n");
    expect(edit("y = x.reshape(4, 2, 4)\n", (t) => setAttr(t, id("y"), "shape", "(2, 16)"))).toBe(
      "y = x.reshape((2, 16))\n",
    );
    expect(edit("y = x * 2\n", (t) => setAttr(t, id("y/1"), "value", "0.5"))).toBe("y = x * 0.5\n");
    expect(edit("y = layer_norm(x, (8,))\n", (t) => setAttr(t, id("y"), "eps", "1e-6"))).toBe(
      "y = layer_norm(x, (8,), eps=1e-6)\n",
    );
    expect(edit("y = softmax(x)\n", (t) => setAttr(t, id("y"), "axis", "7"))).toMatch(/refused/);
  });

  test("an attribute is called what its call calls it", () => {
    const parsed = parseProgram(`${X}a = x.mean(dim=-1, keepdim=True)\nb = mean(x, 1)\nc = softmax(x)\nd = x + 1\n`);
    expect(writtenAttr(parsed, id("a"), "axes")).toEqual({ name: "dim", value: "-1" });
    expect(writtenAttr(parsed, id("a"), "keepdims")).toEqual({ name: "keepdim", value: "True" });
    expect(writtenAttr(parsed, id("b"), "axes")).toEqual({ name: "axes", value: "1" });
    expect(writtenAttr(parsed, id("b"), "keepdims")).toEqual({ name: "keepdims", value: null });
    expect(writtenAttr(parsed, id("d"), "axes")).toBeNull();
  });

  test("an input's type, role and data", () => {
    const text = "x: f32[4, 8]  # data\ny = relu(x)\n";
    expect(result(text, setInputType(text, id("x"), "f16[2]"))).toBe("x: f16[2]  # data\ny = relu(x)\n");
    expect(result(text, setInputType(text, id("x"), "f31[2]"))).toMatch(/refused: A type is f32/);
    expect(result(text, setAttr(text, id("x"), "seed", "7"))).toBe(
      "x: f32[4, 8] = randn(seed=7)  # data\ny = relu(x)\n",
    );
    expect(result(text, setAttr(text, id("x"), "role", "param"))).toBe("x: f32[4, 8] = param()  # data\ny = relu(x)\n");
  });

  test("a constant", () => {
    const text = "N = 512  # S\nx: f32[N]\ny = relu(x)\n";
    expect(result(text, setConstant(text, "N", 2048))).toBe("N = 2048  # S\nx: f32[N]\ny = relu(x)\n");
    expect(result(text, setConstant(text, "M", 1))).toMatch(/refused/);
  });

  test("a new op waits with open operands; a new input stands below the others", () => {
    expect(edit("y = relu(x)\nreturn y", (t) => addOp(t, "matmul"))).toBe(
      "y = relu(x)\nmatmul_1 = matmul(..., ...)\nreturn y",
    );
    expect(edit("y = relu(x)", (t) => addOp(t, "relu"))).toBe("y = relu(x)\nrelu_1 = relu(...)\n");
    expect(edit("y = relu(x)\n", (t) => addInput(t))).toBe("x1: f32[4, 8]\ny = relu(x)\n");
    expect(result("", addInput(""))).toBe("x: f32[1024, 1024]\n");
    const def = "def f(a: f32[4]):\n    return relu(a)\n";
    expect(result(def, addOp(def, "exp"))).toBe("def f(a: f32[4]):\n    exp_1 = exp(...)\n    return relu(a)\n");
    expect(result(def, addInput(def))).toBe("def f(a: f32[4], x: f32[4]):\n    return relu(a)\n");
  });
});

test("every op can be added: what it needs has something that stands for it", () => {
  const text = "x: f32[4, 8]\ny = relu(x)\n";
  const wrong = [...allOps, ...allComposites]
    .filter(({ kind }) => kind !== "source")
    .flatMap(({ name }) => {
      const added = addOp(text, name);
      if (!added.ok) return [`${name}: ${added.text}`];
      const program = applyTextEdits(text, added.edits);
      const errors = parseProgram(program).diagnostics.filter(({ severity }) => severity === "error");
      return errors.map((error) => `${program.split("\n")[2]}: ${error.text}`);
    });
  expect(wrong).toEqual([]);
});
