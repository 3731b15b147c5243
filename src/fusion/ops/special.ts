/** @file Functions that JavaScript's Math lacks, to f64 accuracy. */

const STEP = 1 / 32;
const TABLE_END = 6;
const SLOPE = 2 / Math.sqrt(Math.PI);

/** Maclaurin form with positive terms only: e^(−x²) Σ (2x²)ⁿ x / (1·3·5…(2n+1)). */
function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; n < 200 && term > sum * 1e-18; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return SLOPE * Math.exp(-x * x) * sum;
}

const points = Array.from({ length: TABLE_END / STEP + 1 }, (_, i) => i * STEP);
const values = Float64Array.from(points, erfSeries);
const slopes = Float64Array.from(points, (z) => SLOPE * Math.exp(-z * z));

/** The error function: Taylor's series about the nearest of the tabulated points, odd and exact to about 2e-16. */
export function erf(x: number): number {
  const size = Math.abs(x);
  if (!(size < TABLE_END)) return Number.isNaN(x) ? x : Math.sign(x);
  const at = Math.round(size / STEP);
  const z = at * STEP;
  const d = size - z;
  // e^(−2zd − d²) = Σ aₙ dⁿ with Hermite's recurrence aₙ = −2(z aₙ₋₁ + aₙ₋₂) / n; the sum integrates it term by term.
  let previous = 0;
  let current = 1;
  let power = d;
  let sum = 0;
  for (let n = 1; n <= 9; n++) {
    sum += (current * power) / n;
    const next = (-2 * (z * current + previous)) / n;
    previous = current;
    current = next;
    power *= d;
  }
  const value = values[at]! + slopes[at]! * sum;
  return x < 0 ? -value : value;
}

/** f64 to the nearest f16, ties to even; overflows to ±∞. */
export function roundToHalf(x: number): number {
  const size = Math.abs(x);
  if (!(size < Infinity) || size === 0) return x;
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const unit = 2 ** (exponent - 10);
  const scaled = size / unit;
  const low = Math.floor(scaled);
  const rest = scaled - low;
  const whole = rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
  const value = whole * unit;
  return Math.sign(x) * (value > 65504 ? Infinity : value);
}
