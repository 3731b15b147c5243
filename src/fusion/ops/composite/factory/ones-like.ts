import { filledLike } from "../../factories";

export const onesLike = filledLike({ name: "ones_like", formula: "1 for every element of x" }, 1);
