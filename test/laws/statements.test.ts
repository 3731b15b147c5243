/** @file Programs of functions that call one another: whatever the naive plan takes together, its kernels can run one after the other. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { statementOf } from "../../src/fusion/ir/id-spelling";
import { planned, runFaults, structureFaults, type Ways } from "./plan-laws";

/** What is written where a value is wanted; `@` stands for names that are known there. */
const expression = (calls: readonly string[]): fc.Arbitrary<string> =>
  fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constant("@"),
      fc.tuple(fc.constantFrom("tanh", "relu", "exp", ...calls), tie("any")).map(([f, a]) => `${f}(${a})`),
      // A call with work before and behind it, in one statement.
      fc.tuple(fc.constantFrom("exp", ...calls), tie("any")).map(([f, a]) => `relu(${f}(${a} + 0.25))`),
      fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a} + 0.5 * ${b})`),
      tie("any").map((a) => `(${a} - ${a}.mean(dim=-1, keepdim=True))`),
    ),
  })).any;

/** A line of one or two names. */
const line = (calls: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc.array(expression(calls), { minLength: 1, maxLength: 2 });

/** Lines that name what they compute after `prefix`, each of names that are known before; and what they name. */
function body(
  lines: readonly (readonly string[])[],
  known: readonly string[],
  prefix: string,
  picks: number,
): string[] {
  const names = [...known];
  let at = picks;
  return lines.map((expressions, i) => {
    const own = expressions.map((_, j) => `${prefix}${i}${"ab"[j]}`);
    const right = expressions.map((text) =>
      text.replaceAll("@", () => names[(at = (at * 31 + 7) % 1009) % names.length]!),
    );
    names.push(...own);
    return `${own.join(", ")} = ${right.join(", ")}`;
  });
}

const namesIn = (lines: readonly string[]): string[] => lines.flatMap((text) => text.split(" = ")[0]!.split(", "));

const program: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(line([]), { minLength: 1, maxLength: 3 }),
    fc.array(line(["f"]), { minLength: 1, maxLength: 3 }),
    fc.array(line(["f", "g"]), { minLength: 1, maxLength: 3 }),
    fc.nat(1000),
  )
  .map(([first, second, last, picks]) => {
    const f = body(first, ["u", "x"], "t", picks);
    const g = body(second, ["u", "y"], "s", picks);
    const main = body(last, ["x", "y"], "v", picks);
    const returned = (lines: readonly string[]): string => `    return ${namesIn(lines).join(" + ")}`;
    const inner = (lines: readonly string[]): string[] => lines.map((text) => `    ${text}`);
    const all = [
      "x: f32[3, 5]",
      "y: f32[3, 5]",
      "def f(u):",
      ...inner(f),
      returned(f),
      "def g(u):",
      ...inner(g),
      returned(g),
    ];
    return [...all, ...main, `return ${namesIn(main).join(", ")}`].join("\n");
  });

describe("what is taken together as one statement", () => {
  test("is its binding, in the call where it stands", () => {
    const ids = {
      h: "h",
      "h/0/1": "h",
      "h.centre": "h",
      "v5/whole.spread": "v5",
      "h1/block#0/t/1": "h1/block#0/t",
      "i#3/h/0": "i#3/h",
    };
    expect(Object.keys(ids).map(statementOf)).toEqual(Object.values(ids));
  });

  test.each(["op", "statement"] as const)("can be computed one after the other, by %s", (by) => {
    const granularity = by === "op" ? 1 : 2;
    fc.assert(
      fc.property(program, fc.nat(1), (text, counted) => {
        const ways: Ways = [granularity, 0, 0, 9 * counted, 0];
        const plan = planned({ text, ways });
        expect([...structureFaults(plan), ...runFaults(plan, "gpu", text.length)]).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test("ends where the call in its middle begins", () => {
    const text = "x: f32[3, 5]\ndef g(u):\n    return exp(u)\ny = tanh(g(tanh(relu(x))) * 2)";
    const { naive } = planned({ text, ways: [2, 0, 0, 0, 0] }).compilation;
    expect([...naive!.regions.values()].map(({ members }) => members.length)).toEqual([2, 1, 2]);
  });
});
