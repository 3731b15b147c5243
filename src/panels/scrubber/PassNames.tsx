/** @file The passes under the staircase, each as wide as its steps; a name opens the options with the list of passes. */
import { passCatalogue } from "../../fusion";
import { playground } from "../../state";
import { plural } from "../model/units";
import type { Slots, Staircase } from "../model/staircase";

/** A name that is cut shorter than this says nothing, px. */
const LEAST = 36;

interface Props {
  readonly stairs: Staircase;
  readonly slots: Slots;
  /** Column of the current step, -1 before the first. */
  readonly now: number;
  readonly title: (pass: string) => string;
}

export function PassNames({ stairs, slots, now, title }: Props) {
  const silent = passCatalogue.length - new Set(stairs.passes.map(({ pass }) => pass)).size;
  const open = (pass?: string): void => playground.getState().actions.openDialog("options", pass ?? "passes");
  return (
    <div className="stairs-passes">
      {stairs.passes.map(({ pass, first, last, steps }, i) => {
        const { left, width } = slots.passes[i]!;
        const name = title(pass);
        return (
          <button
            type="button"
            key={`${pass}-${first}`}
            className="stairs-pass"
            aria-current={first <= now && now <= last ? "step" : undefined}
            aria-label={`${name}, ${plural(steps, "step")}: options`}
            title={`${name}: ${plural(steps, "step")}`}
            style={{ left: left + 3, width: Math.max(1, width - 6) }}
            onClick={() => open(pass)}
          >
            {width >= LEAST ? name : ""}
          </button>
        );
      })}
      {silent > 0 && (
        <button
          type="button"
          className="stairs-silent"
          onClick={() => open()}
          aria-label={`${plural(silent, "pass", "passes")} decided nothing`}
        >
          {plural(silent, "other pass", "other passes")}
        </button>
      )}
    </div>
  );
}
