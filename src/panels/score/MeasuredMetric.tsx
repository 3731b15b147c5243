/** @file Measured times in the score. Comes with the first run that ends. */
import { useMemo, type ReactNode } from "react";
import { selectPlanned, selectSteps, usePlayground } from "../../state";
import { measuredScore } from "../model/run/measured-score";
import { Metric } from "./Metric";

interface Props {
  /** Of the shown plan with kernels by hand; null where it has none. */
  readonly byHand?: number | null | undefined;
  /** The prediction in a sentence. */
  readonly predicts: string;
  /** Shown where the run is not of what is planned now. */
  readonly instead: ReactNode;
}

export function MeasuredMetric({ byHand, predicts, instead }: Props) {
  const run = usePlayground((state) => state.run);
  const text = usePlayground(({ document }) => document.text);
  const cursor = usePlayground((state) => state.cursor);
  const steps = usePlayground(selectSteps).length;
  const planned = usePlayground(selectPlanned);
  const measured = useMemo(
    () => measuredScore(run, text, planned, cursor, steps, byHand),
    [run, text, planned, cursor, steps, byHand],
  );
  if (!measured) return instead;
  return (
    <Metric
      name={measured.software ? "Measured, on the CPU" : "Measured here"}
      values={measured.values}
      unit={measured.none ? `${measured.unit}, no difference` : measured.unit}
      rank="third"
      meaning={`Median times of the last run. ${measured.none ? `${measured.none} ` : ""}${predicts}`}
    />
  );
}
