/**
 * @file A fold of windows over several axes, axis by axis: the largest (or the sum) of 9×9 elements is that of nine of nine. Each result
 * then takes 9 + 9 terms instead of 81, and what lies between the two folds is stored once.
 */
import { node, type Node, type NodeId, type Region, regionId, type Shape, sizeOf } from "../../ir";
import { figuresIn, type Figures } from "../../cost";
import { algebraOf, isAbsent, numberOf, opDef, windowOf, type WindowAxis } from "../../ops";
import type { Planner } from "../driver/planner";
import type { NodeChange } from "../driver/rewriter";
import { operandOf, readOnce, rule, type Site } from "../driver/rule";
import { inWords, nameOf, no, showMicros } from "../driver/sentences";
import { weigh, type Way } from "../profitability/weigh";
import { NodeFactory } from "../saved/node-factory";

interface Found {
  readonly nodes: readonly NodeId[];
  readonly window: Node;
  readonly axes: readonly WindowAxis[];
  /** The axis of `axes` that is folded first: the last that has more than one tap, along which memory lies. */
  readonly first: number;
}

export const axisByAxis = rule({
  name: "axis-by-axis",
  match(site): Found | null {
    const { n } = site;
    const { reduce } = opDef(n.op);
    if (!reduce || !algebraOf(n.op).nests || n.inputs.length !== 1 || n.type.shape.includes(0)) return null;
    const window = operandOf(site);
    const axes = windowOf(window);
    if (!axes || !readOnce(site, window) || window.type.dtype !== n.type.dtype) return null;
    const { shape } = window.type;
    const lead = shape.length - 2 * axes.length;
    const folded = reduce.axes(n.attrs, shape);
    const isTaps = folded.length === axes.length && axes.every((_, i) => folded.includes(lead + i));
    if (!isTaps || n.type.shape.length !== shape.length - axes.length) return null;
    const wide = axes.flatMap(({ kernel }, i) => (kernel > 1 ? [i] : []));
    // What is outside of the first windows is outside of the second, as a fold of nothing else.
    const neutral = numberOf(window.attrs["value"], 0) === reduce.identity(n.type.dtype);
    const inside = axes.every(({ before, after, interior }) => before <= 0 && after <= 0 && interior === 1);
    if (wide.length < 2 || !(neutral || inside)) return null;
    const first = wide.at(-1)!;
    const x = node(site.graph, window.inputs[0]!).type.shape;
    // Windows that do not overlap have no terms in common.
    if (termsInTurn(window, x, axes, first) >= sizeOf(shape)) return null;
    return { nodes: [n.id, window.id], window, axes, first };
  },
  refuse(site, found) {
    const { planner, n } = site;
    const change = rewritten(site, found);
    const kernel = (...members: readonly NodeId[]): Region => ({
      id: regionId(`k:${members.at(-1)!}`),
      members,
      outputs: [members.at(-1)!],
    });
    const [window, fold, next] = change.after as [Node, Node, Node];
    const whole = wayOfKernels(planner, "as written", [kernel(found.window.id, n.id)]);
    const apart = planner.supposing(site.rewriter.patchOf(change), () =>
      wayOfKernels(planner, "rewritten", [kernel(window.id, fold.id), kernel(next.id, n.id)]),
    );
    if (!whole || !apart || apart.micros < whole.micros) return null;
    const text = `${saying(site, found)} But to store what lies between takes more than those terms: ${showMicros(apart.micros)} instead of ${showMicros(whole.micros)}.`;
    const remedy = "Larger windows: each result then saves more terms.";
    return no("C_NEGATIVE", found.nodes, text, { remedy, weighed: weigh("time", [whole, apart]) });
  },
  replace: rewritten,
  timed: true,
  because: saying,
});

/** Terms of both folds: those of each row of `x`, and then those of the windows across what these make. */
function termsInTurn({ type: { shape } }: Node, x: Shape, axes: readonly WindowAxis[], first: number): number {
  const { kernel } = axes[first]!;
  const windows = shape.at(first - axes.length)!;
  return kernel * sizeOf(x.with(first - axes.length + x.length, windows)) + sizeOf(shape) / kernel;
}

/** What these take as kernels of their own, whatever the plan's are; null where one of them is none. */
function wayOfKernels(planner: Planner, what: string, regions: readonly Region[]): Way | null {
  const facts = regions.map(planner.kernelOf);
  if (facts.includes(null)) return null;
  const figures = facts.map((each) => figuresIn(each!));
  const add = (of: (each: Figures) => number): number => figures.reduce((sum, each) => sum + of(each), 0);
  return {
    what,
    micros: add(({ time }) => time.micros),
    bytes: add(({ traffic }) => traffic.bytes),
    launches: add(({ schedule }) => schedule.dispatches),
  };
}

function saying({ graph, n }: Site, { axes }: Found): string {
  const taps = axes.map(({ kernel }) => kernel).filter((kernel) => kernel > 1);
  const terms = taps.reduce((product, each) => product * each, 1);
  const rest = terms / taps.at(-1)!;
  return `${nameOf(graph, n.id)} folds ${inWords(terms)} terms of each window. Along one axis after the other it folds ${inWords(taps.at(-1)!)}, and then ${inWords(rest)} of what these make.`;
}

const attrsOf = (axes: readonly WindowAxis[], { attrs }: Node): Node["attrs"] => ({
  kernel_size: axes.map(({ kernel }) => kernel),
  stride: axes.map(({ stride }) => stride),
  dilation: axes.map(({ dilation }) => dilation),
  padding: [...axes.map(({ before }) => before), ...axes.map(({ after }) => after)],
  interior: axes.map(({ interior }) => interior),
  ...(isAbsent(attrs["value"]) ? {} : { value: attrs["value"] }),
});

/** An axis that windows leave as it is. */
const STILL: WindowAxis = { kernel: 1, stride: 1, dilation: 1, interior: 1, before: 0, after: 0 };

function rewritten({ graph, rewriter, n }: Site, { window, axes, first }: Found): NodeChange {
  const factory = new NodeFactory(graph, n.id, "row");
  const late = n.phase === "backward";
  const x = node(graph, window.inputs[0]!);
  const lead = x.type.shape.length - axes.length;
  const along = axes.slice(first).map((axis, i) => (i === 0 ? axis : STILL));
  const rows = factory.call("window", [x.id], attrsOf(along, window), window, late);
  const taps = along.map((_, i) => lead + first + i);
  const fold = factory.call(n.op, [rows], { ...n.attrs, axes: taps, keepdims: false }, n, late);
  const others = axes.map((axis, i) => (i === first ? STILL : axis));
  const next = factory.call("window", [fold], attrsOf(others, window), window, late);
  const last: Node = { ...n, inputs: [next], attrs: { ...n.attrs, axes: axes.map((_, i) => lead + i) } };
  return {
    ...rewriter.replaced([], [...factory.made, last]),
    ownRegions: [fold],
    inserted: [
      [rows, fold],
      [next, n.id],
    ],
  };
}
