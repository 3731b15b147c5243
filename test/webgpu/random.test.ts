/** @file Programs on a real WebGPU implementation, random ones and those that once failed: naive and fused against f64, and fused no worse than naive. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Target } from "../../src/fusion/ir";
import type { Session } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { forDevice, graphOf, programs } from "../laws/any-program";
import { onceFailing } from "../laws/corpus";
import { bothPlans, comparisons, openHere } from "./device";

const gpu = await dawn();
/** WEBGPU_LAWS=count:seed says otherwise. */
const [COUNT, SEED] = (process.env["WEBGPU_LAWS"] ?? "20:20261120").split(":").map(Number) as [number, number];

/** What is wrong with a program's two plans; empty when nothing is. */
async function deviceFaults(session: Session, target: Target, text: string): Promise<string[]> {
  const graph = graphOf(text);
  const plans = bothPlans(graph);
  const naive = await comparisons(session, graph, plans.naive, target);
  const fused = await comparisons(session, graph, plans.fused, target);
  return graph.outputs.flatMap((id, i) => {
    const [a, b] = [naive[i]!, fused[i]!];
    const faults: string[] = [];
    if (!a.pass) faults.push(`naive ${id}: ${JSON.stringify(a.worst)}`);
    if (!b.pass) faults.push(`fused ${id}: ${JSON.stringify(b.worst)}`);
    if (b.rmse > 2 * a.rmse + a.usual && b.rmse > a.rmse + a.reached())
      faults.push(`${id}: error ${b.rmse} fused, ${a.rmse} naive`);
    return faults;
  });
}

describe.skipIf(!gpu)(`WebGPU: ${COUNT} random programs, seed ${SEED}`, () => {
  const here = openHere(gpu!);

  test.each(onceFailing)("agree where they once failed: $text", async ({ text }) => {
    expect(await deviceFaults(here.session, here.target, text)).toEqual([]);
  });

  test("naive and fused agree with the reference", { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(programs(forDevice), async (text) => {
        const faults = await deviceFaults(here.session, here.target, text);
        if (faults.length > 0) throw new Error(`${faults.join("\n")}\n\n${text}`);
      }),
      { numRuns: COUNT, seed: SEED },
    );
    expect(here.session.ledgerBytes).toBe(0);
  });
});
