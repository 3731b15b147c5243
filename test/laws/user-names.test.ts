/** Names of the user's that are words of WGSL, functions that ops bring along or names of a kernel's frame: no module declares or hides what it uses. */
import { describe, expect, test } from "vitest";
import { compile, defaultOptions, wgslHelpers } from "../../src/fusion";

const helpers = [...wgslHelpers().keys()].flatMap((name) => [name, `${name}4`]);
/** Words that WGSL has, and some that templates use. */
const words =
  "fn var f32 vec4f select step length mix sample texture min max array ptr read workgroup fract sign distance cross saturate subgroupAdd vec3h mat4x4f arrayLength exp log bitcast i k gid wid tid row column lane tile start partial scan put_in_order order_key main".split(
    " ",
  );
const names = [...new Set([...helpers, ...words])];

/** Calls that bring helpers along; each value feeds the next call. */
const calls: readonly ((value: string) => string)[] = [
  (v) => `sin(${v})`,
  (v) => `erf(${v})`,
  (v) => `cos(${v}) + tan(${v})`,
  (v) => `tanh(${v})`,
  (v) => `expm1(${v})`,
  (v) => `log1p(${v} ** 2)`,
  (v) => `softmax(${v})`,
  (v) => `atan2(${v}, x)`,
  (v) => `mish(${v}) % 3`,
  (v) => `abs(${v}) ** 2.5`,
  (v) => `cumsum(${v}, dim=-1)`,
  (v) => `gelu(${v}) // 2`,
  (v) => `sort(${v})`,
  (v) => `dropout(${v}, 0.5)`,
];

/** A chain of calls whose values are called as `some` says, from the call `first` on; the first name is an input, the last a result. */
function program(some: readonly string[], first: number): string {
  const [input, ...values] = some;
  const lines = values.map((name, i) => `${name} = ${calls[(first + i) % calls.length]!([input!, ...values][i]!)}`);
  const width = first % 2 === 0 ? 63 : 64;
  return [
    `x: f32[5, ${width}]`,
    `${input}: f32[5, ${width}]`,
    ...lines,
    `return ${some.at(-1)}, ${some.at(-1)}.argmax(-1)`,
  ].join("\n");
}

/** Names that a block of the module declares twice, and calls of what a block around them hides: a buffer of the module does, too. */
function faults(wgsl: string): string[] {
  const blocks: Set<string>[] = [new Set()];
  const buffers = new Set<string>();
  const found: string[] = [];
  const text = wgsl.replaceAll(/\/\/.*$/gm, "");
  const tokens =
    /[{}]|\b(for \()?(fn|let|var(?:<[^>]*>)?|const)\s+([A-Za-z_]\w*)|(?<![\w.])([A-Za-z_]\w*)(?:<[\w, ]+>)?\(/g;
  for (const [token, loop, word, name, called] of text.matchAll(tokens)) {
    if (token === "{") blocks.push(new Set());
    else if (token === "}") blocks.pop();
    else if (called !== undefined) {
      if (buffers.has(called) || blocks.slice(1).some((block) => block.has(called)))
        found.push(`${called} is hidden where it is called`);
    } else if (loop === undefined) {
      if (blocks.at(-1)!.has(name!)) found.push(`${name} is declared twice`);
      blocks.at(-1)!.add(name!);
      if (blocks.length === 1 && word !== "fn") buffers.add(name!);
    }
  }
  return found;
}

const CHUNK = 8;
describe.each([0, 5, 10])("from call %i on", (first) => {
  const chunks = Array.from({ length: Math.ceil(names.length / CHUNK) }, (_, i) =>
    names.slice(i * CHUNK, (i + 1) * CHUNK),
  ).filter((chunk) => chunk.length > 1);
  test.each(chunks.map((chunk) => [chunk.join(" "), chunk] as const))("%s", (_, chunk) => {
    const { naivePlan, fusedPlan, diagnostics } = compile(program(chunk, first), defaultOptions);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    for (const plan of [naivePlan!, fusedPlan!]) expect(plan.kernels.flatMap(({ wgsl }) => faults(wgsl))).toEqual([]);
  });
});
