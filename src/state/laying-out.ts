/** @file Keeps the layout in step with the compilation: one question at a time, only the newest waits. */
import type { Compilation } from "../fusion";
import type { Layout } from "./types";
import type { World } from "./world";

export interface Layouter {
  request(compilation: Compilation): void;
}

export function startLayout(world: World, done: (layout: Layout) => void): Layouter {
  let waiting: Compilation | null = null;
  let busy = false;
  const next = (): void => {
    if (busy || !waiting) return;
    const asked = waiting;
    waiting = null;
    busy = true;
    void world.layoutWorker.ask(asked).then((answer) => {
      busy = false;
      if (answer.ok && !waiting) done(answer.value);
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
