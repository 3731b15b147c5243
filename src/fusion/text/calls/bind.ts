/** @file Arguments to parameters: positions, every spelling of a keyword, defaults, and what to say when they don't fit. */
import type { AttrValue, Attrs, Span } from "../../ir";
import type { CompositeDef, OpDef, Param } from "../../ops";
import type { Interpreter } from "../interpreter";
import { ARGUMENT_ADVICE } from "./names";
import { standInFor } from "../values/stand-ins";
import { nearest } from "../suggest";
import { asWritten } from "../values/written-numbers";
import { describe, type GivenArgument, isBroken, isOperand, type Operand, type Value } from "../values/values";

export interface Bound {
  /** Aligned with the op's tensor parameters; a `tensors` parameter gives its tensors one by one. */
  readonly tensors: readonly (Operand | null)[];
  readonly attrs: Attrs;
}

/** What says where and how a library computes, and changes no value. */
const IDLE: ReadonlySet<string> = new Set([
  "inplace",
  "out",
  "device",
  "requires_grad",
  "memory_format",
  "layout",
  "pin_memory",
  "non_blocking",
  "copy",
  "precision",
  "optimize",
  "total_repeat_length",
  "padding_idx",
]);

const PRINTED: Readonly<Record<Param["kind"], string>> = {
  tensor: "a tensor",
  tensors: "a list of tensors",
  int: "a whole number",
  axis: "a whole number",
  float: "a number",
  bool: "True or False",
  string: "a text in quotes",
  axes: "an axis or a tuple of axes",
  shape: "a tuple of sizes",
  ints: "a tuple of whole numbers",
  dtype: "a type: f32, f16, i32 or bool",
};

function wholeNumbers(value: Value, { none, nested }: Pick<Param, "none" | "nested"> = {}): readonly number[] | null {
  if (value.kind === "number") return value.whole || Number.isInteger(value.value) ? [value.value] : null;
  if (value.kind !== "sequence") return null;
  const numbers: number[] = [];
  for (const { value: item } of value.items) {
    if (item.kind === "number" && Number.isInteger(item.value)) numbers.push(item.value);
    else if (item.kind === "none" && none !== undefined) numbers.push(none);
    else {
      const inner = nested && item.kind === "sequence" ? wholeNumbers(item) : null;
      if (inner === null) return null;
      numbers.push(...inner);
    }
  }
  return numbers;
}

/** `value` as the parameter asks; undefined when it can't be. */
export function coerce(value: Value, param: Pick<Param, "kind" | "none" | "nested" | "bools">): AttrValue | undefined {
  if (value.kind === "none") return null;
  switch (param.kind) {
    case "int":
    case "axis":
      return value.kind === "number" && Number.isInteger(value.value) ? value.value : undefined;
    case "float":
      return value.kind === "number" ? value.value : value.kind === "bool" ? Number(value.value) : undefined;
    case "bool":
      return value.kind === "bool" ? value.value : value.kind === "number" ? value.value !== 0 : undefined;
    case "string":
      if (value.kind === "bool") return param.bools?.[value.value ? 1 : 0];
      return value.kind === "string" ? value.value : undefined;
    case "dtype":
      return value.kind === "dtype" ? value.dtype : value.kind === "string" ? value.value : undefined;
    case "axes":
    case "shape":
    case "ints":
      return wholeNumbers(value, param) ?? undefined;
    case "tensor":
    case "tensors":
      return undefined;
  }
}

const INTEGERS: ReadonlySet<Param["kind"]> = new Set(["int", "ints", "axis", "axes", "shape"]);
const isTensorKind = ({ kind }: Param): boolean => kind === "tensor" || kind === "tensors";
export const isRequired = (param: Param): boolean => param.default === undefined;

/** PyTorch's second argument of a norm: a tuple or a whole number where a tensor is optional is the normalised shape. */
function normalisedShape({ params }: OpDef | CompositeDef, { value }: Operand, position: number): Param | null {
  if (position !== 1 || (value.kind !== "sequence" && value.kind !== "number") || !wholeNumbers(value)) return null;
  return params[1]?.kind === "tensor" && !isRequired(params[1])
    ? (params.find(({ names }) => names.includes("normalized_shape")) ?? null)
    : null;
}

class Binder {
  readonly given = new Map<Param, GivenArgument>();
  ok = true;

  private readonly interpreter: Interpreter;
  private readonly op: OpDef | CompositeDef;
  private readonly span: Span;

  constructor(interpreter: Interpreter, op: OpDef | CompositeDef, span: Span) {
    this.interpreter = interpreter;
    this.op = op;
    this.span = span;
  }

  fail(
    code: string,
    span: Span,
    text: string,
    fixes?: readonly { title: string; edits: readonly { span: Span; insert: string }[] }[],
  ): void {
    this.ok = false;
    this.interpreter.diagnostics.add(code, span, text, fixes ? { fixes } : {});
  }

  /** What an argument should be, and what it is. */
  private mustBe(param: Param, { span, operand: { value } }: GivenArgument): void {
    const hint =
      value.kind === "tensor" ? " The graph's shapes are fixed before it runs, so it can't be computed from data." : "";
    const text = `\`${param.names[0]!}\` of ${this.op.name} must be ${PRINTED[param.kind]}; this is ${describe(value)}.${hint}`;
    this.fail("bad-argument", span, text);
  }

  /** `F.dropout(x, p, self.training)`: a truth value where the order here has a whole number is what the next parameter asks for that is one. */
  private meantHere(param: Param | undefined, { operand: { value } }: GivenArgument): Param | undefined {
    if (param?.kind !== "int" || value.kind !== "bool") return param;
    const { params } = this.op;
    return params.slice(params.indexOf(param)).find(({ kind }) => kind === "bool") ?? param;
  }

  positional(args: readonly GivenArgument[]): void {
    const { params, name } = this.op;
    let next = 0;
    for (let i = 0; i < args.length; i++) {
      const arg = args[i]!;
      const shape = normalisedShape(this.op, arg.operand, i);
      if (shape) {
        this.given.set(shape, arg);
        continue;
      }
      const param = this.meantHere(params[next++], arg);
      const last = params.at(-1);
      // A tensor among the sizes of `x.view(b, n, -1)`.
      if (!param && last?.variadic && last.kind !== "tensors" && this.written(arg.operand.value).kind === "tensor")
        return this.mustBe(last, arg);
      if (!param) {
        const most = params.length === 1 ? "one argument" : `at most ${params.length} arguments`;
        this.fail("too-many-arguments", arg.span, `${name} takes ${most}; this is number ${i + 1}.`);
        return;
      }
      const joins =
        param.variadic === true && arg.operand.value.kind !== "sequence" && arg.operand.value.kind !== "none";
      if (!joins) {
        this.given.set(param, arg);
        continue;
      }
      const rest = args.slice(i);
      const kind = rest.findIndex(({ operand }) =>
        param.kind === "tensors" ? !isOperand(operand.value) : this.written(operand.value).kind !== "number",
      );
      const joined = kind < 0 ? rest : rest.slice(0, Math.max(kind, 1));
      const items = joined.map(({ operand }) => operand);
      this.given.set(param, {
        name: null,
        operand: { value: { kind: "sequence", items }, path: arg.operand.path, expr: null },
        span: { from: arg.span.from, to: joined.at(-1)!.span.to },
      });
      i += joined.length - 1;
    }
  }

  keyword(arg: GivenArgument): void {
    const { params, name } = this.op;
    const word = arg.name!;
    const param = params.find(({ names }) => names.includes(word.text));
    // What is asked of nothing, `where=None`, asks for nothing, and `order="C"` for the order that there is.
    const { value } = arg.operand;
    const isUsual = word.text === "order" && value.kind === "string" && value.value !== "F";
    if (!param && (IDLE.has(word.text) || value.kind === "none" || isUsual)) return;
    if (!param) {
      const near = nearest(
        word.text,
        params.flatMap(({ names }) => names),
      );
      const known = params.map(({ names }) => `\`${names[0]}\``).join(", ");
      this.fail(
        "unknown-argument",
        word.span,
        `${name} has no argument \`${word.text}\`. ${near ? `Did you mean \`${near}\`?` : (ARGUMENT_ADVICE.get(word.text) ?? `It has ${known}.`)}`,
        near ? [{ title: `Change to ${near}`, edits: [{ span: word.span, insert: near }] }] : undefined,
      );
      return;
    }
    if (this.given.has(param)) this.fail("argument-twice", arg.span, `\`${word.text}\` is given twice.`);
    this.given.set(param, arg);
  }

  /** A tensor parameter's operands: one, or the list's; null stands for "not given". */
  tensors(param: Param): readonly (Operand | null)[] {
    const arg = this.given.get(param);
    if (!arg || arg.operand.value.kind === "none") {
      if (isRequired(param)) this.missing(param);
      return [null];
    }
    const { value } = arg.operand;
    const items = param.kind === "tensors" && value.kind === "sequence" ? value.items : [arg.operand];
    for (const item of items) {
      if (isOperand(item.value) || isBroken(item.value)) continue;
      this.fail(
        "bad-argument",
        item.expr?.span ?? arg.span,
        `${this.op.name} needs a tensor as \`${param.names[0]}\`; this is ${describe(item.value)}.`,
      );
    }
    return items;
  }

  attr(param: Param): AttrValue | undefined {
    const arg = this.given.get(param);
    const name = param.names[0]!;
    if (!arg) {
      if (this.interpreter.training !== null && (name === "training" || name === "train"))
        return this.interpreter.training;
      if (isRequired(param)) this.missing(param);
      return param.default;
    }
    const { value: given } = arg.operand;
    const other =
      param.kind === "dtype" && given.kind === "string" && standInFor(this.interpreter, arg.span, given.value);
    let value = other || coerce(given, param);
    if (value === undefined && INTEGERS.has(param.kind)) value = coerce(this.written(given), param);
    if (value !== undefined) return value;
    this.mustBe(param, arg);
    return undefined;
  }

  /** With the numbers of tensors that stand in the text, `torch.zeros(lengths.max(), 8)`. */
  private written(value: Value): Value {
    if (value.kind === "tensor") return asWritten(this.interpreter, value) ?? value;
    if (value.kind !== "sequence") return value;
    return { ...value, items: value.items.map((item) => ({ ...item, value: this.written(item.value) })) };
  }

  private missing(param: Param): void {
    const { name } = this.op;
    const what = isTensorKind(param)
      ? `the tensor \`${param.names[0]}\``
      : `\`${param.names[0]}\`, ${PRINTED[param.kind]}`;
    this.fail("missing-argument", this.span, `${name} still needs ${what}: ${param.doc}`);
  }
}

/**
 * Binds `args` (the receiver of a method first) to the parameters of `op`.
 * @param defaults of parameters whose default the library of the call's prefix has otherwise
 * @returns null when they don't fit, which a diagnostic then says, or when an argument is broken already
 */
export function bindArguments(
  interpreter: Interpreter,
  op: OpDef | CompositeDef,
  args: readonly GivenArgument[],
  span: Span,
  defaults: Attrs = {},
): Bound | null {
  const binder = new Binder(interpreter, op, span);
  // Where a broken argument would have gone, nobody knows: what stands after it is not blamed.
  if (!args.some((arg) => arg.name === null && isBroken(arg.operand.value)))
    binder.positional(args.filter((arg) => arg.name === null));
  for (const arg of args) if (arg.name) binder.keyword(arg);
  if (args.some((arg) => isBroken(arg.operand.value))) return null;
  if (!binder.ok) return null;
  const tensors: (Operand | null)[] = [];
  const attrs: Record<string, AttrValue> = {};
  for (const param of op.params) {
    if (isTensorKind(param)) tensors.push(...binder.tensors(param));
    else {
      const value = binder.given.has(param) ? binder.attr(param) : (defaults[param.names[0]!] ?? binder.attr(param));
      if (value !== undefined) attrs[param.names[0]!] = value;
    }
  }
  // `arange(3.)`: a number with a point makes floats, whatever its value.
  const pointed = ({ operand: { value } }: GivenArgument): boolean =>
    value.kind === "number" && !value.whole && Number.isInteger(value.value);
  if (op.kind !== "composite" && attrs["dtype"] === null && op.params.some(isMeasure) && args.some(pointed))
    attrs["dtype"] = "f32";
  return binder.ok ? { tensors, attrs } : null;
}

/** Whether a parameter is a number whose own type is that of the result. */
const isMeasure = ({ kind }: Param): boolean => kind === "float";
