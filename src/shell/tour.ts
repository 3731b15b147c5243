/** @file The stops of the tour: where one looks, what the page does there, and what is said, with the shown program's own numbers. */
import { plural } from "../fusion";
import { showMicros } from "../panels";
import { selectPlan, selectScore, selectSteps, type Pane, type PlaygroundState } from "../state";

export interface Stop {
  /** The part of the page that is outlined: its `data-pane`. */
  readonly part: string;
  /** What a narrow page shows. */
  readonly pane: Pane;
  readonly enter: (state: PlaygroundState) => void;
  readonly words: (state: PlaygroundState) => string;
}

/** Long enough to read each stop; five of them make forty seconds. */
export const STOP_MILLIS = 8000;

const accepted = (state: PlaygroundState): number => selectSteps(state).findIndex((step) => step.accepted);

export const stops: readonly Stop[] = [
  {
    part: "graph",
    pane: "graph",
    enter: ({ actions }) => actions.stepTo(0),
    words: (state) => {
      const naive = selectScore(state)?.naive;
      const kernels = plural(naive?.kernels ?? 0, "kernel");
      return `This is the program before any fusion: ${kernels}. A thick line is a trip to memory; at full size there are ${naive?.fullSizeTransfers ?? 0}.`;
    },
  },
  {
    part: "steps",
    pane: "graph",
    enter: (state) => state.actions.stepTo(accepted(state) + 1),
    words: (state) => {
      const step = selectSteps(state)[accepted(state)];
      const verdict = step && (step.profitable ?? step.legal);
      return `Each column is a decision, told with its reason. The first that was taken: ${verdict?.text ?? "none"}`;
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
      return `At the end ${plural(end.kernels, "kernel")}: ${naive.fullSizeTransfers} trips became ${end.fullSizeTransfers}, and ${showMicros(naive.predictedMicros)} are predicted to become ${showMicros(end.predictedMicros)}.`;
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
      "The code of a kernel, written for this graph. Point at an op and its lines light up; point at a line, and the op does.",
  },
  {
    part: "measured",
    pane: "run",
    enter: ({ actions }) => {
      actions.hover(null);
      actions.showTab("run");
    },
    words: () =>
      "Run both times the naive and the fused plan on your device and compares every element with a 64-bit reference. Now change the program, or press play.",
  },
];
