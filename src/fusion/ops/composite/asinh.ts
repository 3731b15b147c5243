import { composite } from "../compose";
import { ONE_TENSOR } from "../families";

/** Beyond, x / (1 + √(1 + x²)) no longer changes the logarithm, and the square would overflow. */
const HELD = 1e9;
const HELD_HALF = 200;

export const asinh = composite({
  name: "asinh",
  onnx: "Asinh",
  jax: ["asinh"],
  aliases: ["arcsinh"],
  doc: {
    formula: "ln(x + √(x² + 1))",
    teaches: "As log1p(|x| + |x| · |x| / (1 + √(x² + 1))) with x's sign: accurate near 0, and no overflow for large x.",
  },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const size = b.op("size", "abs", [x!]);
    const half = b.typeOf(size).dtype === "f16";
    const held = b.op("clamped", "minimum", [size, half ? b.scalar(HELD_HALF, "f16") : b.scalar(HELD)]);
    const root = b.op("root", "sqrt", [b.op("shifted", "add", [b.op("square", "square", [held]), b.scalar(1)])]);
    const share = b.op("share", "div", [held, b.op("above", "add", [root, b.scalar(1)])]);
    const log = b.op("log", "log1p", [b.op("sum", "add", [size, b.op("part", "mul", [size, share])])]);
    return b.op("signed", "mul", [b.op("sign", "sign", [x!]), log]);
  },
});
