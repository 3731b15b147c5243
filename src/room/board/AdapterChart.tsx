/** @file Naive and fused by adapter, as bars; the table beside it says the same in words. */
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

function adapterChart(rows: readonly AdapterRow[], palette: Palette): ChartConfiguration<"bar", number[], string[]> {
  const measure = measureMicros(rows.flatMap(({ naive, fused }) => [naive, fused]));
  const { unit } = measure(rows[0]?.fused ?? 0);
  const perUnit = { ns: 1e-3, µs: 1, ms: 1e3, s: 1e6 }[unit] ?? 1;
  const bars = (label: string, color: string, of: (row: AdapterRow) => number) => ({
    label,
    data: rows.map((row) => of(row) / perUnit),
    backgroundColor: color,
    borderRadius: 3,
    barThickness: 14,
  });
  const text = { color: palette.ink2, font: { family: palette.sans, size: 12 } };
  return {
    type: "bar",
    data: {
      // Words on two lines: the adapter, and what is known of it.
      labels: rows.map((row) => adapterWords(row).split(/, (.*)/, 2)),
      datasets: [
        bars("naive", palette.pipe, ({ naive }) => naive),
        bars("fused", palette.accent, ({ fused }) => fused),
      ],
    },
    options: {
      indexAxis: "y",
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      plugins: { tooltip: { enabled: true } },
      scales: {
        // Times differ by hundreds; on this scale equal lengths are equal factors.
        x: {
          type: "logarithmic",
          grid: { color: palette.line },
          ticks: text,
          title: { display: true, text: `${unit}, logarithmic`, ...text },
        },
        y: { grid: { display: false }, ticks: text },
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
