/** @file What ops say of their own algebra (`algebra` on the declaration) is sampled: a fact that does not hold is found, and planted ones prove it. */
import { describe, expect, test } from "vitest";
import { allOps, linearGroups, opDef, withDefaults, type Algebra, type OpDef } from "../../src/fusion/ops";
import type { Attrs } from "../../src/fusion/ir";

const GRID = [-40, -7.5, -3, -1.5, -1, -0.75, -0.5, -0.1, 0, 0.1, 0.25, 0.5, 0.9, 1, 2, 3, 5.5, 12, 40];
/** Attributes whose sign a fact may hang on; other ops have their defaults. */
const GIVEN: readonly Attrs[] = [{}, { alpha: -0.5 }, { alpha: 2 }, { negative_slope: -0.25 }, { negative_slope: 0.5 }];

const close = (a: number, b: number): boolean =>
  Object.is(a, b) || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
const tensorsOf = (def: OpDef): number => def.params.filter(({ kind }) => kind === "tensor").length;

/** Attribute sets that the op takes, defaults filled in. */
function settings(def: OpDef): Attrs[] {
  const names = new Set(def.params.map(({ names: [name] }) => name!));
  const dtype: Attrs = names.has("dtype") ? { dtype: "f32" } : {};
  return GIVEN.filter((attrs) => Object.keys(attrs).every((name) => names.has(name))).map((attrs) =>
    withDefaults(def, { ...dtype, ...attrs }),
  );
}

/** The op as a function of numbers. Ops that know their index stand at index 3. */
const meaning =
  (def: OpDef, attrs: Attrs) =>
  (...args: readonly number[]): number =>
    def.scalar!.js(def.scalar!.usesIndex ? [...args, 3] : args, attrs);

/** Every tuple of so many numbers of the grid; the first is a truth value where the op chooses by it. */
const tuples = (count: number): number[][] =>
  count === 0 ? [[]] : tuples(count - 1).flatMap((rest) => GRID.map((value) => [...rest, value]));

/** Facts that a sample contradicts, in words. */
function contradicted(def: OpDef, algebra: Algebra): string[] {
  if (def.kind === "reduce") return contradictedFold(def, algebra);
  const faults = new Set<string>();
  const count = tensorsOf(def);
  const isLogic =
    def
      .operandTypes?.(
        Array.from({ length: count }, () => "bool" as const),
        {},
      )
      .includes("bool") === true;
  const grid = isLogic && count === 1 && def.name === "not" ? [0, 1] : GRID;
  for (const attrs of settings(def)) {
    const f = meaning(def, attrs);
    const check = (what: string, holds: boolean): void => void (holds || faults.add(what));
    if (count === 1)
      for (const x of grid) {
        const y = f(x);
        if (Number.isNaN(y)) continue;
        if (algebra.sameValue) check("sameValue", y === x);
        if (algebra.involution) check("involution", f(y) === x || (def.name === "bit_not" && f(y) === Math.trunc(x)));
        if (algebra.idempotent) check("idempotent", f(y) === y);
        if (algebra.range === "non-negative") check("range", y >= 0);
        if (algebra.range === "positive") check("range", y > 0);
        if (algebra.exponential) for (const z of [-2, 0, 0.5]) check("exponential", close(f(x + z), y * f(z)));
      }
    if (algebra.keepsZero) check("keepsZero", f(0) === 0);
    for (const args of tuples(Math.min(count, 2))) {
      const y = f(...args);
      if (Number.isNaN(y)) continue;
      if (algebra.terms)
        check(
          "terms",
          close(
            y,
            algebra.terms.reduce<number>((sum, sign, i) => sum + sign * args[i]!, 0),
          ),
        );
      if (algebra.powers) {
        const product = algebra.powers.reduce<number>((made, power, i) => made * args[i]! ** power, 1);
        check("powers", Number.isNaN(product) || close(y, product));
      }
      if (algebra.compares) check("compares", (y === 1) === compared(algebra.compares, args[0]!, args[1]!));
    }
    for (const [operand, fact] of (algebra.monotone ?? []).entries()) {
      if (!fact || fact.given?.(attrs) === false) continue;
      const inside = GRID.filter((x) =>
        fact.where === "positive" ? x > 0 : fact.where === "non-negative" ? x >= 0 : true,
      );
      for (const others of tuples(count - 1)) {
        const at = (x: number): number => f(...others.toSpliced(operand, 0, x));
        const by = fact.signOf === undefined ? 1 : others[fact.signOf > operand ? fact.signOf - 1 : fact.signOf]!;
        if (by === 0) continue;
        const up = (fact.way === "up") === by > 0;
        const all = inside.map(at);
        const values = all.filter((value) => !Number.isNaN(value));
        // A maximum of results is NaN where one of them is; the result of the maximum must be, too.
        check("monotone", values.length === 0 || values.length === all.length);
        check(
          "monotone",
          values.every((value, i) => i === 0 || (up ? value >= values[i - 1]! : value <= values[i - 1]!)),
        );
      }
    }
    for (const group of linearGroups(algebra)) {
      for (const rest of [0, 1])
        for (const [x, y] of tuples(2) as [number, number][]) {
          const at = (value: number): number =>
            f(
              ...Array.from({ length: count }, (_, i) =>
                group.includes(i) ? value * (i + 1) : rest === 0 && !algebra.powers ? 0 : 1,
              ),
            );
          check("linear", close(at(x + y), at(x) + at(y)) && close(at(3 * x), 3 * at(x)));
        }
    }
  }
  return [...faults];
}

const compared = (operator: string, a: number, b: number): boolean =>
  ({ "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a === b, "!=": a !== b })[operator]!;

function contradictedFold(def: OpDef, algebra: Algebra): string[] {
  const faults = new Set<string>();
  const { combine, map, finish, picks } = def.reduce!;
  const fold = (values: readonly number[]): number => {
    const all = values.reduce(
      (sum, value) => combine.js(sum, map ? map.js(value) : value),
      def.reduce!.identity("f32"),
    );
    return finish ? finish.js(all, values.length) : all;
  };
  const logic = def.operandTypes!(["f32"], {})[0] === "bool";
  const rows = logic
    ? [
        [0, 1, 1, 1],
        [0, 0, 0, 0],
        [1, 1, 1, 1],
      ]
    : [
        [1, -2, 3.5, 0.5],
        [-4, -1, -0.25, -3],
        [2, 2, 1, 0],
      ];
  for (const row of rows) {
    const [first, last] = [row.slice(0, 2), row.slice(2)];
    if (algebra.nests && !close(fold([fold(first), fold(last)]), fold(row))) faults.add("nests");
    if (algebra.linear) {
      const other = rows[0]!;
      const holds =
        close(fold(row.map((x) => 3 * x)), 3 * fold(row)) &&
        close(fold(row.map((x, i) => x + other[i]!)), fold(row) + fold(other));
      if (!holds) faults.add("linear");
    }
    if (picks) {
      const most = picks.which === "largest" ? Math.max(...row) : Math.min(...row);
      const back = opDef(picks.opposite).reduce!.picks!;
      if (fold(row) !== most || back.opposite !== def.name || back.which === picks.which) faults.add("picks");
    }
  }
  return [...faults];
}

const stating = allOps.filter(({ algebra }) => algebra !== undefined);

describe("facts of algebra hold wherever they are sampled", () => {
  test("by many ops", () => expect(stating.length).toBeGreaterThan(50));
  test.each(stating)("$name", (def) => expect(contradicted(def, def.algebra!)).toEqual([]));
});

describe("planted facts are found", () => {
  const planted: readonly (readonly [op: string, what: string, algebra: Algebra])[] = [
    ["relu", "sameValue", { sameValue: true }],
    ["exp", "involution", { involution: true }],
    ["square", "idempotent", { idempotent: "a square" }],
    ["cos", "keepsZero", { keepsZero: true }],
    ["tanh", "range", { range: "non-negative" }],
    ["sigmoid", "exponential", { exponential: true }],
    ["sub", "terms", { terms: [1, 1] }],
    ["div", "powers", { powers: [1, 1] }],
    ["ge", "compares", { compares: ">" }],
    ["abs", "monotone", { monotone: [{ way: "up", exact: true }] }],
    ["div", "monotone", { monotone: [null, { way: "down", exact: false }] }],
    ["asin", "monotone", { monotone: [{ way: "up", exact: false }] }],
    ["elu", "monotone", { monotone: [{ way: "up", exact: false }] }],
    ["maximum", "linear", { linear: [[0, 1]] }],
    ["mul", "linear", { linear: [[0, 1]] }],
    ["max", "linear", { linear: [[0]] }],
    ["sum_square", "nests", { nests: true }],
  ];
  test.each(planted)("%s: %s", (op, what, algebra) => expect(contradicted(opDef(op), algebra)).toContain(what));
});
