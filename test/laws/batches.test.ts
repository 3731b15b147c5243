/** @file Every op under vmap is the op on each example; per-example gradients, batches in batches, and what is refused. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inputData, parseProgram, runReference, type NodeId } from "../../src/fusion";
import { batched } from "./batched-case";
import { caseArbitrary, planned, runFaults, structureFaults, type Case } from "./plan-laws";
import { calls } from "./written-calls";

const SIZE = 3;
const ELEMENTS = 4 * 8;
/** Axes of the batch in x and y; null: shared. */
const axes = [
  [0, 0],
  [0, null],
  [null, 0],
  [1, 2],
] as const;

const shapeOf = (axis: number | null): string => {
  const shape = [4, 8];
  if (axis !== null) shape.splice(axis, 0, SIZE);
  return `f32[${shape.join(", ")}]`;
};
const said = (axis: number | null): string => String(axis ?? "None");

interface Results {
  readonly shape: readonly number[];
  readonly data: ArrayLike<number>;
}

/** The results of a program with `x` and `y`; null for one that does not read. */
function resultsOf(text: string, data: Readonly<Record<string, Float64Array>>): Results[] | null {
  const { graph, complete } = parseProgram(text);
  if (!complete) return null;
  const inputs = new Map<NodeId, Float64Array>();
  for (const n of graph.nodes.values()) if (n.op === "input") inputs.set(n.id, data[n.label]!);
  const found = runReference(graph, inputs);
  return graph.outputs.map((id) => ({ shape: graph.nodes.get(id)!.type.shape, data: found.get(id)!.data }));
}

/** Example `at` of a tensor with a batch along `axis` of [4, 8]. */
function exampleOf(data: Float64Array, axis: number | null, at: number): Float64Array {
  if (axis === null) return data;
  const inner = [4, 8].slice(axis).reduce((all, extent) => all * extent, 1);
  const one = new Float64Array(ELEMENTS);
  for (let k = 0; k < ELEMENTS; k++) one[k] = data[Math.floor(k / inner) * SIZE * inner + at * inner + (k % inner)]!;
  return one;
}

function dataFor(name: string, axis: number | null): Float64Array {
  const { graph } = parseProgram(`${name}: ${shapeOf(axis)}\nz = ${name} + 1`);
  return Float64Array.from(inputData(graph.nodes.get(name as NodeId)!));
}

/** Ops whose examples draw from one stream: another index, another number. */
const DRAWN = new Set(["dropout"]);

describe("every op", () => {
  test.each(calls.filter(([op]) => !DRAWN.has(op)))("%s", (_, call) => {
    const single = `x: f32[4, 8]\ny: f32[4, 8]\ndef f(x, y):\n    return ${call}\nz = f(x, y)\nreturn z`;
    for (const [first, second] of axes) {
      const [x, y] = [dataFor("x", first), dataFor("y", second)];
      const each = Array.from({ length: SIZE }, (_, at) =>
        resultsOf(single, { x: exampleOf(x, first, at), y: exampleOf(y, second, at) }),
      );
      if (each[0] === null) continue;
      const batch = `x: ${shapeOf(first)}\ny: ${shapeOf(second)}\ndef f(x, y):\n    return ${call}\nz = vmap(f, in_axes=(${said(first)}, ${said(second)}))(x, y)\nreturn z`;
      const all = resultsOf(batch, { x, y });
      expect(all === null ? parseProgram(batch).diagnostics.map(({ text }) => text) : []).toEqual([]);
      expect(all!.map(({ shape }) => shape)).toEqual(each[0]!.map(({ shape }) => [SIZE, ...shape]));
      all!.forEach(({ data }, i) => {
        const wanted = each.flatMap((one) => Array.from(one![i]!.data));
        const apart = wanted.filter(
          (value, k) =>
            !(Object.is(value, data[k]) || Math.abs(value - data[k]!) <= 1e-9 * Math.max(1, Math.abs(value))),
        );
        expect([data.length, apart]).toEqual([wanted.length, []]);
      });
    }
  });
});

describe("every op, batched twice, is the op batched once over all examples", () => {
  test.each(calls.filter(([op]) => !DRAWN.has(op)))("%s", (_, call) => {
    const f = `def f(x, y):\n    return ${call}\n`;
    const data = {
      x: Float64Array.from({ length: 6 * ELEMENTS }, (_, i) => Math.sin(i + 1)),
      y: Float64Array.from({ length: 6 * ELEMENTS }, (_, i) => Math.cos(i)),
    };
    const once = resultsOf(`x: f32[6, 4, 8]\ny: f32[6, 4, 8]\n${f}z = vmap(f)(x, y)\nreturn z`, data);
    if (once === null) return;
    const twice = `x: f32[2, 3, 4, 8]\ny: f32[2, 3, 4, 8]\n${f}z = vmap(vmap(f))(x, y)\nreturn z`;
    const found = resultsOf(twice, data);
    expect(found === null ? parseProgram(twice).diagnostics.map(({ text }) => text) : []).toEqual([]);
    expect(found!.map(({ shape }) => shape)).toEqual(once.map(({ shape }) => [2, 3, ...shape.slice(1)]));
    found!.forEach(({ data: all }, i) => expect(Array.from(all)).toEqual(Array.from(once[i]!.data)));
  });
});

test("15 random programs under vmap: planned, counted and computed like any graph", { timeout: 120_000 }, () => {
  let taken = 0;
  const faults = (one: Case): readonly string[] => {
    const whole = batched(one);
    if (!whole) return [];
    taken++;
    const plan = planned(whole);
    return [...structureFaults(plan), ...runFaults(plan, "gpu", one.text.length)];
  };
  const result = fc.check(
    fc.property(caseArbitrary, (one) => faults(one).length === 0),
    { numRuns: 15, seed: 20261121, endOnFailure: true },
  );
  const failing = result.counterexample?.[0];
  expect(failing ? [batched(failing)!.text, failing.ways, ...faults(failing)] : []).toEqual([]);
  expect(taken).toBeGreaterThan(10);
});

test("gradients of each example", () => {
  const both = (body: string): string =>
    `x: f32[${SIZE}, 4]\nw: f32[4, 4]\ndef loss(w, x):\n    return sum(tanh(x @ w))\n${body}\nreturn g`;
  const [x, w] = [
    Float64Array.from({ length: 12 }, (_, i) => Math.sin(i)),
    Float64Array.from({ length: 16 }, (_, i) => Math.cos(i)),
  ];
  const batch = resultsOf(both("g = vmap(grad(loss), in_axes=(None, 0))(w, x)"), { x, w })!;
  const apart = resultsOf(both(`g = stack([${[0, 1, 2].map((at) => `grad(loss)(w, x[${at}])`).join(", ")}])`), {
    x,
    w,
  })!;
  expect(batch[0]!.shape).toEqual([SIZE, 4, 4]);
  expect(Array.from(batch[0]!.data)).toEqual(Array.from(apart[0]!.data, (value) => expect.closeTo(value, 12)));
});

test("batches in batches, and results along another axis", () => {
  const text =
    "a: f32[3, 5]\nb: f32[4, 5]\ndef dot(a, b):\n    return sum(a * b)\nz = vmap(vmap(dot, in_axes=(None, 0)), in_axes=(0, None), out_axes=1)(a, b)\nreturn z, b @ a.T\n";
  const data = {
    a: Float64Array.from({ length: 15 }, (_, i) => Math.sin(i)),
    b: Float64Array.from({ length: 20 }, (_, i) => Math.cos(i)),
  };
  const [nested, product] = resultsOf(text, data)!;
  expect(nested!.shape).toEqual([4, 3]);
  expect(Array.from(nested!.data)).toEqual(Array.from(product!.data, (value) => expect.closeTo(value, 12)));
});

describe("what is refused says what and where", () => {
  const problem = (text: string): string | undefined =>
    parseProgram(text).diagnostics.find(({ severity }) => severity === "error")?.text;
  const f = "x: f32[3, 4]\ny: f32[5, 4]\ndef f(x, y):\n    return x + y\n";
  test.each([
    ["z = vmap(f)(x, y)", "Argument 2 has 5 examples along axis 0 (f32[5, 4]); those before it have 3."],
    ["z = vmap(f, in_axes=(2, None))(x, y[0])", "Argument 1 is f32[3, 4]: it has no axis 2 to take examples from."],
    ["z = vmap(f, in_axes=None)(x, x)", "vmap needs an argument with a batch: one whose axis in in_axes is a number."],
  ])("%s", (line, text) => expect(problem(f + line)).toBe(text));

  const body = "def one(a):\n    b = a * 2\n    v = custom_call(b)\n    return sum(tanh(v) + b)\n";
  test.each([
    ["a derivative inside", `x: f32[3, 4]\n${body}y = vmap(grad(one))(x)`, "`custom_call` (v) has no derivative here"],
    [
      "too many examples",
      `x: f32[300, 4]\n${body}y = vmap(one)(x)`,
      "`custom_call` (v) has no rule for batches, and 300",
    ],
  ])("%s: the function's ops stay, and every operand is there", (_, text, words) => {
    expect(problem(text)).toContain(words);
    const { nodes } = parseProgram(text).graph;
    expect([...nodes.values()].map(({ label }) => label)).toContain("v");
    for (const { inputs } of nodes.values()) for (const id of inputs) expect(nodes.has(id)).toBe(true);
  });
});
