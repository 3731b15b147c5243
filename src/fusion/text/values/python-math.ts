/** @file Python's `math`: functions of numbers that are known while the program is read, in 64 bits and with whole numbers where Python answers those. */
import { bare, type CallExpr, lastNameOf } from "../reading/syntax";
import { numberValue, type Operand, type Value } from "./values";

const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));
const lcm = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : Math.abs(a * b) / gcd(a, b));
/** n · (n − 1) · … so often. */
const falling = (n: number, times: number): number =>
  Array.from({ length: Math.max(0, times) }, (_, i) => n - i).reduce((all, each) => all * each, 1);
const choose = (n: number, k: number): number => (k > n ? 0 : Math.round(falling(n, k) / falling(k, k)));

/** Functions of whole numbers, which answer whole numbers. */
const WHOLE: ReadonlyMap<string, (...numbers: readonly number[]) => number> = new Map<
  string,
  (...numbers: readonly number[]) => number
>([
  ["gcd", (...all) => all.reduce(gcd, 0)],
  ["lcm", (...all) => all.reduce(lcm, 1)],
  ["comb", (n = 0, k = 0) => choose(n, k)],
  ["perm", (n = 0, k = n) => (k > n ? 0 : falling(n, k))],
  ["factorial", (n = 0) => falling(n, n)],
  ["isqrt", (n = 0) => Math.floor(Math.sqrt(n))],
]);

const PLAIN: ReadonlyMap<string, (...numbers: readonly number[]) => number> = new Map<
  string,
  (...numbers: readonly number[]) => number
>([
  ["log10", (x = 0) => Math.log10(x)],
  ["log2", (x = 0) => Math.log2(x)],
  ["log1p", (x = 0) => Math.log1p(x)],
  ["expm1", (x = 0) => Math.expm1(x)],
  ["cbrt", (x = 0) => Math.cbrt(x)],
  ["hypot", (...all) => Math.hypot(...all)],
  ["degrees", (x = 0) => (x * 180) / Math.PI],
  ["rad2deg", (x = 0) => (x * 180) / Math.PI],
  ["radians", (x = 0) => (x * Math.PI) / 180],
  ["deg2rad", (x = 0) => (x * Math.PI) / 180],
  ["fmod", (x = 0, y = 1) => x % y],
  ["copysign", (x = 0, y = 0) => Math.abs(x) * (y < 0 || Object.is(y, -0) ? -1 : 1)],
  ["ldexp", (x = 0, y = 0) => x * 2 ** y],
]);

/** What rounds to a whole number where Python's own library is asked, and to a fraction where NumPy is. */
const ROUNDS: ReadonlyMap<string, (x: number) => number> = new Map([
  ["floor", Math.floor],
  ["ceil", Math.ceil],
  ["trunc", Math.trunc],
]);

const numbersIn = (operands: readonly Operand[]): readonly number[] | null => {
  const numbers = operands.flatMap(({ value }) => (value.kind === "number" && !value.dtype ? [value.value] : []));
  return numbers.length === operands.length ? numbers : null;
};

const listed = ({ value }: Operand): readonly number[] | null =>
  value.kind === "sequence" ? numbersIn(value.items) : null;

/** What a function of lists of numbers answers. */
function ofLists(name: string, lists: readonly (readonly number[])[]): number | null {
  const [a, b] = lists;
  if (name === "fsum" && a) return a.reduce((sum, each) => sum + each, 0);
  return name === "dist" && a && b ? Math.hypot(...a.map((each, i) => each - (b[i] ?? 0))) : null;
}

/** What `name` answers of numbers; null where it is none of these, or of tensors. */
export function mathCall({ callee }: CallExpr, name: string, operands: readonly Operand[]): Value | null {
  if (operands.length === 0) return null;
  const numbers = numbersIn(operands);
  if (!numbers) {
    const lists = operands.flatMap((operand) => [listed(operand) ?? []]);
    const found = operands.every((operand) => listed(operand)) ? ofLists(name, lists) : null;
    return found === null ? null : numberValue(found, false);
  }
  const whole = numbers.every((each) => Number.isInteger(each)) ? WHOLE.get(name) : undefined;
  if (whole) return numberValue(whole(...numbers), true);
  const [x = 0, base] = numbers;
  const at = bare(callee);
  const isPython = at.kind === "member" && lastNameOf(at.object) === "math";
  const rounds = isPython ? ROUNDS.get(name) : undefined;
  if (rounds) return numberValue(rounds(x), true);
  if (name === "log" && base !== undefined) return numberValue(Math.log(x) / Math.log(base), false);
  const plain = PLAIN.get(name);
  return plain ? numberValue(plain(...numbers), false) : null;
}
