/** @file The door to the two ways of editing: drawing and typing. */
export { GraphCanvas } from "./LazyCanvas";
/** In the canvas's own chunk, which is there once there is something to see. */
export const loadGraphPicture = async () => (await import("./canvas/graph-picture")).graphPicture;
export { ProgramEditor } from "./text/ProgramEditor";
/** Plans that are looked at beside each other, with what draws them. */
export const loadStill = () => import("./canvas/StillPicture");
