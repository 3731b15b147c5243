/** @file The roofline, logarithmic both ways: the roofs of this device, the plans large, the kernels small, one arrow. */
import type { Chart, ChartConfiguration, ChartDataset, Plugin } from "chart.js";
import { axesFor, ridgeOf, roofAt, type RoofPoint } from "../model/run/roofline";
import type { Roofs } from "../model/run/run-types";
import { decimal, significant } from "../model/units";
import { font, type Palette } from "./chart";

export interface RoofData {
  readonly roofs: Roofs;
  readonly points: readonly RoofPoint[];
}

type Dot = { x: number; y: number };
const dotOf = ({ intensity, rate }: RoofPoint): Dot => ({ x: intensity, y: rate });
const percent = (share: number): string => `${significant(share * 100, 2)} %`;

/** Only whole decades are named: the default ticks run into each other. */
const decade = (value: number | string, name: (value: number) => string): string => {
  const power = Math.log10(Number(value));
  return Math.abs(power - Math.round(power)) < 1e-9 ? name(Number(value)) : "";
};

function datasets({ roofs, points }: RoofData, palette: Palette): ChartDataset<"scatter", Dot[]>[] {
  const { x } = axesFor(roofs, points);
  const roof = [x[0], ridgeOf(roofs), x[1]].map((at) => ({ x: at, y: roofAt(roofs, at) }));
  const line = { data: roof, showLine: true, pointRadius: 0, borderColor: palette.ink, borderWidth: 2 };
  const dots = points.map((point): ChartDataset<"scatter", Dot[]> => {
    const fused = point.plan === "fused";
    const colour = fused ? palette.accent : point.plan === "step" ? palette.pipe : palette.ink2;
    return {
      data: [dotOf(point)],
      pointRadius: point.kernel === null ? (fused ? 6 : point.plan === "step" ? 4 : 5) : 2.5,
      pointHoverRadius: 7,
      pointBackgroundColor: point.plan === "naive" ? palette.surface : colour,
      pointBorderColor: colour,
      pointBorderWidth: point.kernel === null ? 2 : 1.25,
    };
  });
  // Drawn last to first: plans lie over kernels, kernels over the roof.
  return [...dots, line];
}

function drawArrow(chart: Chart, from: RoofPoint, to: RoofPoint, palette: Palette): void {
  const { ctx, scales } = chart;
  const at = ({ intensity, rate }: RoofPoint) =>
    [scales["x"]!.getPixelForValue(intensity), scales["y"]!.getPixelForValue(rate)] as const;
  const [[x0, y0], [x1, y1]] = [at(from), at(to)];
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 24) return;
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const tip = [x1 - dx * 9, y1 - dy * 9] as const;
  ctx.strokeStyle = ctx.fillStyle = palette.accent;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(x0 + dx * 7, y0 + dy * 7);
  ctx.lineTo(tip[0] - dx * 4, tip[1] - dy * 4);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(...tip);
  ctx.lineTo(tip[0] - dx * 8 - dy * 4, tip[1] - dy * 8 + dx * 4);
  ctx.lineTo(tip[0] - dx * 8 + dy * 4, tip[1] - dy * 8 - dx * 4);
  ctx.fill();
}

function drawRoofNames(chart: Chart, { roofs, points }: RoofData, palette: Palette): void {
  const { ctx, scales, chartArea } = chart;
  const [sx, sy] = [scales["x"]!, scales["y"]!];
  const { x } = axesFor(roofs, points);
  ctx.font = font(palette);
  ctx.fillStyle = palette.ink2;
  ctx.textBaseline = "alphabetic";
  ctx.textAlign = "right";
  ctx.fillText(decimal(roofs.flops, "FLOP/s"), chartArea.right, sy.getPixelForValue(roofs.flops) - 6);
  const middle = Math.sqrt(Math.max(x[0], ridgeOf(roofs) / 40) * ridgeOf(roofs));
  const [x0, y0] = [sx.getPixelForValue(middle), sy.getPixelForValue(roofAt(roofs, middle))];
  const [x1, y1] = [sx.getPixelForValue(middle * 1.1), sy.getPixelForValue(roofAt(roofs, middle * 1.1))];
  ctx.save();
  ctx.translate(x0, y0);
  ctx.rotate(Math.atan2(y1 - y0, x1 - x0));
  ctx.textAlign = "center";
  ctx.fillText(decimal(roofs.bandwidth, "B/s"), 0, -6);
  ctx.restore();
}

/** Whether the two plans' points are so close that names beside them would run into each other. */
function areNear(chart: Chart, points: readonly RoofPoint[]): boolean {
  const plan = (name: RoofPoint["plan"]) => points.find((point) => point.plan === name && point.kernel === null);
  const [naive, fused] = [plan("naive"), plan("fused")];
  const [x, y] = [chart.scales["x"]!, chart.scales["y"]!];
  if (!naive || !fused) return false;
  const dx = x.getPixelForValue(fused.intensity) - x.getPixelForValue(naive.intensity);
  const dy = y.getPixelForValue(fused.rate) - y.getPixelForValue(naive.rate);
  return Math.abs(dx) < 150 && Math.abs(dy) < 24;
}

/** Names stand beside their points; points close together are named in the corner below the roof. */
function drawPlanNames(chart: Chart, { points }: RoofData, palette: Palette): void {
  const { ctx, scales, chartArea } = chart;
  const near = areNear(chart, points);
  ctx.textAlign = "left";
  ctx.lineJoin = "round";
  ctx.lineWidth = 4;
  ctx.strokeStyle = palette.surface;
  const write = (text: string, x: number, y: number): void => {
    ctx.strokeText(text, x, y);
    ctx.fillText(text, x, y);
  };
  for (const point of points) {
    if (point.kernel !== null || point.plan === "step") continue;
    const fused = point.plan === "fused";
    const [name, rest] = [`${point.title} ${percent(point.share)}`, fused ? " of roof" : ""];
    ctx.font = font(palette, fused);
    const nameWidth = ctx.measureText(name).width;
    ctx.font = font(palette);
    const right = chartArea.right - nameWidth - ctx.measureText(rest).width - 2;
    const x = near ? right : Math.min(scales["x"]!.getPixelForValue(point.intensity) + 10, right);
    const corner = chartArea.bottom - (fused ? 23 : 6);
    const beside = scales["y"]!.getPixelForValue(point.rate) + (fused ? 13 : 15);
    const y = near ? corner : Math.min(beside, chartArea.bottom - 4);
    ctx.fillStyle = palette.ink2;
    write(rest, x + nameWidth, y);
    ctx.font = font(palette, fused);
    ctx.fillStyle = fused ? palette.accent : palette.ink2;
    write(name, x, y);
  }
}

const words = (data: RoofData, palette: Palette): Plugin => ({
  id: "words",
  afterDatasetsDraw(chart) {
    const plan = (name: RoofPoint["plan"]) => data.points.find((point) => point.plan === name && point.kernel === null);
    const [naive, fused] = [plan("naive"), plan("fused")];
    if (naive && fused) drawArrow(chart, naive, fused, palette);
    drawRoofNames(chart, data, palette);
    drawPlanNames(chart, data, palette);
  },
});

export function roofChart(data: RoofData, palette: Palette): ChartConfiguration<"scatter", Dot[]> {
  const axes = axesFor(data.roofs, data.points);
  const ticks = { color: palette.ink3, font: { family: palette.sans, size: 12 }, maxRotation: 0, autoSkip: false };
  const grid = {
    color: (context: { tick?: { value: number } }) =>
      decade(context.tick?.value ?? 0.5, String) ? palette.line : "transparent",
  };
  return {
    type: "scatter",
    data: { datasets: datasets(data, palette) },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      layout: { padding: { top: 4 } },
      plugins: {
        tooltip: {
          filter: ({ datasetIndex }) => datasetIndex < data.points.length,
          callbacks: {
            label: ({ datasetIndex }) => {
              const point = data.points[datasetIndex];
              return point ? `${point.title}: ${percent(point.share)} of its roof` : "";
            },
          },
        },
      },
      scales: {
        x: {
          type: "logarithmic",
          min: axes.x[0],
          max: axes.x[1],
          grid,
          ticks: { ...ticks, callback: (v) => decade(v, (n) => significant(n)) },
        },
        y: {
          type: "logarithmic",
          min: axes.y[0],
          max: axes.y[1],
          grid,
          ticks: { ...ticks, callback: (v) => decade(v, (n) => decimal(n, "")) },
        },
      },
    },
    plugins: [words(data, palette) as Plugin<"scatter">],
  };
}
