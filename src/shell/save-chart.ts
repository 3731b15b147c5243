/** @file Saves a chart of both plans as a picture. */
import { download, loadPixels, loadPosters } from "../panels";
import { selectExample, type PlaygroundState } from "../state";
import type { PosterName } from "../panels";

/** Does nothing while there is no plan. Times are those of the last run, where it is of this program. */
export async function saveChart(state: PlaygroundState, name: PosterName, kind: "svg" | "png"): Promise<void> {
  const { compilation } = state.derived;
  if (!compilation) return;
  const [{ posterOf, svgText }, { pageInk, pngOf }] = await Promise.all([loadPosters(), loadPixels()]);
  const run = state.run.status === "done" && state.run.run.text === compilation.text ? state.run.run : null;
  const shape = posterOf(name, compilation, run, selectExample(state)?.title ?? "This program", pageInk());
  if (!shape) return;
  const svg = svgText(shape);
  if (kind === "svg") return download(`${name}.svg`, "image/svg+xml", svg);
  download(`${name}.png`, "image/png", await pngOf(svg));
}
