/** @file Same result, or not the same and where. */
import type { CheckRow } from "../../state";
import { Icon } from "../../icons";
import { verdictOf, type ComparedToo } from "../model/run/verdict";

export function VerdictBox({ rows, ...too }: { readonly rows: readonly CheckRow[] } & ComparedToo) {
  const verdict = verdictOf(rows, too);
  if (!verdict) return null;
  return (
    <p className="measured-verdict" data-same={verdict.same}>
      <Icon name={verdict.same ? "check" : "cross"} />
      <span>
        <b>{verdict.title}</b> {verdict.text}
      </span>
    </p>
  );
}
