/** @file Saves the graph as it is drawn, for a slide or a paper. */
import { loadGraphPicture } from "../editor";
import { download } from "../panels";
import { selectExample, selectSteps, type PlaygroundState } from "../state";

/** `log(relu(x + b)), step 2 of 2` */
const titleOf = (state: PlaygroundState): string =>
  `${selectExample(state)?.title ?? "Fusion Playground"}, step ${state.cursor} of ${selectSteps(state).length}`;

export async function saveGraph(state: PlaygroundState): Promise<void> {
  const graphPicture = await loadGraphPicture();
  const picture = graphPicture(titleOf(state));
  if (picture) download("graph.svg", "image/svg+xml", picture);
}
