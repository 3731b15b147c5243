/** @file Statements of random programs that people write over several lines, or with values that few programs have: functions, loops, bits, infinities. */
import { sizeOf } from "../../src/fusion/ir";
import type { Proposal } from "./any-program";
import type { Writer } from "./any-statement";

const BLOCK = "def block(p, q):\n    t = relu(p)\n    return t * q + t";
const CENTRED = "def centred(p):\n    return p - p.mean(dim=-1, keepdim=True)";
const TWICE = "def twice(p):\n    for i in range(2):\n        p = block(p, 0.5)\n    return tanh(p)";

/** Calls of functions that the program defines, and loops; `&` is the statement's own name. */
export const forms: Writer = (_, x, second, dice) => {
  if (x.type.dtype !== "f32") return null;
  const rows = x.type.shape.length > 0 && sizeOf(x.type.shape) > 0;
  const ways: readonly Proposal[] = [
    { text: "block($0, 0.5)", operands: [x], needs: [BLOCK] },
    { text: "block(tanh($0), $0)", operands: [x], needs: [BLOCK] },
    { text: "twice($0)", operands: [x], needs: [BLOCK, TWICE] },
    { text: "tanh($0)\nfor i in range(3):\n    & = & * 0.5 + $0", operands: [x] },
    ...(rows
      ? [
          { text: "centred($0)", operands: [x], needs: [CENTRED] },
          { text: "centred(block($0, 1.5))", operands: [x], needs: [BLOCK, CENTRED] },
          { text: "centred($0)\nfor i in range(2):\n    & = centred(tanh(&))", operands: [x], needs: [CENTRED] },
          { text: `vmap(${dice.pick(["softmax", "relu", "centred"])})($0)`, operands: [x], needs: [CENTRED] },
        ]
      : []),
  ];
  return ways[(second + dice.roll(ways.length)) % ways.length]!;
};

/** The bits of whole numbers. */
export const bits: Writer = (writing, x, _, dice) => {
  const whole = x.type.dtype === "i32" ? x : writing.input(x.type.shape, "i32", "uniform(0, 200)");
  const text = dice.pick([
    "bit_and($0, 6)",
    "bit_or($0, 9)",
    "bit_not($0)",
    "bit_and(bit_not($0), $0 + 3)",
    "bit_or($0, $0 * 2) * 0.5",
    "shift_left($0, 3)",
    "shift_right($0, 1) + 1",
  ]);
  return { text, operands: [whole], exact: true };
};

/** Rows and elements that are no numbers. */
export const infinite: Writer = (writing, x, second, dice) => {
  if (x.type.dtype !== "f32" || writing.demands.tame) return null;
  const mask = writing.input(x.type.shape, "bool");
  const value = dice.pick(["inf", "-inf", "nan", 'float("-inf")', "-inf"]);
  const operands = [x, mask];
  if (second % 3 === 0) return { text: `masked_fill($0, $1, ${value})`, operands, exact: true };
  if (second % 3 === 1 && x.type.shape.length > 0)
    return {
      text: `${dice.pick(["softmax", "logsumexp", "cummax", "argmax", "sort"])}(where($1, ${value}, $0), dim=-1) * 1.0`,
      operands,
    };
  return { text: `where($1, $0, ${value})`, operands, exact: true };
};
