/** @file What reads the ops, for a run: in a chunk of its own, since the first picture needs none of it. */
export { toleranceFor } from "../../fusion";
