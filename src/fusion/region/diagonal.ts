/** @file Which columns a row may see at all, where a mask says so by position alone: the tiles beyond need not be computed. */
import { node, stridesOf, type Graph, type Node, type NodeId, type Shape } from "../ir";
import { opDef } from "../ops";
import { sourceOf } from "./affine";

/** Scores below this are hidden: exp of their distance to any score in sight is 0. */
const HIDDEN = -1e30;
/** Expressions of positions are small. */
const DEEPEST = 24;

/**
 * The offset c when `id`, of batch × rows × columns, hides every element with column > row + c. Null when no mask by position
 * does so, or when some row would see nothing or some column were seen by nobody: then every tile counts.
 */
export function diagonalOf(graph: Graph, members: ReadonlySet<NodeId>, id: NodeId): number | null {
  const n = node(graph, id);
  const [rows, columns] = [n.type.shape.at(-2)!, n.type.shape.at(-1)!];
  const hides = n.op === "where" && isHidden(node(graph, n.inputs[2]!));
  const offset = hides ? lowest({ graph, members }, n.inputs[0]!, n.type.shape) : null;
  return offset !== null && offset >= 0 && rows - 1 + offset >= columns - 1 ? offset : null;
}

const isHidden = ({ op, attrs }: Node): boolean => op === "const" && Number(attrs["value"]) <= HIDDEN;

/** The tightest bound column ≤ row + c among the conditions that must all hold. */
interface Inside {
  readonly graph: Graph;
  /** The mask must be computed here: what is read from memory is read as a whole. */
  readonly members: ReadonlySet<NodeId>;
}

function lowest(inside: Inside, condition: NodeId, shape: Shape): number | null {
  const open = [condition];
  let best: number | null = null;
  while (open.length > 0) {
    const n = node(inside.graph, open.pop()!);
    if (n.op === "and") open.push(...n.inputs);
    const bound = boundOf(inside, n, shape);
    if (bound !== null && (best === null || bound < best)) best = bound;
  }
  return best;
}

/** A comparison of two places that says column ≤ row + c. */
function boundOf(inside: Inside, { op, inputs }: Node, shape: Shape): number | null {
  const turned = op === "ge" || op === "gt";
  if (!turned && op !== "le" && op !== "lt") return null;
  const [a, b] = [linear(inside, inputs[0]!, shape), linear(inside, inputs[1]!, shape)];
  if (!a || !b) return null;
  const [less, more] = turned ? [b, a] : [a, b];
  const isDiagonal = less.column - more.column === 1 && more.row - less.row === 1;
  return isDiagonal ? more.start - less.start - (op === "lt" || op === "gt" ? 1 : 0) : null;
}

/** value = start + row·i + column·j, when the positions say so. */
function linear(inside: Inside, id: NodeId, shape: Shape): { start: number; row: number; column: number } | null {
  const [rows, columns] = [shape.at(-2)!, shape.at(-1)!];
  const at = (i: number, j: number): number | null => {
    const own = node(inside.graph, id).type.shape;
    const index = [...shape.slice(0, -2).map(() => 0), i, j].slice(shape.length - own.length);
    return valueAt(
      inside,
      id,
      index.map((value, axis) => (own[axis] === 1 ? 0 : value)),
      0,
    );
  };
  const start = at(0, 0);
  if (start === null) return null;
  const [row, column] = [rows > 1 ? at(1, 0) : start, columns > 1 ? at(0, 1) : start];
  if (row === null || column === null) return null;
  const slope = { start, row: row - start, column: column - start };
  const probes = [0.31, 0.5, 0.77, 1].map(
    (share) => [Math.round(share * (rows - 1)), Math.round((1.2 - share) * 0.8 * (columns - 1))] as const,
  );
  return probes.every(([i, j]) => at(i, j) === start + slope.row * i + slope.column * j) ? slope : null;
}

/** One element of an expression of positions and constants; null when it depends on data. Small: it may recurse. */
function valueAt(inside: Inside, id: NodeId, index: readonly number[], depth: number): number | null {
  const { graph, members } = inside;
  const n = node(graph, id);
  const def = opDef(n.op);
  if (depth > DEEPEST) return null;
  if (n.op === "const") return Number(n.attrs["value"]);
  if (!members.has(id)) return null;
  if (def.generate) return def.generate.js(index, n.attrs);
  if (def.movement) {
    const from = sourceOf(
      n,
      n.inputs.map((input) => node(graph, input).type.shape),
      index,
    );
    return from && valueAt(inside, n.inputs[from.operand]!, from.index, depth + 1);
  }
  if (def.kind !== "elementwise" || !def.scalar || (def.scalar.usesIndex && n.inputs.length > 0)) return null;
  const args: number[] = [];
  for (const input of n.inputs) {
    const own = node(graph, input).type.shape;
    const at = index.slice(index.length - own.length).map((value, axis) => (own[axis] === 1 ? 0 : value));
    const value = valueAt(inside, input, at, depth + 1);
    if (value === null) return null;
    args.push(value);
  }
  if (def.scalar.usesIndex)
    args.push(stridesOf(n.type.shape).reduce((sum, stride, axis) => sum + stride * index[axis]!, 0));
  return def.scalar.js(args, n.attrs);
}
