/** @file A loop that stays one beside the same written out: no loop is left there, and the values are the same. */
import { expect } from "vitest";
import type { Graph } from "../../src/fusion/ir";
import { opDef } from "../../src/fusion/ops";
import { runReference } from "../../src/fusion/reference";
import { dataOf } from "./kernel-harness";

const loopsOf = (graph: Graph): number => [...graph.nodes.values()].filter(({ op }) => opDef(op).loop).length;

export function expectSameLoop(looped: Graph, apart: Graph): void {
  expect(loopsOf(looped)).toBeGreaterThan(0);
  expect(loopsOf(apart)).toBe(0);
  const [a, b] = [runReference(looped, dataOf(looped)), runReference(apart, dataOf(apart))];
  looped.outputs.forEach((id, i) => {
    const want = b.get(apart.outputs[i]!)!;
    expect(a.get(id)!.type).toEqual(want.type);
    const scaled = (value: number, k: number): number => value / (1 + Math.abs(want.data[k]!));
    a.get(id)!.data.forEach((value, k) => expect(scaled(value, k)).toBeCloseTo(scaled(want.data[k]!, k), 8));
  });
}
