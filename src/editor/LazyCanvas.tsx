/** @file The canvas comes in a chunk of its own, beside the first compilation: the frame, the program and the counts do not wait for it. */
import { lazyModule } from "../state";

/** Asked for before the page is built: it is wanted as soon as the first plan is there. */
const loading = import("./canvas/GraphCanvas");
const useCanvasModule = lazyModule(() => loading);

/** `cards`: the card of the step, an edge or an op may stand over the graph. */
export function GraphCanvas({ cards = true }: { readonly cards?: boolean }) {
  const canvas = useCanvasModule();
  return canvas && <canvas.GraphCanvas cards={cards} />;
}
