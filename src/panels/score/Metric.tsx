/** @file One number of the score: naive, now and end. */
import { selectCovered, usePlayground } from "../../state";

interface MetricProps {
  readonly name: string;
  readonly values: readonly [string, string, string];
  readonly unit?: string;
  readonly rank: "always" | "second" | "third";
  /** What is counted, for whoever points at it. */
  readonly meaning: string;
}

/** Three values of one kind; covered as long as a lesson will ask for them. */
export function Metric({ name, values: [naive, now, end], unit, rank, meaning }: MetricProps) {
  const covered = usePlayground(selectCovered);
  const [first, last] = [covered === "all", covered !== "nothing"];
  const label = [
    `${name}: naive ${first ? "covered" : naive}`,
    `now ${first ? "covered" : now}`,
    `end ${last ? "covered" : end}${unit ? ` ${unit}` : ""}`,
  ].join(", ");
  const mark = <span className="covered">?</span>;
  return (
    <div className={`score-metric ${rank}`} role="img" aria-label={label} title={meaning}>
      <span className="score-name">{name}</span>
      <span className="score-values">
        <span>{first ? mark : naive}</span>
        <i>→</i>
        <b>{first ? mark : now}</b>
        <i>→</i>
        <span>{last ? mark : end}</span>
        {unit && <small>{unit}</small>}
      </span>
    </div>
  );
}
