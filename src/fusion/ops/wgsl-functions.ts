/**
 * @file Functions of WGSL's own library that promise too little (sin and cos 2⁻¹¹, tanh 1e-5, atan 4096 ULP), written out: a range that
 * is folded to a small one, and a polynomial there. The coefficients are minimax fits, each good to 1e-8 of its function; tanh's quotient is the one of Eigen and XLA, within 4e-7.
 */
import type { WgslHelper, WgslType } from "./define";
import { fromBits, inDType } from "./wgsl-helpers";
import { floatLiteral, isVector, signature } from "./wgsl";

const floats = inDType("f32");
const signedType = (t: WgslType): string => (isVector(t) ? "vec4i" : "i32");
const signed = (value: string, t: WgslType): string => (isVector(t) ? `vec4i(${value})` : value);

/** `c₀ + z * (c₁ + z * c₂)`. */
const polynomial = (z: string, coefficients: readonly number[]): string =>
  coefficients
    .map(floatLiteral)
    .reduceRight((rest, coefficient) => `${coefficient} + ${z} * ${/[ ]/.test(rest) ? `(${rest})` : rest}`);

/** From here on an angle counts too many turns for three parts of π/2: the builtin answers, and nothing is promised. */
export const MAX_ANGLE = 1e5;
/** π/2 in three parts; the first two are so short that their products with whole numbers below 2¹⁶ are exact. */
const [HIGH, MIDDLE, LOW] = [1.5703125, 0.0004825592041015625, 0.0000012675908465098473];

const wave = floats({
  name: "wave",
  wgsl: (
    t,
  ) => `// sin(x + shift pi/2): whole quarter turns are taken off in three parts (Cody and Waite), the rest is at most pi/4.
fn ${t.call("wave", `x: ${t.type}`, "shift: i32")} -> ${t.type} {
  let turns = round(x * ${floatLiteral(2 / Math.PI)});
  let near = fma(turns, ${t.num(-MIDDLE)}, fma(turns, ${t.num(-HIGH)}, x));
  let r = fma(turns, ${t.num(-LOW)}, near);
  let z = r * r;
  let s = r + r * z * (${polynomial("z", [-0.16666654, 0.008332118, -0.00019509062])});
  let c = 1.0 + z * (${polynomial("z", [-0.5, 0.041666646, -0.0013887289, 2.4429211e-5])});
  let quarter = ${signedType(t)}(turns) + ${signed("shift", t)};
  let size = select(s, c, (quarter & ${signed("1", t)}) == ${signed("1", t)});
  return select(size, -size, (quarter & ${signed("2", t)}) == ${signed("2", t)});
}`,
});

const bounded = (name: string, builtin: string, value: (t: WgslType) => string): WgslHelper =>
  floats({
    name,
    needs: ["wave"],
    wgsl: (t) => `// ${builtin}(x), within 1e-7 for |x| up to ${MAX_ANGLE}; beyond, what the device makes of it.
${signature(t, name, "x")} {
  return select(${value(t)}, ${builtin}(x), abs(x) > ${t.num(MAX_ANGLE)});
}`,
  });
const sine = bounded("sine", "sin", (t) => t.call("wave", "x", "0"));
const cosine = bounded("cosine", "cos", (t) => t.call("wave", "x", "1"));
const tangent = bounded("tangent", "tan", (t) => `${t.call("wave", "x", "0")} / ${t.call("wave", "x", "1")}`);

/** From here on tanh is 1 in f32. */
const FLAT = 7.905311;

const tanhHelper = floats({
  name: "tanh_of",
  wgsl: (t) => `// tanh(x) as a quotient of polynomials; from ${FLAT} on it is 1.
${signature(t, "tanh_of", "x")} {
  let flat = clamp(x, ${t.num(-FLAT)}, ${t.num(FLAT)});
  let z = flat * flat;
  let above = flat * (${polynomial("z", [4.89352455891786e-3, 6.37261928875436e-4, 1.48572235717979e-5, 5.12229709037114e-8, -8.60467152213735e-11, 2.00018790482477e-13, -2.76076847742355e-16])});
  return above / (${polynomial("z", [4.89352518554385e-3, 2.268434632439e-3, 1.18534705686654e-4, 1.19825839466702e-6])});
}`,
});

const erfHelper = floats({
  name: "erf",
  wgsl: (t) => `// The error function: below 1 a polynomial, elsewhere 1 - exp(-x x) times one in 1 / (1 + k x).
${signature(t, "erf", "x")} {
  let z = x * x;
  let near = x * (${polynomial("z", [1.1283791, -0.37612626, 0.112835854, -0.026853811, 0.0051883277, -0.00080101925, 7.853858e-5])});
  let r = 1.0 / (1.0 + 0.3275911 * abs(x));
  let rest = r * (${polynomial("r", [0.2281993, -0.13675898, 1.1145343, -1.1702248, 0.9637031])}) * exp(-z);
  return select(sign(x) * (1.0 - rest), near, abs(x) < ${t.num(1)});
}`,
});

const arcsine = floats({
  name: "arcsine",
  wgsl: (t) => `// arcsin(x) for 0 <= x <= 0.5, from z = x x.
${signature(t, "arcsine", "x", "z")} {
  return x + x * z * (${polynomial("z", [0.16666754, 0.074952416, 0.045477096, 0.024147611, 0.042218547])});
}`,
});

/** arcsin and arccos: beyond one half by 2 arcsin √((1 − |x|) / 2), outside of −1 … 1 NaN. */
const arc = (name: string, teaches: string, far: string, near: string): WgslHelper =>
  floats({
    name,
    needs: ["arcsine", "from_bits"],
    wgsl: (t) => `// ${teaches}
${signature(t, name, "x")} {
  let size = abs(x);
  let far = size > ${t.num(0.5)};
  let z = select(x * x, 0.5 - 0.5 * size, far);
  let part = ${t.call("arcsine", `select(size, sqrt(max(z, ${t.num(0)})), far)`, "z")};
  let angle = select(${near}, ${far}, far);
  return select(${name === "asin_of" ? "sign(x) * angle" : `select(angle, ${floatLiteral(Math.PI)} - angle, x < ${t.num(0)})`}, ${t.num(Number.NaN)}, size > ${t.num(1)});
}`,
  });
const QUARTER = floatLiteral(Math.PI / 2);
const asinHelper = arc(
  "asin_of",
  "arcsin(x): beyond one half as pi/2 - 2 arcsin(sqrt((1 - |x|) / 2)).",
  `${QUARTER} - 2.0 * part`,
  "part",
);
const acosHelper = arc(
  "acos_of",
  "arccos(x): beyond one half as 2 arcsin(sqrt((1 - |x|) / 2)).",
  "2.0 * part",
  `${QUARTER} - part`,
);

const arctangent = floats({
  name: "arctangent",
  wgsl: (t) => `// arctan(x) for 0 <= x <= 1.
${signature(t, "arctangent", "x")} {
  let z = x * x;
  return x + x * z * (${polynomial("z", [-0.33333302, 0.19998638, -0.14265245, 0.10957576, -0.0841946, 0.058234558, -0.031455707, 0.011064444, -0.0018272136])});
}`,
});

const atanHelper = floats({
  name: "atan_of",
  needs: ["arctangent"],
  wgsl: (t) => `// arctan(x): beyond 1 as pi/2 - arctan(1 / |x|).
${signature(t, "atan_of", "x")} {
  let size = abs(x);
  let part = ${t.call("arctangent", `min(size, 1.0 / max(size, ${t.num(1)}))`)};
  return sign(x) * select(part, ${QUARTER} - part, size > ${t.num(1)});
}`,
});

const atan2Helper = floats({
  name: "atan2_of",
  needs: ["arctangent"],
  wgsl: (t) => `// The angle of the point (x, y), in all four quarters; -0 counts as 0.
${signature(t, "atan2_of", "y", "x")} {
  let high = max(abs(y), abs(x));
  let ratio = select(min(abs(y), abs(x)) / high, ${t.num(1)}, abs(y) == abs(x));
  let part = ${t.call("arctangent", "ratio")};
  let steep = select(part, ${QUARTER} - part, abs(y) > abs(x));
  let turned = select(steep, ${floatLiteral(Math.PI)} - steep, x < ${t.num(0)});
  let flat = select(${t.num(0)}, ${t.num(Math.PI)}, x < ${t.num(0)});
  return select(select(turned, -turned, y < ${t.num(0)}), flat, y == ${t.num(0)});
}`,
});

const sinhHelper = floats({
  name: "sinh_of",
  wgsl: (
    t,
  ) => `// (exp(x) - exp(-x)) / 2: near 0 a polynomial, because the difference cancels; by exp(x / 2), which does not overflow before the result.
${signature(t, "sinh_of", "x")} {
  let z = x * x;
  let near = x + x * z * (${polynomial("z", [0.16666667, 0.0083333505, 0.00019836066, 2.8174397e-6])});
  let half = exp(0.5 * abs(x));
  let far = sign(x) * (0.5 * half * half - 0.5 / half / half);
  return select(far, near, abs(x) < ${t.num(1)});
}`,
});

const coshHelper = floats({
  name: "cosh_of",
  wgsl: (t) => `// (exp(x) + exp(-x)) / 2, by exp(x / 2), which does not overflow before the result.
${signature(t, "cosh_of", "x")} {
  let half = exp(0.5 * abs(x));
  return 0.5 * half * half + 0.5 / half / half;
}`,
});

export const SINE: readonly WgslHelper[] = [wave, sine];
export const COSINE: readonly WgslHelper[] = [wave, cosine];
export const TANGENT: readonly WgslHelper[] = [wave, tangent];
export const TANH: readonly WgslHelper[] = [tanhHelper];
export const ERF: readonly WgslHelper[] = [erfHelper];
export const ASIN: readonly WgslHelper[] = [fromBits, arcsine, asinHelper];
export const ACOS: readonly WgslHelper[] = [fromBits, arcsine, acosHelper];
export const ATAN: readonly WgslHelper[] = [arctangent, atanHelper];
export const ATAN2: readonly WgslHelper[] = [arctangent, atan2Helper];
export const SINH: readonly WgslHelper[] = [sinhHelper];
export const COSH: readonly WgslHelper[] = [coshHelper];
