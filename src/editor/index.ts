/** @file The door to the two ways of editing: drawing and typing. */
export { GraphCanvas } from "./LateCanvas";
export { openPalette } from "./canvas/canvas-store";
export { ProgramEditor } from "./text/ProgramEditor";
