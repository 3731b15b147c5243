/** @file How a decision came out, in what the first paint needs of it. */
import type { Step, Verdict } from "./ir";

/** The verdict that settled a step: worth comes after legality. */
export const settled = ({ legal, profitable }: Pick<Step, "legal" | "profitable">): Verdict => profitable ?? legal;

/** Predicted µs that an accepted step saves; negative where it costs time. 0 for what was not priced. */
export function microsSaved({ cost, accepted }: Pick<Step, "cost" | "accepted">): number {
  const chosen = accepted ? cost?.alternatives.find((each) => each.chosen) : undefined;
  return chosen ? cost!.alternatives[0]!.micros - chosen.micros : 0;
}
