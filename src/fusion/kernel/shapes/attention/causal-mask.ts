/**
 * @file Which columns a row may see at all, where a mask says so by position alone: the tiles beyond need not be computed.
 * @about where, and: masks are chosen by the one, and their conditions joined by the other.
 */
import {
  type Graph,
  isLiteral,
  node,
  type Node,
  type NodeId,
  type Shape,
  stridesOf,
  valueOfLiteral,
} from "../../../ir";
import { algebraOf, linearGroups, opDef } from "../../../ops";
import { sourceOf } from "../../indices/affine";
import { permutationOf } from "../../indices/alignment";
import { isFreeView } from "../../indices/views";

/** Scores below this are hidden: exp of their distance to any score in sight is 0. */
const HIDDEN = -1e30;
/** Expressions of positions are small. */
const MAX_DEPTH = 24;

/**
 * The offset c when `id`, of batch × rows × columns, hides every element with column > row + c. Null when no mask by position
 * does so, or when some row would see nothing or some column were seen by nobody: then every tile counts.
 */
function causalOffset(graph: Graph, members: ReadonlySet<NodeId>, id: NodeId): number | null {
  const n = node(graph, id);
  const [rows, columns] = [n.type.shape.at(-2)!, n.type.shape.at(-1)!];
  const hides = n.op === "where" && isHidden(node(graph, n.inputs[2]!));
  const offset = hides ? lowest({ graph, members }, n.inputs[0]!, n.type.shape) : null;
  return offset !== null && offset >= 0 && rows - 1 + offset >= columns - 1 ? offset : null;
}

/** Columns that a row sees: those up to row + `last`, or those from its own number on. */
interface Seen {
  readonly last: number | null;
  readonly fromOwn: boolean;
}

/** Rows between two products, as far as they have been read. */
interface ReadRows {
  readonly scores: readonly NodeId[];
  readonly values: NodeId;
  /** What each member is; see `online.ts`. */
  readonly parts: ReadonlyMap<NodeId, string>;
  readonly peak: NodeId | null;
  readonly folds: readonly unknown[];
}

/** Which columns a row sees. Null where it may be all, also where scores meet data from memory: hidden tiles of it would stay unread. */
export function seenBy(graph: Graph, { scores, values, parts, peak, folds }: ReadRows): Seen | null {
  const members = new Set(parts.keys());
  const partOf = (id: NodeId): string => parts.get(id) ?? "free";
  const onRow = [...parts].filter(
    ([id, part]) => !scores.includes(id) && ["score", "shifted", "weight"].includes(part),
  );
  const open = onRow.flatMap(([id]) => node(graph, id).inputs.filter((input) => partOf(input) === "free"));
  const seen = new Set<NodeId>();
  while (open.length > 0) {
    const id = open.pop()!;
    if (seen.has(id)) continue;
    seen.add(id);
    const n = node(graph, id);
    if (!members.has(id) && !isLiteral(n) && (peak !== null || isMatrix(n.type.shape))) return null;
    if (members.has(id)) open.push(...n.inputs);
  }
  if (peak === null) return folds.length > 0 ? null : weightsSeen(graph, members, node(graph, values).inputs[0]!);
  return { last: causalOffset(graph, members, node(graph, peak).inputs[0]!), fromOwn: false };
}

/**
 * What a mask by position leaves of weights of batch × rows × columns that it sets to 0: outside they add nothing to a product. The mask
 * may stand before the matrix is transposed. Null when no such mask is found, or when some row or column would be left out wholly.
 */
function weightsSeen(graph: Graph, members: ReadonlySet<NodeId>, weights: NodeId): Seen | null {
  let [id, transposed] = [weights, false];
  for (let depth = 0; depth < MAX_DEPTH && members.has(id); depth++) {
    const n = node(graph, id);
    const [rows, columns] = [n.type.shape.at(-2)!, n.type.shape.at(-1)!];
    if (n.op === "where" && isZero(node(graph, n.inputs[2]!))) {
      const last = lowest({ graph, members }, n.inputs[0]!, n.type.shape);
      if (last !== null && last >= 0 && rows - 1 + last >= columns - 1) {
        if (!transposed) return { last, fromOwn: false };
        return last === 0 && rows === columns ? { last: null, fromOwn: true } : null;
      }
      id = n.inputs[1]!;
      continue;
    }
    // A factor or divisor of each row or column leaves 0 as it is.
    const source = n.inputs.filter((input) => isMatrix(node(graph, input).type.shape));
    if (source.length !== 1 || !(keepsZero(n, source[0]!) || opDef(n.op).kind === "movement")) return null;
    const transposes = opDef(n.op).kind === "movement" ? transposesLastTwo(graph, n) : false;
    if (transposes === null) return null;
    transposed = transposed !== transposes;
    id = source[0]!;
  }
  return null;
}

const isZero = (n: Node): boolean => valueOfLiteral(n) === 0;
const isMatrix = (shape: Shape): boolean => (shape.at(-2) ?? 1) > 1 && (shape.at(-1) ?? 1) > 1;
/** An elementwise op that is linear in this operand alone leaves 0 as it is. */
const keepsZero = (n: Node, of: NodeId): boolean =>
  opDef(n.op).kind === "elementwise" &&
  linearGroups(algebraOf(n.op)).some((group) => group.length === 1 && n.inputs[group[0]!] === of);

/** Does a movement exchange the last two axes, or leave them alone? Null when it does anything else to them. */
function transposesLastTwo(graph: Graph, n: Node): boolean | null {
  const from = node(graph, n.inputs[0]!).type.shape;
  const [rows, columns] = [n.type.shape.at(-2), n.type.shape.at(-1)];
  const perm = permutationOf(graph, n);
  if (perm === null) {
    const unchanged = from.at(-2) === rows && from.at(-1) === columns && isFreeView(n);
    return unchanged ? false : null;
  }
  const [a, b] = [perm.at(-2), perm.at(-1)];
  const last = from.length - 1;
  if (a === last - 1 && b === last) return false;
  return a === last && b === last - 1 ? true : null;
}

const isHidden = (n: Node): boolean => (valueOfLiteral(n) ?? 0) <= HIDDEN;

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

/** A comparison of two indices that says column ≤ row + c. */
function boundOf(inside: Inside, { op, inputs }: Node, shape: Shape): number | null {
  const { compares } = algebraOf(op);
  const reversed = compares === ">=" || compares === ">";
  if (!reversed && compares !== "<=" && compares !== "<") return null;
  const [a, b] = [linear(inside, inputs[0]!, shape), linear(inside, inputs[1]!, shape)];
  if (!a || !b) return null;
  const [less, more] = reversed ? [b, a] : [a, b];
  const isDiagonal = less.column - more.column === 1 && more.row - less.row === 1;
  return isDiagonal ? more.start - less.start - (compares === "<" || compares === ">" ? 1 : 0) : null;
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
  if (depth > MAX_DEPTH) return null;
  if (isLiteral(n)) return Number(n.attrs["value"]);
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
