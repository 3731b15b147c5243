import { boundary } from "../boundaries";

export const customCall = boundary({
  name: "custom_call",
  doc: {
    formula: "an external kernel applied to x",
    teaches: "The compiler can't look into an external kernel, so its inputs and outputs go through memory.",
  },
});
