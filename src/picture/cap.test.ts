import { expect, test } from "vitest";
import { nodeId } from "../fusion";
import { capScene } from "./cap";
import { sceneAt } from "./test-scenes";

const names = Array.from({ length: 12 }, (_, i) => `h${i}`);
const chain = ["h0: f32[8]", ...names.slice(1).map((name, i) => `${name} = relu(h${i})`)].join("\n");
const scene = sceneAt(`${chain}\n`, 0);
const drawn = (about: string, most: number): string[] =>
  capScene(scene, [nodeId(about)], most, 2).scene.nodes.map(({ id }) => id);

test("a graph that fits is drawn as it is", () => {
  expect(capScene(scene, [], scene.nodes.length)).toEqual({ scene, outOf: null });
});

test("of a larger one, the boxes around the step are drawn, with the lines between them", () => {
  expect(drawn("h0", 4)).toEqual(["h0", "h1", "h2", "h3"]);
  expect(drawn("h6", 4)).toEqual(["h4", "h5", "h6", "h7"]);
  expect(drawn("h7", 4)).toEqual(drawn("h6", 4));
  expect(drawn("h11", 4)).toEqual(["h8", "h9", "h10", "h11"]);
  const capped = capScene(scene, [nodeId("h6")], 4, 2);
  expect(capped.outOf).toBe(13);
  expect(capped.scene.edges.map(({ from, to }) => `${from} > ${to}`)).toEqual(["h4 > h5", "h5 > h6", "h6 > h7"]);
});
