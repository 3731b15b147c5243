/** @file How long each plan took: a chart, one sentence that says the same, and the numbers themselves. */
import type { TimeRow } from "../model/timings";
import { showSpread } from "../model/timings";
import { showMicros } from "../model/units";
import { useChart } from "./chart";
import { timeChart } from "./time-chart";

interface Props {
  readonly rows: readonly TimeRow[];
}

export function TimeBars({ rows }: Props) {
  const canvas = useChart(rows, timeChart);
  const said = rows.map(
    (row) => `${row.title} ${showSpread(row.measured).median}, predicted ${showMicros(row.predicted)}`,
  );
  return (
    <div className="measured-block">
      <h3>
        Time <span>dashed = predicted</span>
      </h3>
      <div className="measured-chart" style={{ height: rows.length * 25 + 3 }}>
        <canvas ref={canvas} role="img" aria-label={`Median time: ${said.join("; ")}`} />
      </div>
    </div>
  );
}
