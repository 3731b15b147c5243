/** @file The door to the store. Components: `usePlayground(selector)`; everything else: `playground.getState()`. */
export type * from "./types";
export type { Machine, Shelf, World } from "./world";
export { commands, findCommand, type Command, type Key } from "./commands";
export { commandFor, showKey } from "./keys";
export { createPlayground, type Playground } from "./playground";
export {
  decisionsOnEdge,
  selectExample,
  selectFinalFusion,
  selectFusion,
  selectHasHoles,
  selectIsEmpty,
  selectNaiveFusion,
  selectPlan,
  selectRunIsStale,
  selectScore,
  selectSize,
  selectStep,
  selectSteps,
  sharedState,
  type Score,
} from "./selectors";
export { playground, usePlayground } from "./use-playground";
