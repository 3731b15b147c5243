/** @file Naive and fused by adapter, as points; the table beside it says the same in words. */
import type { ChartConfiguration } from "chart.js";
import { createContext, use } from "react";
import { late, loadChart, measureMicros, significant, type Palette } from "../../panels";
import type { AdapterRow } from "./class-rows";

const ROW = 56;

/** `nvidia lovelace, 3 laptops, 2.4×` */
function adapterWords({ adapter, laptops, naive, fused, software }: AdapterRow): string {
  const factor = software ? "CPU" : `${significant(naive / fused, 2)}×`;
  return `${adapter}, ${laptops} ${laptops === 1 ? "laptop" : "laptops"}, ${factor}`;
}

/** A time on the row of its adapter. */
interface At {
  readonly x: number;
  readonly y: number;
}

function adapterChart(rows: readonly AdapterRow[], palette: Palette): ChartConfiguration<"scatter", At[]> {
  const measure = measureMicros(rows.flatMap(({ naive, fused }) => [naive, fused]));
  const { unit } = measure(rows[0]?.fused ?? 0);
  const perUnit = { ns: 1e-3, µs: 1, ms: 1e3, s: 1e6 }[unit] ?? 1;
  const points = (label: string, color: string, of: (row: AdapterRow) => number) => ({
    label,
    data: rows.map((row, y) => ({ x: of(row) / perUnit, y })),
    pointRadius: 6,
    pointHoverRadius: 7,
    pointBackgroundColor: color,
    pointBorderColor: color,
  });
  const between = rows.map(({ naive, fused }, y) => ({
    data: [naive, fused].map((micros) => ({ x: micros / perUnit, y })),
    showLine: true,
    pointRadius: 0,
    pointHoverRadius: 0,
    borderColor: palette.pipe,
    borderWidth: 2,
  }));
  const text = { color: palette.ink2, font: { family: palette.sans, size: 12 } };
  // Words on two lines: the adapter, and what is known of it.
  const words = rows.map((row) => adapterWords(row).split(/, (.*)/, 2));
  return {
    type: "scatter",
    // Drawn last to first: points lie over lines.
    data: {
      datasets: [
        points("naive", palette.pipe, ({ naive }) => naive),
        points("fused", palette.accent, ({ fused }) => fused),
        ...between,
      ],
    },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      plugins: { tooltip: { enabled: true } },
      scales: {
        // Times differ by hundreds. A bar would begin nowhere on such a scale; equal distances are equal factors.
        x: {
          type: "logarithmic",
          grid: { color: palette.line },
          ticks: text,
          title: { display: true, text: `${unit}, logarithmic`, ...text },
        },
        y: {
          min: -0.5,
          max: rows.length - 0.5,
          reverse: true,
          grid: { display: false },
          afterBuildTicks: (axis) => (axis.ticks = words.map((_, value) => ({ value }))),
          ticks: { ...text, callback: (value) => words[Number(value)] ?? "" },
        },
      },
    },
  };
}

/** The rows that the chart shows; it comes late, and such parts have no props. */
export const AdapterRows = createContext<readonly AdapterRow[]>([]);

export const AdapterChart = late(async () => {
  const { useChart } = await loadChart();
  return function Shown() {
    const rows = use(AdapterRows);
    const canvas = useChart(rows, adapterChart);
    return (
      <div className="adapter-chart" style={{ height: rows.length * ROW + 48 }}>
        <canvas ref={canvas} role="img" aria-label={`Bench by adapter: ${rows.map(adapterWords).join("; ")}`} />
      </div>
    );
  };
});
