import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../fusion";
import { examples } from "../../lessons";
import type { Guesses } from "../../state";
import { judged, nextQuestion } from "./PredictStrip";

const NONE: Guesses = { of: null, end: null, known: 0, last: null, right: 0, asked: 0 };

test.each(["softmax", "log-relu", "two-readers"])(
  "%s: first the end, then every step, judged by the plan itself",
  (id) => {
    const { text } = examples.find((each) => each.id === id)!;
    const compilation = compile(text, defaultOptions);
    const { steps, naivePlan, fusedPlan } = compilation;
    const end = nextQuestion(NONE, compilation)!;
    expect(end).toMatchObject({ kind: "end", naive: naivePlan!.totals.fullSizeTransfers });
    const truth = fusedPlan!.totals.fullSizeTransfers;
    expect(judged(end, truth, compilation).right).toBe(true);
    expect(judged(end, truth + 1, compilation)).toMatchObject({ right: false, truth });
    expect(judged(end, null, compilation).right).toBe(false);
    for (const [known, step] of steps.entries()) {
      const question = nextQuestion({ ...NONE, end: judged(end, truth, compilation), known }, compilation)!;
      const guess = judged(question, step.accepted, compilation);
      expect(guess.right).toBe(true);
      expect(guess.because).not.toBe("");
      expect(judged(question, !step.accepted, compilation).right).toBe(false);
    }
    const last = { ...NONE, end: judged(end, truth, compilation), known: steps.length };
    expect(nextQuestion(last, compilation)).toBeNull();
  },
);
