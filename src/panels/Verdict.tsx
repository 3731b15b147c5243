/** @file An answer of a decision, marked as the card over the graph marks it. */
import type { VerdictWords } from "../fusion";
import { Icon } from "../icons";

export const Verdict = ({ of: { ok, text } }: { readonly of: VerdictWords }) => (
  <span className="verdict" data-ok={ok}>
    {ok !== null && <Icon name={ok ? "check" : "cross"} size={14} />}
    {text}
  </span>
);
