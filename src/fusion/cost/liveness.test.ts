import { expect, test } from "vitest";
import { nodeId, regionId, type Graph, type Node, type NodeId, type RegionId } from "../ir";
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
  const [x, a, b, c] = ["x", "a", "b", "c"].map(nodeId) as [NodeId, NodeId, NodeId, NodeId];
  const [ka, kb, kc] = ["k:a", "k:b", "k:c"].map(regionId) as [RegionId, RegionId, RegionId];
  lives.enter(ka, { at: 1, stores: [a], reads: [x], partials: 0 });
  lives.enter(kb, { at: 2, stores: [b], reads: [a], partials: 0 });
  lives.enter(kc, { at: 3, stores: [c], reads: [b], partials: 0 });
  expect(lives.peakBytes()).toBe(48);
  expect(additions).toBe(3);
  // The kernels of a and b become one: only a is no longer stored.
  lives.leave(ka);
  lives.leave(kb);
  lives.enter(kb, { at: 2, stores: [b], reads: [x], partials: 0 });
  expect(lives.peakBytes()).toBe(48);
  expect(additions).toBe(4);
});

test("what is stored for a kernel further up runs with it, and so does what that needs", () => {
  const nodes = [
    made("x", "input", []),
    made("a", "relu", ["x"]),
    made("b", "exp", ["a"]),
    made("c", "neg", ["b"]),
    made("d", "abs", ["x"]),
    made("e", "tanh", ["d"]),
  ];
  const graph: Graph = { nodes: new Map(nodes.map((n) => [n.id, n])), outputs: ["c", "e"].map(nodeId) };
  const lives = openLiveness(graph, 6);
  const [x, a, b, c, d, e] = ["x", "a", "b", "c", "d", "e"].map(nodeId) as [NodeId, NodeId, NodeId, ...NodeId[]];
  const [ka, kb, kc] = ["k:a", "k:b", "k:c"].map(regionId) as [RegionId, RegionId, RegionId];
  // The kernels of a and b store something further down, too.
  lives.enter(ka, { at: 4, stores: [a, d!], reads: [x], partials: 0 });
  lives.enter(kb, { at: 5, stores: [b, e!], reads: [a, d!], partials: 64 });
  lives.enter(kc, { at: 3, stores: [c!], reads: [b], partials: 0 });
  // At 3 all of them: x, a, d, b, e, c, and the partials of b.
  expect(lives.peakBytes()).toBe(6 * 16 + 64);
  // Without the reader they stand where they are written: x, a, d, b and e with the partials.
  lives.leave(kc);
  expect(lives.peakBytes()).toBe(5 * 16 + 64);
  lives.leave(kb);
  lives.enter(kb, { at: 5, stores: [b, e!], reads: [a, d!], partials: 0 });
  expect(lives.peakBytes()).toBe(5 * 16);
});
