import { filledLike } from "../../factories";

export const onesLike = filledLike({ name: "ones_like", formula: "1 on every place of x" }, 1);
