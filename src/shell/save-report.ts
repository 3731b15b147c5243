/** @file Saves a report of the program on the page: picture, counts, kernels, times. */
import { encodeLink } from "../document";
import { loadGraphPicture } from "../editor";
import { download, loadReport } from "../panels";
import { isRunOf, pageAddress, runAt, selectTitle, sharedState, type PlaygroundState } from "../state";

/** Does nothing while there is no plan. The times are those of the last run, where it is of this program. */
export async function saveReport(state: PlaygroundState): Promise<void> {
  const { compilation } = state.derived;
  if (!compilation) return;
  const [{ reportHtml }, graphPicture, encoded] = await Promise.all([
    loadReport(),
    loadGraphPicture(),
    encodeLink(sharedState(state)),
  ]);
  const title = selectTitle(state) ?? "Fusion report";
  const run =
    state.run.status === "done" && isRunOf(state.run.run, compilation) ? runAt(state.run.run, state.cursor) : null;
  const link = encoded.ok ? pageAddress().base + encoded.value : null;
  const html = reportHtml(compilation, run, { title, picture: graphPicture(title), link });
  if (html) download("report.html", "text/html", html);
}
