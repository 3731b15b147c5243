import { expect, test } from "vitest";
import { blocksAmong, blocksOf, opensFolded } from "./blocks";
import { nodeId, type Graph } from "./ir";
import { runsOf, opsInOrder } from "./runs";
import { parseProgram } from "./text";

const graphOf = (text: string): Graph => parseProgram(text).graph;

/** `iterations` residual blocks without a name, after `before` and until `after`. */
function written(iterations: number, before = "", after = ""): string {
  const lines = ["x: f32[8, 16]", "w: f32[16, 16] = param()", "v = x", before];
  for (let i = 0; i < iterations; i++)
    lines.push(`a${i} = relu(v @ w)`, `b${i} = a${i} @ w`, `v = v + tanh(b${i}) * 2`);
  return [...lines, after, "return v"].join("\n");
}

const shown = (text: string): string[] => {
  const found = [...new Set(blocksOf(graphOf(text)).values())];
  return [...new Map(found.map((block) => [block.all, `${block.label} × ${block.count}`])).values()];
};

test("equal stretches of a program without names are blocks", () => {
  const blocks = blocksOf(graphOf(written(9)));
  expect(shown(written(9))).toEqual(["block × 9"]);
  const iterations = [...new Set(blocks.values())];
  expect(iterations.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(blocks.get(nodeId("a3"))).toBe(blocks.get(nodeId("b3")));
  expect(blocks.get(nodeId("a3"))).not.toBe(blocks.get(nodeId("a4")));
});

test("a block begins where the fewest values cross, whatever stands before it", () => {
  for (const before of ["v = exp(v)", "v = v + tanh(v) * 2", "v = tanh(v) * 2 + 1"]) {
    const ops = opsInOrder(graphOf(written(9, before, "v = relu(v) @ w")));
    const [run] = runsOf(ops);
    expect([before, run!.length, run!.count >= 8]).toEqual([before, 6, true]);
    expect(ops[run!.start]!.op).toBe("matmul");
  }
});

test("a residual block ends with the value that the next one reads twice, whatever is done to it last", () => {
  const lines = Array.from({ length: 9 }, (_, i) => [
    `a${i} = relu(v @ w)`,
    `s${i} = a${i} @ w + v`,
    `v = relu(s${i})`,
  ]);
  const text = ["x: f32[8, 16]", "w: f32[16, 16] = param()", "v = exp(x)", ...lines.flat(), "return tanh(v)"].join(
    "\n",
  );
  const ops = opsInOrder(graphOf(text));
  const [run] = runsOf(ops);
  expect(run).toMatchObject({ length: 5, count: 9 });
  expect(ops[run!.start]!.op).toBe("matmul");
});

test("two kinds of blocks have letters; equal ones apart share theirs", () => {
  const other = Array.from({ length: 8 }, () => "v = exp(v - sigmoid(v)) / (v + 3)").join("\n");
  const both = written(8, "", other);
  expect(shown(both)).toEqual(["block A × 8", "block B × 8"]);
});

test("blocks that are connected otherwise inside are not equal", () => {
  const text = written(8).replaceAll(/b([1357]) = a\1 @ w/g, "b$1 = v @ w");
  expect(runsOf(opsInOrder(graphOf(text))).every(({ length }) => length !== 6)).toBe(true);
});

test("a chain of one op is no block, and few ops are none", () => {
  expect(shown(`x: f32[8]\nv = x\n${"v = tanh(v)\n".repeat(200)}return v`)).toEqual([]);
  expect(shown(written(3))).toEqual([]);
});

test("iterations of a loop are blocks by their name", () => {
  expect(shown("x: f32[8]\nfor i in range(4):\n  x = relu(x) + 1\ny = x")).toEqual(["for i × 4"]);
});

test("an op that a pass made belongs where its readers do; an op of the program only to its own", () => {
  const graph = graphOf(written(9));
  const made = nodeId("made");
  const after = (readers: readonly string[]) =>
    blocksAmong(
      graph,
      [made],
      readers.map((to) => ({ from: made, to: nodeId(to) })),
    ).get(made)?.number;
  expect(after(["b2"])).toBe(3);
  expect(after(["b2", "b3"])).toBeUndefined();
  const longer = graphOf(written(9, "", "last = exp(v)"));
  const among = blocksAmong(longer, [nodeId("last")], [{ from: nodeId("v@9"), to: nodeId("last") }]);
  expect([among.has(nodeId("v@9")), among.has(nodeId("last"))]).toEqual([true, false]);
});

test("10,000 ops are searched in well under a second of this processor", () => {
  const ops = opsInOrder(graphOf(written(1600)));
  const before = process.cpuUsage();
  expect(runsOf(ops)[0]!.count).toBe(1600);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1.5);
});

test("a series opens folded when it fills a screen and repeats often, or the graph is large", () => {
  expect([opensFolded(25, 3, 40), opensFolded(25, 2, 40), opensFolded(25, 2, 400), opensFolded(24, 9, 400)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
