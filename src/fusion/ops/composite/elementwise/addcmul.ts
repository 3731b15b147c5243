import { scaledSum } from "../../scaled-sum";

export const addcmul = scaledSum({ name: "addcmul", formula: "x + value · a · b" }, "mul");
