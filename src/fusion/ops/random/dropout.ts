import type { Attrs, TensorType } from "../../ir";
import type { OpDef } from "../define";
import { elementwise, ONE_TENSOR, number, ROUNDED } from "../families";
import { randomBits } from "../philox";
import { fine, numberOf, wrong } from "../shapes";
import { floatLiteral, isVector, unsigned } from "../wgsl";
import { philox, randomBits as randomBitsHelper } from "../wgsl-helpers";

const rate = (attrs: Attrs): number => numberOf(attrs["p"], 0.5);
const seed = (attrs: Attrs): number => numberOf(attrs["seed"], 0) >>> 0;
/** Odd, so that no two steps have the same key. */
const STEP = 0x9e3779b9;
/** Words below this are dropped: a share p of 2³². */
const cut = (attrs: Attrs): number => Math.min(Math.floor(rate(attrs) * 2 ** 32), 2 ** 32 - 1);
/** Training draws; inference, and p = 0, pass everything on. */
const idle = (attrs: Attrs): boolean => attrs["training"] === false || rate(attrs) <= 0;

export const dropout: OpDef = {
  ...elementwise({
    name: "dropout",
    floatsInTorch: (attrs) => !idle(attrs),
    doc: {
      formula: "x · keep / (1 − p)",
      teaches: "The mask depends only on seed and position, so the backward pass recomputes it instead of loading it.",
    },
    operands: [ONE_TENSOR],
    attrs: [
      number("p", 0.5, "The fraction that is dropped.", "rate"),
      { names: ["seed"], kind: "int", default: 0, doc: "Another seed, another mask." },
      { names: ["training", "train"], kind: "bool", default: true, doc: "False: passes x on." },
    ],
    dtype: "float",
    weightedFlops: 60,
    expensive: true,
    tolerance: ROUNDED,
    // The same seed and indices: the same mask.
    derivative: { vjp: ({ attrs, of }, g) => of("dropout", [g], attrs) },
    algebra: { linear: [[0]] },
    scalar: {
      usesIndex: true,
      js(args, attrs) {
        if (idle(attrs)) return args[0]!;
        if (rate(attrs) >= 1) return 0;
        // A program that trains gives the number of the step, too.
        const key = args.length > 2 ? (seed(attrs) ^ Math.imul(args[1]!, STEP)) >>> 0 : seed(attrs);
        return randomBits(args.at(-1)!, key) >= cut(attrs) ? args[0]! / (1 - rate(attrs)) : 0;
      },
      wgsl(args, attrs, t) {
        const [x, step] = args;
        if (idle(attrs) || rate(attrs) >= 1) return idle(attrs) ? x! : t.num(0);
        const key =
          args.length > 2
            ? `(${seed(attrs)}u ^ (u32(${isVector(t) ? `${step!}.x` : step!}) * ${STEP}u))`
            : `${seed(attrs)}u`;
        const survives = `${t.call("random_bits", args.at(-1)!, key)} >= ${unsigned(`${cut(attrs)}u`, t)}`;
        return `select(${t.num(0)}, ${x!} * ${floatLiteral(1 / (1 - rate(attrs)))}, ${survives})`;
      },
      helpers: [philox, randomBitsHelper],
    },
  }),
  kind: "random",
  passes: idle,
  infer([x], attrs, names = ["x"]) {
    const p = rate(attrs);
    if (p < 0 || p > 1)
      return wrong("bad-attr", `dropout of ${names[0] ?? "x"} drops a fraction p from 0 to 1; ${p} was given.`);
    return fine<TensorType>({ dtype: x!.dtype === "f16" ? "f16" : "f32", shape: x!.shape });
  },
};
