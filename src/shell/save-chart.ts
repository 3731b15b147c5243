/** @file Saves a chart of both plans as a picture. */
import type { GrowthOf, SavedSheet } from "../fusion";
import { download, loadPixels, loadPosters } from "../panels";
import { isRunOf, playground, runAt, selectExample, selectTitle, type PlaygroundState } from "../state";
import type { PosterName } from "../panels";

/** Plans by what they save for the backward pass, asked for where no panel did. */
async function sheetOf({ derived, savedSheet, actions }: PlaygroundState): Promise<SavedSheet | null> {
  if (savedSheet?.of === derived.compilation) return savedSheet.sheet;
  await actions.askSaved();
  return playground.getState().savedSheet?.sheet ?? null;
}

/** Both plans at other sizes, asked for where no panel did. */
async function growthIn(state: PlaygroundState): Promise<GrowthOf | null> {
  const { compilation } = state.derived;
  const { sizeName } = await loadPosters();
  const name = sizeName(compilation?.text ?? "", selectExample(state)?.sizes?.name);
  if (name === undefined) return null;
  await state.actions.askSizes(name);
  const { sizes } = playground.getState();
  return sizes?.rows && sizes.of === compilation ? { name, rows: sizes.rows } : null;
}

/** Does nothing while there is no plan. Times are those of the last run, where it is of this program. */
export async function saveChart(state: PlaygroundState, name: PosterName, kind: "svg" | "png"): Promise<void> {
  const { compilation } = state.derived;
  if (!compilation) return;
  const [{ missing, posterOf, svgText }, { pageInk, pngOf }] = await Promise.all([loadPosters(), loadPixels()]);
  const run =
    state.run.status === "done" && isRunOf(state.run.run, compilation) ? runAt(state.run.run, state.cursor) : null;
  const sheet = name === "saved" ? await sheetOf(state) : null;
  const growth = name === "growth" ? await growthIn(state) : null;
  const title = selectTitle(state) ?? "This program";
  const shape = posterOf({ name, compilation, run, sheet, growth, title }, pageInk());
  if (!shape) {
    const text = `There is no chart to save: ${missing[name]}.`;
    playground.setState({ notice: { tone: "info", text } });
    return;
  }
  const svg = svgText(shape);
  if (kind === "svg") return download(`${name}.svg`, "image/svg+xml", svg);
  download(`${name}.png`, "image/png", await pngOf(svg));
}
