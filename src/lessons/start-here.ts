/** @file The five examples that a newcomer begins with, in the order of what they teach. */

/** `title`: what one learns, which the example's own title does not say. */
export const startHere: readonly { readonly example: string; readonly title: string }[] = [
  { example: "log-relu", title: "Memory is the cost" },
  { example: "scale-bias-relu", title: "One kernel instead of three" },
  { example: "two-readers", title: "Several results, one kernel" },
  { example: "softmax", title: "A reduction needs the row" },
  { example: "ln-relu", title: "Normalise in one pass" },
];
