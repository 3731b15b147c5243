/** @file Keeps the layout in step with the compilation: one question at a time, only the newest waits. */
import type { Compilation } from "../fusion";
import { foldedRequest, layoutRequest, type LayoutRequest } from "../picture";
import type { Layout } from "./types";
import type { Environment } from "./environment";

/** The careful engine gets this long; then the worker is replaced and the linear one asked. */
export const PATIENCE_MILLIS = 4_000;

export interface Layouter {
  request(compilation: Compilation): void;
}

/** Null when even the linear engine has no answer. */
export async function layoutFor(environment: Environment, request: LayoutRequest): Promise<Layout | null> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    environment.layoutWorker.end();
  }, PATIENCE_MILLIS);
  const careful = await environment.layoutWorker.ask(request);
  clearTimeout(timer);
  if (careful.ok) return careful.value;
  if (!late) return null;
  const quick = await environment.layoutWorker.ask({ ...request, engine: "lanes" });
  return quick.ok ? quick.value : null;
}

const NOWHERE: Layout = { boxes: new Map(), bends: new Map(), width: 0, height: 0 };

export function startLayout(environment: Environment, done: (layout: Layout) => void): Layouter {
  let waiting: Compilation | null = null;
  let busy = false;
  /** A large graph opens with its blocks folded: that picture comes first, since it is soon made. */
  const layOut = async (asked: Compilation): Promise<void> => {
    const request = layoutRequest(asked);
    const small = foldedRequest(request, asked.naive?.graph ?? asked.drawn);
    const first = small && (await layoutFor(environment, small));
    const folded = first ? { folded: first.boxes } : {};
    if (first && !waiting) done({ ...NOWHERE, ...folded });
    const layout = waiting ? null : await layoutFor(environment, request);
    if (layout && !waiting) done({ ...layout, ...folded });
  };
  const next = (): void => {
    if (busy || !waiting) return;
    const asked = waiting;
    waiting = null;
    busy = true;
    void layOut(asked).then(() => {
      busy = false;
      next();
    });
  };
  return {
    request(compilation) {
      waiting = compilation;
      next();
    },
  };
}
