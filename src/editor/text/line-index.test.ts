import { expect, test } from "vitest";
import { nodeId, parseProgram, isWithin } from "../../fusion";
import { indexLines, lineAt, lineStarts, linesOf, nodeAtOffset } from "./line-index";

const text = "x: f32[8, 4]\n\nh = softmax(x, dim=-1)\ny = relu(h * 2.0)\nreturn y\n";
const { graph } = parseProgram(text);
const index = indexLines(graph, text);

test("an offset is on the line that it is in, its line break included", () => {
  const starts = lineStarts("ab\n\nc");
  expect([0, 2, 3, 4, 5].map((offset) => lineAt(starts, offset))).toEqual([1, 1, 2, 3, 3]);
});

test("the smallest op around the caret is meant", () => {
  const inside = text.indexOf("h * 2");
  expect(nodeAtOffset(index, inside)).not.toBe("y");
  expect(nodeAtOffset(index, text.indexOf("relu"))).toBe("y");
});

test("lines without an op have none", () => {
  expect(nodeAtOffset(index, text.indexOf("\n\n") + 1)).toBeNull();
});

test("every part of a composite stands on the line of its call", () => {
  const parts = [...graph.nodes.keys()].filter((id) => id !== "h" && isWithin(id, "h"));
  expect(parts.length).toBeGreaterThan(2);
  expect(linesOf(index, graph, null, parts)).toEqual([3]);
});

test("what a pass made stands where its origins stand", () => {
  const made = nodeId("y~made");
  const planned = {
    nodes: new Map([[made, { ...graph.nodes.get(nodeId("y"))!, id: made, origins: [nodeId("y")] }]]),
    outputs: [],
  };
  expect(linesOf(index, graph, planned, [made])).toEqual([4]);
});
