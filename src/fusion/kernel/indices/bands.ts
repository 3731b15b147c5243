/**
 * @file Diagonal bands of matrices: where a value can differ from 0, and which of its elements are wanted at all, as far as masks say so by
 * position alone. Products leave out the tiles beyond.
 * @about where, and, bit_and, or, bit_or, not, bit_not: masks are chosen by the first, and their conditions joined by the others.
 */
import {
  type Graph,
  isLiteral,
  literalOf,
  node,
  type Node,
  type NodeId,
  type Shape,
  stridesOf,
  valueOfLiteral,
} from "../../ir";
import { algebraOf, isCopy, isSubtraction, linearGroups, opDef } from "../../ops";
import { sourceOf } from "./affine";

/** Elements of the last two axes with low ≤ column − row ≤ high; open sides are infinite. */
export interface Band {
  readonly low: number;
  readonly high: number;
}

export const EVERYWHERE: Band = { low: -Infinity, high: Infinity };
const NOWHERE: Band = { low: Infinity, high: -Infinity };

/** What both leave. */
export const both = (a: Band, b: Band): Band => ({ low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) });
const either = (a: Band, b: Band): Band => ({ low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) });

/** The band of the transposed matrix. */
export const swapped = ({ low, high }: Band): Band => ({ low: -high, high: -low });

/** Does it leave anything out of a matrix? */
export const isNarrow = ({ low, high }: Band, rows: number, columns: number): boolean =>
  low > 1 - rows || high < columns - 1;

/** Without the sides that leave nothing out. */
export const opened = ({ low, high }: Band, rows: number, columns: number): Band => ({
  low: low <= 1 - rows ? -Infinity : low,
  high: high >= columns - 1 ? Infinity : high,
});

/** Does every row meet it, and every column? */
export const meetsAll = ({ low, high }: Band, rows: number, columns: number): boolean =>
  low <= high && high >= 0 && low <= 0 && rows - 1 + high >= columns - 1 && rows - 1 + low <= columns - 1;

/** Bands of rows that are looked at to know a share: of more, several are taken together. */
const MOST_BANDS = 256;

/** Share of the `height`×`width` tiles of a matrix that meet the band. */
export function bandShare(band: Band, rows: number, columns: number, height: number, width: number): number {
  if (!isNarrow(band, rows, columns)) return 1;
  const taken = height * Math.ceil(Math.ceil(rows / height) / MOST_BANDS);
  const tiles = Math.ceil(columns / width);
  let met = 0;
  for (let top = 0; top < rows; top += taken) {
    const { from, to } = spanOf(band, top, Math.min(taken, rows - top), columns, width);
    met += Math.max(0, to - from);
  }
  return met / (Math.ceil(rows / taken) * tiles);
}

/** Columns of the longest walk that `height` rows take in steps of `width`: past the middle, where both sides of the band lie inside. */
export function longestWalk(band: Band, rows: number, columns: number, height: number, width: number): number {
  const tops = [0, Math.floor(rows / 2 / height) * height, Math.floor((rows - 1) / height) * height];
  const walks = tops.map((top) => spanOf(band, top, Math.min(height, rows - top), columns, width));
  return Math.max(...walks.map(({ from, to }) => Math.min(columns, to * width) - from * width));
}

/** Which steps of `width` columns meet the band in `height` rows from `top` on: from `from` to before `to`. */
export function spanOf({ low, high }: Band, top: number, height: number, columns: number, width: number): Span {
  const all = Math.ceil(columns / width);
  const from = low === -Infinity ? 0 : Math.floor(Math.max(0, top + low) / width);
  const to = high === Infinity ? all : Math.min(all, Math.ceil((top + height + high) / width));
  return { from, to: Math.max(0, to) };
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where rows have most tiles to walk: at the end, at the start, or nowhere in particular. */
export function longestAt({ low, high }: Band): "start" | "end" | null {
  if ((low === -Infinity) === (high === Infinity)) return null;
  return high === Infinity ? "start" : "end";
}

/** Scores below this are hidden: exp of their distance to any score in sight is 0. */
const HIDDEN = -1e30;
/** Expressions of positions are small. */
const MAX_DEPTH = 24;

/** A graph, and the nodes that may be looked into: what is read from memory is read as it lies there. */
export interface Sight {
  readonly graph: Graph;
  readonly sees: (id: NodeId) => boolean;
}

const shapeOf = ({ graph }: Sight, id: NodeId): Shape => node(graph, id).type.shape;
export const isMatrix = (shape: Shape): boolean => (shape.at(-2) ?? 1) > 1 && (shape.at(-1) ?? 1) > 1;
const sameMatrix = (a: Shape, b: Shape): boolean => a.at(-1) === b.at(-1) && a.at(-2) === b.at(-2);
const isZero = (n: Node): boolean => valueOfLiteral(n) === 0;

/** Outside of it `id` is 0. */
export function nonzeroOf(sight: Sight, id: NodeId, depth = 0): Band {
  const { graph } = sight;
  const n = node(graph, id);
  const { shape } = n.type;
  if (isZero(n)) return NOWHERE;
  if (!sight.sees(id) || !isMatrix(shape) || depth > MAX_DEPTH) return EVERYWHERE;
  const of = (operand: number): Band => {
    const input = n.inputs[operand]!;
    if (isZero(node(graph, input))) return NOWHERE;
    return sameMatrix(shapeOf(sight, input), shape) ? nonzeroOf(sight, input, depth + 1) : EVERYWHERE;
  };
  if (n.op === "where") {
    const [yes, no] = [true, false].map((truth) => mayHold(sight, n.inputs[0]!, truth, shape));
    return either(both(yes!, of(1)), both(no!, of(2)));
  }
  const { kind } = opDef(n.op);
  if (kind === "movement") {
    const moved = movedBand(sight, n);
    return moved ? moved(nonzeroOf(sight, n.inputs[0]!, depth + 1)) : EVERYWHERE;
  }
  if (kind !== "elementwise") return EVERYWHERE;
  const algebra = algebraOf(n.op);
  if (algebra.exponential) return aboveHidden(sight, n.inputs[0]!);
  if (algebra.keepsZero && n.inputs.length === 1) return of(0);
  return linearGroups(algebra)
    .map((group) => group.map(of).reduce(either, NOWHERE))
    .reduce(both, EVERYWHERE);
}

/** Outside of it, `id` is a hidden score less the highest of its row, which is in sight: its exponential is 0. */
function aboveHidden(sight: Sight, id: NodeId): Band {
  const { graph } = sight;
  const n = node(graph, id);
  if (!sight.sees(id) || !isSubtraction(algebraOf(n.op))) return EVERYWHERE;
  const [scores, peak] = n.inputs.map((input) => node(graph, input)) as [Node, Node];
  if (!sameMatrix(scores.type.shape, n.type.shape) || isMatrix(peak.type.shape)) return EVERYWHERE;
  // Where more than positions hides scores, a row may have none in sight, and then none fades beside another.
  const side = hiddenSide(sight, scores);
  if (side === null || !isScore(sight, scores.inputs[3 - side]!)) return EVERYWHERE;
  const band = notHidden(sight, scores.id);
  return meetsAll(band, n.type.shape.at(-2)!, n.type.shape.at(-1)!) ? band : EVERYWHERE;
}

/** Outside of it a score is hidden. */
export function notHidden(sight: Sight, id: NodeId): Band {
  const n = node(sight.graph, id);
  const side = hiddenSide(sight, n);
  return side === null ? EVERYWHERE : mayHold(sight, n.inputs[0]!, side === 2, n.type.shape);
}

/** The operand of a choice that stands for hidden scores; null where none does. */
function hiddenSide({ graph, sees }: Sight, n: Node): 1 | 2 | null {
  if (!sees(n.id) || n.op !== "where") return null;
  const hides = ([1, 2] as const).filter((operand) => (literalOf(graph, n.inputs[operand]!) ?? 0) <= HIDDEN);
  return hides[0] ?? null;
}

/** A product that was scaled, or the like: nothing has hidden some of it. */
function isScore(sight: Sight, id: NodeId): boolean {
  let n = node(sight.graph, id);
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    if (opDef(n.op).kind === "contraction") return true;
    if (opDef(n.op).kind !== "elementwise" || n.op === "where" || !sight.sees(n.id)) return false;
    const matrices = n.inputs.filter((input) => isMatrix(shapeOf(sight, input)));
    if (matrices.length !== 1) return false;
    n = node(sight.graph, matrices[0]!);
  }
  return false;
}

/** Where a condition on elements of `shape` may be `truth`. */
export function mayHold(sight: Sight, id: NodeId, truth: boolean, shape: Shape, depth = 0): Band {
  const { graph } = sight;
  const n = node(graph, id);
  if (isLiteral(n)) return Boolean(n.attrs["value"]) === truth ? EVERYWHERE : NOWHERE;
  if (!sight.sees(id) || depth > MAX_DEPTH) return EVERYWHERE;
  const of = (operand: number, wanted: boolean): Band => mayHold(sight, n.inputs[operand]!, wanted, shape, depth + 1);
  const logic = logicOf(n);
  if (logic === "not") return of(0, !truth);
  if (logic) return (truth === (logic === "and") ? both : either)(of(0, truth), of(1, truth));
  if (n.op === "where") {
    const chosen = [1, 2].map((operand) => {
      const value = numberOf(sight, n.inputs[operand]!);
      const possible = value === null || (value !== 0) === truth;
      return possible ? of(0, operand === 1) : NOWHERE;
    });
    return either(chosen[0]!, chosen[1]!);
  }
  const algebra = algebraOf(n.op);
  if (algebra.sameValue || isCopy(algebra)) return of(0, truth);
  if (opDef(n.op).kind === "movement") {
    const operand = n.inputs[0]!;
    // Whoever broadcasts rows or columns repeats what was compared with them.
    const own = n.type.shape;
    if (!isMatrix(own) || !isMatrix(shapeOf(sight, operand))) return EVERYWHERE;
    const moved = movedBand(sight, n);
    return moved ? moved(mayHold(sight, operand, truth, shapeOf(sight, operand), depth + 1)) : EVERYWHERE;
  }
  return algebra.compares ? compared(sight, n, truth, shape, depth) : EVERYWHERE;
}

/** How it joins conditions: bits of conditions are conditions. */
function logicOf({ op, type }: Node): "and" | "or" | "not" | null {
  if (type.dtype !== "bool") return null;
  if (op === "and" || op === "bit_and") return "and";
  if (op === "or" || op === "bit_or") return "or";
  return op === "not" || op === "bit_not" ? "not" : null;
}

/** Of a comparison: of positions with one another, or of what is either of two values with a number. */
function compared(sight: Sight, n: Node, truth: boolean, shape: Shape, depth: number): Band {
  const { graph } = sight;
  const [a, b] = [linear(sight, n.inputs[0]!, shape), linear(sight, n.inputs[1]!, shape)];
  if (a && b) return halfPlane({ start: b.start - a.start, row: b.row - a.row, column: b.column - a.column }, n, truth);
  const limit = valueOfLiteral(node(graph, n.inputs[1]!));
  if (limit === null) return EVERYWHERE;
  const { scalar } = opDef(n.op);
  const values = scalar ? twoValues(sight, n.inputs[0]!) : null;
  if (!scalar || !values) return EVERYWHERE;
  return [true, false]
    .filter((each) => Boolean(scalar.js([values[each ? "yes" : "no"], limit], n.attrs)) === truth)
    .map((each) => mayHold(sight, n.inputs[0]!, each, shape, depth + 1))
    .reduce(either, NOWHERE);
}

/** The two values that ones and zeros of a mask have; null for what may have others. */
function twoValues(sight: Sight, id: NodeId): { readonly yes: number; readonly no: number } | null {
  let n = node(sight.graph, id);
  for (let depth = 0; depth < MAX_DEPTH && sight.sees(n.id); depth++) {
    if (n.type.dtype === "bool") return { yes: 1, no: 0 };
    if (n.op === "where") {
      const [yes, no] = [1, 2].map((operand) => numberOf(sight, n.inputs[operand]!));
      return yes != null && yes !== 0 && no === 0 ? { yes, no } : null;
    }
    const { kind } = opDef(n.op);
    if (kind !== "movement" && !algebraOf(n.op).sameValue) return null;
    n = node(sight.graph, n.inputs[0]!);
  }
  return null;
}

/** The number that `id` is everywhere; null for what it may not be. */
function numberOf(sight: Sight, id: NodeId): number | null {
  const { graph } = sight;
  let n = node(graph, id);
  while (opDef(n.op).kind === "movement" && n.inputs.length === 1 && sight.sees(n.id)) {
    const inputs = [shapeOf(sight, n.inputs[0]!)];
    const corners = [n.type.shape.map(() => 0), n.type.shape.map((extent) => extent - 1)];
    // Some movements put something else around their operand.
    if (corners.some((at) => sourceOf(n, inputs, at) === null)) return null;
    n = node(graph, n.inputs[0]!);
  }
  return valueOfLiteral(n);
}

/** Where distance = start + row·i + column·j stands so to 0 as `n` compares, or not so. */
function halfPlane(distance: Slope, n: Node, truth: boolean): Band {
  const { start, row, column } = distance;
  const compares = algebraOf(n.op).compares!;
  if (row === 0 || row !== -column) return EVERYWHERE;
  // column − row against `at`, from the side on which the distance grows.
  const at = start / row + 0;
  const [equal, grows] = [compares.endsWith("="), row > 0];
  if (compares === "==" || compares === "!=")
    return (compares === "==") === truth ? { low: Math.ceil(at), high: Math.floor(at) } : EVERYWHERE;
  const isLess = compares.startsWith("<") === truth;
  const included = equal === truth;
  return isLess === grows
    ? { low: -Infinity, high: included ? Math.floor(at) : Math.ceil(at) - 1 }
    : { low: included ? Math.ceil(at) : Math.floor(at) + 1, high: Infinity };
}

/** What a movement makes of a band of its operand; null where it does anything else to the last two axes than to shift or exchange them. */
export function movedBand(sight: Sight, n: Node): ((band: Band) => Band) | null {
  const inputs = n.inputs.map((input) => shapeOf(sight, input));
  const [from, to] = [inputs[0]!, n.type.shape];
  if (inputs.length !== 1 || !isMatrix(from) || !isMatrix(to)) return null;
  const at = (i: number, j: number): readonly [number, number] | null => {
    const source = sourceOf(n, inputs, [...to.slice(0, -2).map(() => 0), i, j]);
    return source && [source.index.at(-2)!, source.index.at(-1)!];
  };
  const [zero, down, right] = [at(0, 0), at(1, 0), at(0, 1)];
  if (!zero || !down || !right) return null;
  const steps = [down[0] - zero[0], down[1] - zero[1], right[0] - zero[0], right[1] - zero[1]].join();
  if (steps !== "1,0,0,1" && steps !== "0,1,1,0") return null;
  const swaps = steps === "0,1,1,0";
  const follows = PROBES.every(([r, c]) => {
    const [i, j] = [Math.round(r * (to.at(-2)! - 1)), Math.round(c * (to.at(-1)! - 1))];
    const found = at(i, j);
    return found !== null && found[0] === zero[0] + (swaps ? j : i) && found[1] === zero[1] + (swaps ? i : j);
  });
  if (!follows || to.slice(0, -2).length < from.slice(0, -2).filter((extent) => extent > 1).length) return null;
  const by = zero[1] - zero[0];
  return ({ low, high }) => (swaps ? { low: by - high, high: by - low } : { low: low - by, high: high - by });
}

/** Shares of rows and columns at which an expression of positions is looked at. */
const PROBES = [0.31, 0.5, 0.77, 1].map((share) => [share, (1.2 - share) * 0.8] as const);

/** start + row·i + column·j */
interface Slope {
  readonly start: number;
  readonly row: number;
  readonly column: number;
}

/** Elements of `shape` as start + row·i + column·j, when the positions say so. */
function linear(sight: Sight, id: NodeId, shape: Shape): Slope | null {
  const [rows, columns] = [shape.at(-2)!, shape.at(-1)!];
  const at = (i: number, j: number): number | null => {
    const own = shapeOf(sight, id);
    const index = [...shape.slice(0, -2).map(() => 0), i, j].slice(shape.length - own.length);
    const held = index.map((value, axis) => (own[axis] === 1 ? 0 : value));
    return valueAt(sight, id, held, 0);
  };
  const start = at(0, 0);
  if (start === null) return null;
  const [row, column] = [rows > 1 ? at(1, 0) : start, columns > 1 ? at(0, 1) : start];
  if (row === null || column === null) return null;
  const slope = { start, row: row - start, column: column - start };
  const probes = PROBES.map(([r, c]) => [Math.round(r * (rows - 1)), Math.round(c * (columns - 1))] as const);
  return probes.every(([i, j]) => at(i, j) === start + slope.row * i + slope.column * j) ? slope : null;
}

/** One element of a sum or product of positions and constants; null for anything else. Small: it may recurse. */
function valueAt(sight: Sight, id: NodeId, index: readonly number[], depth: number): number | null {
  const { graph } = sight;
  const n = node(graph, id);
  const def = opDef(n.op);
  if (depth > MAX_DEPTH) return null;
  if (isLiteral(n)) return Number(n.attrs["value"]);
  if (!sight.sees(id)) return null;
  if (def.generate) return def.generate.js(index, n.attrs);
  if (def.movement) {
    const from = sourceOf(
      n,
      n.inputs.map((input) => shapeOf(sight, input)),
      index,
    );
    return from && valueAt(sight, n.inputs[from.operand]!, from.index, depth + 1);
  }
  const { terms, powers, sameValue } = algebraOf(n.op);
  if (!def.scalar) return null;
  if (def.scalar.usesIndex && n.inputs.length === 0)
    return def.scalar.js(
      [stridesOf(n.type.shape).reduce((sum, stride, axis) => sum + stride * index[axis]!, 0)],
      n.attrs,
    );
  if (!terms && !sameValue && powers?.join() !== "1,1") return null;
  const args: number[] = [];
  for (const input of n.inputs) {
    const own = shapeOf(sight, input);
    const at = index.slice(index.length - own.length).map((value, axis) => (own[axis] === 1 ? 0 : value));
    const value = valueAt(sight, input, at, depth + 1);
    if (value === null) return null;
    args.push(value);
  }
  return def.scalar.js(args, n.attrs);
}

/**
 * Elements of the member `of` that the outputs depend on: elsewhere a mask chooses something else, or a factor is 0. Everywhere where `of`
 * is stored itself.
 */
export function wantedOf(sight: Sight, members: readonly NodeId[], outputs: readonly NodeId[], of: NodeId): Band {
  const wanted = new Map<NodeId, Band>(outputs.map((id) => [id, EVERYWHERE]));
  for (const id of members.toReversed()) {
    const band = wanted.get(id);
    if (id === of || !band) continue;
    const n = node(sight.graph, id);
    for (const [operand, input] of n.inputs.entries()) {
      const asked = wantedThrough(sight, n, operand, band);
      wanted.set(input, either(wanted.get(input) ?? NOWHERE, asked));
    }
  }
  return wanted.get(of) ?? NOWHERE;
}

/** Elements of an operand that are wanted where `band` of `n` is. */
function wantedThrough(sight: Sight, n: Node, operand: number, band: Band): Band {
  const { shape } = n.type;
  const { kind } = opDef(n.op);
  const input = n.inputs[operand]!;
  if (!isMatrix(shapeOf(sight, input))) return EVERYWHERE;
  if (kind === "movement") {
    const moved = movedBand(sight, n);
    if (!moved) return EVERYWHERE;
    // Shifts by as much as it shifted the other way, and an exchange undoes itself.
    const back = moved({ low: 0, high: 0 });
    const swaps = moved({ low: 0, high: 1 }).low !== back.low;
    return swaps
      ? { low: back.low - band.high, high: back.low - band.low }
      : { low: band.low - back.low, high: band.high - back.low };
  }
  if (kind !== "elementwise" || !sameMatrix(shapeOf(sight, input), shape)) return EVERYWHERE;
  if (n.op === "where") return operand === 0 ? band : both(band, mayHold(sight, n.inputs[0]!, operand === 1, shape));
  const groups = linearGroups(algebraOf(n.op));
  if (!groups.some((group) => group.length === 1 && group[0] === operand)) return band;
  return groups
    .filter((group) => !group.includes(operand))
    .flatMap((group) => group.map((other) => n.inputs[other]!))
    .filter((other) => other !== input && sameMatrix(shapeOf(sight, other), shape))
    .map((other) => nonzeroOf(sight, other))
    .reduce(both, band);
}
