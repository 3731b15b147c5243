/** @file The loops that the page shows: what an index counts is no longer than the axis that it stands at. */
import { expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { fusedLoops, type LoopLine } from "../../src/fusion/kernel";
import { examples } from "./decisions";
import { graphOf } from "./kernel-harness";
import { compiled } from "./pass-harness";

/** Loads and stores whose index is the plain name of a loop that is longer than the axis, or of no loop around it. */
function faultsOf(lines: readonly LoopLine[], shapes: ReadonlyMap<string, readonly (readonly number[])[]>): string[] {
  const around: { depth: number; name: string; extent: number }[] = [];
  return lines.flatMap(({ depth, text }) => {
    while (around.length > 0 && around.at(-1)!.depth >= depth) around.pop();
    const loop = /^for (\w+) in (\d+):/.exec(text);
    if (loop) around.push({ depth, name: loop[1]!, extent: Number(loop[2]) });
    return [...text.matchAll(/([\w.@ ]*\w)\[([^\]]*)\]/g)].flatMap(([, label, index]) => {
      const names = index!.split(", ");
      const known = shapes.get(label!.trim())?.filter((shape) => shape.length === names.length) ?? [];
      const fits = (shape: readonly number[]): boolean =>
        names.every((name, axis) => {
          if (!/^([i-p]|i\d+)$/.test(name)) return true;
          return (around.findLast((each) => each.name === name)?.extent ?? Infinity) <= shape[axis]!;
        });
      return known.length > 0 && !known.some(fits) ? [text] : [];
    });
  });
}

const TEXTS: Readonly<Record<string, string>> = {
  "tiles folded over rows": "x: f32[4, 128, 64]\ne: f32[64, 2048]\ny = log1p(relu(x @ e)).max(dim=1)",
  "tiles folded over columns": "a: f32[512, 64]\nb: f32[64, 1024]\ny = max(a @ b, dim=0)",
  attention: "q: f32[2, 512, 64]\nk: f32[2, 512, 64]\nv: f32[2, 512, 32]\ny = softmax(q @ k.mT / 8, dim=-1) @ v",
  "windows of an image": "x: f32[8, 16, 32, 32]\nw: f32[24, 16, 3, 3]\ny = relu(conv2d(x, w, padding=1))",
  "a prologue of moved elements": "x: f32[256, 512]\nw: f32[256, 128]\ny = gelu(relu(x).T @ w)",
};

const cases = [
  ...examples.map(({ name, text, options }) => [name, text, options] as const),
  ...Object.entries(TEXTS).map(([name, text]) => [name, text, undefined] as const),
];

test.each(cases)("%s", (_, text, options) => {
  const compilation = compiled(graphOf(text), options);
  const { graph, regions } = fusionAt(compilation, compilation.steps.length);
  const shapes = new Map<string, (readonly number[])[]>();
  for (const { label, type } of graph.nodes.values()) shapes.set(label, [...(shapes.get(label) ?? []), type.shape]);
  const faults = [...regions.values()].flatMap((region) => faultsOf(fusedLoops(graph, region), shapes));
  expect(faults).toEqual([]);
});
