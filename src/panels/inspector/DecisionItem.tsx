/** @file One decision: what it was about, both verdicts, the sentence, the numbers, the remedy. */
import { playground } from "../../state";
import { Icon } from "../Icon";
import { Covered } from "../Covered";
import { InlineCode } from "../InlineCode";
import type { DecisionRow } from "../model/decisions";

interface Props {
  readonly row: DecisionRow;
  readonly current: boolean;
  /** Its verdict waits for a prediction. */
  readonly covered: boolean;
}

function Check({ ok, yes, no }: { readonly ok: boolean; readonly yes: string; readonly no: string }) {
  return (
    <span className={ok ? "decision-ok" : "decision-no"}>
      <Icon name={ok ? "check" : "cross"} size={14} />
      {ok ? yes : no}
    </span>
  );
}

export function DecisionItem({ row, current, covered }: Props) {
  if (covered)
    return (
      <li className="decision">
        <span className="decision-seq">{row.seq}</span> <b>{row.about}</b> <Covered />
      </li>
    );
  return (
    <li className="decision" aria-current={current ? "step" : undefined}>
      <button type="button" onClick={() => playground.getState().actions.stepTo(row.seq)}>
        <span className="decision-seq">{row.seq}</span>
        <b>{row.about}</b>
        <code>{row.code}</code>
      </button>
      <p className="decision-checks">
        <Check ok={row.allowed} yes="Allowed" no="Not allowed" />
        {row.worth !== null && <Check ok={row.worth} yes="Worth it" no="Not worth it" />}
        {row.criterion && <span className="decision-criterion">{row.criterion}</span>}
      </p>
      <p>
        <b>{row.title}</b> <InlineCode text={row.text} />
      </p>
      {row.remedy && (
        <p>
          <b>What would make it fuse?</b> <InlineCode text={row.remedy} />
        </p>
      )}
      {row.numbers.length > 0 && <p className="decision-numbers">{row.numbers.join(" · ")}</p>}
    </li>
  );
}
