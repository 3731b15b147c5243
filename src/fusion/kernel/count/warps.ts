/**
 * @file What the 32 threads of a warp cost where they part: loads whose addresses are data, or that lie far apart, ask for a line of
 * memory each, and parts that are joined side by side are each computed while the threads of the others wait.
 */
import {
  dtypeBytes,
  isLiteral,
  node,
  sizeOf,
  stridesOf,
  type Graph,
  type Node,
  type NodeId,
  type Shape,
  type TensorType,
} from "../../ir";
import { algebraOf, normalAxis, numberOf, opDef, type Bounds } from "../../ops";
import { LINE, WARP } from "../nest/price";
import { endsPass } from "../shapes/fold/rows/row-ops";
import type { Segment } from "../types";
import { sourceOf } from "../indices/affine";
import { storedInputs } from "../indices/views";
import { rangeTerms } from "./data-loads";
import { positionsAlike, positionsOf } from "./positions";
import { SECTOR_BYTES } from "./reads";

/** Elements that threads load of a value, how many of them lie side by side for neighbours, and among how many. */
interface Asked {
  readonly elements: number;
  readonly run: number;
  readonly among: number;
}

const SIDE_BY_SIDE = Infinity;
/** Neighbours that one load of a warp can serve. */
const lineOf = (n: Node): number => LINE / dtypeBytes(n.type.dtype);

/** Elements of a shape behind one index of an axis. */
const behind = (shape: Shape, axis: number): number => sizeOf(shape.slice(axis + 1));

/** Whether any member loads from an address that is data: all others ask for nothing here. */
const isScattered = ({ op }: Node): boolean => opDef(op).kind === "gather" || opDef(op).kind === "ranges";

/** Whether the loop over the operands of an op is one of its own, along what lies side by side. */
const walksItself = (n: Node): boolean => endsPass(n) || ["contraction", "loop", "groups"].includes(opDef(n.op).kind);

/**
 * Lines that the loads of one run ask for, of what is gathered, and of the lists that say from where.
 * @param evaluations how many elements of each member are computed
 */
export function scatteredLines(
  graph: Graph,
  { members, outputs }: { readonly members: readonly NodeId[]; readonly outputs: readonly NodeId[] },
  evaluations: ReadonlyMap<NodeId, number>,
): number {
  if (!members.some((id) => isScattered(node(graph, id)))) return 0;
  const inside = new Set(members);
  const { computed, loaded } = positionsAlike(graph, members, outputs);
  const positionsIn = (id: NodeId): number => computed.get(id)?.length ?? 1;
  const known = new Map<NodeId, Asked & Together>();
  const lines = new Map<string, Together>();
  /** What the load of an operand of `n` asks for; a member asks for what its readers do, side by side as the least of them. */
  const ask = (n: Node, input: NodeId, asked: Asked): void => {
    const apart = positionsIn(n.id);
    if (inside.has(input)) {
      const before = known.get(input) ?? { ...asked, ...NOTHING, apart: positionsIn(input) };
      known.set(input, { ...before, ...bothOf(asked, before), ...withOne(before, asked.elements, apart) });
      return;
    }
    const read = node(graph, input);
    const line = lineOf(read);
    if (asked.run >= line || isLiteral(read)) return;
    const key = isScattered(n) ? `${n.id} ${input}` : input;
    // The loads of a warp meet where there are fewer lines than threads.
    const ofWarp = Math.min(WARP / asked.run, Math.max(1, asked.among / line));
    const before = lines.get(key) ?? { ...NOTHING, apart: linesApart(loaded.get(input) ?? [], line) };
    lines.set(key, { ...before, ...withOne(before, (asked.elements / WARP) * ofWarp, apart) });
  };
  for (const id of members.toReversed()) {
    const n = node(graph, id);
    const walks = walksItself(n);
    const own = known.get(id);
    const asked = own ? { ...own, elements: ofAll(own) } : inOrder(evaluations.get(id) ?? 0);
    n.inputs.forEach((input, operand) =>
      ask(n, input, walks ? inOrder(evaluations.get(input) ?? 0) : askedOf(graph, n, operand, asked, inside)),
    );
  }
  return [...lines.values()].reduce((sum, each) => sum + ofAll(each), 0);
}

/** What all readers of a value ask for, added up; the most of one of them at one position; and how many lines apart these lie. */
interface Together {
  readonly all: number;
  readonly most: number;
  readonly apart: number;
}

const NOTHING: Together = { all: 0, most: 0, apart: 1 };

const withOne = ({ all, most }: Together, asked: number, positions: number): Pick<Together, "all" | "most"> => ({
  all: all + asked,
  most: Math.max(most, asked / positions),
});

/** One load serves all that read the same element: readers ask for more only of other lines. */
const ofAll = ({ all, most, apart }: Together): number => Math.min(all, most * apart);

/** Positions that no line has together; at least one. */
function linesApart(positions: readonly number[], line: number): number {
  let [lines, begins] = [0, -Infinity];
  for (const position of positions) if (position - begins >= line) [lines, begins] = [lines + 1, position];
  return Math.max(1, lines);
}

const inOrder = (elements: number): Asked => ({ elements, run: SIDE_BY_SIDE, among: Infinity });

const bothOf = (a: Asked, b: Asked): Asked => ({
  elements: Math.max(a.elements, b.elements),
  run: Math.min(a.run, b.run),
  among: Math.max(a.among, b.among),
});

function askedOf(
  graph: Graph,
  n: Node,
  operand: number,
  { elements, run, among }: Asked,
  inside: ReadonlySet<NodeId>,
): Asked {
  const { gather, ranges } = opDef(n.op);
  const shapes = n.inputs.map((input) => node(graph, input).type.shape);
  const [data] = shapes as [Shape];
  const thinned = (by: number): Asked => ({
    elements: elements / by,
    run: Math.max(1, run / by),
    among: Math.max(1, among / by),
  });
  if (gather) {
    const axis = gather.axis(n.attrs, data);
    const own = behind(data, axis);
    // Neighbours behind one index lie side by side, and so do all where there is only one.
    if (operand > 0) return thinned(Math.max(1, own));
    return sizeOf(shapes[1]!) === 1
      ? { elements, run, among }
      : {
          elements,
          run: Math.min(run, own),
          among: Math.min(data[axis]!, spreadOf(graph, n.inputs[1]!, inside)) * own,
        };
  }
  if (ranges) {
    const axis = ranges.axis(n.attrs, data);
    const own = behind(data, axis);
    const terms = Math.max(1, rangeTerms(graph, n.inputs));
    if (operand === 0) return { elements: elements * terms, run: Math.min(run, own), among: data[axis]! * own };
    const each = thinned(Math.max(1, own));
    // Ranges of neighbours follow one another in the list.
    return operand > 1
      ? each
      : { elements: each.elements * terms, run: Math.max(1, each.run / terms), among: sizeOf(shapes[1]!) };
  }
  const each = thinned(repeatedBy(shapes[operand]!, n.type.shape));
  // What lies side by side, all of it or in rows, is priced by how it lies.
  return each.run === 1 ? { ...each, among: each.among * stepOf(n, shapes) } : each;
}

/** How far apart neighbours are taken from what a movement shows: 4 where it shows the first of each four. */
function stepOf(n: Node, shapes: readonly Shape[]): number {
  if (opDef(n.op).kind !== "movement" || n.inputs.length !== 1) return 1;
  const { shape } = n.type;
  const axis = shape.findLastIndex((extent) => extent > 1);
  if (axis < 0) return 1;
  const strides = stridesOf(shapes[0]!);
  const at = (from: number): number | null => {
    const point = shape.map((extent, i) => Math.floor(extent / 2) - (i === axis ? from : 0));
    const source = sourceOf(n, shapes, point);
    return source && source.index.reduce((sum, value, i) => sum + value * strides[i]!, 0);
  };
  const [here, before] = [at(0), at(1)];
  return here === null || before === null ? 1 : Math.max(1, Math.abs(here - before));
}

/** Neighbours that share an element of a broadcast operand. */
function repeatedBy(shape: Shape, out: Shape): number {
  let times = 1;
  for (let axis = 1; axis <= out.length && (shape.at(-axis) ?? 1) === 1; axis++) times *= out.at(-axis)!;
  return sizeOf(shape) === sizeOf(out) ? 1 : times;
}

/** Lines that a machine asks for while it stores to a sector of which a warp writes a part. */
const LINES_PER_STORE = 1.4;

/**
 * Lines that threads ask for which each take `run` times `width` neighbours: those of a warp lie so far apart. What is read at several
 * positions is loaded element by element.
 */
export function runLines(
  graph: Graph,
  { members, outputs }: { readonly members: readonly NodeId[]; readonly outputs: readonly NodeId[] },
  { size, width, run }: Pick<Segment, "size" | "width" | "run">,
): number {
  if (run === 1) return 0;
  const apart = width * run;
  const { loaded } = positionsOf(graph, members, outputs);
  let lines = 0;
  for (const id of storedInputs(graph, members)) {
    const positions = loaded.get(id)?.length ?? 1;
    const elements = positions > 1 ? size * positions : sizeOf(node(graph, id).type.shape);
    const own = positions > 1 ? apart : (apart * elements) / size;
    if (own > width) lines += (elements * Math.min(1, own / lineOf(node(graph, id)))) / (positions > 1 ? 1 : width);
  }
  const sectors = outputs.length * size * Math.min(1 / width, (apart * 4) / SECTOR_BYTES / width);
  return lines + LINES_PER_STORE * sectors;
}

/**
 * How many numbers those of neighbours lie among, as far as bounds and sums say: what rows have in common tells none of them apart.
 * A kernel knows nothing of numbers that it loads.
 */
function spreadOf(graph: Graph, id: NodeId, inside: ReadonlySet<NodeId>): number {
  if (!inside.has(id)) return Infinity;
  const n = node(graph, id);
  const { kind, bounds } = opDef(n.op);
  const whole: Bounds = { least: -Infinity, most: Infinity };
  if (bounds && kind === "elementwise") {
    const { least, most } = bounds(n.attrs, ...n.inputs.map(() => whole));
    if (most - least < Infinity) return most - least + 1;
  }
  const { terms } = algebraOf(n.op);
  const spread = (input: NodeId): number =>
    repeatedBy(node(graph, input).type.shape, n.type.shape) > 1 ? 1 : spreadOf(graph, input, inside);
  if (terms) return n.inputs.reduce((sum, input) => sum + spread(input) - 1, 1);
  const isView = kind === "movement" && n.inputs.length === 1;
  return isView && sizeOf(n.type.shape) === sizeOf(node(graph, n.inputs[0]!).type.shape)
    ? spreadOf(graph, n.inputs[0]!, inside)
    : Infinity;
}

/**
 * For each element of a member, the elements for which a warp runs its statements; absent: one.
 * @param members in topological order
 * @param outputs what is stored is computed for itself
 * @param width neighbours of a thread
 */
export function warpShares(
  graph: Graph,
  { members, outputs }: { readonly members: readonly NodeId[]; readonly outputs: readonly NodeId[] },
  width: number,
): ReadonlyMap<NodeId, number> {
  if (!members.some((id) => isJoin(node(graph, id)))) return new Map();
  const inside = new Set(members);
  // What has several readers is computed as often as for the one that wants it least.
  const shares = new Map<NodeId, number>(outputs.map((id) => [id, 1]));
  for (const id of members.toReversed()) {
    const n = node(graph, id);
    const own = shares.get(id) ?? 1;
    for (const [operand, input] of n.inputs.entries()) {
      if (!inside.has(input)) continue;
      const share = own * (isJoin(n) ? shareOf(graph, n, operand, WARP * width) : 1);
      shares.set(input, Math.min(share, shares.get(input) ?? Infinity));
    }
  }
  return new Map([...shares].filter(([, share]) => share > 1));
}

const isJoin = ({ op, inputs }: Node): boolean => inputs.length > 1 && opDef(op).movement?.joins !== undefined;

/** Neighbours that each operand of a join gives before the next one follows, and after how many it begins anew. */
export function joinedParts(
  graph: Graph,
  { attrs, inputs, type }: Node,
): { readonly parts: readonly number[]; readonly whole: number } {
  const axis = normalAxis(numberOf(attrs["axis"], 0), type.shape.length);
  const inner = behind(type.shape, axis);
  const part = ({ shape }: TensorType): number => (shape.length < type.shape.length ? 1 : shape[axis]!) * inner;
  return { parts: inputs.map((input) => part(node(graph, input).type)), whole: type.shape[axis]! * inner };
}

/** For each element of a part, the elements for which a warp of so many neighbours runs its statements. */
function shareOf(graph: Graph, n: Node, operand: number, neighbours: number): number {
  const { parts, whole } = joinedParts(graph, n);
  const own = Math.max(1, parts[operand]!);
  return Math.min(whole / own, 1 + neighbours / own);
}
