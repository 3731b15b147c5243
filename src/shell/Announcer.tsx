/** @file Says each step to screen readers, politely. */
import { selectStep, selectSteps, usePlayground } from "../state";

/** Sentences mark code with backticks; aloud they are noise. */
const plain = (text: string): string => text.replaceAll("`", "");

export function Announcer() {
  const cursor = usePlayground((state) => state.cursor);
  const steps = usePlayground(selectSteps);
  const step = usePlayground(selectStep);
  const [producer, consumer] = step?.nodes ?? [];
  const verdict = step && (step.profitable ?? step.legal);
  const said = step
    ? `Step ${cursor} of ${steps.length}, ${step.accepted ? "accepted" : "refused"}: ${consumer ? `${producer} into ${consumer}` : (producer ?? step.rule)}. ${plain(verdict?.text ?? "")}`
    : "Naive plan.";
  return (
    <p className="offscreen" role="status">
      {said}
    </p>
  );
}
