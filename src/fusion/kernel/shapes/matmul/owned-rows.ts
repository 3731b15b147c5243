/**
 * @file Rows of a product that a workgroup owns as a whole: where all columns fit into its tile, folds of a row, and what follows from
 * them, need no second kernel. (Softmax, a norm or a running sum of squares right behind a matmul.)
 */
import { node, sizeOf, type Graph, type Node, type NodeId, type Target, type Verdict, nodeName } from "../../../ir";
import { opDef } from "../../../ops";
import { matmulSizes, tileBytes, tileEfficiency, tileThreads } from "./matmul";
import { refusal } from "../../refusal";
import type { RowRole } from "../fold/rows/row-role";
import type { MatmulTile, RegionForm } from "../../types";
import { isFreeView } from "../../indices/views";

/** Columns that the widest tile holds. */
export const MAX_OWNED_COLUMNS = 256;

/** Do the rows of this product fit into a tile at all? */
export function mayBeOwned(graph: Graph, contraction: NodeId, rowOps: readonly NodeId[]): boolean {
  const n = node(graph, contraction);
  const columns = n.type.shape.at(-1) ?? 1;
  const matrices = n.inputs.every((input) => node(graph, input).type.shape.length >= 2);
  const plain = rowOps.every(
    (id) => opDef(node(graph, id).op).kind === "reduce" && !opDef(node(graph, id).op).reduce!.arg,
  );
  const float = n.type.dtype === "f32" || n.type.dtype === "f16";
  return (
    rowOps.length > 0 &&
    matrices &&
    plain &&
    float &&
    columns > 1 &&
    columns <= MAX_OWNED_COLUMNS &&
    matmulSizes(graph, contraction).k > 0
  );
}

/**
 * Why the members that follow the product do not stay with their rows; null when they do.
 * @param roles of all members, over the rows of the product
 */
export function offendingRows(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  contraction: NodeId,
  roles: ReadonlyMap<NodeId, RowRole>,
): Verdict | null {
  const core = node(graph, contraction);
  const columns = core.type.shape.at(-1)!;
  const aligned = ({ type }: Node): boolean =>
    type.shape.at(-1) === columns && sizeOf(type.shape) === sizeOf(core.type.shape);
  const from = new Set<NodeId>([contraction]);
  for (const id of members) {
    const n = node(graph, id);
    const bound = n.inputs.find((input) => from.has(input));
    if (id === contraction || bound === undefined) continue;
    from.add(id);
    if (roles.get(id)!.role === "row") continue;
    const { kind } = opDef(n.op);
    const moves =
      kind === "movement"
        ? !isFreeView(n) && roles.get(bound)!.role !== "row"
        : kind !== "elementwise" && kind !== "random";
    if (aligned(n) && !moves) continue;
    return refusal(
      "L_INDEX",
      [bound, id],
      `\`${nodeName(n)}\` does not follow the rows of \`${nodeName(core)}\` element by element, and a workgroup holds only its own rows.`,
      "A reader that takes each result of the matmul in place.",
    );
  }
  const other = outputs.find((id) => roles.get(id)!.role !== "row" && !(aligned(node(graph, id)) && from.has(id)));
  if (other === undefined) return null;
  return refusal(
    "L_SHAPE",
    [other, contraction],
    `\`${nodeName(node(graph, other))}\` is not stored row by row with \`${nodeName(core)}\`.`,
    "A result with the matmul's rows.",
    { elements: sizeOf(node(graph, other).type.shape) },
  );
}

/** Tiles whose columns hold a whole row, by its length; of each length the tallest first, with as much of k as memory allows. */
const OWNED_TILES: readonly MatmulTile[] = [
  { m: 32, n: 32, k: 16, rm: 4, rn: 4 },
  { m: 64, n: 64, k: 16, rm: 4, rn: 4 },
  { m: 64, n: 128, k: 16, rm: 8, rn: 8 },
  { m: 128, n: 256, k: 16, rm: 8, rn: 16 },
  { m: 128, n: 256, k: 8, rm: 8, rn: 16 },
  { m: 64, n: 256, k: 16, rm: 8, rn: 16 },
  { m: 64, n: 256, k: 8, rm: 8, rn: 16 },
];
/** Workgroups below which a shorter tile is taken. */
const ENOUGH = 128;

/** The tile whose workgroup owns whole rows. */
export function ownedTile(graph: Graph, contraction: NodeId, target: Target): MatmulTile {
  const { batch, m, n } = matmulSizes(graph, contraction);
  const holding = OWNED_TILES.filter((tile) => tile.n >= n && tileThreads(tile) <= target.maxWorkgroupSize);
  const fitting = holding.filter((tile) => tileBytes(tile) <= target.maxWorkgroupBytes);
  const wide = fitting.length > 0 ? fitting : holding;
  const busy = wide.find((tile) => tile.n < 2 * Math.max(n, 32) && batch * Math.ceil(m / tile.m) >= ENOUGH);
  return busy ?? wide.filter((tile) => tile.n === wide[0]!.n).at(-1)!;
}

/** Share of a plain tile's speed that tiles of whole wide rows reach, and with 64 rows only half the threads. Measured with eight of k at a time. */
const wideShare = ({ m, n }: MatmulTile): number => (n < MAX_OWNED_COLUMNS ? 1 : m < 128 ? 0.68 : 0.85);

/** What the tile takes and reaches. */
export const ownedFigures = (graph: Graph, { contraction }: RegionForm, tile: MatmulTile) => {
  const sizes = matmulSizes(graph, contraction!);
  return {
    workgroups: sizes.batch * Math.ceil(sizes.m / tile.m),
    workgroupBytes: tileBytes(tile),
    efficiency: tileEfficiency(sizes, tile) * wideShare(tile),
    modelledBytes: 4 * sizes.batch * sizes.k * sizes.n * (Math.ceil(sizes.m / tile.m) - 1),
    threadsPerWorkgroup: tileThreads(tile),
  };
};
