export { DerivativeBuilder, callKey, type Entry, type Writer } from "./derivative-builder";
export { pullBack, type NoRule } from "./reverse";
export { callOf, front, liftNode, MAX_UNROLLED, type BatchWriter } from "./batch";
export { withPhases } from "./phases";
export { pushForward } from "./forward";
