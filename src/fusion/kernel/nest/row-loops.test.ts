import { expect, test } from "vitest";
import type { Machine } from "./nest";
import { rowLoopMicros, rowLoopThreads, type RowLoopShape } from "./price";

const machine: Machine = {
  sharing: "threads",
  maxThreads: 1024,
  maxBytes: 48 * 1024,
  multiprocessors: 108,
  bandwidth: 2e12,
  l2Bytes: 40e6,
  launchMicros: 8,
};
const shape = (elements: number, iterations: number): RowLoopShape => ({
  elements,
  iterations,
  loads: 2,
  ops: 4,
  registers: 24,
});
const micros = (elements: number, iterations: number): number => {
  const own = shape(elements, iterations);
  return rowLoopMicros(own, rowLoopThreads(own, machine), machine);
};

test("few elements wait for their rows, many for memory", () => {
  // One thread or a thousand: each goes through all rows by itself.
  expect(micros(1000, 512)).toBeLessThan(1.2 * micros(1, 512));
  expect(micros(1000, 1024)).toBeGreaterThan(1.8 * micros(1000, 512));
  // 2²² elements, a load and a store of each in 512 rows: 16 GiB through memory.
  expect(micros(2 ** 22, 512)).toBeGreaterThan((2 ** 22 * 512 * 8) / 2e6);
});

test("few elements are spread over many small workgroups", () => {
  expect(rowLoopThreads(shape(4096, 512), machine)).toBe(32);
});
