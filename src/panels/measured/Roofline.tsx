/** @file The roofline block: the chart and the sentence that says the same. */
import { useMemo } from "react";
import type { FinishedRun } from "../../state";
import { roofPoints, shareSentence } from "../model/run/roofline";
import { decimal, significant } from "../model/units";
import { useChart } from "./chart";
import { roofChart, type RoofData } from "./roof-chart";

function Drawn({ data }: { readonly data: RoofData & { readonly cacheResident: boolean } }) {
  const canvas = useChart(data, roofChart);
  const plans = data.points.filter(({ kernel }) => kernel === null);
  const label = plans.map(
    ({ title, intensity, rate, share }) =>
      `${title} ${significant(intensity)} FLOP per byte at ${decimal(rate, "FLOP/s")}, ${significant(share * 100, 2)} % of its roof`,
  );
  const roofs = `Roofs ${decimal(data.roofs.bandwidth, "B/s")} and ${decimal(data.roofs.flops, "FLOP/s")}`;
  return (
    <div className="measured-block">
      <h3>
        Roofline of this device <span>FLOP/s over FLOP per byte</span>
      </h3>
      <div className="measured-chart roof">
        <canvas ref={canvas} role="img" aria-label={`${roofs}. ${label.join("; ")}`} />
      </div>
      <p className="measured-note">{shareSentence(data.points, data.cacheResident)}</p>
    </div>
  );
}

export function Roofline({ run }: { readonly run: FinishedRun }) {
  const data = useMemo(() => {
    const { roofs, cacheResident } = run.result;
    return roofs && { roofs, cacheResident, points: roofPoints(run) };
  }, [run]);
  return data && data.points.length > 0 ? <Drawn data={data} /> : null;
}
