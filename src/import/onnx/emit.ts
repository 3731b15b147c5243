/** @file Writes the typed language line by line, knowing every type on the way, and folds what is known already. */
import {
  type Attrs,
  type AttrValue,
  type DType,
  findOp,
  type Graph,
  type Node,
  nodeId,
  type NodeId,
  type OpDef,
  runReference,
  type Shape,
  sizeOf,
  type TensorType,
  withDefaults,
} from "../../fusion";
import type { HostTensor } from "./tensor";
import type { WholeKind } from "./whole-kinds";

const source = (id: NodeId, type: TensorType): Node => ({
  id,
  op: "input",
  inputs: [],
  attrs: { role: "input", source: "values" },
  type,
  label: id,
  origins: [id],
  groups: [],
});

/** Numbers of one op on known numbers, by the meaning that the reference interpreter gives it. */
function valuesOf(op: string, inputs: readonly HostTensor[], attrs: Attrs, type: TensorType): Float64Array | null {
  const ids = inputs.map((_, i) => nodeId(`in${i}`));
  const result = nodeId("out");
  const nodes = new Map<NodeId, Node>(
    inputs.map(({ dtype, dims }, i) => [ids[i]!, source(ids[i]!, { dtype, shape: dims })]),
  );
  nodes.set(result, { id: result, op, inputs: ids, attrs, type, label: op, origins: [result], groups: [] });
  const graph: Graph = { nodes, outputs: [result] };
  const values = runReference(graph, new Map(inputs.map(({ data }, i) => [ids[i]!, data])), { precision: "f64" });
  return values.get(result)?.data ?? null;
}

/** Arithmetic of int64 as that of f64, which has 53 of its digits; null where the result is no such number. */
function wideValues(op: string, inputs: readonly HostTensor[], attrs: Attrs, type: TensorType): Float64Array | null {
  if (findOp(op)?.kind !== "elementwise" || !inputs.some(({ wide }) => wide)) return null;
  const real = <T extends { readonly dtype: TensorType["dtype"] }>(one: T): T =>
    one.dtype === "i32" ? { ...one, dtype: "f32" } : one;
  const data = valuesOf(op, inputs.map(real), attrs, real(type));
  return data?.every(Number.isSafeInteger) ? data : null;
}

/** The folded result; null where the op can't be evaluated alone. int64 stays int64 through shape arithmetic. */
function foldOp(op: string, inputs: readonly HostTensor[], attrs: Attrs, type: TensorType): HostTensor | null {
  const wide = inputs.some((input) => input.wide) && type.dtype === "i32";
  const data = (wide ? wideValues(op, inputs, attrs, type) : null) ?? valuesOf(op, inputs, attrs, type);
  return data ? { dtype: type.dtype, dims: type.shape, data, wide } : null;
}

/** A value while importing: its name in the text (once it has one), its type, and its numbers where they are known. */
export interface Value {
  readonly name: string | null;
  readonly type: TensorType;
  readonly host: HostTensor | null;
  /** Model inputs that its numbers hang on; none when the numbers are known. */
  readonly from: ReadonlySet<string>;
  /** The model says f16, and it is worked with as f32: it may have more digits than an f16 has. */
  readonly half?: boolean;
  /** The model says so, and it is worked with as i32: an integer that is narrower or unsigned. */
  readonly whole?: WholeKind;
  /** A list of values, as ops on sequences pass on; it is no operand of anything else. */
  readonly items?: readonly Value[];
}

const NOWHERE: ReadonlySet<string> = new Set();
const union = (values: readonly Value[]): ReadonlySet<string> => {
  const sets = values.map(({ from }) => from).filter((from) => from.size > 0);
  return sets.length <= 1 ? (sets[0] ?? NOWHERE) : new Set(sets.flatMap((from) => [...from]));
};

/** Folding stops here: larger constants stay data that a run uploads. */
const FOLD_LIMIT = 1 << 20;
/** More elements than any device has bytes for. */
const MAX_ELEMENTS = 2 ** 31;
/** Whether some device could hold a tensor of this shape; damaged models state any. */
export const isPossible = (shape: Shape): boolean =>
  shape.every((extent) => Number.isInteger(extent) && extent >= 0) && sizeOf(shape) <= MAX_ELEMENTS;
/** Up to this many numbers are written out; longer constants are attached. */
const WRITTEN = 16;
/** Longer foreign names keep their end, which is what tells them apart. */
const NAME_LENGTH = 24;

const reserved = new Set([
  "return",
  "def",
  "for",
  "in",
  "range",
  "if",
  "else",
  "and",
  "or",
  "not",
  "is",
  "lambda",
  "class",
  "import",
  "from",
  "while",
  "with",
  "as",
  "pass",
  "None",
  "True",
  "False",
  "param",
  "const",
  "randn",
  "uniform",
  "zeros",
  "ones",
  "arange",
  "train",
  "eval",
  "f32",
  "f16",
  "i32",
  "bool",
  "global",
  "del",
  "try",
  "assert",
  "yield",
  "async",
  "await",
  "break",
  "continue",
  "except",
  "finally",
  "raise",
  "nonlocal",
  "elif",
  "print",
  "F",
  "nn",
  "torch",
  "jnp",
  "np",
  "jax",
  "self",
  "grad",
  "vjp",
  "jvp",
  "vmap",
  "checkpoint",
]);

export class Emitter {
  private readonly lines: string[] = [];
  /** Numbers that belong to inputs of the text, by name. */
  readonly data = new Map<string, HostTensor>();
  /** Names that some line reads. */
  private readonly read = new Set<string>();
  /** Lines to which numbers belong, by name. */
  private readonly stored = new Map<string, number>();
  /** Lines that declare parameters, by name. */
  private readonly declared = new Map<string, number>();
  /** Names of what calls compute. */
  readonly computed = new Set<string>();
  private readonly taken = new Set<string>(reserved);
  /** The next number behind a name that is taken. */
  private readonly counted = new Map<string, number>();
  private failure: string | null = null;
  /** Numbers that were drawn so far, by the seeds of a file that states none for each. */
  draws = 0;
  /** Model inputs whose numbers decide shapes or attributes. */
  readonly wanted = new Set<string>();
  /** Between inputs and results f16 is f32. */
  private readonly wide: boolean;

  constructor(wideHalves = false) {
    this.wide = wideHalves;
  }

  /** Remembers the first reason; the rule goes on with a value of any type and its answer is dropped. */
  fail(why: string): Value {
    this.failure ??= why;
    return { name: "...", type: { dtype: "f32", shape: [] }, host: null, from: NOWHERE };
  }

  /** Numbers that are wanted while importing and hang on model inputs. */
  wants(value: Value): void {
    for (const input of value.from) this.wanted.add(input);
  }

  /** How many lines there are: where to go back to. */
  get length(): number {
    return this.lines.length;
  }

  /** Drops the lines from `length` on: what was written for a node that is refused in the end. */
  backTo(length: number): void {
    this.lines.length = length;
    for (const lines of [this.stored, this.declared])
      for (const [name, line] of lines) if (line >= length && lines.delete(name)) this.data.delete(name);
  }

  takeFailure(): string | null {
    const why = this.failure;
    this.failure = null;
    return why;
  }

  /** An identifier for a foreign name, unused so far. */
  fresh(hint: string): string {
    const clean = hint
      .replaceAll(/[^A-Za-z0-9_]+/g, "_")
      .replace(/^_+/, "")
      .replace(/_+$/, "");
    const short =
      clean.length <= NAME_LENGTH ? clean : clean.slice(-NAME_LENGTH).replace(/^[A-Za-z0-9]*_(?=[A-Za-z])/, "");
    const stem = /^[A-Za-z]/.test(short) ? short : `v${short}`;
    for (let n = this.counted.get(stem) ?? 0; ; n++) {
      const name = n === 0 ? stem : `${stem}_${n}`;
      if (this.taken.has(name) || findOp(name)) continue;
      this.taken.add(name);
      this.counted.set(stem, n + 1);
      return name;
    }
  }

  /** `remark` stands behind its line. */
  input(hint: string, type: TensorType, role: "input" | "param", remark = ""): Value {
    const name = this.fresh(hint);
    if (role === "param") this.declared.set(name, this.lines.length);
    this.lines.push(
      `${name}: ${type.dtype}[${type.shape.join(", ")}]${role === "param" ? " = param()" : ""}${remark === "" ? "" : `  # ${remark}`}`,
    );
    return { name, type, host: null, from: new Set(role === "input" ? [hint] : []) };
  }

  /** Numbers drawn while a run is set up; `source` says from what, `uniform(0, 1, seed=3)`. */
  drawn(hint: string, shape: Shape, source: string): Value {
    if (!isPossible(shape)) return this.fail(`a result of ${shape.join("×")}`);
    const name = this.fresh(hint);
    this.lines.push(`${name}: f32[${shape.join(", ")}] = ${source}`);
    return { name, type: { dtype: "f32", shape }, host: null, from: NOWHERE };
  }

  host(given: HostTensor): Value {
    const dtype = this.inside(given.dtype);
    const host = dtype === given.dtype ? given : { ...given, dtype };
    const whole = host.whole ? { whole: host.whole } : {};
    return { name: null, type: { dtype: host.dtype, shape: host.dims }, host, from: NOWHERE, ...whole };
  }

  /** The dtype that values of `dtype` have on the way. */
  inside(dtype: DType): DType {
    return this.wide && dtype === "f16" ? "f32" : dtype;
  }

  /** A value that came in, as it is worked with. */
  widened(hint: string, value: Value): Value {
    const dtype = this.inside(value.type.dtype);
    return dtype === value.type.dtype ? value : { ...this.op(hint, "cast", [value], { dtype }), half: true };
  }

  /** A value as the model has it: what the model says is f16 is rounded to one, however it is worked with. */
  settled(hint: string, value: Value): Value {
    if (!value.half) return value;
    const rounded = this.op(hint, "cast", [value], { dtype: "f16" });
    return { ...this.op(hint, "cast", [rounded], { dtype: "f32" }), half: false };
  }

  /** A value that goes out as `dtype`. */
  narrowed(hint: string, value: Value, dtype: DType | undefined): Value {
    if (!this.wide || dtype !== "f16" || value.type.dtype === "f16") return value;
    if (value.host && value.name === null)
      return { ...value, type: { ...value.type, dtype }, host: { ...value.host, dtype } };
    return this.op(hint, "cast", [value], { dtype });
  }

  /** Small integers for shapes and axes. */
  ints(values: readonly number[], scalar = false): Value {
    return this.host({
      dtype: "i32",
      dims: scalar ? [] : [values.length],
      data: Float64Array.from(values),
      wide: true,
    });
  }

  /** A list of values: nothing is written for it. */
  list(items: readonly Value[]): Value {
    return { name: null, type: { dtype: "f32", shape: [] }, host: null, from: union(items), items };
  }

  scalar(value: number, dtype: DType = "f32"): Value {
    return this.host({ dtype, dims: [], data: Float64Array.of(value), wide: false });
  }

  /** Numbers that are known: written out, or those of a weight. */
  numbersOf({ host, name }: Value): HostTensor | null {
    return host ?? (name === null ? null : (this.data.get(name) ?? null));
  }

  /** All lines and what is returned; weights that only steered shapes are not declared. */
  text(returned: readonly string[]): string {
    const lines = this.linesRead(returned);
    if (returned.length > 0) lines.push(`return ${returned.join(", ")}`);
    return `${lines.join("\n")}\n`;
  }

  /** The same with all that is computed as a function of `given`, and `after` behind it. */
  textOfFunction(
    name: string,
    given: readonly string[],
    returned: readonly string[],
    after: readonly string[],
  ): string {
    const lines = this.linesRead(returned);
    const declares = (line: string): boolean => /^\w+: /.test(line);
    const body = lines.filter((line) => !declares(line)).map((line) => `    ${line}`);
    const own = [`def ${name}(${given.join(", ")}):`, ...body, `    return ${returned.join(", ")}`];
    return `${[...lines.filter(declares), ...own, ...after].join("\n")}\n`;
  }

  private linesRead(returned: readonly string[]): string[] {
    const read = new Set([...this.read, ...returned]);
    const idle = new Set<number>();
    for (const [name, line] of this.declared) {
      if (read.has(name)) continue;
      idle.add(line);
      this.data.delete(name);
    }
    return this.lines.filter((_, i) => !idle.has(i));
  }

  /** How a value is written as an operand; a known one is written out or declared first. */
  private operand(value: Value, hint: string): string {
    if (value.name !== null) {
      this.read.add(value.name);
      return value.name;
    }
    const { dtype, dims, data } = value.host!;
    if (dtype === "i32" && data.some((x) => x !== (x | 0))) return this.fail("numbers beyond 32 bits").name!;
    if (dims.length === 0) {
      if (dtype === "bool") return data[0] ? "True" : "False";
      return dtype === "i32" ? String(data[0]) : literal(data[0]!);
    }
    const counted = progression(value.host!);
    if (counted) {
      const { name } = this.op(hint, "reshape", [this.op(hint, "iota", [], counted)], { shape: dims });
      return name!;
    }
    const name = this.fresh(hint);
    const written = data.length <= WRITTEN && dims.length <= 1 && data.every((x) => Number.isFinite(x));
    this.lines.push(
      `${name}: ${dtype}[${dims.join(", ")}] = ${written ? `const([${Array.from(data, (x) => (dtype === "i32" ? String(x) : literal(x))).join(", ")}])` : "param()"}`,
    );
    if (!written) {
      this.stored.set(name, this.lines.length - 1);
      this.data.set(name, value.host!);
    }
    return name;
  }

  /** Gives a known value a name, for several readers. */
  named(value: Value, hint: string): Value {
    if (value.name !== null || value.type.shape.length === 0) return value;
    return { ...value, name: this.operand(value, hint) };
  }

  /** One call; folded when every operand is known. Attributes are written by their canonical names, those with their usual value not at all. */
  op(hint: string, op: string, inputs: readonly (Value | null)[], attrs: Attrs = {}): Value {
    const def = findOp(op);
    if (!def) return this.fail(`the op ${op}`);
    const all = withDefaults(def, attrs);
    const present = inputs.filter((value) => value !== null);
    if (present.some(({ items }) => items)) return this.fail("a list of values as an operand");
    const type =
      def.kind === "composite"
        ? def.infer(
            inputs.map((value) => value && value.type),
            all,
          )
        : def.infer(
            present.map((value) => value.type),
            all,
          );
    if (!type.ok) return this.fail(type.text);
    if (!isPossible(type.value.shape)) return this.fail(`a result of ${type.value.shape.join("×")}`);
    if (
      def.kind !== "composite" &&
      present.length > 0 &&
      present.every((value) => value.host) &&
      sizeOf(type.value.shape) <= FOLD_LIMIT
    ) {
      const folded = foldOp(
        op,
        present.map((value) => value.host!),
        all,
        type.value,
      );
      if (folded) return this.host(folded);
    }
    const plain = def.kind === "elementwise" ? inputs.map((value) => bare(value, present)) : inputs;
    const operands = plain.map((value) => (value ? this.operand(value, `${hint}_c`) : "None"));
    while (operands.at(-1) === "None") operands.pop();
    const list = def.params.find(({ kind }) => kind === "tensors");
    const listed = list
      ? [`${list === def.params[0] ? "" : `${list.names[0]}=`}[${operands.join(", ")}]`]
      : operands.map((operand, i) => `${keyword(def, i)}${operand}`);
    const usual = withDefaults(def, {});
    const named = Object.entries(attrs).flatMap(([key, value]) =>
      value === null || shortest(value) === usual[key] ? [] : [`${key}=${attribute(value)}`],
    );
    const name = this.fresh(hint);
    this.computed.add(name);
    this.lines.push(`${name} = ${spelled(def)}(${[...listed, ...named].join(", ")})`);
    const half = type.value.dtype === "f32" && present.some((value) => value.half);
    return { name, type: type.value, host: null, from: union(present), ...(half ? { half } : {}) };
  }

  /** What one number, or the sum of a tensor, changes by when each of `wrt` does. */
  gradients(hints: readonly string[], of: Value, wrt: readonly Value[]): Value[] {
    const constant = [of, ...wrt].some(({ name, items }) => name === null || items);
    if (constant || of.type.dtype === "i32" || of.type.dtype === "bool")
      return wrt.map(() => this.fail("a derivative of or by a constant"));
    const total = of.type.shape.length === 0 ? of : this.op(`${of.name}_sum`, "sum", [of]);
    for (const { name } of [total, ...wrt]) this.read.add(name!);
    const names = hints.map((hint) => this.fresh(hint));
    const several = (list: readonly string[]): string => `(${list.join(", ")}${list.length === 1 ? "," : ""})`;
    const asked = several(wrt.map(({ name }) => name!));
    for (const name of names) this.computed.add(name);
    this.lines.push(`${several(names)} = torch.autograd.grad(${total.name}, ${asked})`);
    return wrt.map(({ type }, i) => ({ name: names[i]!, type, host: null, from: of.from }));
  }

  shapeTo(hint: string, value: Value, shape: Shape): Value {
    const same = value.type.shape.length === shape.length && shape.every((extent, i) => extent === value.type.shape[i]);
    const { whole } = value;
    return same ? value : { ...this.op(hint, "reshape", [value], { shape }), ...(whole ? { whole } : {}) };
  }
}

/** What stands before operand `i`: its name where an attribute comes before it. */
function keyword({ params }: Pick<OpDef, "params">, i: number): string {
  const tensors = params.flatMap(({ kind, names }, at) => (kind === "tensor" ? [{ at, name: names[0] }] : []));
  const own = tensors[i];
  return !own || own.at === i ? "" : `${own.name}=`;
}

/** A single number that meets a larger operand needs no axes: it is written where it is used. */
function bare(value: Value | null, others: readonly Value[]): Value | null {
  if (!value?.host || value.name !== null || value.host.data.length !== 1) return value;
  const rank = value.type.shape.length;
  const meets = others.some(({ host, type }) => !host && type.shape.length >= rank && type.dtype === value.type.dtype);
  return rank > 0 && meets
    ? { ...value, type: { ...value.type, shape: [] }, host: { ...value.host, dims: [] } }
    : value;
}

/** `and`, `or` and `not` are operators of the language: as calls they go by another of their names. */
const spelled = ({ name, aliases }: { readonly name: string; readonly aliases?: readonly string[] }): string =>
  reserved.has(name) ? (aliases?.[0] ?? name) : name;

/** Whole numbers in even steps: made from the index, they need no memory. */
function progression({ dtype, data }: HostTensor): { start: number; stop: number; step: number; dtype: DType } | null {
  const [first, second] = data;
  if (data.length < 3 || dtype === "bool" || dtype === "f16") return null;
  const step = second! - first!;
  if (step === 0 || !Number.isInteger(step) || !data.every((value, i) => value === first! + i * step)) return null;
  if (!Number.isInteger(first) || Math.abs(first!) + Math.abs(step) * data.length > 2 ** 23) return null;
  return { start: first!, stop: first! + step * data.length, step, dtype };
}

/** An f32 as the decimal that one writes for it: 1e-5, not 9.999999747378752e-6. */
function shortest(value: AttrValue): AttrValue {
  if (typeof value !== "number" || Number.isInteger(value) || Math.fround(value) !== value) return value;
  const digits = [1, 2, 3, 4, 5, 6, 7, 8].find((count) => Math.fround(Number(value.toPrecision(count))) === value);
  return digits === undefined ? value : Number(value.toPrecision(digits));
}

function attribute(given: NonNullable<AttrValue>): string {
  const value = shortest(given)!;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number")
    return Number.isInteger(value) && Number.isFinite(value) ? String(value) : literal(value);
  if (typeof value === "string") return JSON.stringify(value);
  return `(${value.join(", ")}${value.length === 1 ? "," : ""})`;
}

/** A float that reads back as itself. */
function literal(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  if (!Number.isFinite(value)) return `float("${value > 0 ? "inf" : value < 0 ? "-inf" : "nan"}")`;
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
