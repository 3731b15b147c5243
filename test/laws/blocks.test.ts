/** @file The laws of whole plans on programs as people write them: block after block, and their gradients, on both schedules. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { blockCases, blocksArbitrary, blocksText } from "./any-block";
import { graphOf } from "./any-program";
import { firstFault } from "./plan-laws";
import { smaller } from "./smaller";

/** Programs, and where the random numbers start: BLOCK_LAWS=count:seed says otherwise. */
const [COUNT, SEED] = (process.env["BLOCK_LAWS"] ?? "16:20261128").split(":").map(Number) as [number, number];
/** Blocks of one program. */
const MOST = 6;

test(`${COUNT} random programs of blocks, seed ${SEED}`, { timeout: 900_000 }, () => {
  const law = fc.property(blockCases(MOST), (one) => firstFault(one) === null);
  const result = fc.check(law, { numRuns: COUNT, seed: SEED, endOnFailure: true });
  if (!result.failed) return;
  const small = smaller(result.counterexample![0], (one) => firstFault(one) !== null);
  const report = JSON.stringify({ ways: small.ways, text: small.text.split("\n") });
  throw new Error(`${firstFault(small)}\n\n${small.text}\n\n${report}`);
});

test("the language takes what blocks say, but for sizes", () => {
  const refusals: string[] = [];
  const texts = fc
    .sample(blocksArbitrary(MOST), { numRuns: 200, seed: 1 })
    .map((chosen) => blocksText(chosen, refusals));
  expect(texts.filter((text) => graphOf(text).outputs.length === 0)).toEqual([]);
  expect(refusals.length).toBeLessThan(20);
  // Nearly all of what people write is among them.
  const written = texts.join("\n");
  const wanted = [
    "softmax",
    "transpose(1, 2)",
    "F.conv2d",
    "rms_norm",
    "index_add",
    "einsum",
    "cumsum",
    ".grad",
    "grad(f",
    "cat",
  ];
  expect(wanted.filter((word) => !written.includes(word))).toEqual([]);
});
