/** @file Writing a kernel by hand. Comes late: nothing before the first paint needs it. */
export { HandKernel } from "./HandKernel";
export { WriteStrip } from "./WriteStrip";
