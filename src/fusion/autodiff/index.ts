export { DerivativeBuilder, callKey, type Entry, type NoRule, type Writer } from "./derivative-builder";
export type { OwnRule, OwnRules, Template } from "./own-rules";
export { pullBack } from "./reverse";
export { callOf, front, liftNode, MAX_UNROLLED, type BatchWriter } from "./batch";
export { withPhases } from "./phases";
export { pushForward } from "./forward";
