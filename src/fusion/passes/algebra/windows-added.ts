/**
 * @file The derivative of a convolution by its input: what each tap of each window saw of a product is added to where it lay. That sum is
 * itself a product, of the other operand's windows with the taps the other way round, and no value of a tap is stored.
 */
import { node, sameShape, sizeOf, type Node, type NodeId } from "../../ir";
import { algebraOf, numberOf, opDef, sliceOf, windowOf, type WindowAxis } from "../../ops";
import { figuresIn } from "../../cost";
import { isFreeView } from "../../kernel";
import type { NodeChange } from "../driver/rewriter";
import { readOnce, rule, type Site } from "../driver/rule";
import { inWords, nameOf, no, showMicros } from "../driver/sentences";
import { weigh, workOf } from "../profitability/weigh";
import { NodeFactory } from "../saved/node-factory";
import { finished, phasesOf, windowsProduct, type Phases } from "./phases";

/** What one tap saw, spread and shifted to where it lay. */
interface Term {
  /** What it is a slice of: [lead…, taps…, windows…]. */
  readonly seen: NodeId;
  readonly at: readonly number[];
  readonly axes: readonly WindowAxis[];
}

interface Found {
  readonly nodes: readonly NodeId[];
  readonly x: Node;
  readonly weights: Node;
  readonly taps: readonly number[];
  readonly phases: readonly Phases[];
}

export const windowsAdded = rule({
  name: "windows-added",
  match(site): Found | null {
    const { graph, rewriter, n } = site;
    if (!adds(n) || n.type.dtype !== "f32") return null;
    const terms = termsOf(site);
    const [first] = terms ?? [];
    if (!terms || !first || !terms.every(({ seen }) => seen === first.seen)) return null;
    const isWhole = [...rewriter.readersOf(n.id)].every((id) => {
      const reader = node(graph, id);
      return !adds(reader) || reader.inputs.every((each) => each === n.id || termOf(site, each)?.seen !== first.seen);
    });
    const product = isWhole ? productBehind(site, first.seen, terms.length) : null;
    if (!product) return null;
    const { shape } = node(graph, first.seen).type;
    const rank = first.axes.length;
    const [taps, windows] = [shape.slice(-2 * rank, -rank), shape.slice(-rank)];
    const [weights, x] = product.inputs.map((id) => node(graph, id)) as [Node, Node];
    const found = taps.map((kernel, i) => {
      const axis = axisOf(terms, kernel, i);
      const extent = windows[i]!;
      const results = n.type.shape.at(i - rank)!;
      if (!axis) return null;
      const spread = (extent - 1) * axis.interior + 1;
      return phasesOf(
        { ...axis, after: results + axis.dilation * (kernel - 1) - spread - axis.before },
        extent,
        results,
      );
    });
    if (!found.every((each) => each !== null)) return null;
    const beside = product.type.shape.slice(0, -2);
    const fits =
      sameShape(x.type.shape.slice(0, -2), beside) &&
      product.type.shape.at(-1) === sizeOf(windows) &&
      product.type.shape.at(-2)! % sizeOf(taps) === 0 &&
      sizeOf(beside) * product.type.shape.at(-2)! === sizeOf(shape.slice(0, -rank)) &&
      terms.length === sizeOf(taps) &&
      new Set(terms.map(({ at }) => at.join())).size === terms.length;
    return fits ? { nodes: [n.id, product.id], x, weights, taps, phases: found } : null;
  },
  refuse(site, found) {
    const { planner, graph, n } = site;
    const change = rewritten(site, found);
    const patch = site.rewriter.patchOf(change);
    const product = node(graph, found.nodes[1]!);
    // The ops of the sum would be one kernel, whatever the kernels of single ops take.
    const sum = { id: patch.removedRegions[0]!.id, members: sumOf(site, product.id), outputs: [n.id] };
    const adding = planner.kernelOf(sum);
    if (!adding) return null;
    const others = patch.removedRegions.filter(({ members }) => !members.every((id) => sum.members.includes(id)));
    const apart = workOf(planner, others);
    const own = figuresIn(adding);
    const micros = apart.micros + own.time.micros;
    const after = planner.supposing(patch, () => workOf(planner, patch.addedRegions));
    if (after.micros <= micros) return null;
    const text = `${saying(site, found)} But a kernel that adds them up, beside that of ${nameOf(graph, product.id)}, takes less: ${showMicros(micros)} instead of ${showMicros(after.micros)}.`;
    const ways = [
      { what: "as written", ...apart, micros, bytes: apart.bytes + own.traffic.bytes, launches: apart.launches + 1 },
      { what: "rewritten", ...after },
    ];
    return no("C_NEGATIVE", found.nodes, text, { weighed: weigh("time", ways) });
  },
  replace: rewritten,
  because: (site, found) => `${saying(site, found)} Nothing is stored for each tap.`,
});

const saying = ({ graph, n }: Site, { x, taps, nodes }: Found): string =>
  `${nameOf(graph, n.id)} adds what ${inWords(sizeOf(taps))} taps saw of ${nameOf(graph, nodes[1]!)} to where they lay. That is a product as well, of windows of ${nameOf(graph, x.id)} with the taps the other way round.`;

/** What follows from the product, up to the sum. */
function sumOf({ graph, rewriter, planner, n }: Site, product: NodeId): NodeId[] {
  const found = new Set<NodeId>([product]);
  for (const id of found) if (id !== n.id) for (const reader of rewriter.readersOf(id)) found.add(reader);
  found.delete(product);
  return [...found].filter((id) => graph.nodes.has(id)).toSorted((a, b) => planner.position(a) - planner.position(b));
}

function rewritten({ graph, rewriter, n }: Site, { x, weights, taps, phases }: Found): NodeChange {
  const late = n.phase === "backward";
  const factory = new NodeFactory(graph, n.id, "phase");
  const call = (op: string, id: NodeId, attrs: Node["attrs"]): NodeId => factory.call(op, [id], attrs, n, late);
  const { shape } = weights.type;
  const [own, channels] = [shape.slice(0, -2), shape.at(-2)! / sizeOf(taps)];
  // [own…, outputs·taps, channels] → [own…, outputs, channels·taps, the last one first]
  const parted = call("reshape", weights.id, { shape: [...own, channels, ...taps, shape.at(-1)!] });
  const at = own.length + 1;
  const tapAxes = taps.map((_, i) => at + i);
  const flipped = call("flip", parted, { axes: tapAxes });
  const perm = [...own.keys(), own.length, at + taps.length, ...tapAxes];
  const turned = call("transpose", flipped, { perm });
  const rows = call("reshape", turned, { shape: [...own, channels, shape.at(-1)! * sizeOf(taps)] });
  windowsProduct(factory, n, { x: x.id, weights: rows, beside: x.type.shape.slice(0, -2), phases });
  return finished(rewriter, factory, n);
}

const adds = ({ op }: Node): boolean => algebraOf(op).terms?.join() === "1,1";

/** Terms of a sum that adds one after the other, or null where one of them is something else. */
function termsOf(site: Site): Term[] | null {
  const terms: Term[] = [];
  let n = site.n;
  for (let isSum = true; isSum;) {
    const last = termOf(site, n.inputs[1]!);
    if (!last) return null;
    terms.push(last);
    n = node(site.graph, n.inputs[0]!);
    isSum = adds(n) && readOnce(site, n);
  }
  const first = termOf(site, n.id);
  return first && [...terms, first];
}

/** One tap's part of a value, through a window of one tap. */
function termOf(site: Site, id: NodeId): Term | null {
  const { graph } = site;
  const window = behindViews(site, id);
  const axes = window && windowOf(window);
  const slice = axes ? behindViews(site, window.inputs[0]!) : null;
  if (!axes || !slice || axes.some(({ kernel, stride }) => kernel !== 1 || stride !== 1)) return null;
  if (numberOf(window.attrs["value"], 0) !== 0) return null;
  const [seen] = slice.inputs;
  const { shape } = node(graph, seen ?? slice.id).type;
  const parts = sliceOf(slice, shape);
  const [from, to] = [shape.length - 2 * axes.length, shape.length - axes.length];
  const isTap = (axis: number): boolean => axis >= from && axis < to;
  const isWhole = parts?.every(({ count, step }, axis) =>
    isTap(axis) ? count === 1 : count === shape[axis] && step === 1,
  );
  if (!parts || !isWhole || from < 0) return null;
  return { seen: seen!, at: parts.filter((_, axis) => isTap(axis)).map(({ start }) => start), axes };
}

/** What lies behind views that are read once each; null where somebody else reads one. */
function behindViews(site: Site, id: NodeId): Node | null {
  let n = node(site.graph, id);
  for (; isFreeView(n); n = node(site.graph, n.inputs[0]!)) if (!readOnce(site, n)) return null;
  return readOnce(site, n) ? n : null;
}

/** The product that is seen, by so many slices and nobody else. */
function productBehind(site: Site, seen: NodeId, readers: number): Node | null {
  const { planner, rewriter, graph } = site;
  if (rewriter.readersOf(seen).size !== readers || planner.isOutput(seen)) return null;
  let n = node(graph, seen);
  while (isFreeView(n)) {
    n = node(graph, n.inputs[0]!);
    if (!readOnce(site, n)) return null;
  }
  const ranks = n.inputs.map((id) => node(graph, id).type.shape.length);
  return opDef(n.op).kind === "contraction" && ranks.every((rank) => rank >= 2) ? n : null;
}

/** The axis of windows over which the sum is a product; null where the taps are not evenly apart. */
function axisOf(terms: readonly Term[], kernel: number, i: number): Omit<WindowAxis, "after"> | null {
  const seen = terms.map(({ at, axes }) => ({ at: at[i]!, ...axes[i]! }));
  const [one] = seen;
  const other = seen.find(({ at }) => at !== one!.at);
  const dilation = other ? (other.before - one!.before) / (other.at - one!.at) : 1;
  const start = one!.before - one!.at * dilation;
  const even = seen.every(({ at, before, interior }) => before === start + at * dilation && interior === one!.interior);
  if (!even || !Number.isInteger(dilation) || dilation < 1) return null;
  return { kernel, stride: 1, dilation, interior: one!.interior, before: dilation * (kernel - 1) + start };
}
