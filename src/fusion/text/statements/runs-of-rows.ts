/**
 * @file Bodies that add up along rows, multiply them by matrices or move their elements: which last axes of each value belong to one run
 * of the body, where the first axes only say which run it is.
 */
import { sameShape, type Attrs, type Node, type NodeId, type Shape } from "../../ir";
import { axesOf, isAbsent, normalAxis, numberOf, numbersOf, opDef, sliceAxes } from "../../ops";
import type { Interpreter } from "../interpreter";
import { typeOf } from "../interpreter";

/** How many last axes of each value one run of the body has whole, and the ops on them. */
export interface Runs {
  readonly own: ReadonlyMap<NodeId, number>;
  /** Attributes whose axes are counted from the end. */
  readonly attrs: ReadonlyMap<NodeId, Attrs>;
}

export interface RunsAsked {
  /** Axes in front that say which run it is. */
  readonly around: Shape;
  /** What the iteration made, in order. */
  readonly made: ReadonlySet<NodeId>;
  /** What is another in every iteration. */
  readonly changes: ReadonlySet<NodeId>;
  readonly carried: readonly NodeId[];
  readonly results: readonly NodeId[];
  /** Values that are read row by row. */
  readonly isRow: (n: Node) => boolean;
}

/** The runs of a body, or null where it mixes them. */
export function runsOf(interpreter: Interpreter, asked: RunsAsked): Runs | null {
  const { around, changes, carried, isRow } = asked;
  const outer = around.length;
  const own = new Map<NodeId, number>();
  const attrs = new Map<NodeId, Attrs>();
  const shapeOf = (id: NodeId): Shape => typeOf(interpreter, id).shape;
  const rankOf = (id: NodeId): number => shapeOf(id).length;
  /** What nothing says yet: one value a run where its first axes fit, else all of it in every run. */
  const asItLies = (id: NodeId): number => {
    const shape = shapeOf(id);
    const fits = shape.length >= outer && around.every((extent, i) => shape[i] === extent || shape[i] === 1);
    return fits ? shape.length - outer : shape.length;
  };
  /** A value that no iteration changes is read one way. */
  const read = (id: NodeId, count: number): boolean => {
    const known = own.get(id);
    if (known === undefined) own.set(id, count);
    return (known ?? count) === count;
  };
  const isApart = (id: NodeId): boolean => rankOf(id) > own.get(id)!;
  for (const id of carried) own.set(id, asItLies(id));
  const needed = neededBy(interpreter, asked);
  for (const id of asked.made) {
    if (!needed.has(id) || own.has(id)) continue;
    const n = interpreter.nodes.get(id)!;
    if (isRow(n) || n.inputs.length === 0) own.set(id, asItLies(id));
    else {
      const found = ownOf(n);
      if (found === null) return null;
      own.set(id, found);
    }
    const apart = rankOf(id) - own.get(id)!;
    if (apart !== 0 && apart !== outer) return null;
  }
  return { own, attrs };

  function ownOf(n: Node): number | null {
    const { kind, scalar, reduce } = opDef(n.op);
    if (kind === "elementwise" && !scalar?.usesIndex) return ofElements(n);
    if (kind === "contraction") return ofProduct(n);
    const count = own.get(n.inputs[0]!);
    if (!n.inputs.every((input) => changes.has(input)) || count === undefined) return null;
    const given = kind === "reduce" && !reduce!.arg ? fold(n) : kind === "movement" ? moved(n) : null;
    if (given === null) return null;
    attrs.set(n.id, given);
    const spread = Math.max(...n.inputs.map((input) => rankOf(input) - own.get(input)!));
    return n.type.shape.length - spread;
  }

  function ofElements({ inputs, type }: Node): number | null {
    const rank = type.shape.length;
    const varying = inputs.filter((input) => changes.has(input));
    const apart = varying.filter(isApart);
    const longer = varying.every((input) => rankOf(input) < rank);
    const isSpread = apart.length > 0 || (longer && rank >= outer && sameShape(type.shape.slice(0, outer), around));
    const count = isSpread ? rank - outer : rank;
    if (apart.some((input) => own.get(input) !== count)) return null;
    if (varying.some((input) => !isApart(input) && rankOf(input) > count)) return null;
    const fits = inputs.every((input) => {
      if (changes.has(input)) return true;
      const own = rankOf(input);
      return own <= count ? read(input, own) : own === rank && read(input, count);
    });
    return fits ? count : null;
  }

  function ofProduct({ inputs, type }: Node): number | null {
    const [a, b] = inputs as [NodeId, NodeId];
    for (const [id, other] of [
      [a, b],
      [b, a],
    ] as const)
      if (!changes.has(id)) {
        const all = rankOf(id) <= 2 ? rankOf(id) : rankOf(id) - outer;
        if (!read(id, isApart(other) || rankOf(id) <= 2 ? all : rankOf(id))) return null;
      }
    const [left, right] = [own.get(a)!, own.get(b)!];
    const spread = isApart(a) || isApart(b);
    if (spread && right > 2) return null;
    if (isApart(b) && (right !== 2 || left !== 2)) return null;
    if (isApart(a) && !isApart(b) && left > 2) return null;
    return type.shape.length - (spread ? outer : 0);
  }

  function fold({ inputs, attrs: given }: Node): Attrs | null {
    const [x] = inputs as [NodeId];
    const rank = rankOf(x);
    const axes = axesOf(given["axes"], rank);
    if (axes.length === 0 || axes.some((axis) => axis < rank - own.get(x)!)) return null;
    return { ...given, axes: axes.map((axis) => axis - rank) };
  }

  /** Movements that stay inside a run. */
  function moved({ inputs, type, attrs: given, op }: Node): Attrs | null {
    const [x] = inputs as [NodeId];
    if (inputs.some((input) => isApart(input) !== isApart(x) || own.get(input) !== own.get(x))) return null;
    const shape = shapeOf(x);
    const [rank, first] = [shape.length, shape.length - own.get(x)!];
    const { params } = opDef(op);
    if (params.some(({ names: [name] }) => name === "start")) {
      const cuts = sliceAxes(given, shape);
      if (cuts.slice(0, first).some(({ start, step, count }, i) => start !== 0 || step !== 1 || count !== shape[i]))
        return null;
      const cutAxes = cuts.flatMap((cut, axis) =>
        axis >= first && (cut.start !== 0 || cut.step !== 1 || cut.count !== shape[axis]) ? [{ ...cut, axis }] : [],
      );
      if (cutAxes.some(({ step }) => step < 0)) return null;
      const cut = cutAxes.length > 0 ? cutAxes : [{ start: 0, step: 1, count: shape[rank - 1]!, axis: rank - 1 }];
      if (rank === first) return null;
      return {
        start: cut.map(({ start }) => start),
        stop: cut.map(({ start, step, count }) => start + (count - 1) * step + 1),
        step: cut.map(({ step }) => step),
        axes: cut.map(({ axis }) => axis - rank),
      };
    }
    const named = params.filter(({ kind }) => kind === "axis" || kind === "axes");
    if (named.length !== 1) return null;
    const name = named[0]!.names[0]!;
    if (isAbsent(given[name])) return null;
    // Axes of the result where it has more of them, else of the operand.
    const counted = Math.max(rank, type.shape.length);
    const axes = numbersOf(given[name]).map((axis) => normalAxis(axis, counted));
    if (axes.some((axis) => axis < first)) return null;
    const fromEnd = axes.map((axis) => axis - counted);
    return { ...given, [name]: named[0]!.kind === "axis" ? numberOf(fromEnd[0], -1) : fromEnd };
  }
}

/** What the results follow from, down to rows and carried values. */
function neededBy(interpreter: Interpreter, { changes, carried, results, isRow }: RunsAsked): ReadonlySet<NodeId> {
  const found = new Set<NodeId>();
  const open = results.filter((id) => changes.has(id));
  const ends = new Set(carried);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    const n = interpreter.nodes.get(id)!;
    if (!ends.has(id) && !isRow(n)) open.push(...n.inputs.filter((input) => changes.has(input)));
  }
  return found;
}
