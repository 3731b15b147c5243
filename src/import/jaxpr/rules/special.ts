/** @file Functions that are written out by the ops there are: polynomials (minimax fits, each good to 1e-7 of its function) and Stirling's series. */
import type { Value } from "../../onnx/emit";
import type { Equation, Rule, Rules } from "../rule";

type Term = Value | number;

/** Short names for what formulas are made of. */
function arithmetic(c: Equation) {
  const of =
    (op: string) =>
    (...terms: Term[]): Value =>
      c.op(op, terms);
  const [add, mul] = [of("add"), of("mul")];
  /** c₀ + z · (c₁ + z · …). */
  const polynomial = (z: Value, coefficients: readonly number[]): Value => {
    const [first, ...others] = coefficients.toReversed();
    return others.reduce((sum, coefficient) => add(mul(sum as Value, z), coefficient) as Term, first as Term) as Value;
  };
  return {
    add,
    mul,
    polynomial,
    sub: of("sub"),
    div: of("div"),
    log: of("log"),
    exp: of("exp"),
    abs: of("abs"),
    sin: of("sin"),
    cos: of("cos"),
    lt: of("lt"),
    where: of("where"),
    maximum: of("maximum"),
    minimum: of("minimum"),
    round: of("round"),
    sqrt: of("sqrt"),
    sign: of("sign"),
  };
}

/** The number whose erf is x: by w = −ln(1 − x²), near the ends by its root. */
function erfInv(c: Equation): Value {
  const m = arithmetic(c);
  const x = c.in(0);
  const w = m.mul(m.log(m.mul(m.sub(1, x), m.add(x, 1))), -1);
  const near = m.polynomial(
    w,
    [
      0.88622683, 0.23201665, 0.01153214, -0.0022978699, -0.00016721954, 6.868235e-5, -4.550495e-6, -2.2696874e-7,
      2.853473e-8,
    ],
  );
  const s = m.sub(m.sqrt(m.maximum(w, 5)), 3.1);
  const far = m.polynomial(
    s,
    [
      2.9332316, 1.0033537, 0.0074584829, -0.0056596366, 0.0041328813, -0.0028728137, 0.0013052642, -4.530347e-5,
      -0.00015977383,
    ],
  );
  return m.mul(x, m.where(m.lt(w, 5), near, far));
}

/** A Bessel function without its growth e^|x|: up to 5 by (x / 2)², beyond by 1 / |x|. */
const bessel =
  (order: 0 | 1, nearBy: readonly number[], farBy: readonly number[]): Rule =>
  (c) => {
    const m = arithmetic(c);
    const x = c.in(0);
    const size = m.abs(x);
    const low = m.minimum(size, 5);
    const near = m.mul(m.exp(m.mul(low, -1)), m.polynomial(m.mul(m.mul(low, low), 0.25), nearBy));
    const high = m.maximum(size, 5);
    const far = m.div(m.polynomial(m.div(1, high), farBy), m.sqrt(high));
    if (order === 0) return m.where(m.lt(size, 5), near, far);
    // Odd: near 0 by x itself, which has a slope there.
    return m.where(m.lt(size, 5), m.mul(m.mul(x, 0.5), near), m.mul(m.sign(x), far));
  };

/** Below this an argument is lifted by as many steps: from here on Stirling's series has all digits of f32. */
const STEPS = 6;

/** What series see: an argument mirrored at ½ when it is negative (`y`), lifted where it is small (`z`); and the steps between. */
function lifted(c: Equation) {
  const m = arithmetic(c);
  const x = c.in(0);
  const left = m.lt(x, 0);
  const y = m.where(left, m.sub(1, x), x);
  const low = m.lt(y, STEPS);
  const z = m.where(low, m.add(y, STEPS), y);
  const steps = Array.from({ length: STEPS }, (_, k) => (k === 0 ? y : m.add(y, k)));
  /** So many half turns as x is from a whole number. */
  const angle = m.mul(m.sub(x, m.round(x)), Math.PI);
  return { m, left, low, z, steps, angle, u: m.div(1, z) };
}

/** ln |Γ(x)|. */
function lgamma(c: Equation): Value {
  const { m, left, low, z, steps, angle, u } = lifted(c);
  const series = m.mul(u, m.polynomial(m.mul(u, u), [1 / 12, -1 / 360, 1 / 1260]));
  const far = m.add(m.add(m.mul(m.sub(z, 0.5), m.sub(m.log(z), 1)), Math.log(2 * Math.PI) / 2 - 0.5), series);
  const product = steps.reduce((a, b) => m.mul(a, b));
  const own = m.sub(far, m.log(m.where(low, product, 1)));
  const wave = m.where(left, m.abs(m.sin(angle)), 1);
  return m.where(left, m.sub(m.log(m.div(Math.PI, wave)), own), own);
}

/** The derivative of ln Γ(x). */
function digamma(c: Equation): Value {
  const { m, left, low, z, steps, angle, u } = lifted(c);
  const q = m.mul(u, u);
  const series = m.mul(q, m.polynomial(q, [1 / 12, -1 / 120, 1 / 252]));
  const sum = steps.map((step) => m.div(1, m.where(low, step, 1))).reduce((a, b) => m.add(a, b));
  const own = m.sub(m.sub(m.sub(m.log(z), m.mul(u, 0.5)), series), m.where(low, sum, 0));
  const wave = m.where(left, m.sin(angle), 1);
  return m.where(left, m.sub(own, m.div(m.mul(m.cos(angle), Math.PI), wave)), own);
}

export const special: Rules = {
  bessel_i0e: bessel(
    0,
    [1, 1, 0.25000003, 0.027777692, 0.0017361965, 6.939795e-5, 1.943406e-6, 3.6851304e-8, 8.4254515e-10],
    [0.3989423, 0.049862694, 0.028579971, 0.0086275516, 0.42437735, -3.466152, 16.366032, -26.13796],
  ),
  bessel_i1e: bessel(
    1,
    [1, 0.5, 0.083333336, 0.0069444433, 0.00034723256, 1.1568764e-5, 2.7714228e-7, 4.6568975e-9, 9.149993e-11],
    [0.39894226, -0.14959735, -0.047367074, -0.017234292, -0.4891776, 3.892042, -18.249557, 28.756641],
  ),
  digamma,
  erf_inv: erfInv,
  lgamma,
};
