/**
 * @file What answers as many elements as data says, `nonzero`, `unique`, `where(mask)`: known where the numbers stand in the text, told
 * with what serves instead where only the run knows them. JAX says how many with `size=`.
 */
import type { DType, Shape } from "../../ir";
import { callAnyDef, libraryScope, sizedDef } from "../library/library";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { dialectOf, isTorchIn } from "../calls/dialect";
import { bare, type CallExpr, type Expr } from "../reading/syntax";
import { writtenValues } from "./constant-values";
import { constantTensor, numberArray } from "./number-arrays";
import { truthOf } from "./constants";
import { BROKEN, type GivenArgument, isBroken, type Operand, tensorValue, type Value } from "./values";

interface Call {
  readonly expr: CallExpr;
  readonly path: string;
}

/** Numbers that are known while the program is read. */
interface Numbers {
  readonly shape: Shape;
  readonly dtype: DType;
  readonly values: readonly number[];
}

/** A tensor that a call answers. */
type Answer = Numbers;

interface Counted {
  /** What it counts, for the message about what only the run knows. */
  readonly counts: string;
  readonly instead: string;
  /** Its answers for numbers that are known; `says`: whether a keyword is true, by its name or where it stands. */
  readonly of: (
    numbers: Numbers,
    call: { readonly isTorch: boolean; readonly says: Says },
  ) => readonly Answer[] | Answer;
}
type Says = (name: string, at: number | null) => boolean;

const whole = (values: readonly number[], shape: Shape = [values.length]): Answer => ({ shape, dtype: "i32", values });

/** The index of each element that is not 0, axis by axis. */
function indicesOf({ shape, values }: Numbers): readonly (readonly number[])[] {
  const found = values.flatMap((value, flat) => (value === 0 ? [] : [flat]));
  return shape.map((extent, axis) => {
    const inner = shape.slice(axis + 1).reduce((size, each) => size * each, 1);
    return found.map((flat) => Math.floor(flat / inner) % extent);
  });
}

const perAxis = (numbers: Numbers): readonly Answer[] => indicesOf(numbers).map((each) => whole(each));

/** A row for each element that is not 0. */
function rowsOf(numbers: Numbers): Answer {
  const axes = indicesOf(numbers);
  const [first = []] = axes;
  return whole(
    first.flatMap((_, i) => axes.map((axis) => axis[i]!)),
    [first.length, axes.length],
  );
}

/** The distinct numbers of `values`, and of each element which of them it is; of neighbours alone where `runs`. */
function distinctOf(values: readonly number[], runs: boolean): { readonly distinct: number[]; readonly of: number[] } {
  if (!runs) {
    const distinct = [...new Set(values)].sort((a, b) => a - b);
    return { distinct, of: values.map((value) => distinct.indexOf(value)) };
  }
  const distinct: number[] = [];
  const of = values.map((value) => {
    if (distinct.length === 0 || distinct.at(-1) !== value) distinct.push(value);
    return distinct.length - 1;
  });
  return { distinct, of };
}

const unique =
  (runs: boolean): Counted["of"] =>
  ({ shape, dtype, values }, { isTorch, says }) => {
    const { distinct, of } = distinctOf(values, runs);
    const plain: Answer = { shape: [distinct.length], dtype, values: distinct };
    const order = runs ? ["return_inverse", "return_counts"] : ["sorted", "return_inverse", "return_counts"];
    const asks = (name: string): boolean => says(name, isTorch ? order.indexOf(name) : null);
    const more = [
      ...(asks("return_index") ? [whole(distinct.map((_, i) => of.indexOf(i)))] : []),
      ...(asks("return_inverse") ? [whole(of, shape)] : []),
      ...(asks("return_counts") ? [whole(distinct.map((_, i) => of.filter((each) => each === i).length))] : []),
    ];
    return more.length > 0 ? [plain, ...more] : plain;
  };

const FOUND = "elements are found";
const MASKED = "Compute with all elements and a mask: where(mask, x, 0), and sums of mask * x.";

const COUNTED: ReadonlyMap<string, Counted> = new Map<string, Counted>([
  [
    "nonzero",
    {
      counts: FOUND,
      instead: MASKED,
      of: (numbers, { isTorch, says }) => (isTorch && !says("as_tuple", null) ? rowsOf(numbers) : perAxis(numbers)),
    },
  ],
  ["where", { counts: FOUND, instead: MASKED, of: perAxis }],
  ["argwhere", { counts: FOUND, instead: MASKED, of: rowsOf }],
  ["flatnonzero", { counts: FOUND, instead: MASKED, of: ({ values }) => perAxis({ ...whole(values), values })[0]! }],
  ...[false, true].map((runs): readonly [string, Counted] => [
    runs ? "unique_consecutive" : "unique",
    {
      counts: "values are distinct",
      instead:
        "Sort them and compare neighbours, s[1:] != s[:-1]; whole numbers below n are counted by bincount(x, minlength=n).",
      of: unique(runs),
    },
  ]),
]);

/** The numbers of a tensor or a list where they stand in the text. */
function numbersOf(interpreter: Interpreter, value: Value): Numbers | null {
  if (value.kind === "tensor") {
    const { shape, dtype } = typeOf(interpreter, value.node);
    const values = interpreter.unknown.has(value.node) ? null : writtenValues(interpreter.nodes, value.node);
    return values && { shape, dtype, values };
  }
  const list = value.kind === "sequence" ? numberArray(value) : null;
  return list && { shape: list.shape, dtype: list.bools ? "bool" : list.whole ? "i32" : "f32", values: list.numbers };
}

const outermost = (expr: Expr): string => {
  const of = bare(expr);
  return of.kind === "member" ? outermost(of.object) : of.kind === "name" ? of.name : "";
};

/** Whether PyTorch's function or method is called. */
function isTorchs(interpreter: Interpreter, { expr }: Call): boolean {
  const dialect = dialectOf(outermost(expr.callee));
  return dialect === null ? isTorchIn(interpreter) : dialect === "torch";
}

/** `nonzero(mask)` and what else answers as many elements as data says; null where another function is meant. */
export function countedCall(
  interpreter: Interpreter,
  run: StatementRun,
  call: Call,
  name: string,
  operands: readonly Operand[],
): Value | null {
  const counted = COUNTED.get(name);
  const [first] = operands;
  const { args } = call.expr;
  const names = operands.map((_, i) => args[i - (operands.length - args.length)]?.name?.text ?? null);
  const plain = names.filter((each) => each === null).length;
  if (
    !counted ||
    !first ||
    (name === "where" && (plain > 1 || names.some((each) => /^[xy]|other|input$/.test(each ?? ""))))
  )
    return null;
  if (isBroken(first.value)) return BROKEN;
  if (first.value.kind !== "tensor" && first.value.kind !== "sequence") return null;
  const size = names.indexOf("size");
  const def = size < 0 ? null : sizedDef(name);
  if (def) return callAnyDef(interpreter, run, { ...call, def, scope: libraryScope() }, givenIn(call, operands, names));
  const refuse = (text: string): Value => {
    interpreter.diagnostics.add("bad-argument", call.expr.span, text);
    return BROKEN;
  };
  if (names.some((each) => each === "dim" || each === "axis"))
    return refuse(`\`${name}\` along an axis is not read here.`);
  const isTorch = isTorchs(interpreter, call);
  const numbers = numbersOf(interpreter, first.value);
  if (!numbers) {
    const sized = isTorch || counted.counts !== FOUND ? "" : ` JAX says how many: jnp.${name}(mask, size=8).`;
    return refuse(
      `How many ${counted.counts} depends on data, and shapes are known before the graph runs. ${counted.instead}${sized}`,
    );
  }
  const says: Says = (word, at) => {
    const where = names.includes(word) ? names.indexOf(word) : at === null || names[at + 1] !== null ? -1 : at + 1;
    return where > 0 && truthOf(operands[where]!.value) === true;
  };
  const found = counted.of(numbers, { isTorch, says });
  const answers = [found].flat();
  if (answers.some(({ values }) => values.length === 0))
    return refuse(`\`${name}\` finds nothing here, and a tensor has elements.`);
  const made = answers.map(({ shape, dtype, values }, i): Operand => {
    const path = Array.isArray(found) ? `${call.path}/${i}` : call.path;
    const node = constantTensor(
      interpreter,
      run,
      { path, expr: call.expr },
      { shape, numbers: values },
      { dtype, label: name },
    );
    return { value: tensorValue(node), path, expr: null };
  });
  return Array.isArray(found) ? { kind: "sequence", items: made } : made[0]!.value;
}

const givenIn = (
  { expr: { span } }: Call,
  operands: readonly Operand[],
  names: readonly (string | null)[],
): readonly GivenArgument[] =>
  operands.map((operand, i) => ({ name: names[i] === null ? null : { text: names[i]!, span }, operand, span }));

/** Names of such functions. */
export const countedNames: readonly string[] = [...COUNTED.keys()];
