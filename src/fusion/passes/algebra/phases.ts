/**
 * @file A convolution of a spread input by phases. Where the input is spread by a stride s, only every s-th tap of a window meets an
 * element, and which ones depends on the phase of the window, its number modulo s. So each phase is a convolution of the input as it
 * is, with ⌈k/s⌉ of the taps, and all phases together are one product; a transpose puts their results between one another.
 * Phases that see the same elements are rows of one matrix, others are batches.
 */
import { node, sameShape, sizeOf, type Node, type NodeId, type Shape } from "../../ir";
import { numberOf, opDef, windowOf, type WindowAxis } from "../../ops";
import { isFreeView } from "../../kernel";
import type { NodeChange, Rewriter } from "../driver/rewriter";
import { readOnce, rule, type Site } from "../driver/rule";
import { NodeFactory } from "../saved/node-factory";
import { inWords, nameOf } from "../driver/sentences";

/** How the phases of one axis are computed. Of an axis that is not spread there is one. */
export interface Phases {
  readonly axis: WindowAxis;
  /** Elements of the input along it. */
  readonly extent: number;
  /** Phase `e·rows + m` is row m of batch e; its windows begin e elements further on than those of batch 0. */
  readonly batches: number;
  readonly rows: number;
  /** Zeros before the first tap, so that the last phase begins with it. */
  readonly zeros: number;
  readonly taps: number;
  /** Windows of each phase, and elements before the input. */
  readonly count: number;
  readonly before: number;
}

const spread = ({ axis }: Phases): number => axis.interior;

/** A single element is spread as far as one likes: as far as there are windows, each window then sees it with a tap of its own. */
const alone = (axis: WindowAxis, extent: number, windows: number): WindowAxis =>
  extent === 1 && axis.stride * axis.dilation * axis.interior === 1 ? { ...axis, interior: windows } : axis;

/** Null where taps lie apart, so that phases see elements that lie apart, too, and where one phase has more windows than another. */
export function phasesOf(axis: WindowAxis, extent: number, windows: number): Phases | null {
  const { interior: step, kernel, stride, dilation, before } = axis;
  const plain = { axis, extent, count: windows / step };
  if (step === 1) return { ...plain, batches: 1, rows: 1, zeros: 0, taps: kernel, before };
  if (stride !== 1 || (dilation !== 1 && kernel > 1) || windows % step !== 0) return null;
  const last = ((before % step) + step) % step;
  const shared = { batches: 1, rows: step, zeros: step - 1 - last };
  const apart = { batches: 2, rows: step / 2, zeros: 0 };
  const tapsOf = ({ zeros }: { readonly zeros: number }): number => Math.ceil((kernel + zeros) / step);
  const way = 2 * (last + 1) === step && tapsOf(apart) < tapsOf(shared) ? apart : shared;
  return {
    ...plain,
    ...way,
    taps: tapsOf(way),
    before: Math.floor((before + way.zeros) / step),
  };
}

interface Found {
  readonly nodes: readonly NodeId[];
  readonly x: Node;
  readonly weights: Node;
  readonly phases: readonly Phases[];
}

export const phases = rule({
  name: "phases",
  match(site): Found | null {
    const { graph, n } = site;
    if (opDef(n.op).kind !== "contraction" || n.type.shape.includes(0)) return null;
    const [weights, columns] = n.inputs.map((id) => node(graph, id)) as [Node, Node | undefined];
    const window = columns && weights.type.shape.length >= 2 ? operandBehind(site, columns) : null;
    const axes = window && windowOf(window);
    if (!columns || !axes || numberOf(window.attrs["value"], 0) !== 0) return null;
    const x = node(graph, window.inputs[0]!);
    const [shape, rank] = [window.type.shape, axes.length];
    const [windows, extents] = [shape.slice(-rank), x.type.shape.slice(-rank)];
    const found = axes.map((axis, i) => phasesOf(alone(axis, extents[i]!, windows[i]!), extents[i]!, windows[i]!));
    const taps = axes.reduce((size, { kernel }) => size * kernel, 1);
    const [depth, positions] = columns.type.shape.slice(-2) as [number, number];
    const fits = positions === sizeOf(windows) && depth % taps === 0 && columns.type.shape.length > 1;
    const beside = columns.type.shape.slice(0, -2);
    const rows = weights.type.shape.at(-2)!;
    if (!fits || !sameShape(n.type.shape, [...beside, rows, positions])) return null;
    if (!found.every((each) => each !== null) || !found.some((each) => spread(each) > 1)) return null;
    return { nodes: [n.id, window.id], x, weights, phases: found };
  },
  replace: (site, found) => byPhase(site, found),
  because({ graph, n }, { x, phases: all }) {
    const count = all.reduce((product, each) => product * spread(each), 1);
    const before = all.reduce((product, { axis }) => product * axis.kernel, 1);
    const after = all.reduce((product, { taps }) => product * taps, 1);
    const isAlone = all.every((each) => spread(each) === 1 || each.extent === 1);
    const around = isAlone ? "lie beside the only element of" : "meet the gaps between elements of";
    return `${nameOf(graph, n.id)} takes ${inWords(before)} taps for each result, of which most ${around} ${nameOf(graph, x.id)}. Taken apart into ${inWords(count)} phases, each result takes ${inWords(after)}.`;
  },
});

/** What a product reads through views, if only the product needs it. */
function operandBehind(site: Site, columns: Node): Node | null {
  let n = columns;
  for (; isFreeView(n); n = node(site.graph, n.inputs[0]!)) if (!readOnce(site, n)) return null;
  return readOnce(site, n) ? n : null;
}

function byPhase({ graph, rewriter, n }: Site, { x, weights, phases: all }: Found): NodeChange {
  const factory = new NodeFactory(graph, n.id, "phase");
  windowsProduct(factory, n, { x: x.id, weights: weights.id, beside: n.type.shape.slice(0, -2), phases: all });
  return finished(rewriter, factory, n);
}

/** What the factory made last stands under the node's name, in its shape, with the rest beside it. */
export function finished(rewriter: Rewriter, factory: NodeFactory, n: Node): NodeChange {
  factory.call("reshape", [factory.made.at(-1)!.id], { shape: n.type.shape }, n, n.phase === "backward");
  const { op, inputs, attrs } = factory.made.pop()!;
  return {
    ...rewriter.replaced([], [...factory.made, { ...n, op, inputs, attrs }]),
    inserted: factory.computed().map((id) => [id, n.id] as const),
  };
}

/**
 * Makes weights · windows, for which `n` stands: [beside…, outputs, windows…].
 * @param parts `x`: [beside…, channels, extents…], `weights`: [own…, outputs, channels·taps], in any shapes of as many elements
 */
export function windowsProduct(
  factory: NodeFactory,
  n: Node,
  parts: {
    readonly x: NodeId;
    readonly weights: NodeId;
    readonly beside: Shape;
    readonly phases: readonly Phases[];
  },
): void {
  const { beside, phases: all } = parts;
  const late = n.phase === "backward";
  const call = (op: string, id: NodeId, attrs: Node["attrs"]): NodeId => factory.call(op, [id], attrs, n, late);
  const shaped = (id: NodeId, shape: Shape): NodeId =>
    sameShape(factory.typeOf(id).shape, shape) ? id : call("reshape", id, { shape });
  /** The axes in another order: one number each, from the first on. */
  const ordered = (id: NodeId, perm: readonly number[]): NodeId =>
    perm.every((axis, i) => axis === i) ? id : call("transpose", id, { perm });
  const every = <T>(of: (each: Phases, i: number) => T): T[] => all.map(of);
  const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

  const rank = all.length;
  const { shape } = factory.typeOf(parts.weights);
  const [own, outputs] = [shape.slice(0, -2), shape.at(-2)!];
  const channels = shape.at(-1)! / sizeOf(every(({ axis }) => axis.kernel));
  const batches = every((each) => each.batches);
  const rows = every((each) => each.rows);
  const taps = every((each) => each.taps);
  const counts = every(({ count }) => count);
  const depth = channels * sizeOf(taps);
  const apart = sizeOf(batches) > 1 ? [sizeOf(batches)] : [];

  // Of the input, windows of as many taps as a phase takes; where phases begin elsewhere, once from each of these beginnings on.
  let seen = shaped(parts.x, [...beside, channels, ...every(({ extent }) => extent)]);
  const around = (each: Phases): readonly [number, number] => {
    const { axis, before, extent, count } = each;
    if (spread(each) === 1) return [before, axis.after];
    return [before, count + each.taps - 1 + each.batches - 1 - extent - before];
  };
  const padding = [...every((each) => around(each)[0]), ...every((each) => around(each)[1])];
  const plain = {
    kernel_size: taps,
    stride: every((each) => (spread(each) === 1 ? each.axis.stride : 1)),
    dilation: every((each) => (spread(each) === 1 ? each.axis.dilation : 1)),
  };
  if (apart.length > 0) {
    seen = call("window", call("window", seen, { kernel_size: batches, padding }), plain);
    // Phases first: their weights stay the same along all that is beside them, whose windows are then columns of one matrix.
    const first = beside.length;
    seen = ordered(seen, [...range(first + 1, rank), ...range(0, first + 1), ...range(first + 1 + rank, 2 * rank)]);
  } else seen = call("window", seen, { ...plain, padding });
  // Of a single window each, what is beside them makes the columns.
  const isRow = sizeOf(counts) === 1 && own.length === 0 && beside.length > 0 && all.some((each) => spread(each) > 1);
  const first = apart.length;
  const columns = isRow
    ? ordered(shaped(seen, [...apart, sizeOf(beside), depth]), [...range(0, first), first + 1, first])
    : shaped(seen, [...apart, ...beside, depth, sizeOf(counts)]);
  const product = (left: NodeId): NodeId => factory.call("matmul", [left, columns], {}, n, late);
  if (!all.some((each) => spread(each) > 1)) {
    product(parts.weights);
    return;
  }

  // Of the weights, every s-th tap for each phase, the last phase first.
  let taken = shaped(parts.weights, [...own, outputs, channels, ...every(({ axis }) => axis.kernel)]);
  const ends = every((each) => [each.zeros, each.taps * spread(each) - each.axis.kernel - each.zeros]);
  if (ends.flat().some((count) => count > 0)) taken = call("pad", taken, { pads: ends.toReversed().flat() });
  const lead = own.length + 2;
  taken = shaped(taken, [...own, outputs, channels, ...all.flatMap((each) => [each.taps, each.batches, each.rows])]);
  taken = call("flip", taken, { axes: range(0, rank).map((i) => lead + 3 * i + 2) });
  const each = (part: number): number[] => range(0, rank).map((i) => lead + 3 * i + part);
  taken = ordered(taken, [...each(1), ...range(0, own.length), own.length, ...each(2), own.length + 1, ...each(0)]);
  const along = isRow ? apart : apart.length > 0 ? [...apart, ...beside.slice(own.length).map(() => 1)] : [];
  const left = shaped(taken, [...along, ...own, outputs * sizeOf(rows), depth]);

  // Results of all phases, put between one another.
  const at = beside.length;
  const found = isRow
    ? shaped(product(left), [...batches, outputs, ...rows, ...beside, ...counts])
    : shaped(product(left), [...batches, ...beside, outputs, ...rows, ...counts]);
  const [mine, others] = isRow ? [rank, 2 * rank + 1] : [rank + at, rank];
  const last = 2 * rank + 1 + at;
  ordered(found, [...range(others, at), mine, ...range(0, rank).flatMap((i) => [last + i, i, mine + 1 + i])]);
}
