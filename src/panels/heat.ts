/** @file Numbers as cells of a grid on a canvas: darker is larger; what is no number is crossed out. */

/** Colours of the theme in force. */
export interface HeatPalette {
  readonly ink: string;
  readonly ink3: string;
  readonly line: string;
  readonly surface: string;
  readonly sunken: string;
  readonly accent: string;
  readonly accentTint: string;
  readonly pipe: string;
  readonly no: string;
  readonly warnTint: string;
  readonly sans: string;
}

/** The tokens in force where `element` is. */
export function heatPalette(element: Element): HeatPalette {
  const style = getComputedStyle(element);
  const read = (token: string): string => style.getPropertyValue(token).trim();
  return {
    ink: read("--ink"),
    ink3: read("--ink-3"),
    line: read("--line"),
    surface: read("--surface"),
    sunken: read("--sunken"),
    accent: read("--accent"),
    accentTint: read("--accent-tint"),
    pipe: read("--pipe"),
    no: read("--no"),
    warnTint: read("--warn-tint"),
    sans: style.fontFamily,
  };
}

/** Where the cells of a tensor stand, px. */
export interface CellGrid {
  readonly x: number;
  readonly y: number;
  readonly columns: number;
  readonly rows: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** Rows are the last axis; a vector is broken into lines of `WRAP`. */
const WRAP = 64;
export function gridOf(shape: readonly number[]): { readonly columns: number; readonly rows: number } {
  const elements = shape.reduce((product, extent) => product * extent, 1);
  const last = shape.length === 0 ? 1 : shape.at(-1)!;
  const columns = Math.max(1, shape.filter((extent) => extent > 1).length <= 1 ? Math.min(elements, WRAP) : last);
  return { columns, rows: Math.max(1, Math.ceil(elements / columns)) };
}

export const cellAt = ({ x, y, columns, cellWidth, cellHeight }: CellGrid, element: number) => ({
  x: x + (element % columns) * cellWidth,
  y: y + Math.floor(element / columns) * cellHeight,
});

/** Short enough for a cell; three digits. */
export function cellText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text =
    value !== 0 && (Math.abs(value) >= 1e4 || Math.abs(value) < 1e-2) ? value.toExponential(0) : value.toPrecision(2);
  return text.replace("e+", "e").replace("-", "−");
}

export interface Scale {
  readonly low: number;
  readonly high: number;
}

/** Over the finite numbers. */
export function scaleOf(values: ArrayLike<number>): Scale {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low > high ? { low: 0, high: 0 } : { low, high };
}

/** 0 to 1. */
const partOf = (value: number, { low, high }: Scale): number => (high > low ? (value - low) / (high - low) : 0.5);

/** px that a number needs. */
const [TEXT_WIDTH, TEXT_HEIGHT] = [38, 14];

/** Cells stand apart where they are large enough. */
const inner = (extent: number): number => (extent > 4 ? extent - 1 : extent);

/** A cell that nobody has written. */
export function drawEmpty(
  context: CanvasRenderingContext2D,
  { x, y }: { readonly x: number; readonly y: number },
  { cellWidth, cellHeight }: Pick<CellGrid, "cellWidth" | "cellHeight">,
  palette: HeatPalette,
): void {
  context.fillStyle = palette.sunken;
  context.fillRect(x, y, inner(cellWidth), inner(cellHeight));
}

/** One cell: its heat, its number where there is room. `alpha`: what nobody has touched stays pale. */
export function drawCell(
  context: CanvasRenderingContext2D,
  { x, y }: { readonly x: number; readonly y: number },
  { cellWidth, cellHeight }: Pick<CellGrid, "cellWidth" | "cellHeight">,
  value: number,
  scale: Scale,
  palette: HeatPalette,
  alpha = 1,
): void {
  const [width, height] = [inner(cellWidth), inner(cellHeight)];
  context.globalAlpha = alpha;
  context.fillStyle = palette.sunken;
  context.fillRect(x, y, width, height);
  if (Number.isFinite(value)) {
    context.globalAlpha = alpha * (0.08 + 0.62 * partOf(value, scale));
    context.fillStyle = palette.accent;
    context.fillRect(x, y, width, height);
  } else {
    context.fillStyle = palette.no;
    context.fillRect(x, y, width, height);
  }
  context.globalAlpha = Math.max(alpha, 0.7);
  if (cellWidth >= TEXT_WIDTH && cellHeight >= TEXT_HEIGHT) {
    const dark = !Number.isFinite(value) || partOf(value, scale) > 0.75;
    context.fillStyle = dark ? palette.surface : palette.ink;
    context.font = `12px ${palette.sans}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(cellText(value), x + width / 2, y + height / 2 + 0.5);
  }
  context.globalAlpha = 1;
}
