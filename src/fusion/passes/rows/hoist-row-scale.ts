/**
 * @about transpose: a weight may be stored transposed.
 * @file A factor of a matmul's operand that does not change along the axis of the sum is applied to the results:
 * (x·r) W = r·(x W) and x (W·c) = (x W)·c. Of normalised rows only the scales are then stored.
 */
import {
  bytesOf,
  isLiteral,
  node,
  type Node,
  type NodeId,
  type Patch,
  type Region,
  sameShape,
  sizeOf,
  madeFor,
  standingOf,
} from "../../ir";
import { algebraOf, isMultiplication, isProduct, opDef, permOf, withDefaults } from "../../ops";
import { isFreeView } from "../../kernel";
import type { Candidate, FusionPass } from "../driver/define";
import { joiningRewrite, patchOf } from "../driver/merge";
import { rewriteCandidate } from "../driver/rewriting";
import type { Planner } from "../driver/planner";
import { openRewriter, type Rewriter } from "../driver/rewriter";
import { nameOf, namesOf, showBytes, yes } from "../driver/sentences";
import { judge } from "../profitability/profitability";
import { titled } from "../catalogue";

export const hoistRowScale: FusionPass = {
  ...titled("row-scale"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    const products = [...planner.graph.nodes.values()].filter(({ op }) => opDef(op).kind === "contraction");
    for (const { id } of products.toSorted((a, b) => planner.position(a.id) - planner.position(b.id))) {
      for (const side of [0, 1] as const) {
        const candidate = candidateFor(planner, rewriter, id, side);
        if (!candidate || !(yield candidate).accepted) continue;
        rewriter.applied(patchOf(candidate));
        planner.reorder();
      }
    }
  },
  ...joiningRewrite,
  profitability: (planner, candidate, delta) =>
    planner.supposing(patchOf(candidate), () => {
      const [factor, ...products] = candidate.nodes;
      const doing = `Applying ${nameOf(planner.graph, factor!)} to the results of ${namesOf(planner.graph, products)}`;
      return judge(planner, candidate, delta, doing);
    }),
};

/** Factors around the one that is looked for. */
const MAX_FACTORS = 8;

/** Which operand of the matmuls is scaled: the left or the right one. */
type Side = 0 | 1;

/**
 * `scaled` multiplies or divides `value` by `factor`, which is the same along the axis of the sum; `around` are the ops up to the
 * products' operand, outermost first, and `perm` is what the transposes among them do to the factor's axes; null: nothing.
 */
interface Scale {
  readonly side: Side;
  /** What the matmuls load: their operand, or what lies in memory behind its transposes. */
  readonly loaded: NodeId;
  readonly perm: readonly number[] | null;
  readonly products: readonly Node[];
  readonly around: readonly Node[];
  readonly scaled: Node;
  readonly value: NodeId;
  readonly factor: NodeId;
}

/** Products of one operand and its factor; null where somebody else reads the operand. */
function scaleOf({ graph, isOutput }: Planner, rewriter: Rewriter, product: Node, side: Side): Scale | null {
  const operand = node(graph, product.inputs[side]!);
  const products = [...rewriter.readersOf(operand.id)].map((id) => node(graph, id));
  const fits = (n: Node): boolean =>
    opDef(n.op).kind === "contraction" &&
    n.inputs[side] === operand.id &&
    n.inputs[1 - side] !== operand.id &&
    n.type.dtype === "f32" &&
    n.type.shape.length >= 2;
  const rank = operand.type.shape.length;
  if (rank < 2 || isOutput(operand.id) || products[0] !== product || !products.every(fits)) return null;
  // The operand's axes as those of `n`: transposes on the way change them.
  let axes = operand.type.shape.map((_, axis) => axis);
  const summed = side === 0 ? rank - 1 : rank - 2;
  const around: Node[] = [];
  for (let n = operand; around.length < MAX_FACTORS;) {
    const [a, b] = n.inputs;
    const { shape } = n.type;
    const isWhole = (id: NodeId): boolean => sameShape(node(graph, id).type.shape, shape);
    const isScale = (id: NodeId): boolean => {
      const scale = node(graph, id);
      const along = axes[summed]!;
      const { shape: held } = scale.type;
      const own = held.at(along - rank) ?? 1;
      return !isLiteral(scale) && shape[along]! > 1 && own === 1 && (held.length === rank || sizeOf(held) === 1);
    };
    const found = (value: NodeId, factor: NodeId): Scale => {
      const moves = sizeOf(node(graph, factor).type.shape) > 1 && axes.some((axis, i) => axis !== i);
      return {
        side,
        loaded: behindTransposes(graph, operand),
        perm: moves ? axes : null,
        products,
        around,
        scaled: n,
        value,
        factor,
      };
    };
    const isTransposed = n.op === "transpose";
    const algebra = algebraOf(n.op);
    if (!(isProduct(algebra) || isTransposed) || n.type.dtype !== "f32") return null;
    if (!isTransposed && isScale(b!) && isWhole(a!)) return found(a!, b!);
    if (isMultiplication(algebra) && isScale(a!) && isWhole(b!)) return found(b!, a!);
    const next = (isMultiplication(algebra) ? [a!, b!] : [a!]).find(
      (id) =>
        (isTransposed || isWhole(id)) &&
        rewriter.readersOf(id).size === 1 &&
        !isOutput(id) &&
        node(graph, id).inputs.length > 0,
    );
    if (next === undefined) return null;
    if (isTransposed) {
      const perm = permOf(n.attrs, rank);
      axes = axes.map((axis) => perm[axis]!);
    }
    around.push(n);
    n = node(graph, next);
  }
  return null;
}

/** The first value on the way up that no transpose reads: that one lies in memory. */
function behindTransposes(graph: Planner["graph"], operand: Node): NodeId {
  let n = operand;
  while (n.op === "transpose") n = node(graph, n.inputs[0]!);
  return n.id;
}

/** The nodes as they will be: the products take the rows as they are, and their results the factor. */
function rewrittenBy(
  graph: Planner["graph"],
  { products, around, scaled, value, factor, perm }: Scale,
): Pick<Patch, "removedNodes" | "addedNodes"> {
  const parent = around.at(-1);
  const instead = (n: Node): Node => ({ ...n, inputs: n.inputs.map((input) => (input === scaled.id ? value : input)) });
  const origins = (n: Node): Node["origins"] => [...new Set([...n.origins, ...scaled.origins])];
  // What is left of the call is not all of it: its last op scales results now, and still says so.
  const groups = (n: Node): Node["groups"] => (n.groups.length > 0 ? n.groups : scaled.groups);
  const bare = products.map((n) => ({
    ...instead(n),
    ...madeFor(standingOf(graph, n), "product"),
    label: `unscaled ${n.label}`,
  }));
  const { type } = node(graph, factor);
  const scaledProducts = products.flatMap((n): Node[] => {
    if (!perm) return [];
    const shape = perm.map((axis) => type.shape[axis]!);
    const attrs = withDefaults(opDef("transpose"), { perm });
    return [
      {
        ...n,
        ...madeFor(standingOf(graph, n), "scale"),
        op: "transpose",
        label: "scale",
        attrs,
        inputs: [factor],
        type: { ...type, shape },
      },
    ];
  });
  const last = products.map((n, i): Node => ({
    ...n,
    op: scaled.op,
    attrs: scaled.attrs,
    inputs: [bare[i]!.id, scaledProducts[i]?.id ?? factor],
    origins: origins(n),
    groups: groups(n),
  }));
  return {
    removedNodes: [node(graph, scaled.id), ...(parent ? [parent] : []), ...products],
    addedNodes: [...(parent ? [instead(parent)] : []), ...bare, ...scaledProducts, ...last],
  };
}

function candidateFor(planner: Planner, rewriter: Rewriter, id: NodeId, side: Side): Candidate | null {
  const product = planner.graph.nodes.get(id);
  const scale = product && opDef(product.op).kind === "contraction" ? scaleOf(planner, rewriter, product, side) : null;
  if (!scale) return null;
  const { graph } = planner;
  const home = planner.homeOf(scale.loaded);
  const rows = home === null ? null : planner.region(home);
  const theirs = scale.products.map(({ id: each }) => rewriter.regionsOf(each));
  if (!rows || theirs.some((regions) => regions.length !== 1 || regions[0] === home)) return null;
  let stored = scale.factor;
  while (isFreeView(node(graph, stored)) && rows.members.includes(stored)) stored = node(graph, stored).inputs[0]!;
  if (!rows.members.includes(scale.scaled.id)) return null;
  const readers = [...new Set(theirs.flat())].map((each) => planner.region(each));
  const nodes = rewrittenBy(graph, scale);
  const regions = planner.supposing({ ...nodes, removedRegions: [], addedRegions: [], outputs: null }, () =>
    apart(planner, scale, rows, stored, readers),
  );
  const patch: Patch = { ...nodes, removedRegions: [rows, ...readers], addedRegions: regions, outputs: null };
  const about = [scale.factor, ...scale.products.map((n) => n.id)];
  const verdict = yes("A_PATTERN", about, explain(planner, scale));
  const along = [scale.factor, scale.scaled.id, ...scale.around.map((n) => n.id), ...scale.products.map((n) => n.id)];
  return rewriteCandidate(planner, "scale-results", about, { patch, verdict }, along);
}

/** The rows' kernel, which now leaves the factor, and the products' kernels, which scale their results. Asked of the rewritten graph. */
function apart(
  planner: Planner,
  { products, scaled, perm, loaded }: Scale,
  rows: Region,
  stored: NodeId,
  readers: readonly Region[],
): Region[] {
  const inOrder = (ids: Iterable<NodeId>): NodeId[] =>
    [...new Set(ids)].toSorted((a, b) => planner.position(a) - planner.position(b));
  const outputs = inOrder([
    ...rows.outputs.filter((id) => id !== loaded),
    ...(rows.members.includes(stored) ? [stored] : []),
  ]);
  const inside = new Set(rows.members.filter((id) => id !== scaled.id));
  const behind = (roots: readonly NodeId[], isKnown: (id: NodeId) => boolean): Set<NodeId> => {
    const found = new Set(roots.filter((id) => inside.has(id) && !isKnown(id)));
    for (const id of found)
      for (const input of node(planner.graph, id).inputs) if (inside.has(input) && !isKnown(input)) found.add(input);
    return found;
  };
  const remaining: Region = { id: rows.id, members: inOrder(behind(outputs, () => false)), outputs };
  const isStored = (id: NodeId): boolean => outputs.includes(id);
  const merged = readers.map((region): Region => {
    const own = products
      .filter(({ id }) => region.members.includes(id))
      .flatMap(({ id }) => [madeFor({ id }, "product").id, ...(perm ? [madeFor({ id }, "scale").id] : [])]);
    const roots = [...own, ...region.members].flatMap((id) => node(planner.graph, id).inputs);
    return { ...region, members: inOrder([...behind(roots, isStored), ...own, ...region.members]) };
  });
  return [remaining, ...merged].filter((region) => region.members.length > 0);
}

function explain({ graph }: Planner, { products, factor, scaled, side }: Scale): string {
  const [row, all] = [
    nameOf(graph, factor),
    namesOf(
      graph,
      products.map(({ id }) => id),
    ),
  ];
  const bytes = bytesOf(node(graph, products[0]!.inputs[side]!).type);
  const law = side === 0 ? "(x · r) W = r · (x W)" : "x (W · c) = (x W) · c";
  return `${row} is the same for all terms of a sum in ${all}, so it may leave the sum: ${law}. ${nameOf(graph, scaled.id)} then scales results, and the ${showBytes(bytes)} of the scaled operand need not be stored.`;
}
