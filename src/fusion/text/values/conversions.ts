/** @file `x.to(...)`, `x.double()`, `x.bfloat16()`: conversions of types, and moves between devices, which change no value. */
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { castTo } from "../calls/member";
import { ADVICE, DTYPES, OTHER_DTYPES } from "../calls/names";
import type { CallExpr, Identifier } from "../reading/syntax";
import { standInFor } from "./stand-ins";
import { BROKEN, type GivenArgument, type Operand, type Value } from "./values";

const CONVERSIONS: ReadonlySet<string> = new Set(["to", "type", "astype", "type_as"]);
/** Casts that are called without an argument and are no dtype here. */
const METHODS: ReadonlySet<string> = new Set(["double", "bfloat16", "char", "byte", "short"]);

/** Whether a method of this name converts its tensor. */
export const isConversion = (name: string, count: number): boolean =>
  CONVERSIONS.has(name) || (METHODS.has(name) && count === 0);

/**
 * The tensor in the type that the arguments name; the tensor itself where they name a device.
 * @returns null where an argument is neither, which the op `cast` then says
 */
export function convert(
  interpreter: Interpreter,
  run: StatementRun,
  call: { readonly expr: CallExpr; readonly path: string; readonly name: Identifier },
  receiver: Operand,
  args: readonly GivenArgument[],
): Value | null {
  const { name } = call;
  const stood = METHODS.has(name.text) && standInFor(interpreter, name.span, name.text);
  if (stood) return castTo(interpreter, run, call, receiver, stood);
  const said = args.filter((arg) => arg.name === null || arg.name.text === "dtype" || arg.name.text === "other");
  for (const { operand } of said) {
    const { value } = operand;
    if (value.kind === "broken") return BROKEN;
    if (value.kind === "dtype") return castTo(interpreter, run, call, receiver, value.dtype);
    if (value.kind === "tensor") return castTo(interpreter, run, call, receiver, typeOf(interpreter, value.node).dtype);
    if (value.kind !== "string") continue;
    const plain = value.value.replace(/^torch\./, "");
    const dtype = DTYPES.get(plain);
    if (dtype) return castTo(interpreter, run, call, receiver, dtype);
    const other = standInFor(interpreter, name.span, plain);
    if (other) return castTo(interpreter, run, call, receiver, other);
    if (OTHER_DTYPES.test(plain)) {
      const instead = plain.startsWith("complex") ? ADVICE.get("fft") : "Types here are f32, f16, i32 and bool.";
      interpreter.diagnostics.add("bad-argument", call.name.span, `There is no ${plain} here. ${instead}`);
      return BROKEN;
    }
    // Anything else is the name of a device: "cuda", "cuda:1", "mps", or one made of parts.
  }
  const moves = args.every(({ name: word, operand: { value } }) =>
    word ? word.text !== "dtype" : value.kind === "string" || value.kind === "number" || value.kind === "none",
  );
  return moves && args.length > 0 && name.text === "to" ? receiver.value : null;
}
