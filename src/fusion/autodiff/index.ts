export { Book, keyOf, type Entry, type Writer } from "./book";
export { pullBack, type NoRule } from "./reverse";
export { callOf, front, liftNode, MOST_WRITTEN_OUT, type BatchWriter } from "./batch";
export { withPhases } from "./phases";
export { pushForward } from "./forward";
