/** @file How training begins with a weight: as a function draws it, or as the program sets it in place, `nn.init.xavier_uniform_(w)`. */
import type { Attrs, NodeId, Shape } from "../../ir";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { constantStart, normalStart, startAttrs } from "../statements/starting-values";
import type { CallExpr, Expr } from "../reading/syntax";
import { openTrial } from "../trial";
import { type GivenArgument, numberValue, type Operand, type Value } from "../values/values";

/** How a weight begins that `draws` answers for a key and a shape; null where that is no draw or constant. */
export function beginOf(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: Expr; readonly path: string },
  draws: Value,
  shape: Shape,
): Attrs | null {
  if (draws.kind !== "def" && draws.kind !== "partial" && draws.kind !== "op") return null;
  const trial = openTrial(interpreter);
  const items = shape.map((extent): Operand => ({ value: numberValue(extent, true), path: "", expr: null }));
  const sizes: Value = { kind: "sequence", items };
  // `jnp.zeros` takes no key.
  const values: readonly Value[] = draws.kind === "op" ? [sizes] : [{ kind: "key" }, sizes];
  const args = values.map((value): GivenArgument => {
    return { name: null, operand: { value, path: "", expr: null }, span: expr.span };
  });
  const { span } = expr;
  const call: CallExpr = { kind: "call", span, callee: expr, args: [], open: span.to, close: span.to };
  const value = interpreter.call(run, { expr: call, path: `${path}/begin` }, draws, args);
  const begin = value.kind === "tensor" && !trial.hasErrors() ? startAttrs(interpreter, value.node) : null;
  trial.undo();
  // Each weight draws numbers of its own.
  return begin && { ...begin, seed: null };
}

/** From here on, training begins with this input as `begin` says. */
export function beginWith({ weightOf, begins }: Interpreter, input: NodeId, begin: Attrs): void {
  const weight = weightOf.get(input);
  if (weight) weight.named.begins.set(weight.key, begin);
  else begins.set(input, () => begin);
}

interface Fans {
  readonly fanIn: number;
  readonly fanOut: number;
}

/** How many terms each result of a weight sums, and each of its elements goes into, as PyTorch counts them. */
function fansOf(shape: Shape): Fans {
  const [out = 1, into = out, ...window] = shape;
  const inner = window.reduce((all, size) => all * size, 1);
  return { fanIn: into * inner, fanOut: out * inner };
}

const even = (most: number): Attrs => ({ source: "uniform", lo: -most, hi: most });
const normal = (std: number): Attrs => ({ source: "randn", std });
const GAINS: ReadonlyMap<string, number> = new Map([
  ["relu", Math.SQRT2],
  ["tanh", 5 / 3],
  ["selu", 3 / 4],
]);

/** What an init function is given behind its tensor. */
class InitArguments {
  private readonly args: readonly GivenArgument[];

  constructor(args: readonly GivenArgument[]) {
    this.args = args;
  }

  private value(at: number, names: readonly string[]): Value | undefined {
    return (
      this.args.find(({ name }) => name && names.includes(name.text)) ??
      (this.args[at]?.name ? undefined : this.args[at])
    )?.operand.value;
  }

  number(at: number, names: readonly string[], usual: number): number {
    const value = this.value(at, names);
    return value?.kind === "number" ? value.value : usual;
  }

  word(at: number, name: string, usual: string): string {
    const value = this.value(at, [name]);
    return value?.kind === "string" ? value.value : usual;
  }
}

const kaiming = (args: InitArguments, { fanIn, fanOut }: Fans): number => {
  const slope = args.number(0, ["a"], 0);
  const word = args.word(2, "nonlinearity", "leaky_relu");
  const gain = word === "leaky_relu" ? Math.sqrt(2 / (1 + slope * slope)) : (GAINS.get(word) ?? 1);
  return gain / Math.sqrt(args.word(1, "mode", "fan_in") === "fan_out" ? fanOut : fanIn);
};
const xavier = (args: InitArguments, { fanIn, fanOut }: Fans): number =>
  args.number(0, ["gain"], 1) * Math.sqrt(2 / (fanIn + fanOut));
const around = (args: InitArguments): Attrs | null =>
  normalStart(args.number(0, ["mean"], 0), args.number(1, ["std"], 1));

type Init = (args: InitArguments, fans: Fans) => Attrs | null;
const init = (name: string, begin: Init): [string, Init] => [name, begin];

/** PyTorch's init functions, and methods of tensors, that set every element; null: no input begins so. */
const INITS: ReadonlyMap<string, Init> = new Map([
  init("zeros_", () => constantStart(0)),
  init("zero_", () => constantStart(0)),
  init("ones_", () => constantStart(1)),
  init("constant_", (args) => constantStart(args.number(0, ["val"], 0))),
  init("fill_", (args) => constantStart(args.number(0, ["value"], 0))),
  init("normal_", around),
  init("trunc_normal_", around),
  init("uniform_", (args) => ({
    source: "uniform",
    lo: args.number(0, ["a", "from"], 0),
    hi: args.number(1, ["b", "to"], 1),
  })),
  init("xavier_normal_", (args, fans) => normal(xavier(args, fans))),
  init("xavier_uniform_", (args, fans) => even(Math.sqrt(3) * xavier(args, fans))),
  init("kaiming_normal_", (args, fans) => normal(kaiming(args, fans))),
  init("kaiming_uniform_", (args, fans) => even(Math.sqrt(3) * kaiming(args, fans))),
  // Of the same size; that rows are orthogonal is left out.
  init("orthogonal_", (args, { fanIn, fanOut }) =>
    normal(args.number(0, ["gain"], 1) / Math.sqrt(Math.max(fanIn, fanOut))),
  ),
]);

/** Whether PyTorch has an init function of that name. */
export const isInit = (name: string): boolean => INITS.has(name);

/** Whether it sets every element to one number. */
export const isFill = (name: string): boolean => /^(zeros?|ones|constant|fill)_$/.test(name);

const OF_DRAWS: ReadonlySet<string> = new Set(["source", "lo", "hi", "mean", "std", "values"]);

/** Attributes of an input but for how it is drawn. */
const without = (attrs: Attrs): Attrs =>
  Object.fromEntries(Object.entries(attrs).filter(([name]) => !OF_DRAWS.has(name)));

/** Sets how training begins with `tensor`, as the init function `name` says it; the tensor. */
export function initialise(
  interpreter: Interpreter,
  name: string,
  tensor: Extract<Value, { kind: "tensor" }>,
  args: readonly GivenArgument[],
): Value {
  const { shape } = typeOf(interpreter, tensor.node);
  const begin = INITS.get(name)!(new InitArguments(args), fansOf(shape));
  if (!begin) return tensor;
  beginWith(interpreter, tensor.node, begin);
  // What nothing has read yet is drawn so, whether or not it is trained.
  const { nodes, drawn, weightOf } = interpreter;
  const node = nodes.get(tensor.node)!;
  const isRead = [...nodes.values()].some(({ inputs }) => inputs.includes(node.id));
  if (drawn.has(node.id) && !weightOf.has(node.id) && !isRead)
    nodes.set(node.id, { ...node, attrs: { ...without(node.attrs), ...begin } });
  return tensor;
}
