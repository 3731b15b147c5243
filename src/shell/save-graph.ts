/** @file Saves the graph as it is drawn, for a slide, a paper or a chat. */
import { loadGraphPicture } from "../editor";
import { download, loadPixels } from "../panels";
import { playground, selectTitle, selectSteps, type PlaygroundState } from "../state";

/** `log(relu(x + b)), step 2 of 2` */
const titleOf = (state: PlaygroundState): string =>
  `${selectTitle(state) ?? "Fusion Playground"}, step ${state.cursor} of ${selectSteps(state).length}`;

/** Saves `graph.svg` or `graph.png`. A graph too large for pixels is saved as SVG, and a notice says so. */
export async function saveGraph(state: PlaygroundState, kind: "svg" | "png"): Promise<void> {
  const graphPicture = await loadGraphPicture();
  const picture = graphPicture(titleOf(state));
  if (!picture) return;
  const png =
    kind === "png"
      ? await loadPixels()
          .then(({ pngOf }) => pngOf(picture))
          .catch(() => null)
      : null;
  if (png) return download("graph.png", "image/png", png);
  if (kind === "png")
    playground.setState({
      notice: { tone: "info", text: "The graph is too large for a PNG in this browser, so it was saved as SVG." },
    });
  download("graph.svg", "image/svg+xml", picture);
}
