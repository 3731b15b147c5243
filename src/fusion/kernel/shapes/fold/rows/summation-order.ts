/** @file In which groups a kernel adds things up: two kernels that agree in this round alike. */
import { matmulSizes, slicesOf } from "../../matmul/matmul";
import { node, type Graph, type NodeId } from "../../../../ir";
import { opDef } from "../../../../ops";
import { factorsOf } from "../fold-factors";
import { productsOf } from "../../matmul/shared-operand";
import { offsetsAt } from "../../../count/reads";
import type { RegionForm, RegionSchedule } from "../../../types";

export interface SummationOrder {
  /** Equal for kernels that add in the same order. */
  readonly key: string;
  /** Parts of a row that are added apart and then joined; 1 for a row that is walked whole. */
  readonly chunks: number;
  /** Threads that share a row, or a part of it. */
  readonly threads: number;
  /** Rows of a tensor, bands of them column by column, rows of a tile; sums of products by several threads, or by one. */
  readonly how: "rows" | "bands" | "tile" | "shared" | "whole";
}

/** How this kernel folds, scans or multiplies `id`, one of its members; null where it does nothing of the kind. */
export function summationOrder(
  graph: Graph,
  members: readonly NodeId[],
  form: RegionForm,
  { variant, chunks, chunkLength, threadsPerWorkgroup, lane, fold, merged, thin, matmul }: RegionSchedule,
  id: NodeId,
): SummationOrder | null {
  const say = (how: SummationOrder["how"], key: string, threads = 1, parts = 1): SummationOrder => ({
    key: `${how} ${key} ${threads} ${parts}`,
    threads,
    chunks: parts,
    how,
  });
  if (form.columnFolds.includes(id)) return say("bands", "", 1, chunks);
  if (productsOf(graph, members).includes(id)) {
    // One thread adds all products of an output in their order, unless the threads of a workgroup share them.
    const parts = variant === "matmul-tile" || variant === "matmul-direct" ? chunks : 1;
    const cut = parts > 1 ? `${chunkLength}` : "";
    // A slice that has all of k leaves the others zeros to add.
    const isSliced = matmul && variant === "matmul-tile" && matmulSizes(graph, id).k * slicesOf(matmul) > matmul.k;
    const slices = isSliced ? slicesOf(matmul) : 1;
    const sliced = slices > 1 ? `${cut} ${matmul!.k / slices} of ${matmul!.k}` : cut;
    if (!thin) return parts * slices > 1 ? say("shared", sliced, slices, parts) : say("whole", "");
    const steps = [0, 1].map((operand) => stepsAlongK(graph, members, id, operand)).join(" | ");
    return say("shared", `${thin.along} ${steps} ${cut}`, thin.threads, parts);
  }
  const scanned = form.scans.includes(id);
  // Rows of a product are folded in its own loop, which is no stage of the form.
  const inProduct = form.contraction !== null && opDef(node(graph, id).op).kind === "reduce";
  if (!scanned && !inProduct && !form.reductions.some(({ node: fold }) => fold === id)) return null;
  const apart = lane === "columns" ? 4 : 1;
  if (fold) {
    const { lanes, held } = factorsOf(fold);
    if (chunks > 1) return say("rows", `${apart} ${chunkLength}`, lanes, chunks);
    // A row that is held whole is scanned at once, a longer one turn by turn; two folds in one walk are repaired as they go.
    const way = scanned && lanes > 1 && held ? " held" : merged.length > 0 ? " repaired" : "";
    return say("rows", `${apart}${way}`, lanes);
  }
  if (variant === "mixed-row" || variant === "mixed-thread")
    return say("rows", String(apart), variant === "mixed-row" ? threadsPerWorkgroup : 1);
  return say(form.contraction === null ? "rows" : "tile", variant, threadsPerWorkgroup);
}

/** Neighbours along k that show how an operand lies: a tensor that is repeated jumps back where it begins again. */
const POINTS = 512;

/** How far apart in memory neighbours along k lie in what an operand is made of: which threads share a sum follows that. */
function stepsAlongK(graph: Graph, members: readonly NodeId[], product: NodeId, operand: number): string {
  const id = node(graph, product).inputs[operand]!;
  const { shape } = node(graph, id).type;
  const axis = operand === 0 || shape.length === 1 ? shape.length - 1 : shape.length - 2;
  const count = Math.min(shape[axis]!, POINTS);
  if (count < 2) return "";
  const points = Array.from({ length: count }, (_, at) => shape.map((_, i) => (i === axis ? at : 0)));
  const steps = [...offsetsAt(graph, members, [{ id, points }]).values()]
    .flat()
    .flatMap((offsets) => offsets.slice(1).map((offset, i) => offset - offsets[i]!));
  return [...new Set(steps)].filter((step) => step !== 0).join();
}
