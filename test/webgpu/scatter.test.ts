/** @file What is scattered on a real WebGPU implementation: the naive plan and the fused one, both sorted, against f64. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { dawn } from "../../src/gpu/testing/dawn";
import { scatters, slow } from "../laws/any-scatter";
import { graphOf } from "../laws/any-program";
import { compiled } from "../laws/pass-harness";
import { comparisons, openHere } from "./device";

const gpu = await dawn();
/** SCATTER_LAWS=count:seed says otherwise. */
const [COUNT, SEED] = (process.env["SCATTER_LAWS"] ?? "12:20261128").split(":").map(Number) as [number, number];

describe.skipIf(!gpu)(`WebGPU: ${COUNT} scatters, seed ${SEED}`, () => {
  const here = openHere(gpu!);

  test.each(fc.sample(scatters, { numRuns: COUNT, seed: SEED }))("%s", async (text) => {
    const graph = graphOf(text);
    const compilation = compiled(graph, { profile: slow });
    for (const state of [compilation.naive!, fusionAt(compilation, compilation.steps.length)])
      for (const held of await comparisons(here.session, graph, state, here.target))
        expect(held.pass ? null : held.worst).toBeNull();
  });
});
