export { DerivativeBuilder, callKey, type Entry, type NoRule, type Writer } from "./derivative-builder";
export { pullBack } from "./reverse";
export { callOf, front, liftNode, MAX_UNROLLED, type BatchWriter } from "./batch";
export { withPhases } from "./phases";
export { pushForward } from "./forward";
