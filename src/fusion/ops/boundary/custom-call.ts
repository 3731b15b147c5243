import { boundary } from "../boundaries";

export const customCall = boundary({
  name: "custom_call",
  doc: {
    formula: "somebody's kernel of x",
    teaches: "A planner can't look into a kernel that it did not write: what goes in and out passes through memory.",
  },
});
