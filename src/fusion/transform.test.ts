import { describe, expect, test } from "vitest";
import { runReference } from "./reference";
import { applyTextEdits, parseProgram, transformNames, transformProgram, type TransformName } from "./text";

const DENSE = `# A dense layer
N = 16
x: f32[N, 8]
w: f32[8, 4] = param()
b: f32[4] = param()

h = x @ w
y = relu(h + b)  # the layer
`;

function transformed(text: string, name: TransformName): string {
  const answer = transformProgram(text, name);
  if (!answer.ok) throw new Error(answer.text);
  return applyTextEdits(text, answer.edits);
}

describe("a dense layer", () => {
  test("its gradient is that of the sum of what it returns, by its parameters", () => {
    expect(transformed(DENSE, "grad")).toBe(`# A dense layer
N = 16
x: f32[N, 8]
w: f32[8, 4] = param()
b: f32[4] = param()

def program(x, w, b):
  h = x @ w
  y = relu(h + b)  # the layer
  return sum(y)

dw, db = grad(program, argnums=(1, 2))(x, w, b)
return dw, db
`);
  });

  test.each(transformNames)("%s reads, and lines of the program stay as they are", (name) => {
    const text = transformed(DENSE, name);
    const { diagnostics, outputs } = parseProgram(text);
    expect(diagnostics).toEqual([]);
    expect(outputs.length).toBeGreaterThan(0);
    const trimmed = text.split("\n").map((line) => line.trim());
    for (const line of ["h = x @ w", "y = relu(h + b)  # the layer"]) expect(trimmed).toContain(line);
  });

  test("vmap gives x examples and leaves parameters alone", () => {
    const { graph, outputs } = parseProgram(transformed(DENSE, "vmap"));
    expect(graph.nodes.get(outputs[0]!)!.type.shape).toEqual([8, 16, 4]);
  });
});

test("declarations between ops move above the def", () => {
  const text = transformed("x: f32[4]\na = exp(x)\nw: f32[4]\ny = a * w\nreturn y\n", "vmap");
  expect(text).toBe(
    "B = 8\nx: f32[B, 4]\nw: f32[B, 4]\n\ndef program(x, w):\n  a = exp(x)\n  y = a * w\n  return y\n\nbatch = vmap(program)(x, w)\nreturn batch\n",
  );
});

test("a jvp along an input's own change is the derivative that a vjp takes back", () => {
  const source = "x: f32[3]\ny = sum(x * x * x)\n";
  for (const name of ["vjp", "jvp"] as const) {
    const { graph, outputs } = parseProgram(transformed(source, name));
    const data = new Map(
      [...graph.nodes.values()]
        .filter(({ op }) => op === "input")
        .map(
          ({ id, type }) =>
            [id, Float64Array.from(type.shape.length === 0 ? [1] : id === "dx" ? [1, 1, 1] : [1, 2, 3])] as const,
        ),
    );
    const results = runReference(graph, data);
    const last = results.get(outputs.at(-1)!)!;
    expect([...last.data]).toEqual(name === "vjp" ? [3, 12, 27] : [42]);
  }
});

test.each([
  ["grad", "x: f32[4]\na = exp(x)\nb = log(x)\n", "several values"],
  ["grad", "x: f32[4]\nloss = sum(x)\nloss.backward()\nreturn x.grad\n", "backward pass already"],
  ["grad", "i: i32[4]\ny = i + 1\n", "no gradient"],
  ["jvp", "x: f32[4]\ni: i32[4]\ny = x * i\n", "no f32 or f16"],
  ["vmap", "x: f32[4]\ny = relu(...)\n", "fix that first"],
] as const)("%s of %j is refused in words", (name, text, words) => {
  const answer = transformProgram(text, name);
  expect(answer).toMatchObject({ ok: false });
  expect(answer.ok ? "" : answer.text).toContain(words);
});
