export { Book, type Entry, type Writer } from "./book";
export { pullBack, type NoRule } from "./reverse";
export { withPhases } from "./phases";
export { pushForward } from "./forward";
