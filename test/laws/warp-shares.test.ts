/** @file What a warp computes where its threads take different parts of what is joined side by side. */
import { expect, test } from "vitest";
import { isRefusal, regionFacts } from "../../src/fusion/cost";
import { generic } from "../../src/fusion";
import { warpShares } from "../../src/fusion/kernel/count/warps";
import { graphOf, oneRegion } from "./kernel-harness";

/** Elements for which a warp computes each of these, for one that it keeps. */
function sharesOf(text: string, width = 4): Record<string, number> {
  const { graph, regions } = oneRegion(graphOf(text));
  const shares = warpShares(graph, [...regions.values()][0]!, width);
  return Object.fromEntries([...graph.nodes.keys()].flatMap((id) => (shares.has(id) ? [[id, shares.get(id)!]] : [])));
}

const given = "x: f32[4096, 24]\nz: f32[4096, 24]\na = torch.sin(x)\nb = torch.cos(x)\nc = torch.exp(z)\n";

test("parts narrower than a warp are each computed while the others wait", () => {
  expect(sharesOf(`${given}return torch.cat([a, b, c], dim=-1)`)).toEqual({ a: 3, b: 3, c: 3 });
  expect(sharesOf(`${given}return torch.cat([a, b, c], dim=-1)`, 1)).toEqual({
    a: 1 + 32 / 24,
    b: 1 + 32 / 24,
    c: 1 + 32 / 24,
  });
});

test("parts that lie far apart keep warps for themselves", () => {
  const shares = Object.values(sharesOf(`${given}return torch.cat([a, b, c], dim=0)`));
  expect(Math.max(...shares)).toBeLessThan(1.01);
});

test("joins behind one another multiply, and what is stored is computed for itself", () => {
  const twice = "d = torch.cat([a, b], dim=-1)\nreturn torch.cat([d, c], dim=-1)";
  expect(sharesOf(given + twice)).toEqual({ a: 3, b: 3, c: 3, d: 1.5 });
  expect(sharesOf(`${given}return a, torch.cat([a, b], dim=-1) * torch.cat([a, c], dim=-1)`)).toEqual({ b: 2, c: 2 });
});

test("what several parts are computed from is computed in each of them", () => {
  const parts = "l = a[:, 1:2]\nm = a[:, 0:1] - l\nreturn torch.cat([l, m], dim=-1)";
  expect(sharesOf(given + parts)["a"]).toBe(2);
});

test("joined parts that a product multiplies cost it more than one function of all of them", () => {
  const { graph, regions } = oneRegion(
    graphOf("x: f32[65536, 24]\nw: f32[48, 64]\nreturn torch.cat([torch.sin(x), torch.cos(x)], dim=-1) @ w"),
  );
  const facts = regionFacts(graph, [...regions.values()][0]!, generic, 0);
  const plain = oneRegion(graphOf("x: f32[65536, 48]\nw: f32[48, 64]\nreturn torch.sin(x) @ w"));
  const other = regionFacts(plain.graph, [...plain.regions.values()][0]!, generic, 0);
  if (isRefusal(facts) || isRefusal(other)) throw new Error("refused");
  expect(facts.time.computeMicros).toBeGreaterThan(other.time.computeMicros);
});
