/** @file One run of each plan on a line of time, kernel by kernel. */
import { useMemo } from "react";
import type { FinishedRun } from "../../state";
import { stripsOf, stripWords } from "../model/strip";

export function Strips({ run }: { readonly run: FinishedRun }) {
  const strips = useMemo(() => stripsOf(run), [run]);
  if (strips.length === 0) return null;
  return (
    <div className="strips" role="img" aria-label={stripWords(strips)}>
      <h3>Kernels one after the other</h3>
      {strips.map(({ plan, title, total, parts }) => (
        <div key={plan} className="blocks-row" data-plan={plan}>
          <span>{title}</span>
          <span className="strip">
            {parts.map(({ kernel, text, from, width }) => (
              <i key={kernel} title={text} style={{ left: `${from * 100}%`, width: `${width * 100}%` }} />
            ))}
          </span>
          <b>{total}</b>
        </div>
      ))}
    </div>
  );
}
