import { expect, test } from "vitest";
import { compile, defaultOptions } from "../fusion";
import type { Weights } from "../workers";
import { givenTo, runData, weightsKeeper } from "./weights";
import type { Vault } from "./world";

const of = (...numbers: number[]): Weights =>
  new Map([["w", { shape: [numbers.length], data: Float32Array.from(numbers) }]]);

function memoryVault(): Vault & { readonly kept: Map<string, Weights> } {
  const kept = new Map<string, Weights>();
  const read = async (key: string): Promise<Weights | null> => kept.get(key) ?? null;
  const write = async (key: string, weights: Weights): Promise<boolean> => kept.set(key, weights).size > 0;
  return { kept, read, write };
}
const blocked: Vault = { read: async () => null, write: async () => false };

const graphOf = (text: string) => compile(text, defaultOptions).naive!.graph;
const PROGRAM = "x: f32[2]\nw: f32[2] = param()\nv: f32[2] = param()\ny = (x + v) * w\n";

test("weights outlive the page where the browser allows it, and the page otherwise", async () => {
  const vault = memoryVault();
  expect(await weightsKeeper(vault).keep("a", of(1, 2))).toBe(true);
  expect(await weightsKeeper(vault).find("a")).toEqual(of(1, 2));
  const keeper = weightsKeeper(blocked);
  expect(await keeper.keep("a", of(1, 2))).toBe(false);
  expect(await keeper.find("a")).toEqual(of(1, 2));
  await keeper.keep("b", of(3));
  await keeper.keep("c", of(4));
  expect(await keeper.find("a")).toBeNull();
});

test("only parameters that are still what the model made them take its numbers", () => {
  expect([...givenTo(graphOf(PROGRAM), of(1, 2)).keys()]).toEqual(["w"]);
  expect(givenTo(graphOf(PROGRAM), of(1, 2, 3)).size).toBe(0);
  expect(givenTo(graphOf(PROGRAM.replace("w: f32[2]", "w: i32[2]")), of(1, 2)).size).toBe(0);
  expect(givenTo(graphOf("w: f32[2]\ny = exp(w)\n"), of(1, 2)).size).toBe(0);
});

test("where the numbers come from is said", async () => {
  const keeper = weightsKeeper(memoryVault());
  const ref = { file: "net.onnx", key: "a" };
  const graph = graphOf(PROGRAM);
  expect((await runData(keeper, undefined, graph)).source).toBeNull();
  expect((await runData(keeper, ref, graph)).source).toContain("are not on this device");
  await keeper.keep("a", of(1, 2));
  const { given, source } = await runData(keeper, ref, graph);
  expect(given.size).toBe(1);
  expect(source).toBe(
    "Weights: 1 of 2 parameters have net.onnx's numbers. For 1 changed since, random numbers stand in. Inputs are random.",
  );
});
