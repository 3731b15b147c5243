import { boundary } from "../boundaries";

export const debugPrint = boundary({
  name: "debug_print",
  derivative: { partials: () => [1] },
  why: {
    code: "L_EFFECT",
    text: "the host reads the whole tensor here, so it is in memory before anything goes on",
  },
  doc: {
    formula: "x, after the host has read it",
    teaches:
      "Printing or writing a value out is a side effect: the tensor has to be in memory at that point, so a kernel ends before it and another begins after it.",
  },
});
