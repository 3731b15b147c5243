/** @file WGSL that a person wrote: read, limited, counted. Comes late: it brings a reader of WGSL. */
export { handPlan, watchedPlan, type Flag } from "./apply";
export { countTraffic, type Counted, type CountedKernel } from "./count";
export { prepare, type Prepared } from "./prepare";
export type { Fault } from "./scan";
