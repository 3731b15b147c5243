/**
 * @file A factor that is the same for a whole row of a product's left operand is applied to the row of results: (x·r) W = r·(x W).
 * Of a normalised row only its scale is then stored, one number instead of the row.
 */
import { bytesOf, node, nodeId, sameShape, type Node, type NodeId, type Patch, type Region } from "../ir";
import { opDef } from "../ops";
import { isFreeView } from "../region";
import type { Candidate, FusionPass } from "./define";
import { joiningRewrite, patchOf } from "./merge";
import { rewriteCandidate } from "./rewriting";
import { mutated } from "./mutations";
import type { Planner } from "./planner";
import { openRewriter, type Rewriter } from "./rewriter";
import { nameOf, namesOf, showBytes, yes } from "./sentences";
import { judge } from "./profitability";
import { titled } from "./catalogue";

export const hoistRowScale: FusionPass = {
  ...titled("row-scale"),
  teaches: "row-scale",
  *match(planner) {
    const rewriter = openRewriter(planner);
    const products = [...planner.graph.nodes.values()].filter(({ op }) => opDef(op).kind === "contraction");
    for (const { id } of products.toSorted((a, b) => planner.position(a.id) - planner.position(b.id))) {
      const candidate = candidateFor(planner, rewriter, id);
      if (!candidate || !(yield candidate).accepted) continue;
      rewriter.applied(patchOf(candidate));
      planner.reorder();
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
const DEEPEST = 8;

/** `scaled` multiplies or divides `value` by `factor`, one number a row; `around` are the ops up to the products' operand, outermost first. */
interface Scale {
  readonly products: readonly Node[];
  readonly around: readonly Node[];
  readonly scaled: Node;
  readonly value: NodeId;
  readonly factor: NodeId;
}

/** Products of one left operand and the factor of its rows; null where somebody else reads the operand. */
function scaleOf({ graph, isOutput }: Planner, rewriter: Rewriter, product: Node): Scale | null {
  const operand = node(graph, product.inputs[0]!);
  const products = [...rewriter.readersOf(operand.id)].map((id) => node(graph, id));
  const fits = (n: Node): boolean =>
    opDef(n.op).kind === "contraction" &&
    n.inputs[0] === operand.id &&
    n.inputs[1] !== operand.id &&
    n.type.dtype === "f32" &&
    n.type.shape.length >= 2;
  if (isOutput(operand.id) || products[0] !== product || !products.every(fits)) return null;
  const { shape } = operand.type;
  const isRow = (id: NodeId): boolean => {
    const own = node(graph, id).type.shape;
    return node(graph, id).op !== "const" && own.length >= 2 && own.at(-1) === 1 && shape.at(-1)! > 1;
  };
  const isWhole = (id: NodeId): boolean => sameShape(node(graph, id).type.shape, shape);
  const around: Node[] = [];
  for (let n = operand; around.length < DEEPEST;) {
    const [a, b] = n.inputs;
    if ((n.op !== "mul" && n.op !== "div") || n.type.dtype !== "f32") return null;
    if (isRow(b!) && isWhole(a!)) return { products, around, scaled: n, value: a!, factor: b! };
    if (n.op === "mul" && isRow(a!) && isWhole(b!)) return { products, around, scaled: n, value: b!, factor: a! };
    const next = (n.op === "mul" ? [a!, b!] : [a!]).find(
      (id) => isWhole(id) && rewriter.readersOf(id).size === 1 && !isOutput(id) && node(graph, id).inputs.length === 2,
    );
    if (next === undefined) return null;
    around.push(n);
    n = node(graph, next);
  }
  return null;
}

/** The nodes as they will be: the products take the rows as they are, and their results the factor. */
function rewrittenBy(
  graph: Planner["graph"],
  { products, around, scaled, value, factor }: Scale,
): Pick<Patch, "removedNodes" | "addedNodes"> {
  const parent = around.at(-1);
  const instead = (n: Node): Node => ({ ...n, inputs: n.inputs.map((input) => (input === scaled.id ? value : input)) });
  const origins = (n: Node): Node["origins"] => [...new Set([...n.origins, ...scaled.origins])];
  // What is left of the call is not all of it: its last op scales results now, and still says so.
  const groups = (n: Node): Node["groups"] => (n.groups.length > 0 ? n.groups : scaled.groups);
  const bare = products.map((n) => ({
    ...instead(n),
    id: nodeId(`${n.id}~product`),
    label: `${n.label} before scaling`,
  }));
  const last = products.map((n, i): Node => ({
    ...n,
    op: mutated("multiplies-by-divisor") ? "mul" : scaled.op,
    attrs: scaled.attrs,
    inputs: [bare[i]!.id, factor],
    origins: origins(n),
    groups: groups(n),
  }));
  return {
    removedNodes: [node(graph, scaled.id), ...(parent ? [parent] : []), ...products],
    addedNodes: [...(parent ? [instead(parent)] : []), ...bare, ...last],
  };
}

function candidateFor(planner: Planner, rewriter: Rewriter, id: NodeId): Candidate | null {
  const product = planner.graph.nodes.get(id);
  const scale = product ? scaleOf(planner, rewriter, product) : null;
  if (!scale) return null;
  const { graph } = planner;
  const operand = scale.products[0]!.inputs[0]!;
  const home = planner.homeOf(operand);
  const rows = home === null ? null : planner.region(home);
  const theirs = scale.products.map(({ id: each }) => rewriter.regionsOf(each));
  if (!rows || theirs.some((regions) => regions.length !== 1 || regions[0] === home)) return null;
  let stored = scale.factor;
  while (isFreeView(node(graph, stored)) && rows.members.includes(stored)) stored = node(graph, stored).inputs[0]!;
  if (!rows.members.includes(stored) || !rows.members.includes(scale.scaled.id)) return null;
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
  { products, scaled }: Scale,
  rows: Region,
  stored: NodeId,
  readers: readonly Region[],
): Region[] {
  const inOrder = (ids: Iterable<NodeId>): NodeId[] =>
    [...new Set(ids)].toSorted((a, b) => planner.position(a) - planner.position(b));
  const operand = products[0]!.inputs[0]!;
  const outputs = inOrder([...rows.outputs.filter((id) => id !== operand), stored]);
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
    const own = products.filter(({ id }) => region.members.includes(id)).map(({ id }) => nodeId(`${id}~product`));
    const roots = [...own, ...region.members].flatMap((id) => node(planner.graph, id).inputs);
    return { ...region, members: inOrder([...behind(roots, isStored), ...own, ...region.members]) };
  });
  return [remaining, ...merged].filter((region) => region.members.length > 0);
}

function explain({ graph }: Planner, { products, factor, scaled }: Scale): string {
  const [row, all] = [
    nameOf(graph, factor),
    namesOf(
      graph,
      products.map(({ id }) => id),
    ),
  ];
  const bytes = bytesOf(node(graph, products[0]!.inputs[0]!).type);
  return `${row} is the same for a whole row of what ${all} multiplies, so it may leave the sum: (x · r) W = r · (x W). ${nameOf(graph, scaled.id)} then scales results, and the ${showBytes(bytes)} of scaled rows need not be stored.`;
}
