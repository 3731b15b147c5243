/** @file A graph as text: one line a node, in one spelling, so that equal graphs are equal texts. */
import {
  type Attrs,
  type AttrValue,
  type DType,
  type Graph,
  isHole,
  isInput,
  isLiteral,
  type Node,
  type NodeId,
  asWord,
} from "../ir";
import { node, showType, topological, usesOf } from "../ir";
import type { OpDef, Param } from "../ops";
import { opDef } from "../ops";
import { literalType } from "./interpreter";
import { BINARY_OPS, DTYPES, isIdentifier, MODULES, NUMBERS, SOURCES, spellingOf, UNARY_OPS } from "./calls/names";
import { numberValue } from "./values/values";

const reserved = (name: string): boolean =>
  DTYPES.has(name) ||
  MODULES.has(name) ||
  NUMBERS.has(name) ||
  SOURCES.has(name) ||
  name === "self" ||
  name === "range";

/** Python words spell two of them a second time; the sign is the canonical one. */
const isWord = (sign: string): boolean => /^\w/.test(sign);
const SIGNS: ReadonlyMap<string, string> = new Map(
  [...BINARY_OPS].flatMap(([sign, op]): [string, string][] => (isWord(sign) ? [] : [[op, sign]])),
);
const PREFIXES: ReadonlyMap<string, string> = new Map(
  [...UNARY_OPS].flatMap(([sign, op]): [string, string][] => (isWord(sign) ? [] : [[op, sign]])),
);

/** A number the parser reads back as the same one; `point` keeps a whole number from being read as an integer. */
function showNumber(value: number, point: boolean): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "(-inf)" : "inf";
  const digits = `${Math.abs(value)}`;
  const text = point && /^\d+$/.test(digits) ? `${digits}.0` : digits;
  return value < 0 || Object.is(value, -0) ? `(-${text})` : text;
}

/** A constant as an operand beside operands of types `partners`. */
function showConst(constant: Node, partners: readonly DType[], alone: boolean): string {
  const value = Number(constant.attrs["value"]);
  const { dtype } = constant.type;
  if (dtype === "bool" && (value === 0 || value === 1) && !alone) {
    if (literalType({ kind: "bool", value: value === 1 }, partners) === "bool") return value === 1 ? "True" : "False";
  }
  const whole = Number.isInteger(value) && !Object.is(value, -0);
  if (!alone && whole && literalType(numberValue(value, true), partners) === dtype) return showNumber(value, false);
  if (!alone && literalType(numberValue(value, false), partners) === dtype) return showNumber(value, true);
  return `${dtype}(${showNumber(value, !whole)})`;
}

export function showAttr(value: AttrValue, kind: Param["kind"]): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return kind === "dtype" ? value : `"${value}"`;
  if (typeof value === "number" && (kind === "axes" || kind === "shape" || kind === "ints"))
    return showAttr([value], kind);
  if (typeof value === "number") return showNumber(value, kind === "float").replaceAll(/[()]/g, "");
  const items = value.map((item) => showNumber(item, false).replaceAll(/[()]/g, ""));
  return `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
}

const sameAttr = (a: AttrValue | undefined, b: AttrValue | undefined): boolean =>
  a === b || (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => item === b[i]));

/** `key=value` for every attribute that is not the default. */
function showAttrs(op: OpDef, attrs: Attrs): string[] {
  return op.params.flatMap((param) => {
    const name = param.names[0]!;
    const value = attrs[name];
    if (param.kind === "tensor" || param.kind === "tensors" || value === undefined || sameAttr(value, param.default))
      return [];
    return [`${name}=${showAttr(value, param.kind)}`];
  });
}

/** The source of an input: nothing for the default one. */
export function showSource(attrs: Attrs): string {
  const { role, source, seed, lo, hi, std, mean, values } = attrs;
  if (role === "const" && Array.isArray(values))
    return `const([${values.map((value) => showNumber(value, false).replaceAll(/[()]/g, "")).join(", ")}])`;
  const args = [
    ...(source === "data" ? [JSON.stringify(attrs["set"]), JSON.stringify(attrs["part"])] : []),
    ...(source === "uniform" ? [`lo=${showAttr(lo ?? 0, "int")}`, `hi=${showAttr(hi ?? 1, "int")}`] : []),
    ...(typeof mean === "number" ? [`mean=${showAttr(mean, "float")}`] : []),
    ...(typeof std === "number" ? [`std=${showAttr(std, "float")}`] : []),
    ...(typeof seed === "number" ? [`seed=${seed}`] : []),
  ].join(", ");
  if (role === "state") return source === "zeros" ? "state()" : `state(${String(source)}(${args}))`;
  if (role !== "param") return source === "randn" && args === "" ? "" : `${String(source)}(${args})`;
  return source === "randn" ? `param(${args})` : `param(${String(source)}(${args}))`;
}

/** What stands in the text already, around what is printed. */
export interface Written {
  /** Of values that are written elsewhere. */
  readonly names: ReadonlyMap<NodeId, string>;
  /** Names that new ones must not be. */
  readonly taken: ReadonlySet<string>;
  /** What the identities begin with that the text does not say: the iteration or call that they are in. */
  readonly prefix: string;
}

const NOTHING: Written = { names: new Map(), taken: new Set(), prefix: "" };

class Printer {
  private readonly prefix: string;
  private readonly names = new Map<NodeId, string>();
  private readonly taken = new Set<string>();
  private readonly graph: Graph;

  constructor(graph: Graph, order: readonly NodeId[], written: Written = NOTHING) {
    this.graph = graph;
    this.prefix = written.prefix;
    for (const [id, name] of written.names) this.names.set(id, name);
    for (const name of written.taken) this.taken.add(name);
    // Identities that are names already keep them, whoever comes first.
    for (const id of order) if (this.isName(id)) this.taken.add(id);
    for (const id of order) if (!this.isInline(id)) this.names.set(id, this.isName(id) ? id : this.nameFor(id));
  }

  private isName(id: string): boolean {
    return isIdentifier(id) && !reserved(id);
  }

  private nameFor(id: NodeId): string {
    const base = asWord(id, this.prefix);
    const start = /^[A-Za-z]/.test(base) && this.isName(base) ? base : `v_${base}`;
    let name = start;
    for (let n = 2; this.taken.has(name); n++) name = `${start}_${n}`;
    this.taken.add(name);
    return name;
  }

  /** Literals, and holes that belong to one operand, are written where they are read. */
  private isInline(id: NodeId): boolean {
    const n = node(this.graph, id);
    if (isLiteral(n)) return true;
    return (
      isHole(n) && !this.isName(id) && usesOf(this.graph).get(id)!.length === 1 && !this.graph.outputs.includes(id)
    );
  }

  name(id: NodeId): string {
    return this.names.get(id) ?? "...";
  }

  private operand(id: NodeId, partners: readonly DType[], alone: boolean): string {
    const read = node(this.graph, id);
    return isLiteral(read) ? showConst(read, partners, alone) : this.name(id);
  }

  line(id: NodeId): string | null {
    const made = node(this.graph, id);
    if (this.isInline(id)) return null;
    if (isHole(made)) return `${this.name(id)} = ...`;
    if (isInput(made)) {
      const source = showSource(made.attrs);
      const type = made.type.shape.length === 0 ? made.type.dtype : showType(made.type);
      return `${this.name(id)}: ${type}${source === "" ? "" : ` = ${source}`}`;
    }
    return `${this.name(id)} = ${this.call(made)}`;
  }

  call(made: Node): string {
    const op = opDef(made.op);
    const read = made.inputs.map((input) => node(this.graph, input));
    const partners = read.filter((input) => !isLiteral(input) && !isHole(input)).map((input) => input.type.dtype);
    const alone = read.every((input) => isLiteral(input));
    const operands = made.inputs.map((input) => this.operand(input, partners, alone));
    const sign = SIGNS.get(made.op);
    if (sign !== undefined && operands.length === 2) return `${operands[0]} ${sign} ${operands[1]}`;
    const prefix = PREFIXES.get(made.op);
    if (prefix !== undefined && operands.length === 1) return `${prefix}${operands[0]}`;
    const list = op.params.some(({ kind }) => kind === "tensors");
    return `${spellingOf(op)}(${[...(list ? [`[${operands.join(", ")}]`] : operands), ...showAttrs(op, made.attrs)].join(", ")})`;
  }
}

/** Some nodes of a graph as statements, all but the last bound to names of their own, and the last as an expression. */
export function partLines(
  graph: Graph,
  parts: readonly NodeId[],
  written: Written,
): { readonly before: readonly string[]; readonly last: string } {
  const last = parts.at(-1)!;
  const printer = new Printer(graph, parts.slice(0, -1), written);
  return { before: parts.slice(0, -1).flatMap((id) => printer.line(id) ?? []), last: printer.call(node(graph, last)) };
}

/** Insertion order where every node follows its inputs, else Kahn's. */
function orderOf(graph: Graph): readonly NodeId[] {
  const seen = new Set<NodeId>();
  for (const { id, inputs } of graph.nodes.values()) {
    if (!inputs.every((input) => seen.has(input))) return topological(graph);
    seen.add(id);
  }
  return [...graph.nodes.keys()];
}

/** Outputs as a text without `return` has them. */
function defaultOutputs(graph: Graph, order: readonly NodeId[]): readonly NodeId[] {
  const uses = usesOf(graph);
  return order.filter((id) => uses.get(id)!.length === 0 && opDef(node(graph, id).op).kind !== "source");
}

/**
 * The canonical text of a graph of primitives: reading it gives the same graph, and printing that gives the same text.
 * Identities that are names stay; others (`y/0`, `h.centre`) become names (`y_0`, `h_centre`).
 */
export function printGraph(graph: Graph): string {
  const order = orderOf(graph);
  const printer = new Printer(graph, order);
  const lines = order.flatMap((id) => printer.line(id) ?? []);
  const plain = defaultOutputs(graph, order);
  const same = plain.length === graph.outputs.length && plain.every((id, i) => id === graph.outputs[i]);
  if (!same && graph.outputs.length > 0) lines.push(`return ${graph.outputs.map((id) => printer.name(id)).join(", ")}`);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
