import { byKeys } from "../by-keys";

/**
 * The elements of a list by their keys: first which elements, those of one key side by side, in any order; then for each key
 * where its range starts, and then where it stops. Elements whose key lies outside have no range.
 */
export const groupIndices = byKeys({
  name: "group_indices",
  doc: {
    formula: "[order…, starts…, stops…]: keys[order[i]] = t where starts[t] ≤ i < stops[t]",
    teaches:
      "Whole numbers that all threads add to at once count each key and number its elements: no key is compared.",
  },
  outside: "others have no range",
  leaves: "ranges",
  size: (elements, targets) => elements + 2 * targets,
});
