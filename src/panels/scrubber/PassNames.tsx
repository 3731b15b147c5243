/** @file The passes under the staircase, each as wide as its steps; a name opens the options with the list of passes. */
import { passTitles } from "../../fusion";
import { playground } from "../../state";
import { plural } from "../model/units";
import type { Staircase } from "../model/staircase";

/** px that a letter of 12 px text takes, generously. */
const LETTER = 6.6;

interface Props {
  readonly stairs: Staircase;
  readonly width: number;
  /** Column of the current step, -1 before the first. */
  readonly now: number;
  readonly title: (pass: string) => string;
}

export function PassNames({ stairs, width, now, title }: Props) {
  const pitch = width / Math.max(1, stairs.columns.length);
  const silent = passTitles.length - new Set(stairs.passes.map(({ pass }) => pass)).size;
  const open = (): void => playground.getState().actions.openDialog("options");
  return (
    <div className="stairs-passes">
      {stairs.passes.map(({ pass, first, last, steps }) => {
        const room = (last - first + 1) * pitch - 6;
        const name = title(pass);
        return (
          <button
            type="button"
            key={`${pass}-${first}`}
            className="stairs-pass"
            aria-current={first <= now && now <= last ? "step" : undefined}
            aria-label={`${name}, ${plural(steps, "step")}: options`}
            title={`${name}: ${plural(steps, "step")}`}
            style={{ left: first * pitch + 3, width: room }}
            onClick={open}
          >
            {name.length * LETTER <= room ? name : ""}
          </button>
        );
      })}
      {silent > 0 && (
        <button
          type="button"
          className="stairs-silent"
          onClick={open}
          aria-label={`${plural(silent, "pass", "passes")} decided nothing`}
        >
          +{silent}
        </button>
      )}
    </div>
  );
}
