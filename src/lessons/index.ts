/** @file The examples and what chapters say about them. */
export type { Chapter, ChapterId, Claim, Example, ExampleOptions, Sizes, Variant } from "./example";
export {
  allLessons,
  chapters,
  examples,
  findExample,
  isTextOf,
  presetOf,
  sizeOfText,
  startExample,
  variantId,
} from "./examples";
export { optionsFor } from "./options";
export { claimsOf } from "./recognise";
