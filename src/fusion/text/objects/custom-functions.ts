/** @file What makes functions with a derivative that the program writes itself: JAX's decorators and their rules, the `apply` of PyTorch's classes. */
import type { Interpreter } from "../interpreter";
import { lastNameOf } from "../reading/syntax";
import {
  BROKEN,
  type ClassInfo,
  type CustomFunction,
  describe,
  type GivenArgument,
  isBroken,
  itemsIn,
  NONE,
  type Value,
} from "../values/values";
import { inherited, lineOf } from "./inheritance";

const STYLES: ReadonlySet<string> = new Set(["custom_vjp", "custom_jvp", "custom_gradient"]);
type Style = CustomFunction["style"];
export const isCustom = (name: string): name is Style => STYLES.has(name);

/** `jax.custom_vjp(f, nondiff_argnums=(1,))`. */
export function customFunction(interpreter: Interpreter, style: Style, args: readonly GivenArgument[]): Value {
  const [f, ...rest] = args;
  const { value } = f!.operand;
  if (isBroken(value)) return BROKEN;
  if (value.kind !== "def" && value.kind !== "partial") {
    const text = `${style} takes a def; this is ${describe(value)}.`;
    interpreter.diagnostics.add("bad-argument", f!.span, text);
    return BROKEN;
  }
  const said = rest.find(({ name }) => name?.text === "nondiff_argnums")?.operand.value;
  const fixed = said ? itemsIn(said).flatMap((each) => (each.kind === "number" ? [each.value] : [])) : [];
  const name = value.kind === "def" ? value.def.name.text : style;
  return { kind: "custom", custom: { name, style, forward: value, fixed: new Set(fixed), rules: [] } };
}

const RULES: ReadonlySet<string> = new Set(["defvjp", "defjvp", "defjvps"]);
export const isRule = (name: string): boolean => RULES.has(name);

/** `f.defvjp(forward, backward)`; what a decorator `@f.defjvp` makes of its def is that def. */
export function setRules(custom: CustomFunction, name: string, args: readonly GivenArgument[]): Value {
  custom.rules = args
    .filter((arg) => !arg.name || arg.name.text !== "symbolic_zeros")
    .map(({ operand }) => operand.value);
  custom.apart = name === "defjvps";
  return custom.rules[0] ?? NONE;
}

/** Whether a class is a function with a backward of its own. */
export const isFunctionClass = (of: ClassInfo): boolean =>
  inherited(of, "forward") !== null &&
  lineOf(of).some(({ statement }) => statement.bases.some((base) => lastNameOf(base) === "Function"));

const made = new WeakMap<ClassInfo, CustomFunction>();

/** `Round.apply`. */
export function applyOf(of: ClassInfo): Value {
  const known = made.get(of);
  if (known) return { kind: "custom", custom: known };
  const [forward, backward, context] = ["forward", "backward", "setup_context"].map(
    (name) => inherited(of, name)?.operand.value ?? NONE,
  ) as [Value, Value, Value];
  const custom: CustomFunction = {
    name: of.name,
    style: "Function",
    forward,
    fixed: new Set(),
    rules: [inherited(of, "vjp")?.operand.value ?? backward, context],
  };
  made.set(of, custom);
  return { kind: "custom", custom };
}
