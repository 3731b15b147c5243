import { expect, test } from "vitest";
import { layoutGraph } from "./layout/graph";
import { layoutRequest } from "./layout/request";
import { layoutOf } from "./test-layout";
import { meet, rectOf } from "./lines/geometry";
import { foldScene } from "./fold";
import { boxSizes, foldBox, foldOf } from "../document";
import { boxesOf } from "./place";
import { pictureOf } from "./picture";
import { LOG_RELU, SOFTMAX, TWO_READERS, compiled, sceneAt } from "./test-scenes";
import { sceneOf, type Scene } from "./scene";
import { findOp, fusionAt, nodeId } from "../fusion";
import { callDrawnAt, inspect } from "./inspect";
import type { NodeId } from "../fusion";

const open = {
  byHand: new Map<string, "open" | "closed">(),
  kernels: false,
  about: [] as NodeId[],
  source: { nodes: new Map(), outputs: [] },
};

test.each([LOG_RELU, SOFTMAX, TWO_READERS])("no hull covers an op of another kernel, at any step: %s", (text) => {
  const compilation = compiled(text);
  const layout = layoutOf(compilation);
  for (let cursor = 0; cursor <= compilation.steps.length; cursor++) {
    const scene = sceneOf(fusionAt(compilation, cursor), null);
    const picture = pictureOf(scene, boxesOf(scene, { layout, moved: {} }), new Map());
    for (const { kernel, rects } of picture.hulls) {
      const strangers = scene.nodes.filter((node) => node.kernel?.region !== kernel.region);
      for (const { id } of strangers) {
        expect(rects.some((rect) => meet(rect, rectOf(picture.boxes.get(id)!)))).toBe(false);
      }
    }
  }
});

test("boxes and ways are the same at every step", () => {
  const compilation = compiled(LOG_RELU);
  const layout = layoutOf(compilation);
  const pictures = [0, compilation.steps.length].map((cursor) => {
    const scene = sceneOf(fusionAt(compilation, cursor), null);
    return pictureOf(scene, boxesOf(scene, { layout, moved: {} }), new Map());
  });
  expect([...pictures[0]!.boxes]).toEqual([...pictures[1]!.boxes]);
  expect([...pictures[0]!.routes]).toEqual([...pictures[1]!.routes]);
});

test("tags and bytes stand clear of ops", () => {
  const compilation = compiled(SOFTMAX);
  const scene = sceneAt(SOFTMAX);
  const picture = pictureOf(scene, boxesOf(scene, { layout: layoutOf(compilation), moved: {} }), new Map());
  const { tag } = picture.hulls[0]!;
  const area = { x0: tag.align === "end" ? tag.x - tag.width : tag.x, y0: tag.y, x1: 0, y1: tag.y + tag.height };
  area.x1 = area.x0 + tag.width;
  for (const box of picture.boxes.values()) expect(meet(area, rectOf(box))).toBe(false);
});

test("a moved op stands where it was put", () => {
  const scene = sceneAt(LOG_RELU);
  const layout = layoutOf(compiled(LOG_RELU));
  const boxes = boxesOf(scene, { layout, moved: { "y/0": { x: 500, y: 7 } } });
  expect(boxes.get(nodeId("y/0"))).toMatchObject({ x: 500, y: 7 });
});

test("a moved op takes its output pill and its docked inputs along", () => {
  const scene = sceneAt("x: f32[8]\nb: f32[8]\ny = x + b\n");
  const layout = new Map(layoutOf(compiled("x: f32[8]\nb: f32[8]\ny = x + b\n")));
  layout.set(nodeId("b"), { x: 216, y: 84, ...boxSizes.docked });
  const at = (moved: Record<string, { x: number; y: number }>, id: string) =>
    boxesOf(scene, { layout, moved }).get(nodeId(id))!;
  const [pill, docked] = [at({}, "y>out"), at({}, "b")];
  const y = at({}, "y");
  const moved = { y: { x: y.x + 100, y: y.y + 50 } };
  expect(at(moved, "y>out")).toMatchObject({ x: pill.x + 100, y: pill.y + 50 });
  expect(at(moved, "b")).toMatchObject({ x: docked.x + 100, y: docked.y + 50 });
  expect(at({ ...moved, b: { x: 1, y: 2 } }, "b")).toMatchObject({ x: 1, y: 2 });
});

test.each([LOG_RELU, SOFTMAX, TWO_READERS])("whatever the layout lacks, moved or not, has a box: %s", (text) => {
  const scene = sceneAt(text);
  const layout = layoutOf(compiled(text));
  const moved = Object.fromEntries([...layout].map(([id, { x, y }]) => [id, { x: x + 7, y }]));
  for (const lacking of [...layout.keys()].map((id) => [id]).concat([[...layout.keys()]])) {
    const known = new Map([...layout].filter(([id]) => !lacking.includes(id)));
    const { [lacking[0]!]: _, ...others } = moved;
    for (const byHand of [{}, moved, others]) {
      const boxes = boxesOf(scene, { layout: known, moved: byHand });
      expect(scene.nodes.filter(({ id }) => !boxes.has(id))).toEqual([]);
    }
  }
});

test("an op that the layout does not know stands free", () => {
  const scene = sceneAt(LOG_RELU);
  const layout = new Map([...layoutOf(compiled(LOG_RELU))].filter(([id]) => id !== nodeId("y")));
  const boxes = [...boxesOf(scene, { layout, moved: {} })];
  const mine = rectOf(boxes.find(([id]) => id === nodeId("y"))![1]);
  const others = boxes.filter(([id]) => id !== nodeId("y"));
  expect(others.filter(([, box]) => meet(mine, rectOf(box)))).toEqual([]);
});

test("what nothing is connected to yet makes way for what was put there by hand, but not for what passes", () => {
  const scene = sceneAt("x: f32[8]\nunread: f32[8]\ny = relu(x)\n", 0);
  const layout = layoutOf(compiled("x: f32[8]\nunread: f32[8]\ny = relu(x)\n"));
  const { x, y } = layout.get(nodeId("unread"))!;
  const on = { y: { x: x + 20, y: y + 10 } };
  const at = (places: { moved: typeof on | {}; dragged?: typeof on }) => {
    const boxes = boxesOf(scene, { layout, ...places });
    return [boxes.get(nodeId("y"))!, boxes.get(nodeId("unread"))!] as const;
  };
  const [placed, other] = at({ moved: on });
  expect(placed).toMatchObject(on.y);
  expect(meet(rectOf(placed), rectOf(other))).toBe(false);
  expect(at({ moved: {}, dragged: on })[1]).toMatchObject({ x, y });
});

test("folding a kernel leaves one box with its lines, and closes the gap", () => {
  const scene = sceneAt(SOFTMAX);
  const region = scene.kernels[0]!.region;
  const folded = foldScene(scene, { ...open, byHand: new Map([[region, "closed"]]) });
  expect(folded.nodes.map(({ id }) => id)).toEqual([nodeId("x"), foldBox(region), nodeId("y>out")]);
  expect(folded.edges.map(({ kind }) => kind)).toEqual(["memory", "memory"]);
  expect(foldOf(foldBox(region))).toBe(region);
  const layout = layoutOf(compiled(SOFTMAX));
  const bottom = (s: typeof scene): number =>
    Math.max(...[...boxesOf(s, { layout, moved: {} }).values()].map(({ y, height }) => y + height));
  expect(bottom(folded)).toBeLessThan(bottom(scene));
});

test("a folded kernel that the layout does not know yet stands free, whatever docks at it", () => {
  const text = "x: f32[64, 64]\nb: f32[64]\ny = relu(x + b)\n";
  const scene = sceneAt(text);
  const folded = foldScene(scene, { ...open, byHand: new Map([[scene.kernels[0]!.region, "closed"]]) });
  const layout = new Map([[nodeId("b"), { x: 0, y: 0, ...boxSizes.docked }]]);
  const boxes = boxesOf(folded, { layout, moved: {} });
  expect(folded.nodes.filter(({ id }) => !boxes.has(id))).toEqual([]);
});

test("small canvases start with kernels folded; the same action unfolds", () => {
  const scene = sceneAt(SOFTMAX);
  const region = scene.kernels[0]!.region;
  expect(foldScene(scene, { ...open, kernels: true }).nodes).toHaveLength(3);
  expect(foldScene(scene, { ...open, byHand: new Map([[region, "open"]]), kernels: true })).toBe(scene);
});

test("a kernel that the shown step decides inside opens by itself, and can be folded all the same", () => {
  const scene = sceneAt(SOFTMAX);
  const { region, members } = scene.kernels[0]!;
  const about = [nodeId(members[1]!)];
  expect(foldScene(scene, { ...open, kernels: true, about })).toBe(scene);
  expect(foldScene(scene, { ...open, kernels: true, about, byHand: new Map([[region, "closed"]]) }).nodes).toHaveLength(
    3,
  );
});

test("many calls of a def, or iterations of a loop, fold into one box; a few do not", () => {
  const body = "def block(h):\n  return relu(h * 2) + 1\nx: f32[8]\n";
  const calls = (n: number): string => "x = block(x)\n".repeat(n);
  const titles = (text: string): string[] => {
    const source = compiled(text).naive!.graph;
    return foldScene(sceneAt(text, 0), { ...open, source }).nodes.map(({ title }) => title);
  };
  expect(titles(body + calls(9))).toContain("block × 9");
  expect(titles(body + calls(2)).some((title) => title.includes("×"))).toBe(false);
  expect(titles("x: f32[8]\nfor i in range(9):\n  x = relu(x * 2) + 1\ny = x\n")).toContain("for i × 9");
});

test("iterations that the shown step decides in open between a box of those before and one of those after", () => {
  const text = "x: f32[8]\nfor i in range(9):\n  x = relu(x * 2) + 1\ny = x\n";
  const source = compiled(text).naive!.graph;
  const ops = [...source.nodes.values()].filter(({ op }) => op !== "input" && op !== "const").map(({ id }) => id);
  const titles = (about: readonly NodeId[], byHand = open.byHand): string[] =>
    foldScene(sceneAt(text, 0), { ...open, source, about, byHand }).nodes.map(({ title }) => title);
  expect(titles(ops.slice(9, 11))).toEqual(["x", "for i 1 to 3 of 9", "mul", "relu", "add", "for i 5 to 9 of 9", "x"]);
  expect(titles(ops.slice(2, 4)).filter((title) => title.startsWith("for"))).toEqual(["for i 3 to 9 of 9"]);
  expect(titles(ops.slice(9, 11), new Map([["×for i", "closed"]]))).toContain("for i × 9");
});

const layers = (count: number): string =>
  [
    "x: f32[8, 16]",
    ...Array.from({ length: count }, (_, i) => `w${i}: f32[16, 16] = param()`),
    "v = x",
    ...Array.from({ length: count }, (_, i) => `v = v + tanh(relu(v @ w${i})) * 2`),
    "return v",
  ].join("\n");

test("blocks without names fold into one box, and their weights into one pill; each opens in its turn", () => {
  const text = layers(12);
  const source = compiled(text).naive!.graph;
  const fold = (...opened: string[]) => {
    const byHand = new Map(opened.map((id) => [id, "open"] as const));
    return foldScene(sceneAt(text, 0), { ...open, source, byHand });
  };
  const titles = (...opened: string[]): string[] => fold(...opened).nodes.map(({ title }) => title);
  expect(titles()).toEqual(["x", "12 inputs", "block × 12", "v"]);
  expect(fold().nodes[2]!.formula).toBe("60 ops, 60 kernels");
  expect(fold().edges.map(({ from, to }) => `${from} > ${to}`)).toHaveLength(3);
  const [box, pill] = [fold().nodes[2]!.id, fold().nodes[1]!.id];
  expect(titles(foldOf(pill)!)).toHaveLength(1 + 12 + 1 + 1);
  const inside = titles(foldOf(box)!);
  expect(inside.filter((title) => title.startsWith("block"))).toEqual(
    Array.from({ length: 12 }, (_, i) => `block ${i + 1} of 12`),
  );
  const one = fold(foldOf(box)!).nodes.find(({ title }) => title === "block 3 of 12")!;
  expect(titles(foldOf(box)!, foldOf(one.id)!).filter((title) => !/^(block|w\d|x|v)/.test(title))).toEqual([
    "matmul",
    "relu",
    "tanh",
    "mul",
    "add",
  ]);
});

test("a folded box stands where the folded layout has it", () => {
  const text = layers(12);
  const source = compiled(text).naive!.graph;
  const scene = foldScene(sceneAt(text, 0), { ...open, source });
  const box = scene.nodes.find(({ kind }) => kind === "folded")!.id;
  const folded = new Map([[box, { x: 7, y: 9, ...boxSizes.folded }]]);
  const layout = layoutOf(compiled(text));
  expect(boxesOf(scene, { layout, folded, moved: {} }).get(box)).toMatchObject({ x: 7, y: 9 });
  const whole = sceneAt(text, 0);
  expect(boxesOf(whole, { layout, folded, moved: {} }).get(nodeId("x"))).toEqual(layout.get(nodeId("x")));
});

/** Titles of the boxes of `text` at a step, and where they stand. */
function callsAt(text: string, cursor: number) {
  const compilation = compiled(text);
  const source = compilation.naive!.graph;
  const step = compilation.steps[cursor - 1] ?? null;
  const scene = foldScene(sceneAt(text, cursor), { ...open, source, step });
  return { scene, boxes: boxesOf(scene, { layout: layoutOf(compilation), moved: {} }), steps: compilation.steps };
}

const NORM_THEN_GELU = "x: f32[64, 256]\nw: f32[256]\nb: f32[256]\ny = gelu(layer_norm(x, w, b))\n";

test("a call is one box that opens while a step decides inside it, and nothing else moves", () => {
  const { steps, boxes } = callsAt(NORM_THEN_GELU, 0);
  const seen = steps.map((_, i) => callsAt(NORM_THEN_GELU, i + 1));
  const titles = (at: { scene: { nodes: readonly { title: string; lid?: boolean }[] } }): string[] =>
    at.scene.nodes.filter(({ lid }) => lid).map(({ title }) => title);
  expect(titles(callsAt(NORM_THEN_GELU, 0))).toEqual(["layer_norm"]);
  expect(titles(seen[0]!)).toEqual([]);
  expect(steps.at(-1)!.edges.length + Number(steps.at(-1)!.edge !== null)).toBeGreaterThan(0);
  expect(titles(seen.at(-1)!)).toEqual(["layer_norm"]);
  for (const each of seen) {
    const stays = [...each.boxes].filter(([id]) => boxes.has(id) && foldOf(id) === null);
    expect(stays).toEqual(stays.map(([id]) => [id, boxes.get(id)]));
  }
});

test("of a call that is drawn as one box the card tells of the call, and of its last part once it is open", () => {
  const text = "x: f32[64, 256]\ny = softmax(x)\n";
  const { graph } = compiled(text).naive!;
  const cardIn = (scene: Scene) =>
    inspect(graph, nodeId("y"), undefined, null, callDrawnAt(scene, graph, nodeId("y")))!;
  const closed = cardIn(callsAt(text, 0).scene);
  expect([closed.title, closed.formula, closed.operands, closed.folds]).toEqual([
    "softmax",
    findOp("softmax")!.doc.formula,
    [],
    [],
  ]);
  const opened = cardIn(sceneAt(text, 0));
  expect(opened.formula).toBe(findOp("div")!.doc.formula);
  expect(opened.folds.map(({ text }) => text)).toEqual(["Fold softmax"]);
});

test("a closed call covers no other box, and stands in the hull of its kernel", () => {
  const { steps } = callsAt(NORM_THEN_GELU, 0);
  for (const cursor of [0, steps.length]) {
    const { scene, boxes } = callsAt(NORM_THEN_GELU, cursor);
    const lid = scene.nodes.find((node) => node.lid)!;
    const covered = rectOf(boxes.get(lid.id)!);
    expect([...boxes].filter(([, box]) => meet(covered, rectOf(box))).map(([id]) => id)).toEqual([lid.id]);
    const picture = pictureOf(scene, boxes, new Map());
    expect(picture.hulls).toHaveLength(cursor === 0 ? 0 : 1);
  }
});

test("a call that was put somewhere stands there, closed or open, and covers nothing that stands around it", () => {
  const text = "x: f32[64, 256]\nb: f32[64, 256]\nh = x * b\ny = softmax(h)\nz = relu(y)\n";
  const box = foldBox("y");
  const moved = {
    x: { x: 0, y: 0 },
    h: { x: 0, y: 60 },
    [box]: { x: 0, y: 120 },
    z: { x: 0, y: 200 },
    b: { x: 240, y: 130 },
    "z>out": { x: 0, y: 260 },
  };
  const compilation = compiled(text);
  const scenes = compilation.steps.flatMap((_, i) => [callsAt(text, i + 1).scene, sceneAt(text, i + 1)]);
  const isOpen = scenes.map((scene) => scene.nodes.every(({ lid }) => !lid));
  expect(new Set(isOpen)).toEqual(new Set([true, false]));
  for (const scene of scenes) {
    const boxes = [...boxesOf(scene, { layout: layoutOf(compilation), moved })];
    const groups = new Map(scene.nodes.map((node) => [node.id, node.groups.map(({ id }) => id)] as const));
    const shown = boxes.filter(([id]) => id === box || groups.get(id)?.includes("y"));
    expect(Math.min(...shown.map(([, { x }]) => x))).toBe(0);
    expect(Math.min(...shown.map(([, { y }]) => y))).toBe(120);
    const pairs = boxes.flatMap(([id, one], i) =>
      boxes.slice(i + 1).flatMap(([other, two]) => (meet(rectOf(one), rectOf(two)) ? [`${id} ${other}`] : [])),
    );
    expect(pairs).toEqual([]);
  }
});

test("what a pass recognises stays as it was written", () => {
  const text = "x: f32[64, 256]\ne = exp(x - max(x, dim=-1, keepdim=True))\ny = e / sum(e, dim=-1, keepdim=True)\n";
  const { steps } = callsAt(text, 0);
  for (let cursor = 0; cursor <= steps.length; cursor++)
    expect(callsAt(text, cursor).scene.nodes.filter(({ lid }) => lid)).toEqual([]);
});

test("indices that a pass computes from nothing but their position are not drawn; what was written is", () => {
  const text = "x: f32[4, 65536]\ny = relu(cumsum(x, dim=-1))\n";
  const { scene, steps } = callsAt(text, compiled(text).steps.length);
  const all = sceneAt(text, steps.length).nodes;
  expect(all.some(({ title }) => title === "iota")).toBe(true);
  expect(scene.nodes.some(({ title }) => title === "iota")).toBe(false);
  expect(scene.nodes.length).toBeGreaterThan(6);
  expect(callsAt("x: f32[8, 8]\ny = x + arange(8)\n", 1).scene.nodes.map(({ glyph }) => glyph)).toHaveLength(4);
});

test("many results of one folded box are one pill, which opens", () => {
  const values = Array.from({ length: 5 }, (_, i) => `y${i}`);
  const lines = values.map((name, i) => `${name} = relu(x * ${i + 2})`);
  const text = `x: f32[64, 64]\n${lines.join("\n")}\nreturn ${values.join(", ")}\n`;
  const scene = sceneAt(text);
  const folds = (byHand: typeof open.byHand) => foldScene(scene, { ...open, kernels: true, byHand });
  const outputs = (byHand: typeof open.byHand) => folds(byHand).nodes.filter(({ kind }) => kind === "output");
  expect(outputs(new Map()).map(({ title }) => title)).toEqual(["5 results"]);
  const pill = foldOf(outputs(new Map())[0]!.id)!;
  expect(outputs(new Map([[pill, "open"]])).map(({ title }) => title)).toEqual(values);
});

test("a closed call stands in the column of what it reads and gives", () => {
  const text = "x: f32[64, 256]\nw: f32[256]\nb: f32[256]\ny = relu(layer_norm(x, w, b))\n";
  const { boxes: layout } = layoutGraph(layoutRequest(compiled(text)));
  const { scene } = callsAt(text, 0);
  const boxes = boxesOf(scene, { layout, moved: {} });
  const lid = boxes.get(scene.nodes.find((node) => node.lid)!.id)!;
  expect([lid.x, boxes.get(nodeId("y"))!.x]).toEqual([boxes.get(nodeId("x"))!.x, boxes.get(nodeId("x"))!.x]);
});

test("what a rewrite takes away stands below its producer, not in a column far to the right", () => {
  const text = "q: f32[256, 64]\nk: f32[64, 256]\nv: f32[256, 64]\ns = q @ k\np = softmax(s, dim=-1)\no = p @ v";
  const { boxes } = layoutGraph(layoutRequest(compiled(text)));
  const box = (name: string) => [...boxes].find(([id]) => id === name)![1];
  expect(box("p").x).toBe(box("s").x);
});
