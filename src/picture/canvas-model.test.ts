import { expect, test } from "vitest";
import { nodeId, nodeName, type NodeId, parseProgram, writtenAttr, boundName, isWithin } from "../fusion";
import { boxSizes } from "../document";
import { cardSpot, clearedOfCard, leaderPath, roomBelow } from "./card-place";
import type { Box } from "./lines/geometry";
import { boxesOf } from "./place";
import { bracketsOf } from "./lines/brackets";
import { formulaOf } from "./formula";
import { inspect } from "./inspect";
import { searchPalette } from "./ops";
import { SOFTMAX, columnOf, sceneAt } from "./test-scenes";
import { showBytes, showMicros } from "./format";
import { legendCorner } from "./legend-place";
import { LEGIBLE, WHOLE, fitViewport, neededOf, zoomLevel } from "./zoom";

test("formulas name inputs and bindings; an unnamed intermediate is what stands above", () => {
  const { graph } = parseProgram("x: f32[8]\nw: f32[8]\ny = relu(x) * w - 0.5\n");
  const say = (id: string): string => {
    const node = graph.nodes.get(nodeId(id))!;
    return formulaOf(graph, node, nodeName(node));
  };
  expect(say("y/0")).toBe("· w");
  expect(say("y")).toBe("− 0.5");
});

test("an operand without a name is no letter that the program has as a name", () => {
  const say = (text: string): string[] => {
    const { graph } = parseProgram(text);
    return [...graph.nodes.values()].flatMap((node) =>
      node.op === "input" ? [] : [formulaOf(graph, node, nodeName(node))],
    );
  };
  expect(say("x: f32[8]\nb: f32[8]\ny = log(relu(x + b))\n")).toEqual(["x + b", "max(u, 0)", "ln u"]);
  expect(say("h: f32[8]\nb: f32[8]\ny = log(relu(h + b))\n")).toEqual(["h + b", "max(x, 0)", "ln x"]);
  expect(say("x: f32[8]\ny = exp(exp(x))\n")).toEqual(["eˣ", "e^u"]);
  expect(say("h: f32[8]\ny = exp(h)\n")).toEqual(["e^h"]);
});

test("an initial is no other name of the program, and not one letter for two names", () => {
  const say = (text: string): string =>
    sceneAt(text)
      .nodes.flatMap(({ kind, formula }) => (kind === "op" ? [formula] : []))
      .at(-1)!;
  const inputs = "bar_alpha: f32[8]\nbar_beta: f32[8]\n";
  expect(say(`${inputs}y = bar_alpha + bar_beta\n`)).toBe("b + bar_beta");
  expect(say(`b: f32[8]\n${inputs}y = bar_alpha + bar_beta\nz = b * y\n`)).toBe("b · y");
  const long = "variance_of_rows: f32[8]\nvalue_of_columns: f32[8]\n";
  expect(say(`${long}y = variance_of_rows - value_of_columns\n`)).toBe("");
  expect(say(`${long.replace("value", "mean")}y = variance_of_rows - mean_of_columns\n`)).toBe("v − m");
});

test("one bracket for each statement of the program", () => {
  const scene = sceneAt(`${SOFTMAX}z = y * 2\n`);
  const brackets = bracketsOf(scene, columnOf(scene));
  expect(brackets.map(({ name }) => name)).toEqual(["y", "z"]);
  expect(brackets[0]!.bottom).toBeLessThan(brackets[1]!.top);
  expect(boundName("h1/block#0/t")).toBe("h1");
  expect(boundName("h.centre")).toBe("h");
});

test("statements whose ops stand in the same rows share a bracket; behind another's box there is none", () => {
  const scene = sceneAt("a: f32[8]\nx = a * 2\ny = exp(a)\nz = x + y\n", 0);
  const column = columnOf(scene);
  const beside = new Map([...column, [nodeId("y"), { ...column.get(nodeId("x"))!, x: 400 }]]);
  expect(bracketsOf(scene, beside).map(({ name }) => name)).toEqual(["x, y", "z"]);
  const besideY = column.get(nodeId("y"))!;
  const behind = new Map([...column, [nodeId("z"), { ...besideY, x: 400, y: besideY.y + 6 }]]);
  expect(bracketsOf(scene, behind).map(({ name }) => name)).toEqual(["x", "y"]);
});

test("the inspector shows attributes as the language writes them and locks a composite's parts", () => {
  const parsed = parseProgram("x: f32[4, 8]\ns = x.sum(dim=-1, keepdim=True)\ny = softmax(x, dim=-1)\n");
  const { graph } = parsed;
  const sum = inspect(graph, nodeId("s"), (id, attr) => writtenAttr(parsed, id, attr))!;
  expect(sum.attrs.map(({ name, label, value }) => `${name} ${label}=${value}`)).toEqual([
    "axes dim=-1",
    "keepdims keepdim=True",
  ]);
  expect(sum.locked).toBeNull();
  const part = [...graph.nodes.keys()].find((id) => id !== "y" && isWithin(id, "y"))!;
  expect(inspect(graph, part)!.locked).toContain("softmax");
  expect(inspect(graph, nodeId("gone"))).toBeNull();
});

test("what indices of a matrix are made of has names that a person would write: none ends in a number", () => {
  const { graph, diagnostics } = parseProgram(
    [
      "x: f32[64, 16]",
      "i: i32[128] = randint(0, 16, (128,))",
      "k: i32[64, 4] = randint(0, 16, (64, 4))",
      "u: f32[128]",
      "w: f32[64, 4]",
      "a = x.at[i, i].add(u)",
      "b = x.at[i, i].set(u)",
      "c = x.scatter_add(1, k, w)",
      "d = x.scatter(1, k, w)",
      "e = torch.gather(x, 1, k)",
      "f = x[i, i]",
      "return a, b, c, d, e, f",
    ].join("\n"),
  );
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const labels = [...graph.nodes.values()].filter(({ op }) => op !== "const").map(({ label }) => label);
  expect(labels.filter((label) => label.startsWith("offset")).length).toBeGreaterThan(3);
  expect(labels.filter((label) => /_\d+$/.test(label))).toEqual([]);
});

test("the palette finds by the start of a name first", () => {
  expect(searchPalette("rel")[0]!.name).toBe("relu");
  expect(searchPalette("softmax").some(({ name }) => name === "softmax")).toBe(true);
  expect(searchPalette("no such op")).toEqual([]);
});

test("the palette has what a person draws: no loop, whose body is text, and nothing that only passes write", () => {
  const names = new Set(searchPalette("").map(({ name }) => name));
  expect(["matmul", "softmax", "gather", "cumsum"].filter((name) => !names.has(name))).toEqual([]);
  expect(["map_loop", "row_loop", "fold_ranges", "lower_bound", "add_peak"].filter((name) => names.has(name))).toEqual(
    [],
  );
});

test("a graph is fitted whole beside the card, in the middle and never larger than life", () => {
  const room = { width: 730, height: 668, card: 264 };
  expect(fitViewport([{ x0: 0, y0: 0, x1: 300, y1: 300 }], room, WHOLE).zoom).toBe(1);
  // One that nobody draws may be, as far as it gains by it.
  const enlarged = (x1: number, y1: number) =>
    fitViewport([{ x0: 0, y0: 0, x1, y1 }], { ...room, enlarges: true }, WHOLE).zoom;
  expect([enlarged(200, 100), enlarged(420, 100), enlarged(400, 740) < 1]).toEqual([1.4, 1, true]);
  expect(enlarged(360, 100)).toBeCloseTo(450 / 360);
  expect(fitViewport([{ x0: 0, y0: 0, x1: 400, y1: 740 }], room, WHOLE).zoom).toBeCloseTo(652 / 740);
  const middle = fitViewport([{ x0: 100, y0: 0, x1: 300, y1: 300 }], room, WHOLE);
  expect(middle.x + 200).toBeCloseTo((room.width - room.card) / 2);
  expect(fitViewport([{ x0: 0, y0: 0, x1: 400, y1: 6400 }], room, WHOLE).zoom).toBeCloseTo(0.1);
  expect(fitViewport([{ x0: 0, y0: 0, x1: 400, y1: 6400 }], room, LEGIBLE).zoom).toBe(LEGIBLE);
  // Without a card, what is small beside one has its room, too.
  const large = [{ x0: 0, y0: 0, x1: 720, y1: 300 }];
  const [beside, alone] = [false, true].map((waits) => fitViewport(large, { ...room, waits }, WHOLE).zoom);
  expect([beside! < 0.7, alone! > 0.95]).toEqual([true, true]);
  expect(fitViewport([{ x0: 0, y0: 0, x1: 480, y1: 300 }], { ...room, waits: true }, WHOLE).zoom).toBeLessThan(1);
  const wide = { x0: 0, y0: 0, x1: 4000, y1: 300 };
  const lead = { x0: 1900, y0: 0, x1: 2100, y1: 60 };
  // A name beside a graph gives way where the ops would lose theirs to it, and nowhere else.
  const parts = (x1: number) => [
    { x0: 0, y0: 0, x1, y1: 300 },
    { x0: -100, y0: 0, x1: 0, y1: 300, yields: true },
  ];
  const most = 2 * (room.width - 16);
  expect([900, most - 20, most + 20].map((x1) => neededOf(parts(x1), { ...room, card: 0 }).length)).toEqual([2, 1, 2]);
  const { x, zoom } = fitViewport([wide], room, LEGIBLE, lead);
  expect(x + 1900 * zoom).toBeGreaterThan(0);
  expect(x + 2100 * zoom).toBeLessThan(room.width);
  expect(fitViewport([wide], room, LEGIBLE).x).toBeGreaterThan(0);
  const flat = [{ x0: 0, y0: 0, x1: 900, y1: 200 }];
  const { y, zoom: small } = fitViewport(flat, room, LEGIBLE);
  // Too wide to be read beside the card: above it.
  expect(y + 200 * small).toBeLessThan(room.height - 388);
  expect(["full", "name", "glyph", "block"]).toEqual([1, 0.7, 0.4, 0.2].map(zoomLevel));
});

test("a graph is fitted above what stands over the lower edge, but only where it would be covered", () => {
  const bar = { x0: 450, y0: 620, x1: 720, y1: 656 };
  const room = { width: 730, height: 668, card: 0, over: [bar] };
  const bottom = (content: Parameters<typeof fitViewport>[0], y1: number): number => {
    const { y, zoom } = fitViewport(content, room, WHOLE);
    return y1 * zoom + y;
  };
  expect(bottom([{ x0: 0, y0: 0, x1: 700, y1: 650 }], 650)).toBeLessThanOrEqual(bar.y0);
  const corner = [
    { x0: 0, y0: 0, x1: 300, y1: 650 },
    { x0: 0, y0: 0, x1: 700, y1: 300 },
  ];
  expect(bottom(corner, 650)).toBeGreaterThan(bar.y0);
  const long = [{ x0: 0, y0: 0, x1: 700, y1: 6500 }];
  expect(fitViewport(long, room, LEGIBLE)).toEqual(fitViewport(long, { ...room, over: [] }, LEGIBLE));
});

test("the card leaves its place only where it hides ops or the name of a kernel, and goes no further than it must", () => {
  const canvas = { width: 730, height: 668 };
  const card = { width: 250, height: 300 };
  const view = { x: 0, y: 0, zoom: 1 };
  const spot = (what: Parameters<typeof cardSpot>[0]) => {
    const { side, top } = cardSpot(what, view, canvas, card);
    return { side, top };
  };
  expect(spot({ boxes: [] })).toEqual({ side: "right", top: 84 });
  const hidden = { x: 500, y: 100, width: 156, height: 44 };
  expect(spot({ boxes: [hidden] })).toEqual({ side: "right", top: 144 + 4 });
  // A kernel's name under its lower edge: a little higher, and it can be read.
  const tag = { x0: 500, x1: 600, y0: 340, y1: 376 };
  expect(spot({ boxes: [], tags: [tag] })).toEqual({ side: "right", top: 340 - 4 - 300 });
  // No place at the right hides nothing: at the left there is one.
  const column = [90, 330, 600].map((y) => ({ ...hidden, y }));
  expect(spot({ boxes: column })).toEqual({ side: "left", top: 84 });
  // Both sides are full: it stays, at the height that hides least.
  const both = [...column, ...column.map((box) => ({ ...box, x: 20 }))];
  expect(spot({ boxes: both })).toEqual({ side: "right", top: 14 });
  // Below all of them a wide one has room.
  expect(roomBelow([hidden], view, canvas)).toBe(668 - 56 - 144 - 4);
  // What it tells of stays in sight all the same.
  expect(spot({ boxes: both, about: column })).toEqual({ side: "left", top: 14 });
});

test("the view makes way for a card that would hide what it tells of, and only for such a one", () => {
  const canvas = { width: 675, height: 536 };
  const card = { width: 250, height: 329 };
  const view = { x: 0, y: 0, zoom: 0.6 };
  const box = (x: number, y: number): Box => ({ x, y, width: 230, height: 64 });
  const column = [60, 260, 460, 660].map((y) => box(180, y));
  const beside = box(640, 400);
  const boxes = [...column, beside];
  const cleared = (about: readonly Box[]) => clearedOfCard({ boxes, about }, view, canvas, card);
  expect(cleared([])).toBeNull();
  // The card stands at the right, and hides none of the column.
  expect(cleared(column)).toBeNull();
  const moved = cleared([column[2]!, beside])!;
  expect(moved.zoom).toBeLessThan(view.zoom);
  expect((180 - 5) * moved.zoom + moved.x).toBeGreaterThan(0);
  expect((640 + 230) * moved.zoom + moved.x).toBeLessThanOrEqual(675 - 14 - 250);
  // What is wider than all that is left beside the card stays where it is.
  expect(
    clearedOfCard({ boxes, about: boxes }, { ...view, zoom: 0.53, x: 20 }, { ...canvas, width: 500 }, card),
  ).toBeNull();
});

test("numbers carry a unit and three figures", () => {
  expect([showBytes(6 * 2 ** 20), showBytes(8192), showBytes(12)]).toEqual(["6 MiB", "8 KiB", "12 B"]);
  expect([showMicros(41.26), showMicros(15_840), showMicros(0.25)]).toEqual(["41.3 µs", "15.8 ms", "250 ns"]);
});

test("the legend stands in a corner where it covers no op, no name and no card, or not at all", () => {
  const canvas = { width: 1000, height: 600 };
  const view = { x: 0, y: 0, zoom: 1 };
  const at = (x0: number, y0: number, x1: number, y1: number) => ({ x0, y0, x1, y1 });
  const low = at(700, 480, 900, 520);
  expect(legendCorner([], view, canvas, null, 2)).toBe("low right");
  expect(legendCorner([low], view, canvas, null, 2)).toBe("low left");
  expect(legendCorner([low, at(20, 500, 90, 560)], view, canvas, null, 2)).toBe("high right");
  expect(
    legendCorner([low, at(20, 500, 90, 560)], view, canvas, { left: 700, right: 950, top: 14, bottom: 400 }, 2),
  ).toBe("high left");
  expect(legendCorner([at(0, 0, 1000, 600)], view, canvas, null, 2)).toBe("none");
  // The graph moves with the view, the legend does not.
  expect(legendCorner([low], { x: -700, y: 0, zoom: 1 }, canvas, null, 2)).toBe("low right");
});

test("the line to the card goes round the names of kernels", () => {
  const edge = { x: 400, top: 20, bottom: 300 };
  const name = { x0: 100, x1: 240, y0: 90, y1: 126 };
  expect(leaderPath({ x: 13, y: 60 }, edge, 14, [name])).toBe("M13 60H400");
  expect(leaderPath({ x: 13, y: 100 }, edge, 14, [name])).toBe("M13 100h5V85H400");
  expect(leaderPath({ x: 13, y: 10 }, edge, 14, [name])).toBe("M13 10H386V20H400");
  // One that reaches to the card is passed before it.
  const wide = { x0: 100, x1: 500, y0: 40, y1: 70 };
  expect(leaderPath({ x: 13, y: 10 }, { ...edge, top: 100 }, 14, [wide])).toBe("M13 10H95V100H400");
  // Behind the mark, or beside the card, a name is not in the way.
  expect(leaderPath({ x: 260, y: 100 }, edge, 14, [name])).toBe("M260 100H400");
});

test("an input beside its reader is as wide as its name where nothing stands there", () => {
  const scene = sceneAt("x: f32[8]\nthe_first_weight: f32[8]\ny = relu(x + the_first_weight)\n");
  const id = scene.nodes.find(({ title }) => title === "the_first_weight")!.id;
  const docked = { x: 200, y: 7, ...boxSizes.docked };
  const layout = new Map(scene.nodes.map((node, i) => [node.id, { x: 0, y: 100 * i, ...boxSizes.op }] as const));
  const widthOf = (others: readonly (readonly [NodeId, Box])[]): number =>
    boxesOf(scene, { layout: new Map([...layout, [id, docked], ...others]), moved: {} }).get(id)!.width;
  expect(widthOf([])).toBeGreaterThan(160);
  const [other] = scene.nodes.filter((node) => node.id !== id);
  expect(widthOf([[other!.id, { x: 330, y: 0, ...boxSizes.op }]])).toBe(boxSizes.docked.width);
});
