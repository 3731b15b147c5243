import { expect, test } from "vitest";
import { compile, defaultOptions, edgeId, nodeId, type CompileOptions } from "../../src/fusion";
import { allLessons } from "../../src/lessons";

/** Names that every object of JavaScript has. */
const PROTOTYPE = ["constructor", "toString", "__proto__", "valueOf", "hasOwnProperty", "isPrototypeOf"];

/** The program with its first names changed to those of the prototype. */
function renamed(text: string): string {
  const names = [...new Set([...text.matchAll(/^([A-Za-z_]\w*)\s*(?::|=(?!=))/gm)].map(([, name]) => name!))];
  return PROTOTYPE.reduce((program, to, i) => {
    const from = names[i];
    if (from === undefined) return program;
    // Not where it is a keyword of a call, nor an attribute.
    const uses = new RegExp(String.raw`(?<![\w.])${from}\b(?!(?<=[(,]\s*${from})\s*=(?!=))`, "g");
    return program.replaceAll(uses, to);
  }, text);
}

test("a program plans the same under names of the prototype", () => {
  let met = 0;
  for (const { id, text } of allLessons.filter(({ id }) => !id.includes("/"))) {
    const other = renamed(text);
    const plain = compile(text, defaultOptions);
    if (other === text || !plain.naivePlan) continue;
    const named = compile(other, defaultOptions);
    // Some texts use a name as a keyword too: that is another program.
    if (!named.naivePlan || named.drawn.nodes.size !== plain.drawn.nodes.size) continue;
    met++;
    expect([id, named.naivePlan.kernels.length, named.naivePlan.totals.bytes]).toEqual([
      id,
      plain.naivePlan.kernels.length,
      plain.naivePlan.totals.bytes,
    ]);
    expect([id, named.fusedPlan!.kernels.length, named.fusedPlan!.totals.bytes]).toEqual([
      id,
      plain.fusedPlan!.kernels.length,
      plain.fusedPlan!.totals.bytes,
    ]);
  }
  expect(met).toBeGreaterThan(30);
}, 240_000);

test("a choice for one name is no choice for one of the prototype", () => {
  const text =
    "constructor: f32[64, 64]\ntoString = exp(constructor)\n__proto__ = relu(toString)\nvalueOf = sum(__proto__)\n";
  const choices: readonly Partial<CompileOptions>[] = [
    { savedValues: { apart: true, choices: {} } },
    { knobs: { all: {}, kernels: { y: { threads: "64" } } } },
    { forbidden: [edgeId(nodeId("toString"), nodeId("__proto__"), 0)] },
  ];
  for (const change of choices) {
    const { fusedPlan } = compile(text, { ...defaultOptions, ...change });
    expect(fusedPlan!.kernels.every(({ wgsl }) => !/undefined|native code|NaN/.test(wgsl))).toBe(true);
  }
});
