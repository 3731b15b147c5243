import { expect, test } from "vitest";
import { nodeId } from "../../fusion";
import type { Graph, Node, NodeId } from "../../fusion";
import { outputPillOf } from "../../document";
import { layoutGraph } from "./graph";
import { foldedRequest, layoutRequest } from "./request";
import type { Box, GraphLayout } from "./request";

/** `x[8]: ` declares an input of 8 elements, `y[8]: x w` a node reading x and w. The last line's node is the output. */
function drawn(...lines: readonly string[]): Graph {
  const nodes = new Map<NodeId, Node>();
  for (const line of lines) {
    const [, name, size, inputs] = /^(\S+)\[(\d+)\]:\s*(.*)$/.exec(line)!;
    const id = nodeId(name!);
    nodes.set(id, {
      id,
      op: inputs ? "add" : "input",
      inputs: inputs ? inputs.split(" ").map(nodeId) : [],
      attrs: {},
      type: { dtype: "f32", shape: [Number(size)] },
      label: name!,
      origins: [id],
      groups: [],
    });
  }
  return { nodes, outputs: [[...nodes.keys()].at(-1)!] };
}

const layoutOf = (graph: Graph): GraphLayout => layoutGraph(layoutRequest({ naive: null, drawn: graph, steps: [] }));
const boxOf = (layout: GraphLayout, id: string): Box => layout.boxes.get(nodeId(id))!;

function overlaps({ boxes }: GraphLayout): string[] {
  const list = [...boxes];
  return list.flatMap(([a, p], i) =>
    list
      .slice(i + 1)
      .filter(([, q]) => p.x < q.x + q.width && q.x < p.x + p.width && p.y < q.y + q.height && q.y < p.y + p.height)
      .map(([b]) => `${a} over ${b}`),
  );
}

const layerNorm = drawn(
  "x[768]: ",
  "w[8]: ",
  "b[8]: ",
  "mean[1]: x",
  "centre[768]: x mean",
  "square[768]: centre",
  "var[1]: square",
  "rstd[1]: var",
  "scale[768]: centre rstd",
  "weight[768]: scale w",
  "y[768]: weight b",
);

test("the large values of a layer norm stand in one column, the row statistics beside it", () => {
  const layout = layoutOf(layerNorm);
  const column = ["x", "centre", "scale", "weight", "y"].map((id) => boxOf(layout, id).x);
  expect(new Set(column).size).toBe(1);
  for (const id of ["mean", "square", "var", "rstd"]) expect(boxOf(layout, id).x).toBeGreaterThan(column[0]!);
  expect(boxOf(layout, "square").y).toBe(boxOf(layout, "centre").y);
  expect(boxOf(layout, "rstd").y).toBe(boxOf(layout, "scale").y);
});

test("an input with one reader sits to the right of it, in its row", () => {
  const layout = layoutOf(layerNorm);
  const [w, weight] = [boxOf(layout, "w"), boxOf(layout, "weight")];
  expect(w.x).toBeGreaterThan(weight.x + weight.width);
  expect(w.y + w.height / 2).toBe(weight.y + weight.height / 2);
});

test("a weight that is transposed for its reader stands aside, as the weight itself would", () => {
  const layout = layoutOf(drawn("w[64]: ", "x[64]: ", "turned[64]: w", "product[64]: x turned", "y[64]: product"));
  const [x, turned, product] = ["x", "turned", "product"].map((id) => boxOf(layout, id).x);
  expect(x).toBe(product);
  expect(turned).toBeGreaterThan(product!);
});

test("a transposed weight of a later op stands beside that op, not at the top", () => {
  const second = ["v[64]: ", "a[64]: product", "turned2[64]: v", "product2[64]: a turned2", "y[64]: product2"];
  const layout = layoutOf(drawn("w[64]: ", "x[64]: ", "turned[64]: w", "product[64]: x turned", ...second));
  expect(boxOf(layout, "v").x).toBe(boxOf(layout, "w").x);
  expect(boxOf(layout, "v").y).toBeGreaterThan(boxOf(layout, "product").y);
  expect(overlaps(layout)).toEqual([]);
});

test("readers stand below what they read, outputs at the end, nothing overlaps", () => {
  const layout = layoutOf(layerNorm);
  const main = ["x", "centre", "scale", "weight", "y"].map((id) => boxOf(layout, id).y);
  expect(main).toEqual([...main].sort((a, b) => a - b));
  expect(layout.boxes.get(outputPillOf(nodeId("y")))!.y).toBeGreaterThan(boxOf(layout, "y").y);
  expect(overlaps(layout)).toEqual([]);
});

test("nodes that only a later step has get their own place", () => {
  const late: Node = { ...layerNorm.nodes.get(nodeId("y"))!, id: nodeId("late"), inputs: [nodeId("weight")] };
  const patch = { removedNodes: [], addedNodes: [late], removedRegions: [], addedRegions: [], outputs: null };
  const step = { patch } as unknown as Parameters<typeof layoutRequest>[0]["steps"][number];
  const layout = layoutGraph(layoutRequest({ naive: null, drawn: layerNorm, steps: [step] }));
  expect(layout.boxes.has(nodeId("late"))).toBe(true);
  expect(overlaps(layout)).toEqual([]);
});

test("a tangled graph goes through dagre without overlaps, with readers below", () => {
  const layers = Array.from({ length: 5 }, (_, l) => Array.from({ length: 9 }, (_, k) => `n${l}_${k}`));
  const lines = layers.flatMap((layer, l) =>
    layer.map((id, k) => {
      if (l === 0) return `${id}[64]: `;
      const above = layers[l - 1]!;
      return `${id}[64]: ${above[k]!} ${above[(k + 4) % 9]!} ${above[(k * 2) % 9]!}`;
    }),
  );
  const layout = layoutOf(drawn(...lines));
  expect(layout.boxes.size).toBe(46);
  expect(overlaps(layout)).toEqual([]);
  expect(boxOf(layout, "n3_3").y).toBeGreaterThan(boxOf(layout, "n2_3").y);
});

test("a chain of 10,000 nodes is one column", () => {
  const chain = Array.from({ length: 10_000 }, (_, i) => (i === 0 ? "n0[4]: " : `n${i}[4]: n${i - 1}`));
  const layout = layoutOf(drawn(...chain));
  expect(layout.boxes.size).toBe(10_001);
  expect(layout.width).toBe(156);
});

test("blocks that start folded are one box with room for what flows in and two more inputs", () => {
  const blocks = Array.from({ length: 20 }, (_, i) => [
    `a${i}[8]: ${i ? `c${i - 1}` : "x"} w${i}`,
    `b${i}[8]: a${i}`,
    `c${i}[8]: b${i} a${i}`,
  ]);
  const ops: Record<string, string> = { a: "mul", b: "tanh", c: "add" };
  const { nodes, outputs } = drawn(...blocks.map((_, i) => `w${i}[8]:`), "x[8]:", ...blocks.flat(), "y[8]: c19");
  const named = [...nodes].map(
    ([id, node]) => [id, node.op === "input" ? node : { ...node, op: ops[id[0]!] ?? "exp" }] as const,
  );
  const source: Graph = { nodes: new Map(named), outputs };
  const folded = foldedRequest(layoutRequest({ naive: null, drawn: source, steps: [] }), source)!;
  expect(folded.nodes.map(({ id, kind }) => `${kind} ${id}`).toSorted()).toEqual([
    "folded [×a0]",
    "input w0",
    "input w1",
    "input x",
    "op y",
    "output y>out",
  ]);
  const layout = layoutGraph(folded);
  expect(overlaps(layout)).toEqual([]);
  expect(boxOf(layout, "x").y).toBeLessThan(boxOf(layout, "[×a0]").y);
  expect(boxOf(layout, "[×a0]").y).toBeLessThan(boxOf(layout, "y").y);
  expect(
    foldedRequest(
      layoutRequest({ naive: null, drawn: drawn("x[8]:", "y[8]: x"), steps: [] }),
      drawn("x[8]:", "y[8]: x"),
    ),
  ).toBeNull();
});

test("what is not connected yet moves nothing that is, and stands from left to right as it is written", () => {
  const lines = ["y[64]: x", "z[8]: y y"] as const;
  const before = layoutOf(drawn("x[64]: ", ...lines));
  const after = layoutOf(drawn("x[64]: ", "new[4096]: ", "other[8]: ", ...lines));
  for (const [id, box] of before.boxes) expect(boxOf(after, id)).toEqual(box);
  // A chain of two ops, as heavy as it may be, and whatever it is begun with.
  const loose = layoutOf(drawn("x[8]: ", "relu[8]: hole", "max[4096]: hole", "softmax[4096]: max"));
  const lefts = ["x", "relu", "softmax"].map((id) => boxOf(loose, id).x);
  expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
  expect(new Set(lefts).size).toBe(3);
  expect(lefts[0]).toBe(0);
});
