import { describe, expect, test } from "vitest";
import { nodeId } from "../ir";
import { liveBytes, planMemory, type Tenant } from "./memory";

const type = { dtype: "f32", shape: [1] } as const;
const tenant = (
  name: string,
  bytes: number,
  firstKernel: number,
  lastKernel: number,
  role: Tenant["role"] = "temporary",
): Tenant => ({
  value: nodeId(name),
  type,
  bytes,
  role,
  firstKernel,
  lastKernel,
});

/** Least memory over every way to share slots, slots as large as their largest tenant. */
function best(tenants: readonly Tenant[]): number {
  const slots: Tenant[][] = [];
  let least = Infinity;
  const assign = (i: number): void => {
    const total = slots.reduce((sum, slot) => sum + Math.max(...slot.map(({ bytes }) => bytes)), 0);
    if (total >= least) return;
    if (i === tenants.length) {
      least = total;
      return;
    }
    const next = tenants[i]!;
    for (const slot of slots) {
      if (slot.some((other) => other.firstKernel <= next.lastKernel && next.firstKernel <= other.lastKernel)) continue;
      slot.push(next);
      assign(i + 1);
      slot.pop();
    }
    slots.push([next]);
    assign(i + 1);
    slots.pop();
  };
  assign(0);
  return least;
}

describe("sharing buffers", () => {
  test("a chain needs two buffers, however long it is", () => {
    const chain = Array.from({ length: 9 }, (_, i) => tenant(`v${i}`, 64, i, i + 1));
    const plan = planMemory(chain, 10);
    expect(new Set(plan.buffers.map(({ slot }) => slot)).size).toBe(2);
    expect(plan).toMatchObject({ plannedBytes: 128, lowerBoundBytes: 128 });
  });

  test("inputs and outputs own their buffers", () => {
    const plan = planMemory(
      [tenant("x", 64, -1, 0, "input"), tenant("t", 64, 1, 2), tenant("y", 64, 3, 4, "output")],
      4,
    );
    expect(new Set(plan.buffers.map(({ slot }) => slot)).size).toBe(3);
  });

  test("a kernel's inputs never share with its outputs", () => {
    const { buffers } = planMemory([tenant("a", 64, 0, 1), tenant("b", 64, 1, 2)], 3);
    expect(buffers[0]!.slot).not.toBe(buffers[1]!.slot);
  });

  test("on up to eight tensors it stays close to the best of all plans, and never below the live set", () => {
    let state = 3;
    const random = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return (state >>> 8) % below;
    };
    let optimal = 0;
    for (let round = 0; round < 200; round++) {
      const tenants = Array.from({ length: 2 + random(7) }, (_, i) => {
        const first = random(8);
        return tenant(`v${i}`, 16 * (1 + random(8)), first, Math.min(8, first + 1 + random(4)));
      });
      const { buffers, plannedBytes, lowerBoundBytes } = planMemory(tenants, 9);
      const least = best(tenants);
      expect(plannedBytes).toBeGreaterThanOrEqual(least);
      expect(least).toBeGreaterThanOrEqual(lowerBoundBytes);
      expect(plannedBytes).toBeLessThanOrEqual(least * 1.5);
      if (plannedBytes === least) optimal++;
      for (const a of buffers) {
        for (const b of buffers) {
          if (a === b || a.slot !== b.slot) continue;
          expect(a.lastKernel < b.firstKernel || b.lastKernel < a.firstKernel).toBe(true);
        }
      }
    }
    expect(optimal).toBeGreaterThan(160);
  });
});

describe("live bytes", () => {
  test("an input is there throughout, a value from its kernel to its last reader, a result to the end", () => {
    const tenants = [tenant("x", 8, -1, 0, "input"), tenant("t", 4, 0, 1), tenant("y", 2, 1, 4, "output")];
    expect(liveBytes(tenants, 4)).toEqual([12, 14, 10, 10]);
  });
  test("without kernels nothing is counted", () => {
    expect(liveBytes([tenant("x", 8, -1, 0, "input")], 0)).toEqual([]);
  });
});
