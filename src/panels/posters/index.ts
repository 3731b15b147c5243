/** @file Charts as pictures of their own, for slides and papers: from the page and from the command line. */
import { fusionAt, type Compilation, type GrowthOf, type SavedSheet } from "../../fusion";
import type { Ink, Shape } from "../../picture";
import type { FinishedRun } from "../../state";
import { livePicture } from "../model/plan/memory";
import { raceOf } from "../model/run/race";
import { machinesOf, rooflineOf, standsOf } from "../model/run/roofline";
import { verdictOf } from "../model/run/verdict";
import { growthPoster } from "./growth-poster";
import { memoryPoster } from "./memory-poster";
import { racePoster } from "./race-poster";
import { roofPoster } from "./roof-poster";
import { savedPoster } from "./saved-poster";
import { timePoster } from "./time-poster";

export { sizeName } from "../model/plan/growth";
export { svgText } from "../../picture";

/** Why there may be nothing to draw. */
export const missing: Partial<Record<PosterName, string>> = {
  growth: "the program can't be planned at another size (a line such as N = 1024 names one)",
  saved: "the program has no backward pass",
};

export const posters = ["race", "times", "roofline", "memory", "growth", "saved"] as const;
export type PosterName = (typeof posters)[number];

interface PosterRequest {
  readonly name: PosterName;
  readonly compilation: Compilation;
  /** Of this very program, whose times and device are then shown; null: predicted times. */
  readonly run: FinishedRun | null;
  /** Plans by what they save for the backward pass; null: there is none. */
  readonly sheet: SavedSheet | null;
  /** Both plans at other sizes; null: the text names no size. */
  readonly growth: GrowthOf | null;
  readonly title: string;
}

/** A chart of the plans as one picture; null while there is no plan, or nothing that the chart would show. */
export function posterOf(request: PosterRequest, ink: Ink): Shape | null {
  const { name, compilation, sheet, growth, title } = request;
  const { naivePlan: naive, fusedPlan: fused, options, steps } = compilation;
  if (!naive || !fused) return null;
  // Times of kernels that compute something else say nothing.
  const differs = request.run?.check && verdictOf(request.run.check, request.run)?.same === false;
  const run = differs ? null : request.run;
  if (name === "growth") return growth && growthPoster(growth, title, ink);
  if (name === "saved") return sheet && savedPoster(sheet, title, ink);
  if (name === "times") return timePoster({ naive, fused, run, predictor: options.profile.name }, title, ink);
  if (name === "race") {
    const race = raceOf({ naive, fused }, run, options.profile);
    return racePoster(race, race.end, title, ink);
  }
  if (name === "roofline")
    return roofPoster(
      machinesOf(options.profile, run?.result ?? null).map(rooflineOf),
      standsOf(naive, fused),
      title,
      ink,
    );
  const [before, after] = [
    livePicture(naive, fusionAt(compilation, 0).graph),
    livePicture(fused, fusionAt(compilation, steps.length).graph),
  ];
  return before && after && memoryPoster(before, after, title, ink);
}
