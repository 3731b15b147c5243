/** @file What the graph draws as pipes is what the kernels of the plan read: of every example, at every step of it. */
import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, planAt, type Plan } from "../../src/fusion";
import { allLessons, optionsFor } from "../../src/lessons";
import { foldScene } from "../../src/picture/fold";
import { sceneOf, type Scene } from "../../src/picture/scene";

/** Of longer ways to a plan, both ends. */
const MAX_STEPS = 60;

/** The value that is stored where `id` is drawn: views move nothing. */
function storedAs({ edges }: Scene, id: string): string {
  const view = edges.find(({ kind, to }) => kind === "view" && to === id);
  return view ? storedAs({ edges } as Scene, view.from) : id;
}

/** Of each kernel, the values that it reads, by its drawing and by its plan, where the two differ. */
function differences(scene: Scene, plan: Plan): string[] {
  const drawn = new Map(scene.nodes.map(({ id, kernel }) => [id as string, kernel?.region]));
  return scene.kernels.flatMap(({ region, name }) => {
    const kernels = plan.kernels.filter((kernel) => kernel.region === region);
    // What kernels hand to each other within a region is no line of the graph.
    const own = new Set(kernels.flatMap(({ writes }) => writes.map(({ value }) => value)));
    const read = kernels.flatMap(({ reads }) =>
      reads.flatMap(({ value }) => (own.has(value) || !drawn.has(value) ? [] : storedAs(scene, value))),
    );
    const pipes = scene.edges.filter(({ kind, to }) => kind === "memory" && drawn.get(to) === region);
    const [counted, shown] = [[...new Set(read)].toSorted(), pipes.map(({ from }) => storedAs(scene, from)).toSorted()];
    return counted.join() === shown.join() ? [] : [`${name} reads ${counted.join()}, drawn ${shown.join()}`];
  });
}

/** Lines in registers between two kernels, other than those that say that the value is computed again. */
function crossing(scene: Scene): string[] {
  const { nodes, edges } = scene;
  const home = new Map(nodes.map(({ id, kernel }) => [id, kernel?.region]));
  return edges.flatMap(({ kind, from, to, again }) => {
    const [a, b] = [home.get(from), home.get(to)];
    const value = storedAs(scene, from);
    const isRead = ({ kind: way, from: source, to: reader }: Scene["edges"][number]): boolean =>
      way === "memory" && home.get(reader) === b && storedAs(scene, source) === value;
    return kind === "register" && a !== b && !again && !edges.some(isRead) ? [`${from} to ${to}`] : [];
  });
}

/** Kernels of one drawn op that do not say so: they have no border either. */
function unnamed({ nodes, kernels }: Scene): string[] {
  return kernels.flatMap(({ region, name }) => {
    const own = nodes.filter(({ kernel }) => kernel?.region === region);
    return own.length > 1 || own.every(({ alone }) => alone) ? [] : [name];
  });
}

test("every kernel has a pipe for each value that it reads, also for what it computes again, and a name", () => {
  const found: string[] = [];
  let again = 0;
  for (const example of allLessons) {
    const compilation = compile(example.text, optionsFor(example, defaultOptions, null, defaultOptions));
    const last = compilation.steps.length;
    const cursors = last > MAX_STEPS ? [0, last] : [...Array(last + 1).keys()];
    for (const cursor of cursors) {
      const plan = planAt(compilation, cursor);
      if (!plan) continue;
      const scene = sceneOf(fusionAt(compilation, cursor), plan);
      again += scene.edges.filter((edge) => edge.again).length;
      const source = compilation.naive!.graph;
      const folded = foldScene(scene, { byHand: new Map(), kernels: true, about: [], source });
      const dashed = folded.edges.filter((edge) => edge.again && edge.kind !== "register").map(({ id }) => id);
      const wrong = [...differences(scene, plan), ...crossing(scene), ...unnamed(scene), ...dashed];
      found.push(...wrong.map((text) => `${example.id} at ${cursor}: ${text}`));
    }
  }
  expect(found).toEqual([]);
  expect(again).toBeGreaterThan(20);
}, 120_000);
