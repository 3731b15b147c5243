import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, nodeId, parseProgram, planAt } from "../../fusion";
import { sceneOf } from "../../picture";
import { choicesOf, standsAfter, targetKey, targetsOf } from "./targets";
import { walk } from "./moves/walk";

test("arrows lead from an op over its line to the next op, and back", () => {
  const compilation = compile("x: f32[256, 256]\nb: f32[256, 256]\ny = log(relu(x + b))\n", defaultOptions);
  const at = compilation.steps.length;
  const scene = sceneOf(fusionAt(compilation, at), planAt(compilation, at));
  const down = walk(scene, { kind: "node", id: nodeId("x") }, "ArrowDown")!;
  expect(down.kind).toBe("edge");
  expect(walk(scene, down, "ArrowDown")).toEqual({ kind: "node", id: "y/0/0" });
  expect(walk(scene, down, "ArrowUp")).toEqual({ kind: "node", id: "x" });
  expect(walk(scene, { kind: "node", id: nodeId("x") }, "ArrowUp")).toBeNull();
  expect(walk(scene, { kind: "node", id: nodeId("x") }, "ArrowRight")).toEqual({ kind: "node", id: "b" });
});

test("legal targets take the value; others say why not", () => {
  const text = "x: f32[8]\nm: f32[3]\ny = add(x, ...)\nz = relu(y)\n";
  const targets = targetsOf(text, nodeId("x"));
  expect(targets.get(targetKey("y", 1))).toMatchObject({ ok: true });
  const back = targetsOf(text, nodeId("z")).get(targetKey("y", 1))!;
  expect(back.ok).toBe(false);
  expect(back.reason.length).toBeGreaterThan(10);
  const [first] = choicesOf(parseProgram(text).graph, targets);
  expect(first).toMatchObject({ consumer: "y", operand: 1, now: "empty" });
});

test("a call's argument is offered once, however many ops inside read it", () => {
  const text =
    "x: f32[8, 8]\nz: f32[8, 8]\nw: f32[8, 8]\ny = softmax(...)\nv = layer_norm(z)\nl = linear(..., w, ...)\n";
  const offered = choicesOf(parseProgram(text).graph, targetsOf(text, nodeId("x")));
  expect(offered.map((each) => `${each.text}: ${each.now}`)).toEqual([
    "softmax y, operand 1: empty",
    "linear l, operand 1: empty",
    "linear l, operand 3: empty",
    "layer_norm v, operand 1: now z",
    "linear l, operand 2: now w",
  ]);
});

test("an op that was put above what feeds it gives up its place, one below keeps it", () => {
  const { drawn } = compile("x: f32[8]\ny = relu(...)\n", defaultOptions);
  const scene = sceneOf({ graph: drawn, regions: new Map() }, null);
  const [x, y] = [nodeId("x"), nodeId("y")];
  const size = { width: 100, height: 40 };
  const at = (height: number) => ({
    scene,
    boxes: new Map([
      [x, { x: 0, y: 100, ...size }],
      [y, { x: 0, y: height, ...size }],
    ]),
  });
  const goes = (height: number, placed = {}) => standsAfter(at(height), placed, x, y);
  const layout = { box: y, at: null };
  expect([0, 120, 180].map((height) => goes(height))).toEqual([layout, layout, null]);
  // Below one that was placed as well: the layout knows nothing of where that is.
  expect([0, 120, 180].map((height) => goes(height, { x: { x: 0, y: 100 } })?.at?.y ?? null)).toEqual([188, 188, null]);
});
