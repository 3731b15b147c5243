import { byKeys } from "../by-keys";

/** How many elements of a list have each key. Elements whose key lies outside are not counted. */
export const countKeys = byKeys({
  name: "count_keys",
  doc: {
    formula: "counts[t] = how many i have keys[i] = t",
    teaches:
      "Whole numbers that all threads add to at once count each key: no key is compared, and none is put in order.",
  },
  outside: "others are not counted",
  leaves: "count",
  size: (_, targets) => targets,
});
