/** @file The last sweep of this kernel: a bar of the median and a whisker of the middle half for each value. */
import type { NodeId } from "../../../fusion";
import { playground, usePlayground } from "../../../state";
import { isClear, knobTitle, sweepRows, type SweepRow } from "../../model/knobs";

function Line({ row }: { readonly row: SweepRow }) {
  const { words, median, spread, share, lower, upper, best } = row;
  return (
    <div className="sweep-row" data-best={best}>
      <dt>{words}</dt>
      <dd>
        <span className="sweep-bar" role="img" aria-label={`${words}: ${median} ${spread}`}>
          <i style={{ width: `${share * 100}%` }} />
          <u style={{ left: `${lower * 100}%`, width: `${Math.max(0.5, (upper - lower) * 100)}%` }} />
        </span>
        <b>{median}</b>
        <small>{spread}</small>
      </dd>
    </div>
  );
}

export function Sweep({ output }: { readonly output: NodeId }) {
  const sweep = usePlayground((state) => state.sweep);
  const text = usePlayground(({ document }) => document.text);
  if (!sweep || sweep.text !== text || sweep.output !== output) return null;
  const { knob, outcome } = sweep;
  if (outcome.status !== "done") {
    return (
      <p className="knobs-same" aria-live="polite" data-failed={outcome.status === "failed"}>
        {outcome.text}
        {outcome.status === "running" && (
          <button type="button" onClick={() => playground.getState().actions.cancelSweep()}>
            Cancel
          </button>
        )}
      </p>
    );
  }
  const rows = sweepRows(sweep);
  const { software, name } = outcome.device;
  return (
    <figure className="sweep">
      <figcaption>
        {knobTitle(knob)}, measured on {name}
        {software && <span>CPU timings, not a GPU&apos;s</span>}
      </figcaption>
      <dl>
        {rows.map((row) => (
          <Line key={row.value} row={row} />
        ))}
      </dl>
      <p>
        Medians of interleaved passes; the whisker spans the middle half of the samples.
        {!isClear(rows) && " The difference between the best values is within the noise."}
      </p>
    </figure>
  );
}
