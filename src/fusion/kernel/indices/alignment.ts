/**
 * @file What may follow a contraction inside its kernel: elementwise work on the accumulators, seen through free views and
 * permutations. Each follower element belongs to exactly one accumulator; where it lies is followed forward from there.
 */
import { node, sizeOf, stridesOf, type Graph, type Node, type NodeId, type Shape } from "../../ir";
import { opDef } from "../../ops";
import { affineView } from "./affine";
import { isFreeView } from "./views";

/** For each axis of the result, the axis of the operand it is (null: it has one element). */
export type Permutation = readonly (number | null)[];

/** The permutation that a movement op is, or null when it is none. */
export function permutationOf(graph: Graph, n: Node): Permutation | null {
  const shape = node(graph, n.inputs[0]!).type.shape;
  if (n.inputs.length !== 1 || sizeOf(shape) !== sizeOf(n.type.shape)) return null;
  const view = affineView(n, [shape]);
  if (!view || view.base.some((start) => start !== 0)) return null;
  const perm = view.columns.map((column, axis) => {
    if (n.type.shape[axis] === 1) return null;
    const from = column.findIndex((step) => step === 1);
    return from >= 0 && column.every((step, d) => step === (d === from ? 1 : 0)) ? from : undefined;
  });
  const used = perm.filter((from) => from !== null);
  return used.includes(undefined) || new Set(used).size !== used.length ? null : (perm as Permutation);
}

/** Does it swap the last two axes, and nothing else? */
export function isMatrixTranspose(graph: Graph, n: Node): boolean {
  const perm = opDef(n.op).kind !== "movement" || isFreeView(n) ? null : permutationOf(graph, n);
  const last = (perm?.length ?? 0) - 1;
  return (
    perm !== null &&
    last > 0 &&
    perm.every((from, axis) => from === null || from === (axis < last - 1 ? axis : 2 * last - 1 - axis))
  );
}

/** A value that shows all of another one in some order: that one, and for each of its axes the axis here (null: it has one element). */
export interface Ordered {
  readonly source: NodeId;
  readonly axes: readonly (number | null)[];
}

/** What lies behind permutations and views that move no axis into another; the value itself where there are none. */
export function orderedFrom(graph: Graph, id: NodeId): Ordered {
  let n = node(graph, id);
  let axes: (number | null)[] = n.type.shape.map((extent, axis) => (extent === 1 ? null : axis));
  for (;;) {
    const perm = opDef(n.op).kind === "movement" ? permutationOf(graph, n) : null;
    if (perm === null) return { source: n.id, axes };
    const here = axes;
    n = node(graph, n.inputs[0]!);
    axes = n.type.shape.map((_, axis) => (perm.includes(axis) ? here[perm.indexOf(axis)]! : null));
  }
}

/** Are `a` and `b` one value in memory, with their last two axes swapped? */
export function areTransposed(graph: Graph, a: NodeId, b: NodeId): boolean {
  const [one, other] = [orderedFrom(graph, a), orderedFrom(graph, b)];
  const last = node(graph, a).type.shape.length - 1;
  if (one.source !== other.source || node(graph, b).type.shape.length !== last + 1) return false;
  return one.axes.every((axis, i) => other.axes[i] === (axis === null || axis < last - 1 ? axis : 2 * last - 1 - axis));
}

/** Elements whose way is followed to tell two ways apart: each axis' second and last element, the corners, and a spread. */
export function samplesOf(shape: Shape): number[] {
  const size = sizeOf(shape);
  const ends = stridesOf(shape).flatMap((stride, axis) => [stride, stride * (shape[axis]! - 1)]);
  const spread = Array.from({ length: 16 }, (_, i) => (i * 2654435761) % size);
  return [...new Set([...ends, ...spread, size - 1])].filter((at) => at < size);
}

/** The index in `to` of the element at `at` of `from`. */
export function permuteLinear(at: number, from: Shape, to: Shape, perm: Permutation): number {
  const [a, b] = [stridesOf(from), stridesOf(to)];
  return perm.reduce<number>(
    (sum, axis, o) => (axis === null ? sum : sum + (Math.floor(at / a[axis]!) % from[axis]!) * b[o]!),
    0,
  );
}

/** A value whose elements are those of the contraction, each at an index of its own. */
export interface Follower {
  /** Free views and permutations on the way from the contraction, in order. */
  readonly through: readonly NodeId[];
  /** Where the samples lie: two followers with the same indices may meet element by element. */
  readonly indices: readonly number[];
}

/**
 * Do neighbouring rows of a product lie side by side in what follows it, and its columns do not? Blocks of four rows and four columns
 * are then transposed in registers before they are stored.
 */
export function isStoredTransposed(graph: Graph, product: NodeId, { indices }: Follower): boolean {
  const { shape } = node(graph, product).type;
  if (shape.length < 2) return false;
  const [m, n] = [shape.at(-2)!, shape.at(-1)!];
  const samples = samplesOf(shape);
  return m % 4 === 0 && n % 4 === 0 && indices[samples.indexOf(n)] === 1 && indices[samples.indexOf(1)] !== 1;
}

/** The contraction itself. */
export const coreFollower = (graph: Graph, core: NodeId): Follower => ({
  through: [],
  indices: samplesOf(node(graph, core).type.shape),
});

/** `n` as a follower of its operand, or null when it moves elements in another way than a view or a permutation. */
export function follow(graph: Graph, n: Node, operand: Follower): Follower | null {
  if (isFreeView(n)) return { through: [...operand.through, n.id], indices: operand.indices };
  const perm = permutationOf(graph, n);
  if (!perm) return null;
  const from = node(graph, n.inputs[0]!).type.shape;
  return {
    through: [...operand.through, n.id],
    indices: operand.indices.map((at) => permuteLinear(at, from, n.type.shape, perm)),
  };
}

/** Do all operands lie where `n` needs them: the same shape and the same indices? */
export function meet(
  graph: Graph,
  n: Node,
  operands: readonly { readonly id: NodeId; readonly follower: Follower }[],
): boolean {
  const first = operands[0]!.follower;
  return operands.every(
    ({ id, follower }) =>
      node(graph, id).type.shape.join() === n.type.shape.join() &&
      follower.indices.every((at, i) => at === first.indices[i]),
  );
}

/** Followers of the contraction among the members, in order; the first member that can't follow, with the operand it fails on. */
export function followersOf(
  graph: Graph,
  members: readonly NodeId[],
  core: NodeId,
): {
  readonly followers: ReadonlyMap<NodeId, Follower>;
  readonly refused: { readonly id: NodeId; readonly operand: NodeId } | null;
} {
  const followers = new Map<NodeId, Follower>([[core, coreFollower(graph, core)]]);
  for (const id of members) {
    const n = node(graph, id);
    const bound = n.inputs.filter((input) => followers.has(input));
    if (id === core || bound.length === 0) continue;
    const kind = opDef(n.op).kind;
    const operands = bound.map((operand) => ({ id: operand, follower: followers.get(operand)! }));
    const follower =
      kind === "movement"
        ? follow(graph, n, operands[0]!.follower)
        : (kind === "elementwise" || kind === "random") && meet(graph, n, operands)
          ? operands[0]!.follower
          : null;
    if (!follower) return { followers, refused: { id, operand: bound[0]! } };
    followers.set(id, follower);
  }
  return { followers, refused: null };
}

/** Folds of what follows the contraction, and what is computed of them without its elements. */
function afterFolds(graph: Graph, members: readonly NodeId[], core: NodeId): ReadonlySet<NodeId> {
  const after = new Set([core]);
  const folded = new Set<NodeId>();
  for (const id of members) {
    const { op, inputs } = node(graph, id);
    const bound = inputs.filter((input) => after.has(input));
    if (bound.length === 0) continue;
    after.add(id);
    if (opDef(op).kind === "reduce" || bound.every((input) => folded.has(input))) folded.add(id);
  }
  return folded;
}

/** Followers of the contraction, past folds of their rows too: what reads such a fold and a follower follows as well. */
export function followersPastFolds(
  graph: Graph,
  members: readonly NodeId[],
  core: NodeId,
): ReturnType<typeof followersOf> {
  const folded = afterFolds(graph, members, core);
  return followersOf(
    graph,
    members.filter((id) => !folded.has(id)),
    core,
  );
}
