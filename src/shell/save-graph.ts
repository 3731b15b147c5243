/** @file Saves the graph as it is drawn, for a slide, a paper or a chat. */
import { loadGraphPicture } from "../editor";
import { download } from "../panels";
import { playground, selectExample, selectSteps, type PlaygroundState } from "../state";

/** Pixels of a PNG per CSS pixel: sharp on a projector. */
const PNG_SCALE = 2;

/** `log(relu(x + b)), step 2 of 2` */
const titleOf = (state: PlaygroundState): string =>
  `${selectExample(state)?.title ?? "Fusion Playground"}, step ${state.cursor} of ${selectSteps(state).length}`;

/** The picture as PNG, twice its size in CSS pixels. Rejects where the browser cannot draw one so large. */
async function pngOf(svg: string): Promise<Uint8Array> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * PNG_SCALE;
  canvas.height = image.naturalHeight * PNG_SCALE;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((made) => canvas.toBlob(made, "image/png"));
  if (!blob) throw new Error(`no picture of ${canvas.width} by ${canvas.height} pixels`);
  return new Uint8Array(await blob.arrayBuffer());
}

/** Saves `graph.svg` or `graph.png`. A graph too large for pixels is saved as SVG, and a notice says so. */
export async function saveGraph(state: PlaygroundState, kind: "svg" | "png"): Promise<void> {
  const graphPicture = await loadGraphPicture();
  const picture = graphPicture(titleOf(state));
  if (!picture) return;
  const png = kind === "png" ? await pngOf(picture).catch(() => null) : null;
  if (png) return download("graph.png", "image/png", png);
  if (kind === "png")
    playground.setState({
      notice: { tone: "info", text: "The graph is too large for a PNG in this browser, so it was saved as SVG." },
    });
  download("graph.svg", "image/svg+xml", picture);
}
