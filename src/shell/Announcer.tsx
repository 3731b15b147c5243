/** @file Says each step, and how a run ended, to screen readers, politely. The one voice: what draws them is silent. */
import { runAnnouncement, stepAnnouncement } from "../panels";
import { selectFusion, selectStep, selectSteps, usePlayground } from "../state";

export function Announcer() {
  const steps = usePlayground(selectSteps);
  const step = usePlayground(selectStep);
  const graph = usePlayground((state) => selectFusion(state)?.graph ?? null);
  const run = usePlayground((state) => state.run);
  const cpu = usePlayground((state) => state.cpuCheck);
  return (
    <>
      <p className="offscreen" role="status">
        {step ? stepAnnouncement(graph, step, steps.length) : "Naive plan."}
      </p>
      <p className="offscreen" role="status">
        {runAnnouncement(run, cpu)}
      </p>
    </>
  );
}
