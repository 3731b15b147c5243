/** @file How many bytes the backward pass may save: a slider that plans while it moves, and what is wrong where it can't be met. */
import type { SavedSheet } from "../../fusion";
import { playground, usePlayground } from "../../state";
import { showBytes } from "../model/units";

/** Positions of the slider. */
const STEPS = 64;

export function SavedBudget({ sheet }: { readonly sheet: SavedSheet }) {
  const budget = usePlayground((state) => state.document.options.savedValues?.budgetBytes);
  const fault = usePlayground(
    (state) => state.derived.compilation?.diagnostics.find(({ code }) => code === "saved-budget")?.text ?? null,
  );
  const most = Math.max(...sheet.rows.map(({ savedBytes }) => savedBytes));
  if (most === 0) return null;
  const step = most / STEPS;
  const shown = Math.min(most, budget ?? most);
  return (
    <div className="saved-budget">
      <label>
        <span>
          Budget: <b>{budget === undefined ? "none" : showBytes(budget)}</b>
        </span>
        <input
          type="range"
          aria-label="Bytes that may be saved"
          aria-valuetext={budget === undefined ? "no budget" : showBytes(budget)}
          min={0}
          max={STEPS}
          step={1}
          value={Math.round(shown / step)}
          onChange={({ target }) => playground.getState().actions.slideBudget(Math.floor(target.valueAsNumber * step))}
        />
      </label>
      {fault && (
        <p className="saved-fault" role="status">
          {fault}
        </p>
      )}
    </div>
  );
}
