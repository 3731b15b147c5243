/** @file Random programs with a loop whose body works element by element, and the same written out. */
import fc from "fast-check";

export interface LoopProgram {
  /** With a `for`. */
  readonly text: string;
  /** The body once for every iteration, and no `for`. */
  readonly unrolled: string;
}

const SHAPES = ["[3, 8]", "[8]", "[3, 1]", "[4, 3, 8]"];
const UNARY = ["tanh", "sin", "abs", "sigmoid", "cos"];

/** How one line computes: which of the names so far it reads, and by what. */
const line = fc.record({ op: fc.nat({ max: 7 }), a: fc.nat(), b: fc.nat(), c: fc.nat() });

type Line = { readonly op: number; readonly a: number; readonly b: number; readonly c: number };

function written({ op, a, b, c }: Line, names: readonly string[]): string {
  const [x, y, z] = [a, b, c].map((at) => names[at % names.length]!) as [string, string, string];
  return [
    `${x} * 0.5 + ${y} * 0.25`,
    `${UNARY[c % UNARY.length]!}(${x})`,
    `where(${x} < ${y}, ${y}, ${z})`,
    `maximum(${x}, ${y} - 1)`,
    `tanh(${x} * ${y})`,
    `${x} + (${y} > 0.5) * 0.125`,
    `${x} / (1 + ${y} * ${y})`,
    `tanh(${x} + i * 0.01)`,
  ][op]!;
}

/**
 * @param carriedShape of what is carried; what is shared broadcasts to it
 * @param readsAfter something is computed of the results
 */
export const loopArbitrary: fc.Arbitrary<LoopProgram> = fc
  .record({
    shape: fc.nat({ max: SHAPES.length - 1 }),
    carried: fc.integer({ min: 1, max: 3 }),
    shared: fc.nat({ max: 2 }),
    temporaries: fc.array(line, { minLength: 1, maxLength: 4 }),
    steps: fc.array(line, { minLength: 3, maxLength: 3 }),
    start: fc.nat({ max: 2 }),
    step: fc.integer({ min: 1, max: 3 }),
    iterations: fc.integer({ min: 17, max: 40 }),
    swaps: fc.boolean(),
    number: fc.boolean(),
    before: fc.boolean(),
    after: fc.nat({ max: 3 }),
  })
  .map(({ shape, carried, shared, temporaries, steps, start, step, iterations, swaps, number, before, after }) => {
    const own = SHAPES[shape]!;
    const names = ["x", "y", "z"].slice(0, carried);
    const beside = ["p", "q"].slice(0, shared);
    const smaller = ["[8]", "[1]"];
    const head = [
      ...names.map((name) => `${name}0: f32${own}`),
      ...beside.map((name, i) => `${name}: f32${shape === 2 ? "[1]" : smaller[i]!}`),
      ...names.map((name, i) => `${name} = ${before ? `exp(${name}0)` : `${name}0 * ${i + 2}`}`),
      ...(number ? ["n = 0.5"] : []),
    ];
    const known = [...names, ...beside];
    const body: string[] = [];
    temporaries.forEach((each, i) => {
      body.push(`t${i} = ${written(each, known)}`);
      known.push(`t${i}`);
    });
    names.forEach((name, i) => body.push(`new_${name} = tanh(${written(steps[i]!, known)}) + ${name} * 0.5`));
    const ends = names.map((name) => `new_${name}`);
    // Each gets what another would have got.
    const given = swaps ? [...ends.slice(1), ...ends.slice(0, 1)] : ends;
    if (swaps && names.length > 1 && after === 3) given[0] = names.at(-1)!;
    body.push(`${names.join(", ")} = ${given.join(", ")}`);
    if (number) body.push(`n = n * 0.5 + ${names[0]!}`);
    const results = [...names, ...(number ? ["n"] : [])];
    const tail = [
      [`return ${results.join(", ")}`],
      [`return ${results[0]!}`],
      [`s = relu(${results.at(-1)!}) * 2`, `return s, ${results[0]!}`],
      [`s = ${results.join(" + ")}`, "m = s.sum(dim=-1)", "return m, s"],
    ][after]!;
    const numbers = Array.from({ length: iterations }, (_, i) => start + step * i);
    const stop = start + step * iterations;
    return {
      text: [
        ...head,
        `for i in range(${start}, ${stop}, ${step}):`,
        ...body.map((each) => `    ${each}`),
        ...tail,
      ].join("\n"),
      unrolled: [
        ...head,
        ...numbers.flatMap((i) => body.map((each) => each.replaceAll(/\bi\b/g, String(i)))),
        ...tail,
      ].join("\n"),
    };
  });

/** The program as a function whose weighted results are summed, with derivatives by everything that it reads. */
export function derived(text: string, mode: "grad" | "jvp"): string {
  const lines = text.split("\n");
  const inputs = lines.filter((line) => /^\w+: f32/.test(line));
  const names = inputs.map((line) => line.split(":")[0]!);
  const rest = lines.filter((line) => !inputs.includes(line));
  const results = rest.at(-1)!.replace("return ", "").split(", ");
  const sum = results.map((name, i) => `(${name} * ${i + 1}).sum()`).join(" + ");
  const asked =
    mode === "grad"
      ? [`return grad(f, argnums=(${names.map((_, i) => `${i},`).join("")}))(${names.join(", ")})`]
      : [
          `out, change = jvp(f, (${names.join(", ")},), (${names.map((name) => `cos(${name})`).join(", ")},))`,
          "return out, change",
        ];
  return [
    ...inputs,
    `def f(${names.join(", ")}):`,
    ...rest.slice(0, -1).map((line) => `    ${line}`),
    `    return ${sum}`,
    ...asked,
  ].join("\n");
}
