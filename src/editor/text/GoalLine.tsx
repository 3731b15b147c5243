/** @file Under the text: what it asks of the plan, each with a tick, or with what there is instead. */
import type { Goal } from "../../fusion";
import { playground, usePlayground } from "../../state";

/** Goals that are shown; more are in the text. */
const MOST = 3;

const sayGoal = ({ wants, has, isMet }: Goal): string =>
  isMet ? `✓ ${wants}` : `✕ ${wants}${has === null ? "" : `, now ${has}`}`;

/** Only where the text asks for something: `assert_bytes(n)` and its like. */
export function GoalLine() {
  const goals = usePlayground((state) => state.derived.latest?.goals);
  if (!goals || goals.length === 0) return null;
  const { actions } = playground.getState();
  return (
    <p className="program-goals" aria-live="polite">
      <b>{goals.every(({ isMet }) => isMet) ? "Goal reached" : "Goal"}</b>
      {goals.slice(0, MOST).map((goal) => (
        <button
          key={goal.span.from}
          type="button"
          data-met={goal.isMet}
          title="Show the line that asks for it"
          onClick={() => actions.revealSpan(goal.span)}
        >
          {sayGoal(goal)}
        </button>
      ))}
      {goals.length > MOST && <span>{goals.length - MOST} more</span>}
    </p>
  );
}
