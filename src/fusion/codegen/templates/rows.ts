/** @file How rows and columns of a row group lie in the space, and what each pass over a row asks for. */
import { node, sameShape, type NodeId } from "../../ir";
import { passRoots, placeRows, type RowPlacement } from "../../region";
import { bug } from "../../ir";
import type { Job } from "../frame";
import type { Index, IndexSpace, Tuple } from "../index-space";
import type { Lowering } from "../lowering";
import { mutated } from "../mutations";

export interface Rows {
  readonly rows: number;
  readonly columns: number;
  /** Extents that number the rows: the space with folded axes as 1. */
  readonly kept: readonly number[];
  /** Extents that number the columns. */
  readonly folded: readonly number[];
  readonly stages: readonly Pass[];
  /** Outputs with one value a row. */
  readonly rowOutputs: readonly NodeId[];
  /** Four neighbours of one load lie along the row, across rows, or nowhere. */
  readonly lane: "columns" | "rows" | "none";
}

/** One walk over a row: what it folds and what it stores. */
export interface Pass {
  readonly reductions: readonly NodeId[];
  readonly outputs: readonly NodeId[];
}

export function rowsOf({ graph, region, form }: Job): Rows {
  const { space, reducedAxes } = form;
  const placement = placeRows(graph, region.members);
  if ("ok" in placement) throw bug(`region ${region.id} was classified as rows but is not`);
  const kept = space.map((extent, axis) => (reducedAxes.includes(axis) ? 1 : extent));
  const folded = space.map((extent, axis) => (reducedAxes.includes(axis) ? extent : 1));
  const roots = passRoots(graph, region, form, placement as RowPlacement);
  const whole = (id: NodeId): boolean =>
    roots.some((root) => root.id === id && region.outputs.includes(id) && isWhole(id));
  const isWhole = (id: NodeId): boolean =>
    sameShape(node(graph, id).type.shape, space) && placement.places.get(id)!.role !== "row";
  const count = roots.reduce((most, { stage }) => Math.max(most, stage + 1), 0);
  const stages = Array.from({ length: count }, (_, stage) => ({
    reductions: form.reductions.filter((reduction) => reduction.stage === stage).map((reduction) => reduction.node),
    outputs: region.outputs.filter((id) => isWhole(id) && placement.places.get(id)!.stage === stage),
  }));
  return {
    rows: form.rows,
    columns: form.columns,
    kept,
    folded,
    stages,
    rowOutputs: region.outputs.filter((id) => !whole(id)),
    lane: laneOf(space, reducedAxes, form.rows, form.columns),
  };
}

function laneOf(space: readonly number[], axes: readonly number[], rows: number, columns: number): Rows["lane"] {
  const inner = space.findLastIndex((extent) => extent > 1);
  if (inner < 0) return "none";
  // The innermost run of axes on the same side is contiguous; four neighbours must not leave it.
  const side = axes.includes(inner);
  let run = 1;
  for (let axis = inner; axis >= 0 && (space[axis] === 1 || axes.includes(axis) === side); axis--) run *= space[axis]!;
  if (run % 4 !== 0 || (side ? columns : rows) % 4 !== 0) return "none";
  return side ? "columns" : "rows";
}

/** The point of the space in this row and column. */
export function pointAt(space: IndexSpace, { kept, folded }: Rows, row: Index, column: Index): Tuple {
  const [r, c] = [space.unravel(row, kept), space.unravel(column, folded)];
  return space.tuple(r.map((index, axis) => space.add(index, c[axis]!)));
}

/** `4·unit + lane`, or the unit itself. */
export const spread = (space: IndexSpace, unit: Index, wide: boolean): Index =>
  wide ? space.add(space.mul(unit, 4), space.of(space.lane)) : unit;

/** Stores what has one value a row. */
export function storeRow(low: Lowering, rows: Rows, row: Index): void {
  for (const id of rows.rowOutputs) {
    const value = low.valueAt(id, low.space.tuple(low.space.unravel(row, node(low.graph, id).type.shape)));
    low.store(low.buffer(id), mutated("wrong-row") ? low.space.int(0) : row, value, [id]);
  }
}
