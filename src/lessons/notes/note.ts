/** @file What a side note is: a few sentences beside examples and passes. */

export type NoteKind = "question" | "idea" | "elsewhere" | "practice" | "term";

/** A table or chart about the program that is open, or about the device. */
export type FigureName = "rooflines" | "storage" | "folded" | "device";

/** An example or variant that answers; its counts are computed when the note is read. */
export interface Try {
  readonly title: string;
  /** Id of the example or variant. */
  readonly opens: string;
}

export interface Note {
  readonly id: string;
  readonly kind: NoteKind;
  readonly title: string;
  /** A paragraph each. Names that exist in code stand in backticks. */
  readonly text: readonly string[];
  /** Chapter and item that it is about: `000-24`. */
  readonly rows: readonly string[];
  /** Passes that it stands beside. */
  readonly passes?: readonly string[];
  /** Examples that it stands beside; one that names an example is beside its variants too. */
  readonly examples?: readonly string[];
  readonly figure?: FigureName;
  readonly tries?: readonly Try[];
}
