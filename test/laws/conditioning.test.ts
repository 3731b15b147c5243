/** @file What rounding may explain is little, but where nearly equal numbers are taken from one another. */
import { expect, test } from "vitest";
import { runReference } from "../../src/fusion/reference";
import { graphOf } from "./any-program";
import { dataOf } from "./kernel-harness";
import { roundingReach } from "./conditioning";

function farthest(text: string): number {
  const graph = graphOf(text);
  const inputs = dataOf(graph);
  const results = new Map([...runReference(graph, inputs)].map(([id, { data }]) => [id, data]));
  return Math.max(...[...roundingReach(graph, inputs, results).values()].flatMap((list) => [...list]));
}

test.each([
  "x: f32[1000]\ny = softmax(gelu(x), dim=0)",
  "x: f32[33, 65]\nw: f32[65, 31]\ny = layer_norm(x @ w, (31,))",
  "x: f32[31, 33]\ny = batch_norm(x, training=True)",
])("a well-conditioned program leaves no room: %s", (text) => {
  expect(farthest(text)).toBeLessThan(1e-10);
});

test("exact ops leave none at all", () => {
  expect(farthest("x: f32[1000]\ny = relu(flip(x, 0)).max()")).toBe(0);
});

test("what is left of equal values, enlarged, is rounding", () => {
  const far = farthest("x: f32[1000, 1]\ny = batch_norm(selu(cast(x, bool)), training=True)");
  expect(far).toBeGreaterThan(1e-11);
  expect(far).toBeLessThan(1e-8);
});
