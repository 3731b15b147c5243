/** @file The canvas comes in a chunk of its own, beside the first compilation: the frame, the program and the counts do not wait for it. */
import { lazy, Suspense } from "react";

const Canvas = lazy(async () => ({ default: (await import("./canvas/GraphCanvas")).GraphCanvas }));

export function GraphCanvas() {
  return (
    <Suspense>
      <Canvas />
    </Suspense>
  );
}
