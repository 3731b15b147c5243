/** @file Plans of the states between naive and final: asked of the worker, the shown one first, its neighbours ahead of time. */
import type { Compilation, Plan } from "../fusion";
import { ENDED } from "../workers";
import type { Environment } from "./environment";

/** States planned ahead on either side of the cursor, so that stepping finds its plan there. */
const AHEAD = 12;
/** Asked for at once; between two questions a compilation gets its turn. */
const BATCH = 3;
/** Graphs above this get only the shown plan: each costs the worker a while that a compilation may want. */
const SMALL_NODES = 300;
/** Plans that are remembered; each carries its WGSL. */
const MAX_PLANS = 64;

export interface Planner {
  /** The state that is shown, or that a new compilation shows. */
  follow(compilation: Compilation | null, cursor: number): void;
}

/** The nearest states without a plan, the cursor's own first; the ends come with the compilation. */
export function missing(
  plans: ReadonlyMap<number, Plan>,
  cursor: number,
  last: number,
  ahead: number = AHEAD,
): number[] {
  const wanted: number[] = [];
  for (let away = 0; away <= ahead && wanted.length < BATCH; away++) {
    for (const at of away === 0 ? [cursor] : [cursor + away, cursor - away]) {
      if (at > 0 && at < last && !plans.has(at)) wanted.push(at);
    }
  }
  return wanted.slice(0, BATCH);
}

/** `show` hears every change of the known plans of the shown compilation. */
export function startPlanning(environment: Environment, show: (plans: ReadonlyMap<number, Plan>) => void): Planner {
  let compilation: Compilation | null = null;
  let cursor = 0;
  let plans: ReadonlyMap<number, Plan> = new Map();
  let busy = false;

  const next = (): void => {
    if (busy || !compilation?.naive) return;
    const asked = compilation;
    const cursors = missing(plans, cursor, asked.steps.length, asked.drawn.nodes.size > SMALL_NODES ? 0 : AHEAD);
    if (cursors.length === 0) return;
    busy = true;
    const { text, options } = asked;
    void environment.compileWorker.ask({ kind: "plans", text, options, cursors, target: null }).then((answer) => {
      busy = false;
      if (asked === compilation && answer.ok && answer.value.kind === "planned" && answer.value.plans.size > 0) {
        plans = new Map([...plans, ...answer.value.plans].slice(-MAX_PLANS));
        show(plans);
      } else if (asked === compilation && (answer.ok || answer.text !== ENDED)) return;
      next();
    });
  };
  return {
    follow(shown, at) {
      if (shown !== compilation) {
        compilation = shown;
        plans = new Map();
        show(plans);
      }
      cursor = at;
      next();
    },
  };
}
