/** @file What every slice of the store gets: to read, to change, and to record an action. */
import type { StoreApi } from "zustand/vanilla";
import type { Document } from "../../document";
import type { Actions, Origin, PlaygroundState } from "../types";
import type { WeightsStore } from "../storage/weights";
import type { Environment } from "../environment";

export interface SliceContext {
  readonly environment: Environment;
  readonly weights: WeightsStore;
  get(): PlaygroundState;
  set(change: Partial<PlaygroundState>): void;
  /** Resolves when `holds`, or when nobody waits any more. */
  until(holds: (state: PlaygroundState) => boolean, signal: AbortSignal): Promise<void>;
  /** A finished gesture on the document: one undo step, and a new plan where one is needed. */
  commit(next: Document, origin: Origin): void;
  /** Typing: joins the undo step that it continues. */
  type(next: Document): void;
  /** Ends the step that is being typed: undo leads back to here. */
  pause(): void;
  undo(): void;
  redo(): void;
  /** Another document replaces this one; undo leads back. An open lesson is closed, unless the document is one of it. */
  replace(next: Document, origin: Origin, inLesson?: boolean): void;
  /** The document was opened with a plan of its own: a link, a file, a copy of earlier work. */
  isGiven(): boolean;
  /** Writes the draft now instead of a little later. */
  flush(): void;
  /** Ends a compilation that takes too long. */
  cancelCompile(): void;
}

export type PlaygroundStore = StoreApi<PlaygroundState>;
export type Slice<K extends keyof Actions> = (context: SliceContext) => Pick<Actions, K>;
