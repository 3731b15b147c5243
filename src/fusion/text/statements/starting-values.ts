/**
 * @file What a tensor that training replaces begins with: one draw of random numbers or one constant, scaled and shifted while the
 * program is read. `jax.random.normal(key, (m, n)) * 0.1` becomes an input of its own that begins so.
 */
import { type Attrs, hashText, isInput, isLiteral, type Node, type NodeId, sameShape } from "../../ir";
import { numberOf, numbersOf, opDef, withDefaults } from "../../ops";
import type { Interpreter } from "../interpreter";
import { constantValues } from "../values/constant-values";

/** How the elements begin. */
type Start =
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "normal"; readonly std: number; readonly mean: number; readonly seed: number }
  | { readonly kind: "uniform"; readonly lo: number; readonly hi: number; readonly seed: number };

const constant = (value: number): Start => ({ kind: "constant", value });

function scaled(start: Start, by: number): Start {
  if (start.kind === "constant") return constant(start.value * by);
  if (by === 0) return constant(0);
  if (start.kind === "normal") return { ...start, std: start.std * by, mean: start.mean * by };
  const [a, b] = [start.lo * by, start.hi * by];
  return { ...start, lo: Math.min(a, b), hi: Math.max(a, b) };
}

function shifted(start: Start, by: number): Start {
  if (start.kind === "constant") return constant(start.value + by);
  if (start.kind === "normal") return { ...start, mean: start.mean + by };
  return { ...start, lo: start.lo + by, hi: start.hi + by };
}

function drawn({ id, attrs, type }: Node): Start | null {
  if (type.dtype !== "f32") return null;
  const seed = typeof attrs["seed"] === "number" ? attrs["seed"] : Number.parseInt(hashText(id), 16);
  switch (String(attrs["source"])) {
    case "zeros":
      return constant(0);
    case "ones":
      return constant(1);
    case "randn":
      return { kind: "normal", std: numberOf(attrs["std"], 1), mean: numberOf(attrs["mean"], 0), seed };
    case "uniform":
      return { kind: "uniform", lo: numberOf(attrs["lo"], 0), hi: numberOf(attrs["hi"], 1), seed };
    case "values": {
      const [first, ...rest] = numbersOf(attrs["values"]);
      return first !== undefined && rest.every((value) => value === first) ? constant(first) : null;
    }
    default:
      return null;
  }
}

/** The sum or product of operands of which one at most is random. */
function combined(op: ReturnType<typeof opDef>, starts: readonly Start[], attrs: Attrs): Start | null {
  const values = starts.flatMap((start) => (start.kind === "constant" ? [start.value] : []));
  if (values.length === starts.length && op.scalar && op.scalar.usesIndex !== true)
    return constant(op.scalar.js(values, attrs));
  const at = starts.findIndex(({ kind }) => kind !== "constant");
  const others = starts.map((start) => (start.kind === "constant" ? start.value : null));
  if (values.length !== starts.length - 1) return null;
  const { terms, powers } = op.algebra ?? {};
  if (terms) {
    const shift = others.reduce<number>((sum, value, i) => sum + (value ?? 0) * terms[i]!, 0);
    return shifted(scaled(starts[at]!, terms[at]!), shift);
  }
  if (powers?.[at] !== 1) return null;
  return scaled(
    starts[at]!,
    others.reduce<number>((product, value, i) => product * (value === null ? 1 : value ** powers[i]!), 1),
  );
}

/** What inputs begin with where they are trained, if that is otherwise. */
type Begins = (input: NodeId) => Attrs | null;

/** How a node begins whose operands begin so; null where no input does. */
function startAt(
  nodes: ReadonlyMap<NodeId, Node>,
  node: Node,
  known: ReadonlyMap<NodeId, Start | null>,
  begins: Begins,
): Start | null {
  if (isLiteral(node)) return constant(Number(node.attrs["value"]));
  if (isInput(node)) return drawn({ ...node, attrs: { ...node.attrs, ...begins(node.id) } });
  const starts: Start[] = [];
  for (const input of node.inputs) {
    const start = known.get(input);
    // Random numbers that are read more than once are the same everywhere: no draw of this shape.
    if (!start || (start.kind !== "constant" && !fills(nodes.get(input)!, node))) return null;
    starts.push(start);
  }
  const [only] = starts;
  if (!only) return null;
  const op = opDef(node.op);
  if (op.movement) return (op.movement.free ?? op.movement.spreads) ? only : null;
  return op.kind === "elementwise" ? combined(op, starts, node.attrs) : null;
}

function startOf(
  nodes: ReadonlyMap<NodeId, Node>,
  id: NodeId,
  known: Map<NodeId, Start | null>,
  begins: Begins = () => null,
): Start | null {
  const open = [id];
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const node = nodes.get(at)!;
    const refused = node.inputs.some((input) => known.get(input) === null);
    const next = known.has(at) || refused ? undefined : node.inputs.find((input) => !known.has(input));
    if (next !== undefined) {
      open.push(next);
      continue;
    }
    open.pop();
    if (!known.has(at)) known.set(at, refused ? null : startAt(nodes, node, known, begins));
  }
  return known.get(id)!;
}

/** Whether each element of the operand is one of the result's. */
const fills = ({ type }: Node, result: Node): boolean =>
  sameShape(type.shape, result.type.shape) || opDef(result.op).movement?.free === true;

/** So many deviations from 0 a mean may be: further away, steps of the draw are no f32, and devices round apart. */
export const FARTHEST_MEAN = 240;

/** Attributes of an input of normal numbers; null where its mean is too far away for them. */
export function normalStart(mean: number, std: number): Attrs | null {
  if (std === 0) return constantStart(mean);
  if (Math.abs(mean / std) > FARTHEST_MEAN) return null;
  return { source: "randn", std, ...(mean !== 0 && { mean }) };
}

function attrsOf(start: Start): Attrs | null {
  if (start.kind === "normal") {
    const begin = normalStart(start.mean, start.std);
    return begin && { ...begin, seed: start.seed };
  }
  if (start.kind === "uniform") return { source: "uniform", lo: start.lo, hi: start.hi, seed: start.seed };
  return constantStart(start.value);
}

/** Attributes of an input that begins with one number everywhere. */
export function constantStart(value: number): Attrs {
  if (value === 0) return { source: "zeros" };
  return value === 1 ? { source: "ones" } : { source: "values", values: [value] };
}

/** Whether a value can be what training begins with: an input, or what is drawn or constant. */
export const canBegin = ({ nodes }: Interpreter, id: NodeId): boolean =>
  isInput(nodes.get(id)!) || beginning(nodes, id, new Map()) !== null;

/** What an input has that begins as a node does that is computed: a draw, one number, or a table of numbers. */
function beginning(
  nodes: ReadonlyMap<NodeId, Node>,
  id: NodeId,
  known: Map<NodeId, Start | null>,
  begins?: Begins,
): Attrs | null {
  const start = startOf(nodes, id, known, begins);
  if (start) return attrsOf(start);
  const values = nodes.get(id)!.type.dtype === "f32" ? constantValues(nodes, id) : null;
  return values && { source: "values", values };
}

/** What an input has that begins as this value does; null where none can. */
export const startAttrs = ({ nodes }: Interpreter, id: NodeId): Attrs | null => beginning(nodes, id, new Map());

/** The same of what is made of weights that begin as the program says. */
export const startAsTrained = ({ nodes, begins }: Interpreter, id: NodeId): Attrs | null =>
  beginning(nodes, id, new Map(), (input) => begins.get(input)?.() ?? null);

/** Makes each of `begun` that is computed an input that begins with what it was computed as; what only that needed goes. */
export function beginAsInputs(interpreter: Interpreter, begun: ReadonlyMap<NodeId, string>): void {
  const { nodes, sites, partOf } = interpreter;
  const known = new Map<NodeId, Start | null>();
  const needed = new Set<NodeId>();
  for (const [id, label] of begun) {
    const node = nodes.get(id)!;
    const began = isInput(node) ? node.attrs : beginning(nodes, id, known);
    if (!began) continue;
    const attrs = withDefaults(opDef("input"), { ...began, role: "param" });
    for (const input of node.inputs) needed.add(input);
    nodes.set(id, { ...node, op: "input", inputs: [], attrs, label });
    const site = sites.get(id);
    if (site) sites.set(id, { ...site, op: null, attrs, operands: [] });
    partOf.delete(id);
  }
  for (const id of needed) for (const input of nodes.get(id)!.inputs) needed.add(input);
  const read = new Set([...nodes.values()].flatMap(({ id, inputs }) => (needed.has(id) ? [] : inputs)));
  for (const id of read) if (needed.has(id)) for (const input of nodes.get(id)!.inputs) read.add(input);
  const gone = new Set([...needed].filter((id) => !read.has(id) && !begun.has(id)));
  for (const id of gone) {
    nodes.delete(id);
    sites.delete(id);
    partOf.delete(id);
  }
  for (const symbol of interpreter.symbols.values()) symbol.forget(gone);
}
