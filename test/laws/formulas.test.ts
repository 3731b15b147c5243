/** @file Formulas on the boxes of ops, in all examples. */
import { expect, test } from "vitest";
import { nodeName, parseProgram } from "../../src/fusion";
import { examples } from "../../src/lessons";
import { formulaOf } from "../../src/picture/formula";

test("no word of a formula is the name of something else, in any example", () => {
  for (const { id, text } of examples) {
    const { graph } = parseProgram(text);
    const labels = new Map([...graph.nodes.values()].map((node) => [node.id, nodeName(node)]));
    const names = new Set(
      [...graph.nodes.values()].flatMap((node) =>
        labels.get(node.id) === node.op ? [] : [labels.get(node.id)!, node.id as string],
      ),
    );
    for (const node of graph.nodes.values()) {
      if (node.op === "input") continue;
      const said = formulaOf(graph, node, nodeName(node)).match(/[A-Za-z_][\w.]*(?![\w.(])/g) ?? [];
      const own = node.inputs.flatMap((input) => [labels.get(input)!, input as string]);
      const foreign = said.filter((word) => names.has(word) && !own.includes(word));
      expect([id, node.id, foreign]).toEqual([id, node.id, []]);
    }
  }
});
