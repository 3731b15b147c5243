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
      return `This is the program before any fusion: ${kernels}. A thick line is a transfer through memory; ${naive?.fullSizeTransfers ?? 0} of them are full-size.`;
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
      return `After the last step: ${plural(end.kernels, "kernel")}. ${naive.fullSizeTransfers} full-size transfers became ${end.fullSizeTransfers}, and the predicted time falls from ${showMicros(naive.predictedMicros)} to ${showMicros(end.predictedMicros)}.`;
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
