import { expect, test } from "vitest";
import { pipeWidth } from "./lines/lines-of";
import { sceneOf } from "./scene";
import { compile, defaultOptions, fusionAt, nodeId, parseProgram } from "../fusion";
import { inspect } from "./inspect";
import { LOG_RELU, SOFTMAX, sceneAt } from "./test-scenes";

const lines = (scene: ReturnType<typeof sceneAt>): string[] =>
  scene.edges.map(({ from, to, kind }) => `${from} > ${to} ${kind}`);

test("before any step every op is its own kernel and every line a pipe", () => {
  const scene = sceneAt(LOG_RELU, 0);
  expect(scene.kernels.map(({ name, members }) => [name, members.length])).toEqual([
    ["K1", 1],
    ["K2", 1],
    ["K3", 1],
  ]);
  expect(lines(scene)).toEqual([
    "x > y/0/0 memory",
    "b > y/0/0 memory",
    "y/0/0 > y/0 memory",
    "y/0 > y memory",
    "y > y>out memory",
  ]);
  expect(scene.nodes.filter(({ alone }) => alone)).toHaveLength(3);
});

test("kernels that compute one region in turn are all named, counted and paid for", () => {
  const split = sceneAt("x: f32[4000000]\ny = x.sum()\n");
  expect(split.kernels.map(({ name, title, count }) => [name, title, count])).toEqual([["K1–2", "sum", 2]]);
  const compilation = compile("x: f32[8]\nfor i in range(40):\n    x = x * x + 1\n", defaultOptions);
  const plan = compilation.naivePlan!;
  const [loop] = sceneOf(fusionAt(compilation, 0), plan).kernels;
  expect([loop!.name, loop!.title, loop!.count]).toEqual(["K1–80", "80 kernels", 80]);
  expect(loop!.bytes).toBe(plan.totals.bytes);
});

test("a merge turns the pipe between two ops into a hairline and the value into a register", () => {
  const scene = sceneAt(LOG_RELU);
  expect(scene.kernels).toHaveLength(1);
  expect(lines(scene).filter((line) => line.endsWith("register"))).toEqual([
    "y/0/0 > y/0 register",
    "y/0 > y register",
  ]);
  expect(scene.nodes.map(({ id, lives }) => `${id} ${lives}`)).toContain("y/0 register");
  expect(scene.nodes.map(({ id, lives }) => `${id} ${lives}`)).toContain("y memory");
});

test("a kernel that reads a value for two ops has one pipe for it", () => {
  const scene = sceneAt(SOFTMAX);
  const fromX = scene.edges.filter(({ from }) => from === "x");
  expect(fromX).toHaveLength(2);
  expect(fromX.filter(({ kind }) => kind === "memory")).toHaveLength(1);
});

test("the number of pipes is the number of transfers that the plan counts", () => {
  const scene = sceneAt(SOFTMAX);
  expect(scene.edges.filter(({ kind }) => kind === "memory")).toHaveLength(2);
});

test("scalar constants and holes are not drawn; a hole leaves an open operand", () => {
  const { graph } = parseProgram("x: f32[8]\ny = add(x, ...) * 2\n");
  const scene = sceneOf({ graph, regions: new Map() }, null);
  expect(scene.nodes.map(({ id, holes }) => `${id} ${holes.join()}`)).toEqual(["x ", "y/0 1", "y ", "y>out "]);
});

test("what waits for an operand claims no shape and no bytes, and its output says why", () => {
  const { graph } = parseProgram("x: f32[8]\na = relu(...)\nb = exp(a) + x\nc = exp(x)\n");
  const { nodes, edges } = sceneOf({ graph, regions: new Map() }, null);
  expect(nodes.map(({ id, shape, bytes }) => `${id}: ${shape}, ${bytes} B`)).toEqual([
    "x: 8, 32 B",
    "a: not connected, 0 B",
    "b/0: no shape yet, 0 B",
    "b: no shape yet, 0 B",
    "c: 8, 32 B",
    "b>out: no shape yet, 0 B",
    "c>out: 8, 32 B",
  ]);
  expect(nodes.find(({ id }) => id === "b>out")!.label).toBe(
    "output b, no shape yet: an op before it is not connected",
  );
  expect(edges.filter(({ from }) => from === "a" || from === "b").map(({ bytes }) => bytes)).toEqual([0, 0]);
  expect(inspect(graph, nodeId("b"))!.type).toBe("not known yet");
});

test("a screen reader hears op, name, type, kernel and where a value is", () => {
  const [node] = sceneAt("x: f32[32, 128]\ny = gelu(x)\n").nodes.filter(({ kind }) => kind === "op");
  expect(node!.label).toBe("gelu y, f32[32, 128], kernel 1, in memory");
});

test("pipes are 7 px at full size, about 5 at half, never under 2", () => {
  expect(pipeWidth(64, 64)).toBeCloseTo(7);
  expect(pipeWidth(32, 64)).toBeCloseTo(5.34, 1);
  expect(pipeWidth(1, 1_000_000)).toBe(2);
});

test("a kernel whose bytes are more than its tensors says what it reads again", () => {
  const says = (text: string): readonly (string | null)[] => {
    const compilation = compile(text, defaultOptions);
    const { kernels } = compilation.fusedPlan!;
    const scene = sceneOf(fusionAt(compilation, compilation.steps.length), compilation.fusedPlan);
    for (const { region, again } of scene.kernels) {
      const own = kernels.filter((kernel) => kernel.region === region);
      expect(again !== null).toBe(own.some(({ reads }) => reads.some(({ rereads }) => rereads > 0)));
    }
    return scene.kernels.map(({ again }) => again);
  };
  expect(says("x: f32[64, 256]\ny = softmax(x, dim=-1)\n")).toEqual([null]);
  expect(says("x: f32[64, 65536]\ny = softmax(x + 1, dim=-1)\n")).toEqual(["reads x twice"]);
});
