import { expect, test } from "vitest";
import { compile, defaultOptions, findOp, fusionAt, type NodeId } from "../fusion";
import { findExample } from "../lessons";
import { coloursAt } from "../picture";

const compilation = compile("x: f32[64, 64]\nw: f32[64]\nh = softmax(x)\ny = relu(h * w + 1) + exp(x)\n", {
  ...defaultOptions,
  granularity: "primitive",
});
const all = Array.from({ length: compilation.steps.length + 1 }, (_, cursor) => coloursAt(compilation, cursor));

test("the final plan's kernels are coloured in their order", () => {
  expect([...all.at(-1)!.values()]).toEqual(compilation.fusedPlan!.kernels.map((_, i) => i));
});

test.each(["attention-backward", "conv-bn-relu", "layer-norm-gelu", "swiglu", "saved-values", "resnet-block"])(
  "up to six kernels of %s look different, and more than six unlike their neighbours",
  (id) => {
    const { text, granularity } = findExample(id)!;
    const planned = compile(text, { ...defaultOptions, granularity });
    for (let cursor = 0; cursor <= planned.steps.length; cursor++) {
      const colours = coloursAt(planned, cursor);
      const { graph, regions } = fusionAt(planned, cursor);
      const home = new Map([...regions.values()].flatMap(({ id: region, members }) => members.map((m) => [m, region])));
      // A view is no kernel of its own: who reads it reads from the kernel before it.
      const stored = (id: NodeId): NodeId => {
        const { op, inputs } = graph.nodes.get(id)!;
        const def = findOp(op);
        const isView = def !== null && def.kind !== "composite" && def.movement?.free === true;
        return isView && regions.get(home.get(id)!)?.members.length === 1 ? stored(inputs[0]!) : id;
      };
      const linked = [...graph.nodes.values()].flatMap((reader) =>
        reader.inputs.map((input) => [home.get(reader.id), home.get(stored(input))] as const),
      );
      const all = [...regions.keys()];
      const pairs = regions.size <= 6 ? all.flatMap((a) => all.map((b) => [a, b] as const)) : linked;
      const alike = pairs.filter(([a, b]) => a && b && a !== b && colours.get(a)! % 6 === colours.get(b)! % 6);
      expect(alike, `step ${cursor}`).toEqual([]);
    }
  },
);

test("no two kernels of a step have the same colour, and every kernel has one", () => {
  all.forEach((colours, cursor) => {
    const { regions } = fusionAt(compilation, cursor);
    expect([...colours.keys()].toSorted()).toEqual([...regions.keys()].toSorted());
    expect(new Set(colours.values()).size).toBe(colours.size);
  });
});

test("a step changes the colour of no kernel that it leaves alone, and a merged one keeps the larger's", () => {
  expect(compilation.steps.filter(({ accepted }) => accepted).length).toBeGreaterThan(2);
  for (const { seq, patch } of compilation.steps) {
    const [before, after] = [all[seq - 1]!, all[seq]!];
    const added = new Set(patch?.addedRegions.map(({ id }) => id));
    const same = [...after].filter(([id]) => !added.has(id));
    expect(same).toEqual(same.map(([id]) => [id, before.get(id)]));
    const [merged] = patch?.addedRegions ?? [];
    if (!patch || !merged || patch.addedRegions.length > 1 || patch.removedRegions.length === 0) continue;
    const largest = Math.max(...patch.removedRegions.map(({ members }) => members.length));
    const survivors = patch.removedRegions.filter(({ members }) => members.length === largest);
    expect(survivors.map(({ id }) => before.get(id))).toContain(after.get(merged.id));
  }
});
