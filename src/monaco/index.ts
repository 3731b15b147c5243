/** @file The one Monaco set-up: worker, languages, themes from the tokens, and the hooks that the editor and the panels share. Load it lazily. */
export { monaco } from "./setup";
export { FUSION_LANGUAGE } from "./language";
export { useCodeEditor, useDiffEditor } from "./use-editor";
export { useVisibleLines, type VisibleLines } from "./use-visible-lines";
