/** @file Loops along tensors stay loops: the values and gradients of the body written out, the counts of what is touched. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { printGraph } from "../../src/fusion/text";
import { derived } from "./any-loop";
import { rowLoopArbitrary } from "./any-row-loop";
import { graphOf } from "./kernel-harness";
import { firstFault } from "./plan-laws";
import { expectSameLoop } from "./same-loop";

test("a loop along tensors is what it is written out", () => {
  fc.assert(
    fc.property(rowLoopArbitrary, ({ text, unrolled }) => expectSameLoop(graphOf(text), graphOf(unrolled))),
    { numRuns: 12 },
  );
});

test("its text reads as the same graph", () => {
  fc.assert(
    fc.property(rowLoopArbitrary, ({ text }) => {
      const printed = printGraph(graphOf(text));
      expect(printGraph(graphOf(printed))).toBe(printed);
    }),
    { numRuns: 6 },
  );
});

test.each(["grad", "jvp"] as const)("%s of it is that of the loop written out", (mode) => {
  fc.assert(
    fc.property(rowLoopArbitrary, ({ text, unrolled }) =>
      expectSameLoop(graphOf(derived(text, mode)), graphOf(derived(unrolled, mode))),
    ),
    { numRuns: 5 },
  );
});

test("launched row by row and inside kernels: values, counts, addresses", { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(rowLoopArbitrary, fc.nat({ max: 2 }), fc.nat({ max: 5 }), ({ text }, granularity, profile) => {
      expect(firstFault({ text, ways: [granularity, 0, 0, profile, 0] })).toBeNull();
    }),
    { numRuns: 5 },
  );
});

test("a number before the first row, rows whose elements are moved, and a first row of another kind", () => {
  const head = "d: f32[2, 20, 3]\na: f32[3, 4]\nx = 0.5\nxs = [a * 2 + torch.zeros(2, 3, 4)]\n";
  const body = (t: string): string[] => [
    `x = tanh(x * d[:, ${t}].unsqueeze(-1)) + a * d[:, ${t}, 1:2].unsqueeze(1)`,
    "xs.append(x)",
  ];
  const tail = "y = torch.stack(xs, dim=1)\nreturn y, x";
  const loop = body("t").map((line) => `    ${line}\n`);
  const apart = Array.from({ length: 20 }, (_, t) => body(String(t)).map((line) => `${line}\n`)).flat();
  expectSameLoop(
    graphOf(`${head}for t in range(20):\n${loop.join("")}${tail}`),
    graphOf(`${head}${apart.join("")}${tail}`),
  );
});

test("a list whose last item is what is carried", () => {
  const head = "h: f32[3, 4]\nxs: f32[30, 3, 4]\nw: f32[4, 4]\nhs = [h * 0.5]\n";
  const line = (t: string): string => `hs.append(tanh(xs[${t}] + hs[-1] @ w) * 0.5 + hs[-1])\n`;
  const apart = Array.from({ length: 30 }, (_, t) => line(String(t))).join("");
  const tail = "return torch.stack(hs), hs[-1]";
  expectSameLoop(graphOf(`${head}for t in range(30):\n    ${line("t")}${tail}`), graphOf(`${head}${apart}${tail}`));
});

test("what is carried is a tuple, and one in it", () => {
  const head = "a: f32[3, 4]\nb: f32[3, 4]\nxs: f32[30, 3, 4]\nstate = (a, (b * 0.5, a * b))\nshown = []\n";
  const step =
    "def step(row, state):\n    a, (b, c) = state\n    b = tanh(a * row + b)\n    return b, (c * 0.5 + row, a)\n";
  const lines = (t: string): string[] => [`state = step(xs[${t}], state)`, "shown.append(state[0])"];
  const loop = lines("t").map((line) => `    ${line}\n`);
  const apart = Array.from({ length: 30 }, (_, t) => lines(String(t))).flat();
  const tail = "a, (b, c) = state\nreturn torch.stack(shown), a, b, c";
  expectSameLoop(
    graphOf(`${step}${head}for t in range(30):\n${loop.join("")}${tail}`),
    graphOf(`${step}${head}${apart.join("\n")}\n${tail}`),
  );
});

test("rows of a tensor, and conditions on which iteration it is", () => {
  const head = "r: f32[40, 6]\nv: f32[40, 6]\nd: f32[40, 6]\nadv = torch.zeros_like(r)\ng = 0\n";
  const step = (t: string): string[] => [
    `delta = r[${t}] + 0.99 * after * (1 - d[${t}]) - v[${t}]`,
    `g = delta + 0.95 * (1 - d[${t}]) * g`,
    `adv[${t}] = g`,
  ];
  const loop = ["if t == 39:", "    after = torch.zeros(6)", "else:", "    after = v[t + 1]", ...step("t")];
  const apart = Array.from({ length: 40 }, (_, i) => 39 - i).flatMap((t) => [
    t === 39 ? "after = torch.zeros(6)" : `after = v[${t + 1}]`,
    ...step(String(t)),
  ]);
  const text = `${head}for t in reversed(range(40)):\n${loop.map((line) => `    ${line}\n`).join("")}return adv`;
  expectSameLoop(graphOf(text), graphOf(`${head}${apart.join("\n")}\nreturn adv`));
});

test.each(["for t in range(30):", "for t in range(29, -1, -1):"])("a condition that changes half way: %s", (over) => {
  const head = "x: f32[30, 5]\nh = torch.zeros(5)\nout = torch.ones(32, 5)\n";
  const body = (holds: boolean | null, t: string): string[] => {
    const [yes, no] = ["a = x[T] * 0.5\nh = tanh(h * a + x[T] * h) + a", "h = h * 0.5 - tanh(x[T] + h * h) * 0.25"];
    const at = (line: string): string[] => line.replaceAll("T", t).split("\n");
    if (holds !== null) return [...at(holds ? yes : no), `out[${t} + 1] = h`];
    const inside = (line: string): string[] => at(line).map((each) => `    ${each}`);
    return [`if ${t} < 14:`, ...inside(yes), "else:", ...inside(no), `out[${t} + 1] = h`];
  };
  const numbers = Array.from({ length: 30 }, (_, i) => (over.includes("29") ? 29 - i : i));
  const text = `${head}${over}\n${body(null, "t")
    .map((line) => `    ${line}\n`)
    .join("")}return out, h`;
  const apart = numbers.flatMap((t) => body(t < 14, String(t)));
  expectSameLoop(graphOf(text), graphOf(`${head}${apart.join("\n")}\nreturn out, h`));
});

test("an input all of whose rows are set stays an input; what a call made for them goes", () => {
  const loop = "h = torch.zeros(6)\nfor t in range(40):\n    h = tanh(h * x[t]) + x[t] * h\n    out[t] = h\nreturn out";
  const ops = (out: string) =>
    [...graphOf(`x: f32[40, 6]\n${out}\n${loop}`).nodes.values()].map(({ op, label }) => `${op} ${label}`);
  expect(ops("out: f32[40, 6]")).toContain("input out");
  expect(ops("out = torch.zeros(40, 6)").filter((each) => each.endsWith(" out"))).toEqual(["row_loop out"]);
});

test.each([
  ["by index", "c, q = both[t]", "range(38, -1, -1)"],
  ["by index forwards", "c, q = both[t]", "range(39)"],
  ["by index from the end", "c, q = both[-t - 2]", "range(39)"],
  ["item by item", "c, q = t", "both[-2::-1]"],
  ["rows beside numbers", "c, q = both[t[0]]; c = c * t[1]", "list(enumerate([0.5] * 39))"],
])("a loop over lists that another loop has filled: %s", (_, line, over) => {
  const head = "d: f32[40, 3, 4]\nr: f32[3, 1]\nc = r * 0.5\nq = d[0] * 0.5\nboth = [(c, q)]\n";
  const first = (t: string): string => `q = (d[${t}] + r * q) * c; c = 1 / (2 + r * c); both.append((c, q))`;
  const second = (t: string): string => `${line.replaceAll(/\bt\b/g, t)}; x = q - c * x; xs.append(x)`;
  const lines = (text: string): string => text.split("; ").join("\n");
  const body = (text: string): string => `    ${text.split("; ").join("\n    ")}`;
  const middle = "x = both[-1][1]\nxs = [x]\n";
  const tail = "return torch.stack(xs[::-1], dim=1), x";
  const apart = Array.from({ length: 39 }, (_, t) => lines(first(String(t + 1)))).join("\n");
  const loop = graphOf(
    `${head}for t in range(1, 40):\n${body(first("t"))}\n${middle}for t in ${over}:\n${body(second("t"))}\n${tail}`,
  );
  const items = over.startsWith("range") ? over : null;
  const turns = Array.from({ length: 39 }, (_, at) => {
    if (items === null) return over.startsWith("both") ? `both[${38 - at}]` : `(${at}, 0.5)`;
    return String(items === "range(39)" ? at : 38 - at);
  });
  expectSameLoop(loop, graphOf(`${head}${apart}\n${middle}${turns.map((t) => lines(second(t))).join("\n")}\n${tail}`));
  const inLoops = [...loop.nodes.values()].filter(({ op }) => op === "row_loop");
  expect(inLoops.length).toBeGreaterThan(2);
});
