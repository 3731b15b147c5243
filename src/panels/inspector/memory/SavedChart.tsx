/** @file Peak memory against time, a point a plan; the best ones are joined, and a click plans the program so. */
import { useMemo, useState } from "react";
import type { SavedRow, SavedSheet } from "../../../fusion";
import { usePlayground, type TimedPlan } from "../../../state";
import { axesOf, isChosen, microsMeasured, rowTitle, savedPoints, type SavedPoint } from "../../model/plan/saved";
import { showBytes, showMicros } from "../../model/units";
import "./growth.css";

interface Props {
  readonly sheet: SavedSheet;
  /** Of this program. */
  readonly timed: readonly TimedPlan[];
  readonly onChoose: (row: SavedRow) => void;
}

/** How near two points are, in shares of the plane, where one covers the centre of the other: half of a target's 24 px. */
const COVERS = { x: 0.05, y: 0.1 };

/** Plans that come out alike stand side by side: how many points before this one stand where it does. */
const besides = (points: readonly SavedPoint[], { row, x, y }: SavedPoint): number =>
  points
    .slice(
      0,
      points.findIndex((each) => each.row === row),
    )
    .filter((other) => Math.abs(other.x - x) < COVERS.x && Math.abs(other.y - y) < COVERS.y).length;

export function SavedChart({ sheet, timed, onChoose }: Props) {
  const saved = usePlayground((state) => state.document.options.savedValues);
  const [asked, setAsked] = useState<"predicted" | "measured">("predicted");
  const isTimed = sheet.rows.some((row) => microsMeasured(row, timed) !== null);
  const by = isTimed ? asked : "predicted";
  const points = useMemo(() => savedPoints(sheet, by === "measured" ? timed : null), [sheet, timed, by]);
  if (points.length === 0) return <p className="traffic-note">No plan of these ran yet.</p>;
  const best = points.filter((point) => point.best).toSorted((a, b) => a.x - b.x);
  const { peaks, times } = axesOf(points);
  const says = ({ row, micros }: (typeof points)[number]): string =>
    `${rowTitle(row)}: peak ${showBytes(row.totals.peakBytes)}, ${showMicros(micros)} ${by}`;
  return (
    <figure className="saved-chart">
      <figcaption>
        {times.map(({ text }) => text).join(" to ")} {by}
        {times.length > 1 && ", upwards"}
        {isTimed && (
          <button type="button" className="link" onClick={() => setAsked(by === "measured" ? "predicted" : "measured")}>
            Show {by === "measured" ? "predicted" : "measured"} times
          </button>
        )}
      </figcaption>
      <div className="saved-plane" role="group" aria-label="Peak memory against time">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <polyline points={best.map(({ x, y }) => `${x * 100},${(1 - y) * 100}`).join(" ")} />
        </svg>
        {points.map((point) => (
          <button
            key={rowTitle(point.row)}
            type="button"
            className="saved-point"
            style={{
              left: `calc(${point.x * 100}% + ${besides(points, point) * 15}px)`,
              top: `${(1 - point.y) * 100}%`,
            }}
            data-best={point.best || undefined}
            aria-pressed={isChosen(point.row, saved)}
            aria-label={says(point)}
            title={says(point)}
            onClick={() => onChoose(point.row)}
          />
        ))}
      </div>
      <p className="growth-axis">
        {peaks.length > 1 && <span>{peaks[0]!.text}</span>}
        <span>{peaks.length > 1 ? "peak memory" : `peak memory: ${peaks[0]!.text} in every plan`}</span>
        {peaks.length > 1 && <span>{peaks[1]!.text}</span>}
      </p>
    </figure>
  );
}
