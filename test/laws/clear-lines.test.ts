/** @file No line of the graph runs behind a box where it does not end, and no box stands on another: every example, as the page opens it and with kernels folded. */
import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, type Compilation, type NodeId } from "../../src/fusion";
import { examples } from "../../src/lessons";
import {
  boxesOf,
  capScene,
  foldScene,
  foldedRequest,
  layoutGraph,
  layoutRequest,
  pictureOf,
  sceneOf,
  type Picture,
  type Rect,
} from "../../src/picture";
import { BoxIndex, rectOf, strips } from "../../src/picture/lines/geometry";

/** `exp to sub behind max`, and boxes that stand on each other. */
function hiddenIn({ lines, boxes }: Picture): string[] {
  const index = new BoxIndex([...boxes].map(([id, box]) => [id, rectOf(box)] as const));
  const hidden = new Set<string>();
  const seen = (rect: Rect, others: readonly NodeId[], words: string): void => {
    index.some(rect, (id) => {
      if (!others.includes(id)) hidden.add(`${words} behind ${id}`);
      return false;
    });
  };
  for (const { edge, points } of lines)
    for (const leg of strips(points, 0.5)) seen(leg, [edge.from, edge.to], `${edge.from} to ${edge.to}`);
  for (const [id, box] of boxes) seen(rectOf(box), [id], id);
  return [...hidden];
}

/** Steps of a long program that are looked at: the naive plan, the finished one, and some between. */
const MOST_STEPS = 9;

function shownSteps(count: number): number[] {
  const parts = Math.min(count, MOST_STEPS - 1);
  return Array.from({ length: parts + 1 }, (_, i) => (parts === 0 ? 0 : Math.round((i * count) / parts)));
}

/** As the page draws them one after the other: what did not move keeps its lines. */
function picturesOf(compilation: Compilation, kernels: boolean): { cursor: number; picture: Picture }[] {
  const source = compilation.naive!.graph;
  const request = layoutRequest(compilation);
  const small = foldedRequest(request, source);
  const folded = small ? layoutGraph(small).boxes : null;
  const { boxes: layout, bends } = layoutGraph(request);
  let earlier: Picture | null = null;
  return shownSteps(compilation.steps.length).map((cursor) => {
    const step = compilation.steps[cursor - 1] ?? null;
    const about = cursor < compilation.steps.length ? (step?.nodes ?? []) : [];
    const all = sceneOf(fusionAt(compilation, cursor), null);
    const { scene } = capScene(foldScene(all, { byHand: new Map(), kernels, about, source, step }), about);
    const boxes = boxesOf(scene, { layout, folded, moved: {}, closed: kernels });
    const picture: Picture = pictureOf(scene, boxes, bends, earlier);
    earlier = picture;
    return { cursor, picture };
  });
}

test.each(examples.map((example) => [example.id, example] as const))("%s", (_, example) => {
  const compilation = compile(example.text, {
    ...defaultOptions,
    ...example.options,
    granularity: example.granularity,
  });
  const hidden = [false, true].flatMap((kernels) =>
    picturesOf(compilation, kernels).flatMap(({ cursor, picture }) =>
      hiddenIn(picture).map((words) => `${kernels ? "folded, " : ""}step ${cursor}: ${words}`),
    ),
  );
  expect(hidden).toEqual([]);
});
