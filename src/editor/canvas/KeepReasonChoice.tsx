/** @file Why a person keeps a value in memory: five reasons to choose from, which the decision then says. */
import type { EdgeId, KeepReason } from "../../fusion";
import { playground } from "../../state";

const TITLES: Readonly<Record<KeepReason, string>> = {
  often: "It is read often",
  expensive: "It is expensive to recompute",
  backward: "The backward pass needs it",
  device: "Another device needs it",
  inspect: "To look at it, or to restart from it",
};

interface Props {
  readonly edge: EdgeId;
  readonly kept: KeepReason | null;
}

export function KeepReasonChoice({ edge, kept }: Props) {
  return (
    <label className="keep-reason">
      Why keep it in memory?
      <select
        value={kept ?? ""}
        onChange={({ currentTarget: { value } }) =>
          playground.getState().actions.explainForbidden(edge, value === "" ? null : (value as KeepReason))
        }
      >
        <option value="">No reason given</option>
        {Object.entries(TITLES).map(([reason, title]) => (
          <option key={reason} value={reason}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
