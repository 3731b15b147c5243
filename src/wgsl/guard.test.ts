import { describe, expect, test } from "vitest";
import { guard } from "./guard";
import { isFault, tokensOf } from "./scan";
import { shapeOf, workgroupsIn } from "./shape";

const guarded = (text: string, limit = 1000, flag: number | null = null) => {
  const tokens = tokensOf(text);
  if (isFault(tokens)) throw new Error(tokens.text);
  const made = guard(text, tokens, shapeOf(tokens), limit, flag);
  if ("column" in made) throw new Error(made.text);
  return made;
};
const main = (body: string): string => `@compute @workgroup_size(64)\nfn main() {\n${body}\n}`;

describe("the iteration limit", () => {
  test.each([
    ["an endless while", main("while (true) { }"), 1],
    ["a for without a test", main("for (;;) { break; }"), 1],
    ["a loop", main("loop { if (false) { break; } }"), 1],
    ["a loop in a loop", main("loop { loop { break; } break; }"), 2],
    ["a counted loop", main("for (var i = 0u; i < 64u; i++) { }"), 0],
    ["a counted loop with a constant", `const N = 64;\n${main("for (var i: u32 = 3; i <= N; i += 2) { }")}`, 0],
    ["a counted loop whose variable is written", main("for (var i = 0u; i < 64u; i++) { i -= 1u; }"), 1],
    ["one that is written through a pointer", main("for (var i = 0u; i < 64u; i++) { let p = &i; *p = 0u; }"), 1],
    ["one with a signed start that nobody knows", main("for (var i = start(); i < 64; i++) { }"), 1],
    ["one that counts the wrong way", main("for (var i = 0u; i > 64u; i++) { }"), 1],
    ["more turns than allowed", main("for (var i = 0u; i < 5000u; i++) { }"), 1],
    ["too many together", main("for (var i = 0u; i < 64u; i++) { for (var j = 0u; j < 64u; j++) { } }"), 1],
    ["in a helper", `fn help() { while (true) { } }\n${main("help();")}`, 1],
    [
      "a helper that is called too often",
      `fn help() { for (var j = 0u; j < 64u; j++) { } }\n${main("for (var i = 0u; i < 64u; i++) { help(); }")}`,
      1,
    ],
    ["words in comments", main("// while (true) { }\n/* loop { /* for */ } */"), 0],
  ])("%s", (_, text, limited) => {
    expect(guarded(text).limited).toBe(limited);
  });

  test("what is compiled holds no comment, and every line stays where it was", () => {
    const text = main("  let a = 1.0; // a × b\u2028 loop { }\n  while (true) { } /* end */");
    const { wgsl, written } = guarded(text);
    expect(wgsl).not.toMatch(/\/\/|\/\*|loop/);
    expect(wgsl.trimEnd().split("\n")).toHaveLength(text.split("\n").length);
    const line = wgsl.split("\n")[3]!;
    expect(line).toContain("while (true) { if (turns_left_1 == 0u) { break; } turns_left_1 -= 1u;");
    expect(written(4, line.lastIndexOf("}") + 1)).toEqual({
      line: 4,
      column: text.split("\n")[3]!.lastIndexOf("}") + 1,
    });
  });

  test("a limit that is reached is told, at a binding of its own", () => {
    const { wgsl } = guarded(main("loop { }"), 10, 4);
    expect(wgsl).toContain("@group(0) @binding(4) var<storage, read_write> limit_reached: u32;");
    expect(wgsl).toContain("limit_reached = 1u; break;");
  });

  test("a helper's loop that waits for other threads is refused", () => {
    expect(() => guarded(`fn help() { loop { workgroupBarrier(); } }\n${main("help();")}`)).toThrow(/kernel itself/);
  });

  test("names of the text are left alone", () => {
    expect(guarded(main("var turns_left_1 = 0u; loop { }")).wgsl).toContain("turns_left___1 -= 1u");
  });
});

test("how many workgroups a comment asks for", () => {
  expect(workgroupsIn("// workgroups: 12 × 3\nfn f() {}")).toEqual([12, 3, 1]);
  expect(workgroupsIn("  // Workgroups: 7")).toEqual([7, 1, 1]);
  expect(workgroupsIn("fn f() {}")).toBeNull();
});
