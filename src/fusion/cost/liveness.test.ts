import { expect, test } from "vitest";
import { nodeId, regionId, type Graph, type Node } from "../ir";
import { liveProfile, openLiveness } from "./liveness";

const made = (id: string, op: string, inputs: readonly string[]): Node => ({
  id: nodeId(id),
  op,
  inputs: inputs.map(nodeId),
  attrs: {},
  type: { dtype: "f32", shape: [4] },
  label: id,
  origins: [],
  groups: [],
});

test("what a step takes away and puts back is added up once", () => {
  const nodes = [made("x", "input", []), made("a", "relu", ["x"]), made("b", "exp", ["a"]), made("c", "neg", ["b"])];
  const graph: Graph = { nodes: new Map(nodes.map((n) => [n.id, n])), outputs: [nodeId("c")] };
  const profile = liveProfile(4);
  let additions = 0;
  const add: typeof profile.add = (...range) => {
    additions++;
    profile.add(...range);
  };
  const lives = openLiveness(graph, 4, { ...profile, add });
  const [a, b, c] = ["a", "b", "c"].map(nodeId);
  lives.written(a!, 1);
  lives.read(a!, regionId("k:b"), 2);
  lives.written(b!, 2);
  lives.read(b!, regionId("k:c"), 3);
  lives.written(c!, 3);
  expect(lives.peakBytes()).toBe(48);
  expect(additions).toBe(3);
  // The kernels of a and b become one: only a is no longer stored.
  lives.written(a!, null);
  lives.read(a!, regionId("k:b"), null);
  lives.written(b!, null);
  lives.written(b!, 2);
  expect(lives.peakBytes()).toBe(48);
  expect(additions).toBe(4);
});
