import { binary, type ROUNDED } from "../families";
import { isInteger } from "../wgsl";
import { fromBits, intPower, power } from "../wgsl-helpers";

const TOLERANCE: typeof ROUNDED = { rtol: 2e-5, atol: 1e-6, reason: "WGSL pow is exp2(y * log2(x))" };

/** The exponent, when it is written as a literal: `2.0`, `vec4f(2.0)`, `2`. */
const literalExponent = (text: string): number => Number(/^(?:vec4[fi]\()?(-?[\d.]+)\)?$/.exec(text)?.[1] ?? NaN);

/** Exponents that are written out, and what that takes. */
const LITERAL_WORK: ReadonlyMap<number, number> = new Map([
  [1, 0],
  [2, 1],
  [3, 2],
  [0.5, 11],
  [-1, 9],
]);

/** Wraps as i32 does; negative exponents truncate. */
function wholePower(a: number, b: number): number {
  if (b < 0) return Math.abs(a) === 1 ? a ** (b & 1) : 0;
  let result = 1;
  for (let base = a, left = b; left > 0; left >>= 1) {
    if ((left & 1) === 1) result = Math.imul(result, base);
    base = Math.imul(base, base);
  }
  return result;
}

export const pow = binary({
  name: "pow",
  aliases: ["power"],
  doc: {
    formula: "a ** b",
    teaches: "Costs about as much as 16 multiplications, unless the exponent is the literal 2, 3, 0.5 or −1.",
  },
  weightedFlops: 16,
  work: ([, exponent]) => LITERAL_WORK.get(exponent!) ?? 21,
  expensive: true,
  tolerance: TOLERANCE,
  derivative: {
    partials({ inputs: [a, b], output, of, literal }) {
      const exponent = literal(b!);
      const falling =
        exponent === null ? of("pow", [a!, of("sub", [b!, 1])]) : exponent === 2 ? a! : of("pow", [a!, exponent - 1]);
      const first = exponent === 0 ? null : of("mul", [falling, exponent ?? b!]);
      if (exponent !== null) return [first];
      // 0 ** b does not change with b > 0; the logarithm of 0 would say otherwise.
      const second = of("mul", [output, of("log", [of("where", [of("gt", [a!, 0]), a!, 1])])]);
      return [of("where", [of("eq", [b!, 0]), 0, first!]), second];
    },
  },
  scalar: {
    js: (a, b) => (a === 1 ? 1 : Math.pow(a, b)),
    int: wholePower,
    wgsl(a, b, t) {
      const exponent = literalExponent(b);
      if (exponent === 1) return a;
      if (exponent === 2) return `${a} * ${a}`;
      if (exponent === 3) return `${a} * ${a} * ${a}`;
      if (isInteger(t)) return t.call("int_power", a, b);
      if (exponent === 0.5) return `sqrt(${a})`;
      if (exponent === -1) return `1.0 / ${a}`;
      return t.call("power", a, b);
    },
    helpers: [fromBits, power, intPower],
    neutral: { value: 1, operands: [1], says: "takes the first power of" },
  },
});
