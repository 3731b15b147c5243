/** @file Chart.js with only what we draw, and a hook that makes a chart, destroys it, and makes it again when its data or the theme changes. */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LinearScale,
  LineElement,
  LogarithmicScale,
  PointElement,
  ScatterController,
  Tooltip,
  type ChartConfiguration,
  type ChartTypeRegistry,
} from "chart.js";
import { useEffect, useRef, type RefObject } from "react";
import { usePlayground } from "../../state";

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  LinearScale,
  LineElement,
  LogarithmicScale,
  PointElement,
  ScatterController,
  Tooltip,
);

export interface Palette {
  readonly ink: string;
  readonly ink2: string;
  readonly ink3: string;
  readonly line: string;
  readonly pipe: string;
  readonly accent: string;
  readonly surface: string;
  /** Font family of the page. */
  readonly sans: string;
}

/** The tokens in force where `element` is. */
function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (token: string): string => style.getPropertyValue(token).trim();
  return {
    ink: read("--ink"),
    ink2: read("--ink-2"),
    ink3: read("--ink-3"),
    line: read("--line"),
    pipe: read("--pipe"),
    accent: read("--accent"),
    surface: read("--surface"),
    sans: style.fontFamily,
  };
}

/** Text of 12 px, as everywhere. */
export const font = (palette: Palette, bold = false): string => `${bold ? 650 : 400} 12px ${palette.sans}`;

/** With as many pixels as it has on the screen: a projector's view enlarges its charts. */
function sharp<K extends keyof ChartTypeRegistry, P, L>(
  canvas: HTMLCanvasElement & { readonly currentCSSZoom?: number },
  configuration: ChartConfiguration<K, P, L>,
): ChartConfiguration<K, P, L> {
  const own = { devicePixelRatio: devicePixelRatio * (canvas.currentCSSZoom ?? 1) };
  return { ...configuration, options: Object.assign({}, configuration.options, own) };
}

/**
 * As `useChart`, for data that changes many times a second: the chart stays, and takes over the new datasets and scales.
 */
export function useLiveChart<K extends keyof ChartTypeRegistry, D, P, L>(
  data: D,
  configure: (data: D, palette: Palette) => ChartConfiguration<K, P, L>,
): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<Chart<K, P, L> | null>(null);
  const newest = useRef(data);
  const theme = usePlayground((state) => state.shownTheme);
  useEffect(() => {
    if (!canvas.current) return;
    const made = new Chart(canvas.current, sharp(canvas.current, configure(newest.current, paletteOf(canvas.current))));
    chart.current = made;
    return () => {
      chart.current = null;
      made.destroy();
    };
  }, [configure, theme]);
  useEffect(() => {
    newest.current = data;
    const { current } = chart;
    if (!current || !canvas.current) return;
    const { data: datasets, options } = sharp(canvas.current, configure(data, paletteOf(canvas.current)));
    current.data.datasets.forEach((dataset, i) => (dataset.data = datasets.datasets[i]!.data));
    if (options) current.options = options;
    current.update("none");
  }, [data, configure]);
  return canvas;
}

/**
 * A canvas that shows `configure(data, palette)`. `configure` must be a module constant and `data` stable while nothing changed.
 */
export function useChart<K extends keyof ChartTypeRegistry, D, P, L>(
  data: D,
  configure: (data: D, palette: Palette) => ChartConfiguration<K, P, L>,
): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = usePlayground((state) => state.shownTheme);
  useEffect(() => {
    if (!canvas.current) return;
    const chart = new Chart(canvas.current, sharp(canvas.current, configure(data, paletteOf(canvas.current))));
    return () => chart.destroy();
  }, [data, configure, theme]);
  return canvas;
}
