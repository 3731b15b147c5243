/** @file How long each plan took: a chart, one sentence that says the same, and the numbers themselves. */
import type { TimeRow } from "../model/run/timings";
import { showSpread } from "../model/run/timings";
import { showMicros } from "../model/units";
import { useChart } from "./chart";
import { timeChart } from "./time-chart";

interface Props {
  readonly rows: readonly TimeRow[];
  /** Whose prediction the dashes are; null without one. */
  readonly predictedFor: string | null;
  /** That the run shows no difference; null where it shows one. */
  readonly none: string | null;
}

export function TimeBars({ rows, predictedFor, none }: Props) {
  const canvas = useChart(rows, timeChart);
  const label = rows.map(
    ({ title, measured, predicted }) =>
      `${title} ${showSpread(measured, rows).median}${predicted === null ? "" : `, predicted ${showMicros(predicted)}`}`,
  );
  return (
    <div className="measured-block">
      <h3>Time {predictedFor !== null && <span>dashed = predicted by {predictedFor}</span>}</h3>
      <div className="measured-chart" style={{ height: rows.length * 25 + 3 }}>
        <canvas ref={canvas} role="img" aria-label={`Median time: ${label.join("; ")}`} />
      </div>
      {none && <p className="measured-note">{none}</p>}
    </div>
  );
}
