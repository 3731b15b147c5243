/** @file Whether a run shows which plan is faster: one judgement for all that is said of its times. */
import type { FinishedRun } from "../../../state";
import { measureMicros } from "../units";
import { FEW_SAMPLES, halfSpread, orderOf, type Spread } from "./statistics";
import { timingOf } from "./timings";

type Timed = Pick<FinishedRun, "result">;

const bothOf = ({ result }: Timed): readonly [naive: Spread, fused: Spread] | null => {
  const [naive, fused] = [timingOf(result, "naive", null), timingOf(result, "fused", null)];
  return naive && fused && [naive, fused];
};

/** µs that the fused plan takes less than the naive one, negative where it takes more; null where the run shows no difference, or one was not timed. */
export function gainOf(run: Timed): number | null {
  const both = bothOf(run);
  return both && orderOf(...both) !== 0 ? both[0].median - both[1].median : null;
}

/** `No difference that this run can show: naive 53 ± 15 ms, fused 61 ± 19 ms.`; null where it shows one, or one was not timed. */
export function noDifference(run: Timed): string | null {
  const both = bothOf(run);
  if (!both || orderOf(...both) !== 0) return null;
  const measure = measureMicros(both.map(({ median }) => median));
  const few = both.some(({ samples }) => samples < FEW_SAMPLES);
  const [naive, fused] = both.map((each) => {
    const { value, unit } = measure(each.median);
    return few ? `${value} ${unit}` : `${value} ± ${measure(halfSpread(each)).value} ${unit}`;
  });
  const why = few ? ", in too few samples to know how far they scatter" : "";
  return `No difference that this run can show: naive ${naive}, fused ${fused}${why}.`;
}
