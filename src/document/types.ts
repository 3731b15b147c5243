/** @file What is saved and shared: what the user did, never derived data. */
import type { CompileOptions } from "../fusion";
import type { ByHand } from "./by-hand";
import type { SharedView } from "./view";

export interface Position {
  readonly x: number;
  readonly y: number;
}

/** Whose numbers the parameters of an imported model have. The numbers themselves never leave the device. */
export interface WeightsRef {
  readonly file: string;
  /** Of the file's contents and of what was said while reading it. */
  readonly key: string;
}

/** The document; all of it is undoable. */
export interface Document {
  readonly text: string;
  /** Hand-moved nodes only, by node identity. */
  readonly positions: Readonly<Record<string, Position>>;
  readonly options: CompileOptions;
  /** Which example it started from; null for the user's own. */
  readonly example: string | null;
  /** Only where the program came from a model with weights. */
  readonly weights?: WeightsRef;
  /** Only where a kernel was written by hand. A text whose kernel is not in the plan is set aside: it stays here. */
  readonly byHand?: ByHand;
}

/** A decision that a link points at. */
export interface DecisionRef {
  readonly pass: string;
  readonly rule: string;
  readonly nodes: readonly string[];
  /** Which of several equal ones, from 0. */
  readonly occurrence: number;
  readonly seq: number;
  readonly hash: string;
}

/** What a link or a file holds. */
export interface SharedState {
  readonly version: 1;
  readonly document: Document;
  /** null: the final plan is shown. */
  readonly decision: DecisionRef | null;
  /** Absent from what was saved without looking: files and drafts of earlier pages, links made elsewhere. */
  readonly view?: SharedView;
}
