/** @file The stops of the tour: where one looks, what the page does there, what is said with the shown program's own numbers, and where the card stands. */
import { plural } from "../../fusion";
import { showMicros, tallyOf } from "../../panels";
import { selectPlan, selectScore, selectSteps, type Pane, type PlaygroundState } from "../../state";

export interface Stop {
  /** The part of the page that is outlined: its `data-pane`. */
  readonly part: string;
  /** What a narrow page shows. */
  readonly pane: Pane;
  readonly enter: (state: PlaygroundState) => void;
  readonly words: (state: PlaygroundState) => string;
}

const accepted = (state: PlaygroundState): number => selectSteps(state).findIndex((step) => step.accepted);

export const stops: readonly Stop[] = [
  {
    part: "graph",
    pane: "graph",
    enter: ({ actions }) => actions.stepTo(0),
    words: (state) => {
      const naive = selectScore(state)?.naive;
      if (!naive) return "";
      const { text, noun } = tallyOf(naive);
      return `This is the program before any fusion: ${plural(naive.kernels, "kernel")}. A thick line is a transfer through memory; there are ${text(naive)} ${noun}.`;
    },
  },
  {
    part: "steps",
    pane: "graph",
    enter: (state) => state.actions.stepTo(accepted(state) + 1),
    words: (state) => {
      const step = selectSteps(state)[accepted(state)];
      const verdict = step && (step.profitable ?? step.legal);
      return `Each column is one decision. The first one that was accepted: ${verdict?.text ?? "none"}`;
    },
  },
  {
    part: "score",
    pane: "graph",
    enter: (state) => state.actions.stepTo(selectSteps(state).length),
    words: (state) => {
      const score = selectScore(state);
      if (!score) return "";
      const { naive, end } = score;
      const { text, noun } = tallyOf(naive);
      return `After the last step: ${plural(end.kernels, "kernel")}. ${text(naive)} ${noun} became ${text(end)}, and the predicted time falls from ${showMicros(naive.predictedMicros)} to ${showMicros(end.predictedMicros)}.`;
    },
  },
  {
    part: "kernels",
    pane: "kernels",
    enter: (state) => {
      state.actions.showTab("wgsl");
      const kernel = selectPlan(state)?.kernels[0];
      state.actions.hover(kernel?.lines.find((nodes) => nodes.length > 0)?.[0] ?? null);
    },
    words: () =>
      "This is the generated code of one kernel. Point at an op to highlight its lines; point at a line to highlight its op.",
  },
  {
    part: "measured",
    pane: "run",
    enter: ({ actions }) => {
      actions.hover(null);
      actions.showTab("run");
    },
    words: () =>
      "Run both times the naive and the fused plan on your GPU, compares their results, and checks them against a 64-bit reference. Now change the program, or press Play.",
  },
];

export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The side of its part that the card stands on; `inside` one that has no room around it. */
export type Side = "below" | "above" | "right" | "left" | "inside";

const GAP = 14;
const EDGE = 12;
const TOOLS = 124;

/** Where a card of `size` explains `part` of a window without covering it; a part as large as the window is covered in its corner. */
export function besidePart(
  part: Edges,
  size: { readonly width: number; readonly height: number },
  room: { readonly width: number; readonly height: number },
): { readonly side: Side; readonly left: number; readonly top: number } {
  const fit = (at: number, length: number, most: number): number => Math.max(EDGE, Math.min(at, most - length - EDGE));
  const across = fit(part.left + GAP, size.width, room.width);
  const down = fit(part.top + GAP, size.height, room.height);
  if (part.bottom + GAP + size.height + EDGE <= room.height)
    return { side: "below", left: across, top: part.bottom + GAP };
  if (part.top - GAP - size.height >= EDGE) return { side: "above", left: across, top: part.top - GAP - size.height };
  if (part.left - GAP - size.width >= EDGE) return { side: "left", left: part.left - GAP - size.width, top: down };
  if (part.right + GAP + size.width + EDGE <= room.width) return { side: "right", left: part.right + GAP, top: down };
  return {
    side: "inside",
    left: fit(part.right - size.width - GAP, size.width, room.width),
    // The tools of the graph stay in sight.
    top: fit(part.bottom - TOOLS - size.height, size.height, room.height),
  };
}
