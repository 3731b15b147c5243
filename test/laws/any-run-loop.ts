/** @file Random programs with a loop that goes on with each row by itself: it adds up along it, multiplies it by a matrix, moves its elements. */
import fc from "fast-check";
import type { LoopProgram } from "./any-loop";

/** Rows, how they lie in a tensor with one for each iteration, and a row as it is written. */
const LAYOUTS = [
  { around: [5], whole: (t: number) => `[${t}, 5, N]`, row: "[t]" },
  { around: [5], whole: (t: number) => `[5, ${t}, N]`, row: "[:, t]" },
  { around: [2, 4], whole: (t: number) => `[2, ${t}, 4, N]`, row: "[:, t]" },
  { around: [2, 4], whole: (t: number) => `[${t}, COUNT, 4, N]`, row: "[t]" },
  { around: [], whole: (t: number) => `[${t}, N]`, row: "[t]" },
] as const;

const line = fc.record({ op: fc.nat({ max: 9 }), a: fc.nat(), b: fc.nat() });
type Line = { readonly op: number; readonly a: number; readonly b: number };

function written({ op, a, b }: Line, names: readonly string[], n: number): string {
  const [x, y] = [a, b].map((at) => names[at % names.length]!) as [string, string];
  return [
    `${x} @ w`,
    `${x} / sqrt(0.5 + (${y} * ${y}).mean(-1, keepdim=True))`,
    `softmax(${x} + ${y}, dim=-1)`,
    `${x} - ${y}.amax(-1, keepdim=True)`,
    `torch.cat([${x}[..., 1:], ${y}[..., :1]], dim=-1)`,
    `torch.stack([${Array.from({ length: n }, (_, i) => `${i % 2 === 0 ? x : y}[..., ${n - 1 - i}]`).join(", ")}], dim=-1)`,
    `linear(${x}, w, bias) * 0.5`,
    `tanh(${x} * ${y} + bias)`,
    `${x} * (${y} > ${y}.sum(-1).unsqueeze(-1)) + 0.25`,
    `layer_norm(${x}, ${n})`,
  ][op]!;
}

/** Rows that a thread holds, and longer ones, which the threads of a workgroup share. */
export const runLoopArbitrary = programsOf(fc.integer({ min: 2, max: 4 }));
export const longRunArbitrary = programsOf(fc.constantFrom(9, 12, 32, 45));

function programsOf(sizes: fc.Arbitrary<number>): fc.Arbitrary<LoopProgram> {
  return fc
    .record({
      layout: fc.nat({ max: LAYOUTS.length - 1 }),
      size: sizes,
      carried: fc.integer({ min: 1, max: 2 }),
      reads: fc.boolean(),
      temporaries: fc.array(line, { minLength: 1, maxLength: 2 }),
      steps: fc.array(line, { minLength: 2, maxLength: 2 }),
      mixing: fc.constantFrom(0, 1, 2, 3, 4, 6),
      iterations: fc.integer({ min: 22, max: 30 }),
      given: fc.constantFrom("none", "rows", "sums"),
      stacked: fc.nat({ max: 1 }),
      after: fc.nat({ max: 2 }),
      producer: fc.boolean(),
    })
    .map((asked) => {
      const { around, whole, row } = LAYOUTS[asked.layout]!;
      const { size: n, iterations: count, carried, reads } = asked;
      const names = ["x", "y"].slice(0, carried);
      const shape = `[${[...around, n].join(", ")}]`;
      // What is joined has one shape; all else broadcasts.
      const ops = [...asked.temporaries, ...asked.steps].map(({ op }) => op);
      const joins = [...ops, asked.mixing].some((op) => op === 4 || op === 5);
      const sizes = whole(count)
        .replace("COUNT", joins ? "2" : "1")
        .replace("N", String(n));
      const head = [
        ...names.map((name) => `${name}0: f32${shape}`),
        `w: f32[${n}, ${n}]`,
        `bias: f32[${n}]`,
        ...(reads ? [`xs: f32${sizes}`] : []),
        ...names.map((name) => `${name} = ${name}0 * 0.5`),
        ...(reads && asked.producer ? ["xs = exp(xs * 0.1)"] : []),
      ];
      const known = [...names, ...(reads ? ["r"] : [])];
      const body: string[] = [];
      asked.temporaries.forEach((each, i) => {
        body.push(`t${i} = ${written(each, known, n)}`);
        known.push(`t${i}`);
      });
      // Somewhere elements of a row meet.
      body.push(`m = ${written({ op: asked.mixing, a: 0, b: 1 }, known, n)}`);
      known.push("m");
      names.forEach((name, i) =>
        body.push(`new_${name} = tanh(${written(asked.steps[i]!, known, n)} + m * 0.25) + ${name} * 0.5`),
      );
      body.push(
        `${names.join(", ")} = ${names
          .map((name) => `new_${name}`)
          .toReversed()
          .join(", ")}`,
      );
      const given = { none: null, rows: "x * 1.5", sums: "(x * x).sum(-1)" }[asked.given];
      if (given !== null) body.push(`g.append(${given})`);
      const lines = (t: string): string[] => [...(reads ? [`r = xs${row.replace("t", t)}`] : []), ...body];
      const shown = given === null ? [] : [`s = torch.stack(g, dim=${around.length === 0 ? 0 : asked.stacked})`];
      const results = [...(given === null ? [] : ["s"]), ...names];
      const tail = [
        [...shown, `return ${results.join(", ")}`],
        [...shown, `z = relu(${results[0]!}) * 2 + 1`, `return ${["z", ...names].join(", ")}`],
        [...shown, `return ${results[0]!}`],
      ][asked.after]!;
      const list = given === null ? [] : ["g = []"];
      const loop = [`for t in range(${count}):`, ...lines("t").map((each) => `    ${each}`)];
      const apart = Array.from({ length: count }, (_, t) => lines(String(t))).flat();
      return {
        text: [...head, ...list, ...loop, ...tail].join("\n"),
        unrolled: [...head, ...list, ...apart, ...tail].join("\n"),
      };
    });
}
