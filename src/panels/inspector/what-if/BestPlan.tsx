/** @file How far the plan is from the best one by the price: every way to share out the ops of a small graph, on request. */
import { useState } from "react";
import type { Compilation } from "../../../fusion";
import { playground, selectIsCovered, usePlayground } from "../../../state";
import { bestPlanText } from "../../model/plan/best-plan";

interface Asked {
  readonly of: Compilation;
  readonly text: string;
}

export function BestPlan() {
  const compilation = usePlayground((state) => state.derived.compilation);
  const covered = usePlayground(selectIsCovered);
  const [asked, setAsked] = useState<Asked | null>(null);
  if (covered || !compilation?.naive) return null;
  const ask = async (): Promise<void> => {
    setAsked({ of: compilation, text: "Trying every plan…" });
    const best = await playground.getState().actions.askBestPlan();
    setAsked(best && { of: compilation, text: bestPlanText(best) });
  };
  const text = asked?.of === compilation ? asked.text : null;
  return (
    <p className="traffic-note" role="status">
      {text ?? (
        <button type="button" className="link" onClick={() => void ask()}>
          Compare with the best plan
        </button>
      )}
    </p>
  );
}
