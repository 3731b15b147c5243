import { expect, test } from "vitest";
import { madeFor, node, nodeId, standingOf, type Graph, type Node, type Standing } from "../ir";
import { positionsOf } from "./positions";

const nodeAt = (standing: Standing): Node => ({
  ...standing,
  op: "input",
  inputs: [],
  attrs: {},
  type: { dtype: "f32", shape: [] },
  label: "",
  origins: [],
  groups: [],
});
const graphOf = (...standing: readonly Standing[]): Graph => ({
  nodes: new Map(standing.map((each) => [each.id, nodeAt(each)])),
  outputs: [],
});
const [x, y] = [{ id: nodeId("x") }, { id: nodeId("y") }];

test("what is made for a node stands before it, what is made for that before that, rows in their order", () => {
  const sum = madeFor(y, "sum");
  const rows = [0, 1, 9, 10].map((nth) => madeFor(sum, "again", nth));
  const { of } = positionsOf(graphOf(x, y));
  const inOrder = [x, ...rows, madeFor(madeFor(y, "row", 3), "half"), madeFor(y, "row", 3), y];
  expect(inOrder.map(of)).toEqual(inOrder.map(of).toSorted((a, b) => a - b));
  expect(new Set(inOrder.map(of)).size).toBe(inOrder.length);
  expect(of(rows.at(-1)!)).toBeLessThan(of(sum));
});

test("what is made for a node again stands behind what it reads of what was made before", () => {
  const rows = [0, 1].map((nth) => madeFor(y, "row", nth));
  const graph = graphOf(x, ...rows, y);
  const reading: Graph = {
    ...graph,
    nodes: new Map(graph.nodes).set(y.id, { ...nodeAt(y), inputs: rows.map(({ id }) => id) }),
  };
  const { of } = positionsOf(reading);
  const again = standingOf(reading, node(reading, y.id));
  const inOrder = [x, ...rows, madeFor(again, "row", 2), madeFor(again, "row", 3), y];
  expect(inOrder.map(of)).toEqual(inOrder.map(of).toSorted((a, b) => a - b));
  expect(new Set(inOrder.map(of)).size).toBe(inOrder.length);
  expect(of(again)).toBe(of(y));
});

test("the position is data: another name changes nothing", () => {
  const { of } = positionsOf(graphOf(x, y));
  const sum = madeFor(y, "sum");
  expect(of({ ...sum, id: nodeId("anything/at~all#7") })).toBe(of(sum));
});

test("a state that is read anew counts what was made where its node stood, though that is gone", () => {
  const { of } = positionsOf(graphOf(x, madeFor(y, "sum"), madeFor(y, "row")));
  expect([x, madeFor(y, "sum"), y].map((each) => Math.ceil(of(each)))).toEqual([0, 2, 2]);
});
