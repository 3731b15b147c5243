/** @file What is saved and shared, and how it travels. */
export * from "./boxes";
export { bindsOf, handText, type ByHand } from "./by-hand";
export type * from "./types";
export { decisionAt, findDecision, type FoundDecision } from "./decision";
export { decodeFile, encodeFile, readDraft, writeDraft } from "./file";
export { LINK_PREFIX, decodeLink, encodeLink, isLink, packText, unpackText } from "./link";
export { limits } from "./limits";
export { readProfile } from "./options";
export { recordOf } from "./records";
export type { Opened } from "./schema";
export {
  inspectorTabs,
  panes,
  tabNames,
  type Area,
  type Comparison,
  type InsideView,
  type Folds,
  type InspectorTab,
  type Pane,
  type SharedView,
  type World,
} from "./view";
