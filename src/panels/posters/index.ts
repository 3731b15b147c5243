/** @file Charts as pictures of their own, for slides and papers: from the page and from the command line. */
import { fusionAt, type Compilation } from "../../fusion";
import type { Ink, Shape } from "../../picture";
import type { FinishedRun } from "../../state";
import { livePicture } from "../model/memory";
import { raceOf } from "../model/race";
import { machinesOf, rooflineOf, standsOf } from "../model/roofline";
import { memoryPoster } from "./memory-poster";
import { racePoster } from "./race-poster";
import { roofPoster } from "./roof-poster";

export { svgText } from "../../picture";

export const posters = ["race", "roofline", "memory"] as const;
export type PosterName = (typeof posters)[number];

/**
 * A chart of both plans as one picture; null while there is no plan.
 * @param run of this very program, whose times and device are then shown; null: predicted times
 */
export function posterOf(
  name: PosterName,
  compilation: Compilation,
  run: FinishedRun | null,
  title: string,
  ink: Ink,
): Shape | null {
  const { naivePlan: naive, fusedPlan: fused, options, steps } = compilation;
  if (!naive || !fused) return null;
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
