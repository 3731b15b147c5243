/** What stands in a tensor after `x[…] = v`, `x.at[…].set(v)` and `x.add_(v)`, element by element. */
import { describe, expect, test } from "vitest";
import { inputData, parseProgram, runReference } from "../../src/fusion";

describe("writing at an index", () => {
  /** What `y` holds for x = 0, 1, 2 … */
  const valuesOf = (text: string): readonly number[] => {
    const source = `x: f32[2, 3] = arange()\ni: i32[2] = const([2, 0])\n${text}`;
    const { graph, diagnostics } = parseProgram(source);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const values = new Map(
      [...graph.nodes.values()].filter(({ op }) => op === "input").map((node) => [node.id, inputData(node)]),
    );
    return [...runReference(graph, values, { precision: "f64" }).get(graph.outputs.at(-1)!)!.data];
  };
  test.each([
    ["y = x * 1\ny[:, 1:] = 9.0\n", [0, 9, 9, 3, 9, 9]],
    ["y = x * 1\ny[0] = x[1]\n", [3, 4, 5, 3, 4, 5]],
    ["y = x * 1\ny[1, ::2] = torch.tensor([7., 8.])\n", [0, 1, 2, 7, 4, 8]],
    ["y = x * 1\ny[..., -1] += 10\n", [0, 1, 12, 3, 4, 15]],
    ["y = x * 1\ny[x > 3] = -1\n", [0, 1, 2, 3, -1, -1]],
    ["y = x * 1\ny[:, i] = torch.stack((x[:, 0], x[:, 1]), dim=1) * 10\n", [10, 1, 0, 40, 4, 30]],
    ["y = x.at[:, 0].add(5).at[0, 1].set(3)\n", [5, 3, 2, 8, 4, 5]],
    ["y = x.at[:, i].multiply(2)\n", [0, 1, 4, 6, 4, 10]],
    ["y = x * 1\ny.mul_(2).add_(1)\ny.clamp_(max=7)\n", [1, 3, 5, 7, 7, 7]],
    [
      "o = torch.zeros(2, 3)\nfor t in range(3):\n  o[:, t] = x[:, t] + (0 if t == 0 else o[:, t - 1])\ny = o * 1\n",
      [0, 1, 3, 3, 7, 12],
    ],
  ])("%s", (text, wanted) => expect(valuesOf(text)).toEqual(wanted));
});

test("a pool of a picture without a batch goes by the axes that its name says", () => {
  const text = "x: f32[2, 4, 6] = arange()\n";
  const outputs = (lines: string): readonly (readonly number[])[] => {
    const { graph, diagnostics } = parseProgram(text + lines);
    expect(diagnostics).toEqual([]);
    const values = new Map(
      [...graph.nodes.values()].filter(({ op }) => op === "input").map((node) => [node.id, inputData(node)]),
    );
    const found = runReference(graph, values, { precision: "f64" });
    return graph.outputs.map((id) => [...found.get(id)!.data]);
  };
  const pools = [
    "avg_pool2d(X, 3, stride=1, padding=1, count_include_pad=False)",
    "max_pool2d(X, 2)",
    "adaptive_avg_pool2d(X, 2)",
  ];
  for (const pool of pools) {
    const [alone, batched] = outputs(`return F.${pool.replace("X", "x")}, F.${pool.replace("X", "x[None]")}\n`);
    expect(alone).toEqual(batched);
  }
});
