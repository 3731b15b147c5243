/** @file Both losses over steps: naive is broad and grey, fused thin and violet on top of it. */
import type { ChartConfiguration, Point } from "chart.js";
import { createContext, use } from "react";
import { late, loadChart, significant, type Palette } from "../panels";
import type { CurvePoint } from "../state";

interface Drawn {
  readonly curve: readonly CurvePoint[];
  readonly name: string;
}

function lossChart({ curve, name }: Drawn, palette: Palette): ChartConfiguration<"scatter", Point[]> {
  const line = (plan: "naive" | "fused", color: string, width: number, order: number) => ({
    label: plan,
    data: curve.map((point): Point => ({ x: point.step, y: point[plan][0]! })),
    showLine: true,
    pointRadius: 0,
    borderColor: color,
    borderWidth: width,
    borderJoinStyle: "round" as const,
    order,
  });
  const text = { color: palette.ink2, font: { family: palette.sans, size: 12 } };
  const isPositive = curve.every(({ naive, fused }) => naive[0]! > 0 && fused[0]! > 0);
  return {
    type: "scatter",
    data: { datasets: [line("naive", palette.pipe, 6, 1), line("fused", palette.accent, 1.75, 0)] },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      events: [],
      plugins: { tooltip: { enabled: false } },
      scales: {
        x: {
          min: 0,
          grid: { display: false },
          ticks: { ...text, maxTicksLimit: 6 },
          title: { display: true, text: "step", ...text },
        },
        y: {
          // A loss falls by powers of ten; one that may be 0 or below has no logarithm.
          type: isPositive ? "logarithmic" : "linear",
          grid: { color: palette.line },
          ticks: { ...text, maxTicksLimit: 6, callback: (value) => significant(Number(value), 2) },
          title: { display: true, text: name, ...text },
        },
      },
    },
  };
}

const Shown = createContext<Drawn>({ curve: [], name: "loss" });

/** Chart.js comes late, and late parts have no props. */
const Curve = late(async () => {
  const { useLiveChart } = await loadChart();
  return function LossCurve() {
    const drawn = use(Shown);
    const canvas = useLiveChart(drawn, lossChart);
    const [first, last] = [drawn.curve[0], drawn.curve.at(-1)];
    const said =
      first && last
        ? `${drawn.name} from ${significant(first.fused[0]!, 3)} at step ${first.step} to ${significant(last.fused[0]!, 3)} at step ${last.step}`
        : "no step yet";
    return <canvas ref={canvas} role="img" aria-label={`Loss of both plans: ${said}`} />;
  };
});

export function LossChart(drawn: Drawn) {
  return (
    <figure className="train-chart">
      <div className="train-canvas">
        <Shown value={drawn}>
          <Curve />
        </Shown>
      </div>
      <figcaption>
        <span data-plan="naive">
          <i className="train-key" aria-hidden="true" />
          naive
        </span>
        <span data-plan="fused">
          <i className="train-key" aria-hidden="true" />
          fused, on top
        </span>
      </figcaption>
    </figure>
  );
}
