import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../fusion";
import type { Weights } from "../../workers";
import { givenTo, runData, weightsStore } from "./weights";
import type { WeightStorage } from "../environment";

const of = (...numbers: number[]): Weights =>
  new Map([["w", { shape: [numbers.length], data: Float32Array.from(numbers) }]]);

function memoryVault(): WeightStorage & { readonly kept: Map<string, Weights> } {
  const kept = new Map<string, Weights>();
  const read = async (key: string): Promise<Weights | null> => kept.get(key) ?? null;
  const write = async (key: string, weights: Weights): Promise<boolean> => kept.set(key, weights).size > 0;
  return { kept, read, write };
}
const blocked: WeightStorage = { read: async () => null, write: async () => false };

const graphOf = (text: string) => compile(text, defaultOptions).naive!.graph;
const PROGRAM = "x: f32[2]\nw: f32[2] = param()\nv: f32[2] = param()\ny = (x + v) * w\n";

test("weights outlive the page where the browser allows it, and the page otherwise", async () => {
  const weightStorage = memoryVault();
  expect(await weightsStore(weightStorage).keep("a", of(1, 2))).toBe(true);
  expect(await weightsStore(weightStorage).find("a")).toEqual(of(1, 2));
  const store = weightsStore(blocked);
  expect(await store.keep("a", of(1, 2))).toBe(false);
  expect(await store.find("a")).toEqual(of(1, 2));
  await store.keep("b", of(3));
  await store.keep("c", of(4));
  expect(await store.find("a")).toBeNull();
});

test("only parameters that are still what the model made them take its numbers", () => {
  expect([...givenTo(graphOf(PROGRAM), of(1, 2)).keys()]).toEqual(["w"]);
  expect(givenTo(graphOf(PROGRAM), of(1, 2, 3)).size).toBe(0);
  expect(givenTo(graphOf(PROGRAM.replace("w: f32[2]", "w: i32[2]")), of(1, 2)).size).toBe(0);
  expect(givenTo(graphOf("w: f32[2]\ny = exp(w)\n"), of(1, 2)).size).toBe(0);
});

test("where the numbers come from is said", async () => {
  const store = weightsStore(memoryVault());
  const ref = { file: "net.onnx", key: "a" };
  const graph = graphOf(PROGRAM);
  expect((await runData(store, undefined, graph)).source).toBeNull();
  expect((await runData(store, ref, graph)).source).toContain("are not on this device");
  await store.keep("a", of(1, 2));
  const { given, source } = await runData(store, ref, graph);
  expect(given.size).toBe(1);
  expect(source).toBe(
    "Weights: 1 of 2 parameters have net.onnx's numbers. For 1 changed since, random numbers stand in. Inputs are random.",
  );
});
