export type { Example } from "./example";
export { examples, findExample, sizeOfText, startExample } from "./examples";
