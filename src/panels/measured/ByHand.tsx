/** @file What became of the kernels that were edited by hand: wrong, slow, endless, refused, or right. */
import type { FinishedRun } from "../../state";
import { Icon } from "../Icon";
import { handLines } from "../model/by-hand";

export function ByHand({ run }: { readonly run: FinishedRun }) {
  return handLines(run).map(({ key, good, title, text }) => (
    <p key={key} className="measured-verdict" data-same={good}>
      <Icon name={good ? "check" : "cross"} />
      <span>
        <b>{title}</b> {text}
      </span>
    </p>
  ));
}
