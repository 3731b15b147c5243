import { scaledSum } from "../../scaled-sum";

export const addcdiv = scaledSum({ name: "addcdiv", formula: "x + value · a / b" }, "div");
