/** @file The time bars: grey for naive and this step, violet for fused; whiskers are ±, dashes the prediction. */
import type { Chart, ChartConfiguration, Plugin } from "chart.js";
import { showSpread, type TimeRow } from "../model/run/timings";
import { font, type Palette } from "./chart";

/** px */
const NAME_WIDTH = 70;
/** px between a bar and its numbers, and behind them. */
const GAP = 8;
/** Of the chart's width, where numbers are as wide as all of it. */
const LEAST_BARS = 1 / 3;

/** px that the numbers of a row take. */
function widthOf(ctx: CanvasRenderingContext2D, { median, spread }: ReturnType<typeof showSpread>, palette: Palette) {
  ctx.font = font(palette, true);
  const bold = ctx.measureText(median).width;
  ctx.font = font(palette);
  return bold + ctx.measureText(` ${spread}`).width;
}

function drawRow(chart: Chart, rows: readonly TimeRow[], row: TimeRow, y: number, palette: Palette): void {
  const { ctx, scales } = chart;
  const x = scales["x"];
  if (!x) return;
  const [lower, upper] = [row.measured.lower, row.measured.upper].map((v) => x.getPixelForValue(v));
  ctx.strokeStyle = palette.ink;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(lower!, y);
  ctx.lineTo(upper!, y);
  for (const end of [lower!, upper!]) {
    ctx.moveTo(end, y - 4);
    ctx.lineTo(end, y + 4);
  }
  ctx.stroke();
  if (row.predicted !== null) {
    const predicted = x.getPixelForValue(row.predicted);
    ctx.setLineDash([2, 2.5]);
    ctx.beginPath();
    ctx.moveTo(predicted, y - 11);
    ctx.lineTo(predicted, y + 11);
    ctx.stroke();
    ctx.setLineDash([]);
  }
  const said = showSpread(row.measured, rows);
  const { median, spread } = said;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const beside = Math.max(upper!, x.getPixelForValue(row.measured.median)) + GAP;
  const dashes = row.predicted === null ? -Infinity : x.getPixelForValue(row.predicted);
  // The numbers keep clear of the dashes.
  const start = dashes > beside - GAP && dashes < beside + widthOf(ctx, said, palette) + GAP ? dashes + GAP : beside;
  ctx.font = font(palette, true);
  ctx.fillStyle = palette.ink;
  ctx.fillText(median, start, y);
  const width = ctx.measureText(median).width;
  ctx.font = font(palette);
  ctx.fillStyle = palette.ink2;
  ctx.fillText(spread, start + width + 4, y);
}

const marks = (rows: readonly TimeRow[], palette: Palette): Plugin => ({
  id: "marks",
  afterDatasetsDraw(chart) {
    chart.getDatasetMeta(0).data.forEach((bar, i) => {
      const row = rows[i];
      if (row) drawRow(chart, rows, row, bar.y, palette);
    });
  },
});

export function timeChart(rows: readonly TimeRow[], palette: Palette): ChartConfiguration<"bar", number[], string> {
  const longest = Math.max(...rows.flatMap(({ measured, predicted }) => [measured.upper, predicted ?? 0]));
  return {
    type: "bar",
    data: {
      labels: rows.map(({ title }) => title),
      datasets: [
        {
          data: rows.map(({ measured }) => measured.median),
          backgroundColor: rows.map(({ plan }) => (plan === "fused" ? palette.accent : palette.pipe)),
          borderRadius: 3,
          borderSkipped: false,
          barThickness: 17,
        },
      ],
    },
    options: {
      indexAxis: "y",
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      events: [],
      layout: { padding: 0, autoPadding: false },
      plugins: { tooltip: { enabled: false } },
      scales: {
        x: {
          display: false,
          min: 0,
          bounds: "data",
          // Behind the longest bar the widest numbers fit.
          afterDataLimits: (scale) => {
            const numbers = rows.map((row) => widthOf(scale.ctx, showSpread(row.measured, rows), palette));
            const width = scale.chart.width - NAME_WIDTH;
            scale.max = (longest * width) / Math.max(width - Math.max(...numbers) - 2 * GAP, width * LEAST_BARS);
          },
        },
        y: {
          grid: { display: false },
          border: { display: false },
          ticks: { color: palette.ink2, font: { family: palette.sans, size: 12 }, crossAlign: "far", padding: 0 },
          afterFit: (scale) => {
            scale.width = NAME_WIDTH;
            // Names need no room above the first and below the last row.
            scale.paddingTop = scale.paddingBottom = 0;
          },
        },
      },
    },
    plugins: [marks(rows, palette) as Plugin<"bar">],
  };
}
