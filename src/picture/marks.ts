/** @file Marks on lines: the candidate of the shown step, what a person pinned, what was refused before. */
import { decidedEdge } from "../fusion";
import type { CompileOptions, EdgeId, Step } from "../fusion";
import { lengthOf } from "./lines/geometry";
import type { Point } from "./lines/geometry";
import type { SceneEdge } from "./scene";

export type Outcome = "accepted" | "refused" | "forced";

export interface EdgeMark {
  /** The step's own candidate gets a disc; further edges it decides only the dashes. */
  readonly candidate: { readonly outcome: Outcome; readonly disc: boolean } | null;
  readonly pin: "forced" | "forbidden" | null;
  /** Refused by an earlier step and never accepted since. */
  readonly refused: boolean;
}

const outcomeOf = (step: Step): Outcome =>
  step.accepted
    ? step.profitable?.code === "U_FORCE" || step.legal.code === "U_FORCE"
      ? "forced"
      : "accepted"
    : "refused";

/** The last word on every edge up to the cursor. */
export function lastWords(steps: readonly Step[], cursor: number): ReadonlyMap<EdgeId, boolean> {
  const words = new Map<EdgeId, boolean>();
  for (const { edge, edges, accepted } of steps.slice(0, cursor)) {
    for (const id of edges) words.set(id, accepted);
    if (edge) words.set(edge, accepted);
  }
  return words;
}

/** Marks by the line's identity; lines without any are left out. */
export function marksOf(
  edges: readonly SceneEdge[],
  step: Step | null,
  words: ReadonlyMap<EdgeId, boolean>,
  { forced, forbidden }: Pick<CompileOptions, "forced" | "forbidden">,
): ReadonlyMap<EdgeId, EdgeMark> {
  const [pinnedOn, pinnedOff] = [new Set(forced), new Set(forbidden)];
  const decided = new Set<EdgeId>(step ? [...step.edges, ...(step.edge ? [step.edge] : [])] : []);
  const marks = new Map<EdgeId, EdgeMark>();
  for (const { id, also } of edges) {
    const isCandidate = also.some((each) => decided.has(each));
    const candidate =
      step && isCandidate ? { outcome: outcomeOf(step), disc: also.includes(decidedEdge(step)!) } : null;
    const pin = also.some((each) => pinnedOn.has(each))
      ? "forced"
      : also.some((each) => pinnedOff.has(each))
        ? "forbidden"
        : null;
    const refused = also.some((each) => words.get(each) === false);
    if (candidate || pin || refused) marks.set(id, { candidate, pin, refused });
  }
  return marks;
}

/** The middle of the longest leg: where a disc or a lock sits. */
export function markPoint(points: readonly Point[]): Point {
  let best: readonly [Point, Point] = [points[0]!, points.at(-1)!];
  let longest = -1;
  points.slice(1).forEach((point, i) => {
    const length = lengthOf([points[i]!, point]);
    if (length > longest) [best, longest] = [[points[i]!, point], length];
  });
  return { x: (best[0].x + best[1].x) / 2, y: (best[0].y + best[1].y) / 2 };
}
