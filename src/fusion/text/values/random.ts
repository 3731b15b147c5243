/** @file Random numbers where they are called for: `torch.randn(4, 8)`, `jax.random.normal(key, (4, 8))`, `randn_like(x)`; keys of JAX. */
import type { Attrs, DType } from "../../ir";
import { opDef, withDefaults } from "../../ops";
import { applyOp } from "../calls/apply";
import type { Interpreter, StatementRun } from "../interpreter";
import { addNode, bindingName, typeOf } from "../interpreter";
import { drawsWith } from "../library/library";
import { BINARY_OPS } from "../calls/names";
import type { CallExpr } from "../reading/syntax";
import { BROKEN, isBroken, numberValue, type Operand, tensorValue, type Value } from "./values";

interface Call {
  readonly expr: CallExpr;
  readonly path: string;
}
type Known = (interpreter: Interpreter, run: StatementRun, call: Call, operands: readonly Operand[]) => Value | null;

/** An input of its own, which every run draws again in the same way. */
function drawnInput(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: Call,
  given: Attrs,
  type: { readonly dtype: DType; readonly shape: readonly number[] },
): Value {
  const attrs = withDefaults(opDef("input"), { ...given, role: "input" });
  const label = bindingName(run, path) ?? "noise";
  const { groups } = run.frame;
  const node = addNode(interpreter, { id: path, op: "input", inputs: [], attrs, type, label, groups, span: expr.span });
  interpreter.drawn.add(node);
  interpreter.sites.set(node, { node, expr, run, param: null, op: null, attrs, operands: [] });
  return tensorValue(node);
}

/** `randn_like(x)`: random numbers in the shape of x. */
const drawnLike =
  (source: "randn" | "uniform"): Known =>
  (interpreter, run, call, [like]) => {
    if (like?.value.kind !== "tensor") return like && isBroken(like.value) ? BROKEN : null;
    const { shape, dtype } = typeOf(interpreter, like.value.node);
    return drawnInput(interpreter, run, call, { source }, { dtype: dtype === "f16" ? dtype : "f32", shape });
  };

const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ["mean", "loc"],
  ["std", "scale"],
  ["stddev", "scale"],
  ["low", "lo"],
  ["minval", "lo"],
  ["high", "hi"],
  ["maxval", "hi"],
  ["size", "shape"],
]);

const numberIn = ({ value }: Operand): number | null => (value.kind === "number" ? value.value : null);

function wholeNumbers(operands: readonly Operand[]): readonly number[] | null {
  const numbers = operands.flatMap(({ value }) => (value.kind === "number" && value.whole ? [value.value] : []));
  return numbers.length === operands.length ? numbers : null;
}

interface Asked {
  readonly shape: readonly number[];
  readonly numbers: ReadonlyMap<string, number>;
}

/** What a call asks for: `named` are the numbers that may stand before or behind a shape in brackets; without one, all numbers are sizes. */
function asked({ expr }: Call, operands: readonly Operand[], named: readonly string[]): Asked | null {
  const numbers = new Map<string, number>();
  const plain: Operand[] = [];
  let sizes: readonly Operand[] | null = null;
  const keyed = operands.some(({ value }) => value.kind === "key");
  for (const [i, operand] of operands.entries()) {
    const { value } = operand;
    // A generator stands before the arguments that are written.
    const word = expr.args[i - (operands.length - expr.args.length)]?.name?.text;
    const name = word === undefined ? null : (KEYWORDS.get(word) ?? word);
    const number = numberIn(operand);
    if (name !== null && name !== "shape" && number !== null) numbers.set(name, number);
    else if (value.kind === "sequence") sizes = value.items;
    else if (name === "shape") sizes = [operand];
    else if (name === null && number !== null) plain.push(operand);
    else if (value.kind === "tensor") return null;
  }
  // `np.random.uniform(-1, 1, 8)`: the last number is the size.
  if (!sizes && plain.length > named.length && named.length > 0) sizes = plain.splice(named.length);
  // `torch.randint(10, (4,))`: up to there.
  const names = named.length === 2 && named[0] === "lo" && plain.length === 1 ? ["hi"] : named;
  if (sizes)
    for (const [i, each] of plain.entries()) if (names[i] !== undefined) numbers.set(names[i], numberIn(each)!);
  const shape = wholeNumbers(sizes ?? (keyed ? [] : plain));
  return shape && { shape, numbers };
}

/** `jax.nn.initializers.normal(0.02)`: what draws so, of a key and a shape. */
function initializerOf(source: "randn" | "uniform", { expr }: Call, operands: readonly Operand[]): Value | null {
  const [scale] = operands;
  const isOne =
    operands.length === 1 && scale!.value.kind === "number" && !/size|shape/.test(expr.args[0]?.name?.text ?? "");
  if (!isOne || (scale!.value.kind === "number" && scale!.value.whole)) return null;
  const args = [{ name: null, operand: scale!, span: expr.span }];
  return { kind: "partial", of: drawsWith(source), args };
}

/** `torch.randn(4, 8)`, `jax.random.uniform(key, (4, 8), minval=-1)`. */
const drawn =
  (source: "randn" | "uniform", dtype: DType, named: readonly string[]): Known =>
  (interpreter, run, call, operands) => {
    if (operands.some(({ value }) => isBroken(value))) return BROKEN;
    const initializer = named.length > 0 ? initializerOf(source, call, operands) : null;
    if (initializer) return initializer;
    const found = asked(call, operands, named);
    if (!found) return null;
    const { shape, numbers } = found;
    const [std, mean] = [numbers.get("scale") ?? 1, numbers.get("loc") ?? 0];
    const bounds = { lo: numbers.get("lo") ?? 0, hi: numbers.get("hi") ?? 1 };
    const attrs: Attrs = source === "uniform" ? { source, ...bounds } : { source, ...(std !== 1 && { std }) };
    const type = { dtype, shape };
    if (mean === 0) return drawnInput(interpreter, run, call, attrs, type);
    const path = `${call.path}/0`;
    const around = { value: drawnInput(interpreter, run, { ...call, path }, attrs, type), path, expr: null };
    const shift = { value: numberValue(mean, false), path: `${call.path}/1`, expr: null };
    const op = opDef(BINARY_OPS.get("+")!);
    return applyOp(interpreter, run, { op, path: call.path, expr: call.expr }, { tensors: [around, shift], attrs: {} });
  };

/** `torch.Tensor(2, 3)`: of that shape, with whatever values. */
export const drawnOf = (dtype: DType): Known => drawn(dtype === "i32" ? "uniform" : "randn", dtype, []);

const key: Known = () => ({ kind: "key" });

/** The calls that draw, and those that make keys. `split` is among the calls that answer several things. */
export const RANDOM: readonly (readonly [string, Known])[] = [
  ["randn", drawn("randn", "f32", [])],
  ["normal", drawn("randn", "f32", ["loc", "scale"])],
  ["standard_normal", drawn("randn", "f32", [])],
  ["truncated_normal", drawn("randn", "f32", [])],
  ["rand", drawn("uniform", "f32", [])],
  ["uniform", drawn("uniform", "f32", ["lo", "hi"])],
  ["randint", drawn("uniform", "i32", ["lo", "hi"])],
  ["randn_like", drawnLike("randn")],
  ["rand_like", drawnLike("uniform")],
  ["PRNGKey", key],
  ["key", key],
  ["fold_in", key],
  ["default_rng", key],
  ["Generator", key],
];
