/** @file How rows and columns of a row group lie in the space, and what each pass over a row asks for. */
import { node, type NodeId } from "../../../../ir";
import { directionOf, scansBehind } from "../rows/row-ops";
import { passRoots } from "../rows/row-roots";
import { analyseRows, wholeOutput } from "../classify-rows";
import { sortsOf, type RowSort } from "../../../nest/threads";
import type { Lane } from "../../../types";
import type { LayoutStep } from "../../../indices/row-layout";
import { bug } from "../../../../ir";
import type { Job } from "../../../emit/kernel-frame";
import { wordFor } from "../../../emit/emitter";
import type { Value } from "../../../emit/kernel-ir";
import type { Cond, Index, IndexSpace, Tuple } from "../../../emit/index-space";
import type { Lowering } from "../../../emit/lowering";

export interface Rows {
  readonly rows: number;
  readonly columns: number;
  /** Extents that number the rows: the space with folded axes as 1. */
  readonly rowShape: readonly number[];
  /** Extents that number the columns. */
  readonly folded: readonly number[];
  readonly stages: readonly Pass[];
  /** Outputs with one value a row. */
  readonly rowOutputs: readonly NodeId[];
  /** Outputs with the first few of each row in order. */
  readonly firstOutputs: readonly NodeId[];
  /** Views and permutations from the space to each output that is stored element by element. */
  readonly layouts: ReadonlyMap<NodeId, readonly LayoutStep[]>;
  /** Scans keep what they have folded so far: the row is walked as they go. */
  readonly backwards: boolean;
  readonly lane: Lane;
}

/** One walk over a row: what it folds and what it stores. */
export interface Pass {
  readonly reductions: readonly NodeId[];
  /** What the others are computed from, in dependence order. */
  readonly scans: readonly NodeId[];
  readonly columnFolds: readonly NodeId[];
  /** Rows that are put in order once this pass has gone by. */
  readonly sorts: readonly RowSort[];
  readonly outputs: readonly NodeId[];
}

export function rowsOf({ graph, region, form, schedule }: Job): Rows {
  const { space, reducedAxes } = form;
  const analysis = analyseRows(graph, region.members);
  if ("ok" in analysis) throw bug(`region ${region.id} was classified as rows but is not`);
  const rowShape = space.map((extent, axis) => (reducedAxes.includes(axis) ? 1 : extent));
  const folded = space.map((extent, axis) => (reducedAxes.includes(axis) ? extent : 1));
  const roots = passRoots(graph, region, form, analysis);
  const layouts = new Map<NodeId, readonly LayoutStep[]>();
  for (const id of region.outputs) {
    const lie = wholeOutput(graph, analysis, id);
    if (lie) layouts.set(id, lie.steps);
  }
  const count = roots.reduce((most, { stage }) => Math.max(most, stage + 1), 0);
  const lane = schedule.lane ?? "none";
  const sorts = sortsOf(graph, form);
  const isFirst = (id: NodeId): boolean => analysis.roles.get(id)!.role === "first";
  const stages = Array.from({ length: count }, (_, stage): Pass => {
    const reductions = form.reductions
      .filter((reduction) => reduction.stage === stage)
      .map((reduction) => reduction.node);
    const outputs = region.outputs.filter((id) => layouts.has(id) && analysis.roles.get(id)!.stage === stage);
    const columnFolds = form.columnFolds.filter((id) => analysis.roles.get(id)!.stage === stage);
    const own = sorts.filter((sort) => sort.stage === stage);
    const wanted = [
      ...reductions.map((id) => node(graph, id).inputs[0]!),
      ...own.map(({ operand }) => operand),
      ...outputs,
    ];
    return {
      reductions,
      outputs,
      columnFolds,
      sorts: own,
      scans: form.scans.length > 0 ? scansBehind(graph, region.members, wanted) : [],
    };
  });
  return {
    rows: form.rows,
    columns: form.columns,
    rowShape,
    folded,
    stages,
    rowOutputs: region.outputs.filter((id) => !layouts.has(id) && !form.columnFolds.includes(id) && !isFirst(id)),
    firstOutputs: region.outputs.filter(isFirst),
    layouts,
    backwards: directionOf(graph, form.scans) === "backwards",
    lane,
  };
}

/** The point of the space in this row and column. */
export function pointAt(
  space: IndexSpace,
  { rowShape, folded }: Pick<Rows, "rowShape" | "folded">,
  row: Index,
  column: Index,
): Tuple {
  const [r, c] = [space.unravel(row, rowShape), space.unravel(column, folded)];
  return space.tuple(r.map((index, axis) => space.add(index, c[axis]!)));
}

/** Where in output `id` the element at `point` of the space lies. */
export function pointIn(space: IndexSpace, { layouts }: Rows, id: NodeId, point: Tuple): Tuple {
  return layouts.get(id)!.reduce((at, { from, to, perm }) => {
    if (!perm) return space.tuple(space.unravel(space.ravel(at.at, from), to));
    return space.tuple(perm.map((axis) => (axis === null ? space.int(0) : at.at[axis]!)));
  }, point);
}

/** `4·unit + lane`, or the unit itself. */
export const spread = (space: IndexSpace, unit: Index, wide: boolean): Index =>
  wide ? space.add(space.mul(unit, 4), space.of(space.lane)) : unit;

/** `unit` where it is known to be less than `units`: under that name, or its own where it has one. */
export function existing(low: Lowering, unit: Index, units: number, name: string): Index {
  const atom = unit.terms.length === 1 && unit.constant === 0 && unit.terms[0]!.by === 1 ? unit.terms[0]!.atom : null;
  if (atom?.kind !== "var" || !atom.builtin) return low.bind(name, unit, units - 1);
  return low.space.of(low.space.variable(atom.name, units - 1, atom.level, atom.builtin));
}

/** Stores what has one value a row. */
export function storeRow(low: Lowering, rows: Rows, row: Index): void {
  for (const id of rows.rowOutputs) {
    const value = low.valueAt(id, low.space.tuple(low.space.unravel(row, node(low.graph, id).type.shape)));
    low.store(low.buffer(id), row, value, [id]);
  }
}

/** Stores the first few of a row: thread by thread, wherever they are asked for. */
export function storeFirst(low: Lowering, rows: Rows, row: Index, lane: Index, lanes: number, exists: Cond): void {
  const { space } = low;
  for (const id of rows.firstOutputs) {
    const { shape } = node(low.graph, id).type;
    const axis = rows.folded.findIndex((extent) => extent > 1);
    low.loop("turn", Math.ceil(shape[axis]! / lanes), (iteration) => {
      const unit = space.add(lane, space.mul(iteration, lanes));
      low.branch(space.and(exists, space.less(unit, shape[axis]!)), () => {
        const column = low.bind("column", unit, shape[axis]! - 1);
        const at = space.tuple(space.unravel(row, rows.rowShape).map((index, i) => (i === axis ? column : index)));
        low.store(low.buffer(id), space.ravel(at.at, shape), low.valueAt(id, at), [id]);
      });
    });
  }
}

/**
 * Stores these outputs in this row and column, where it exists. All that they load is on its way before the first of them is stored:
 * no load may pass a store.
 * @param afresh computes the values where they are stored; otherwise they are asked for as the fold before did, which may still hold them
 */
export function storePoint(
  low: Lowering,
  rows: Rows,
  ids: readonly NodeId[],
  row: Index,
  column: Index,
  inside: Cond,
  bare: () => Index = () => column,
  afresh = false,
): void {
  const { space } = low;
  if (ids.length === 0) return;
  const atColumn = (id: NodeId, of: Index): Tuple => pointIn(space, rows, id, pointAt(space, rows, row, of));
  const valuesAt = (of: Index): Value[] => ids.map((id) => low.valueAt(id, atColumn(id, of)));
  const held = afresh ? null : valuesAt(column);
  low.branch(inside, () => {
    const own = bare();
    const values = held ?? valuesAt(own);
    ids.forEach((id, i) =>
      low.store(low.buffer(id), space.ravel(atColumn(id, own).at, node(low.graph, id).type.shape), values[i]!, [id]),
    );
  });
}

export function passComment(low: Lowering, { reductions, scans, sorts, columnFolds, outputs }: Pass): string {
  const label = (id: (typeof reductions)[number]): string => wordFor(node(low.graph, id));
  const parts = [
    { does: "scan the row for", ids: scans },
    { does: "fold the row into", ids: reductions },
    { does: "fold it into the columns of", ids: columnFolds },
    { does: "put the row in order for", ids: sorts.flatMap(({ orders }) => orders) },
    { does: "write", ids: outputs },
  ].flatMap(({ does, ids }) => (ids.length > 0 ? [`${does} ${ids.map(label).join(" and ")}`] : []));
  const text = parts.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Registers of chunk 2 end in `_2`. */
export function nameChunks(low: Lowering, chunks: readonly { readonly column: Index }[], rows: Rows, row: Index): void {
  const numbers = new Map<number, number>();
  chunks.forEach(({ column }, i) => numbers.set(pointAt(low.space, rows, row, column).id, i));
  low.suffix = (at) => {
    const chunk = numbers.get(at.id);
    return chunk === undefined ? "" : `_${chunk}`;
  };
}
