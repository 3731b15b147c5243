/** @file Random programs with a loop along tensors, as people write them, and the same written out. */
import fc from "fast-check";
import type { LoopProgram } from "./any-loop";

/** What is carried, and how its rows lie in a tensor: the shape with the axis of rows, and a row as it is written. */
const LAYOUTS = [
  { outer: "[8]", whole: (t: number) => `[${t}, 8]`, row: "[t]", axis: 0 },
  { outer: "[2, 4]", whole: (t: number) => `[${t}, 2, 4]`, row: "[t]", axis: 0 },
  { outer: "[2, 4]", whole: (t: number) => `[2, ${t}, 4]`, row: "[:, t]", axis: 1 },
  { outer: "[2, 3]", whole: (t: number) => `[2, 3, ${t}]`, row: "[:, :, t]", axis: 2 },
  { outer: "[]", whole: (t: number) => `[${t}]`, row: "[t]", axis: 0 },
  { outer: "[3, 4]", whole: (t: number) => `[${t}, 4]`, row: "[t]", axis: 0 },
] as const;

const line = fc.record({ op: fc.nat({ max: 6 }), a: fc.nat(), b: fc.nat(), c: fc.nat() });
type Line = { readonly op: number; readonly a: number; readonly b: number; readonly c: number };

function written({ op, a, b, c }: Line, names: readonly string[]): string {
  const [x, y, z] = [a, b, c].map((at) => names[at % names.length]!) as [string, string, string];
  return [
    `${x} * 0.5 + ${y} * 0.25`,
    `tanh(${x} - ${z})`,
    `where(${x} < ${y}, ${y}, ${z})`,
    `maximum(${x}, ${y} - 1)`,
    `tanh(${x} * ${y})`,
    `${x} + (${y} > 0.5) * 0.125`,
    `${x} / (1 + ${y} * ${y})`,
  ][op]!;
}

export const rowLoopArbitrary: fc.Arbitrary<LoopProgram> = fc
  .record({
    layout: fc.nat({ max: LAYOUTS.length - 1 }),
    carried: fc.integer({ min: 1, max: 2 }),
    weights: fc.boolean(),
    numbers: fc.boolean(),
    temporaries: fc.array(line, { minLength: 1, maxLength: 3 }),
    steps: fc.array(line, { minLength: 2, maxLength: 2 }),
    iterations: fc.integer({ min: 14, max: 22 }),
    way: fc.constantFrom("range", "from one", "reversed", "rows", "scan", "scan back"),
    late: fc.boolean(),
    front: fc.boolean(),
    stacked: fc.nat({ max: 2 }),
    producer: fc.boolean(),
    after: fc.nat({ max: 3 }),
    /** Rows of a tensor that was there before, instead of a list; and how many of it nobody writes. */
    writes: fc.boolean(),
    spare: fc.nat({ max: 2 }),
    /** A condition on the iteration's number, which changes after the first or before the last. */
    asks: fc.constantFrom("nothing", "first", "last"),
  })
  .map((asked) => {
    const layout = LAYOUTS[asked.layout]!;
    const { way, carried, weights, numbers } = asked;
    const count = asked.iterations + (asked.asks === "nothing" ? 0 : 4);
    const isScan = way.startsWith("scan");
    const alongFirst = layout.axis === 0;
    const how = alongFirst ? way : way === "reversed" || way === "scan back" ? "reversed" : "range";
    const scans = alongFirst && isScan;
    const names = ["x", "y"].slice(0, carried);
    const extent = how === "from one" ? count + 1 : count;
    const head = [
      ...names.map((name) => `${name}0: f32${layout.outer}`),
      `xs: f32${layout.whole(extent)}`,
      ...(weights ? [`p: f32${layout.outer === "[]" ? "[]" : layout.outer}`] : []),
      ...(numbers ? [`vs: f32[${extent}]`] : []),
      ...names.map((name) => `${name} = ${name}0 * 0.5`),
      ...(asked.producer ? ["xs = exp(xs * 0.1)"] : []),
    ];
    const counts = !scans && how !== "rows";
    const [writes, asks] = [counts && asked.writes, counts && asked.asks !== "nothing"];
    const known = [...names, "r", ...(asks ? ["q"] : []), ...(weights ? ["p"] : []), ...(numbers ? ["v"] : [])];
    const body: string[] = [];
    asked.temporaries.forEach((each, i) => {
      body.push(`t${i} = ${written(each, known)}`);
      known.push(`t${i}`);
    });
    names.forEach((name, i) =>
      body.push(`new_${name} = tanh(${written(asked.steps[i]!, known)} + r * 0.25) + ${name} * 0.5`),
    );
    const ends = names.map((name) => `new_${name}`);
    const turn = `${names.join(", ")} = ${ends.toReversed().join(", ")}`;
    // What is before the iteration or after it, and something computed of what is carried.
    const shown = asked.late ? [`x * 1.5 + r`] : ["x"];
    const more = carried === 2 ? ["y"] : [];
    const given = [...shown, ...more];
    const lists = given.map((_, i) => `g${i}`);
    const order = { range: 0, "from one": 1, rows: 0, scan: 0, reversed: 0, "scan back": 0 }[how as "range"] ?? 0;
    const backwards = how === "reversed" || how === "scan back";
    const steps = Array.from({ length: count }, (_, i) => (backwards ? count - 1 - i : i + order));
    const front = !writes && backwards && asked.front;
    const rowAt = (t: string): string => layout.row.replace("t", t);
    const adding = (t: string): string[] =>
      given.map((value, i) =>
        writes
          ? `g${i}${rowAt(asked.spare > 1 ? `${t} - 1 + 1` : t)} = ${value}`
          : front
            ? `g${i}.insert(0, ${value})`
            : `g${i}.append(${value})`,
      );
    const edge = asked.asks === "first" ? steps[0]! : steps.at(-1)!;
    const [hit, other] = ["q = r * 0.5", asked.late ? "q = r + x" : "q = r"];
    const asking = (t: string): string[] =>
      asks ? [`if ${t} == ${edge}:`, `    ${hit}`, "else:", `    ${other}`] : [];
    const answered = (t: number): string[] => (asks ? [t === edge ? hit : other] : []);
    const own = layout.outer === "[]" ? [] : layout.outer.slice(1, -1).split(", ");
    const room = own.toSpliced(layout.axis, 0, String(extent + asked.spare)).join(", ");
    const begin = lists.map((name) => (writes ? `${name} = torch.zeros(${room}) + 0.25` : `${name} = []`));
    const rowsAt = (t: string): string[] => [
      `r = xs${layout.row.replace("t", how === "from one" && asked.late ? `${t} - 1` : t)}`,
      ...(numbers ? [`v = vs[${t}]`] : []),
    ];
    const axis = asked.stacked % (layout.outer === "[]" ? 1 : layout.outer.split(",").length + 1);
    const stacks = given.map((_, i) => {
      const list = scans && how === "scan back" && !front ? `g${i}[::-1]` : `g${i}`;
      return writes ? `s${i} = g${i} * 1.5` : `s${i} = torch.stack(${list}, dim=${scans ? 0 : axis})`;
    });
    const results = given.map((_, i) => `s${i}`);
    const tail = [
      [`return ${[...results, ...names].join(", ")}`],
      [`return ${results[0]!}`],
      [`z = relu(${results[0]!}) * 2 + 1`, `return z, ${names[0]!}`],
      [`w = ${names.join(" + ")}`, `z = exp(-${results.at(-1)!} * ${results.at(-1)!})`, "return w, z"],
    ][asked.after]!;
    const unrolled = [
      ...head,
      ...begin,
      ...steps.flatMap((t) => [...rowsAt(String(t)), ...answered(t), ...body, turn, ...adding(String(t))]),
      ...stacks,
      ...tail,
    ];
    const pair = (items: readonly string[]): string => (items.length === 1 ? items[0]! : `(${items.join(", ")})`);
    const indented = (lines: readonly string[]): string[] => lines.map((each) => `    ${each}`);
    const over =
      how === "reversed"
        ? `for t in reversed(range(${count})):`
        : how === "from one"
          ? `for t in range(1, ${count + 1}):`
          : how === "rows"
            ? numbers
              ? "for r, v in zip(xs, vs):"
              : "for r in xs:"
            : `for t in range(${count}):`;
    const text = scans
      ? [
          ...head,
          "def step(carry, row):",
          ...indented([
            `${names.join(", ")} = carry`,
            numbers ? "r, v = row" : "r = row",
            ...body,
            turn,
            `return ${pair(names)}, ${pair(given)}`,
          ]),
          `carry, ${pair(results)} = lax.scan(step, ${pair(names)}, ${numbers ? "(xs, vs)" : "xs"}, reverse=${backwards ? "True" : "False"})`,
          `${names.join(", ")} = carry`,
          ...tail,
        ]
      : [
          ...head,
          ...begin,
          over,
          ...indented([...(how === "rows" ? [] : rowsAt("t")), ...asking("t"), ...body, turn, ...adding("t")]),
          ...stacks,
          ...tail,
        ];
    return { text: text.join("\n"), unrolled: unrolled.join("\n") };
  });
