/** @file Writing a kernel by hand. Comes late: nothing before the first paint needs it. */
export { ByHand, HandKernel, HandScore, WriteStrip } from "./HandKernel";
