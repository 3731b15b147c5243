/** @file Bytes kept against predicted time, a point a plan; the best ones are joined. */
import type { SavedSheet } from "../../fusion";
import { usePlayground } from "../../state";
import { isChosen, rowTitle, savedPoints } from "../model/saved";
import { showBytes, showMicros } from "../model/units";

const WIDTH = 300;
const HEIGHT = 110;

export function SavedChart({ sheet }: { readonly sheet: SavedSheet }) {
  const saved = usePlayground((state) => state.document.options.savedValues);
  const points = savedPoints(sheet);
  const best = points.filter((point) => point.best).toSorted((a, b) => a.x - b.x);
  const at = ({ x, y }: { readonly x: number; readonly y: number }): string => `${x * WIDTH},${(1 - y) * HEIGHT}`;
  const most = Math.max(...sheet.rows.map(({ savedBytes }) => savedBytes));
  const times = sheet.rows.map(({ totals }) => totals.predictedMicros);
  const label = `Memory against time: ${best.map(({ row }) => `${rowTitle(row)} keeps ${showBytes(row.savedBytes)} and takes ${showMicros(row.totals.predictedMicros)}`).join("; ")}.`;
  return (
    <figure className="saved-chart">
      <figcaption>
        {showMicros(Math.min(...times))} to {showMicros(Math.max(...times))} predicted, upwards
      </figcaption>
      <svg viewBox={`-6 -6 ${WIDTH + 12} ${HEIGHT + 12}`} role="img" aria-label={label}>
        <polyline points={best.map(at).join(" ")} />
        {points.map(({ row, x, y, best: isBest }) => (
          <circle
            key={rowTitle(row)}
            cx={x * WIDTH}
            cy={(1 - y) * HEIGHT}
            r={isChosen(row, saved) ? 5 : 3.5}
            data-best={isBest || undefined}
            data-chosen={isChosen(row, saved) || undefined}
          >
            <title>{`${rowTitle(row)}: ${showBytes(row.savedBytes)}, ${showMicros(row.totals.predictedMicros)}`}</title>
          </circle>
        ))}
      </svg>
      <p className="growth-axis">
        <span>0 B</span>
        <span>kept for the backward pass</span>
        <span>{showBytes(most)}</span>
      </p>
    </figure>
  );
}
