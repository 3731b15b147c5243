/** @file The examples and what chapters say about them. */
export type { Chapter, ChapterId, Claim, Example, ExampleOptions, Sizes, Task, TaskLine, Variant } from "./example";
export {
  allLessons,
  chapters,
  examples,
  findExample,
  isTextOf,
  presetOf,
  sizeOfText,
  startExample,
  variantId,
} from "./examples";
export { changedOptions, isAsOpened, optionsFor } from "./options";
export { keywords, keywordsOf } from "./keywords";
export { startHere } from "./start-here";
export { findNote, noteKinds, notes, notesOfExample, notesOfPass } from "./notes";
export type { FigureName, Note, NoteKind, Try } from "./notes/note";
export { claimsOf } from "./recognise";
