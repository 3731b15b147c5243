export { Book, type Entry, type Writer } from "./book";
export { pullBack, type NoRule } from "./reverse";
export { pushForward } from "./forward";
