/**
 * @file A product whose rows a workgroup (or a thread) owns as a whole: the accumulators are folded over their columns, fold after fold,
 * and everything that follows from the folds is computed from them. Softmax and norms behind a product take no kernel of their own.
 */
import { node, sizeOf, type NodeId } from "../../../../ir";
import { wordFor } from "../../../emit/emitter";
import { programOf, threadPerItem, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index, Tuple } from "../../../emit/index-space";
import { literal, type KernelProgram, type Reg, type Value } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { accumulator, finished, foldLanes, foldOf, type Fold } from "../../../emit/accumulate";
import { Contraction } from "./contraction";
import { multiplyTiles, type Tiled } from "./matmul-tile";
import { joined, SharedParts, type Share } from "../../attention/write/workgroup-row-reduce";
import { joinLanes, nameRows, partOf } from "../../attention/write/online-softmax-state";

/** Four neighbouring elements of a row. */
interface Quad {
  readonly at: (id: NodeId) => Tuple;
  readonly inside: Cond;
}

const quadAt = (c: Contraction, batch: Index, m: Index, unit: Index): Quad => {
  const { at, inside } = c.quad(unit, c.sizes.n);
  const point = c.outAt(batch, c.space.clamp(m, c.sizes.m - 1), at);
  return { at: (id) => c.pointOf(id, point), inside };
};

/** Folds in the order in which they depend on each other, those of one stage side by side. */
function stagesOf({ form }: Job): NodeId[][] {
  const count = form.reductions.reduce((most, { stage }) => Math.max(most, stage + 1), 0);
  return Array.from({ length: count }, (_, stage) =>
    form.reductions.filter((each) => each.stage === stage).map((each) => each.node),
  );
}

/** Results with one value an element, and those with one value a row. */
function resultsOf({ graph, region, form }: Job): { full: NodeId[]; perRow: NodeId[] } {
  const isFull = (id: NodeId): boolean => sizeOf(node(graph, id).type.shape) === form.rows * form.columns;
  return { full: region.outputs.filter(isFull), perRow: region.outputs.filter((id) => !isFull(id)) };
}

/** Stores what has one value a row. */
function storeRow(c: Contraction, ids: readonly NodeId[], batch: Index, m: Index, mine: Cond): void {
  const { low, space, sizes, job } = c;
  if (ids.length === 0) return;
  low.branch(space.and(space.less(m, sizes.m), mine), () => {
    const linear = space.add(space.mul(batch, sizes.m), space.clamp(m, sizes.m - 1));
    for (const id of ids) {
      const at = space.tuple(space.unravel(linear, node(job.graph, id).type.shape));
      low.store(low.buffer(id), linear, low.valueAt(id, at), [id]);
    }
  });
}

/** Variant `matmul-rows`. */
export function lowerMatmulRows(job: Job): KernelProgram {
  const tile = job.schedule.matmul!;
  const tiled = multiplyTiles(job);
  const { tiling, tx, rows, columns, accs, grid } = tiled;
  const { c, batch, top, left } = tiling;
  const { low, space } = c;
  const ms = rows.map((row) => space.add(top, row));
  nameRows(
    low,
    ms.map((m) => space.clamp(m, c.sizes.m - 1)),
  );
  const units = columns.map((column) => space.add(left, column));
  const quads = ms.map((m) => units.map((unit) => quadAt(c, batch, m, unit)));
  const known = rows.map((): (readonly [NodeId, Value])[] => []);
  const enter = (row: number): void => {
    for (const [id, value] of known[row]!) low.setRowValue(id, value);
  };
  const shares = sharesOf(tiled, job);
  for (const ids of stagesOf(job)) {
    low.comment(
      `Fold the rows into ${ids.map((id) => wordFor(node(job.graph, id))).join(" and ")}: each thread its columns, then all that share a row.`,
    );
    for (const id of ids) {
      const fold = foldOf(low, id);
      const parts = rows.map((_, i): Value => {
        enter(i);
        return ofRow(low, fold, quads[i]!, (j) => low.setRowValue(c.id, accs[i]![j]!), `_${i}`);
      });
      joined(
        low,
        parts.map((value, i) => ({ ...fold, share: shares[i]!, value, position: null })),
      ).forEach(({ value }, i) => {
        known[i]!.push([id, finished(low, { ...fold, value, position: null, settled: true }, c.sizes.n)]);
      });
    }
  }
  const { full, perRow } = resultsOf(job);
  low.comment("Finish and store from the accumulators.");
  ms.forEach((m, i) => {
    enter(i);
    if (full.length > 0) units.forEach((unit, j) => c.finish(accs[i]![j]!, batch, m, unit, full));
    storeRow(c, perRow, batch, m, space.less(tx, 1));
  });
  return programOf(low, job, {
    template: "matmul",
    schedule: `${tiling.threads} threads per ${tile.m} whole rows of ${c.sizes.n} columns, ${tile.k} of k at a time; folds of a row are taken from the accumulators.`,
    ...grid,
  });
}

/** This thread's columns of one row, folded. */
function ofRow(low: Lowering, fold: Fold, quads: readonly Quad[], take: (j: number) => void, number: string): Value {
  const name = `${node(low.graph, fold.id).op}_part${number}`;
  const parts = quads.map((quad, j) => {
    take(j);
    return partOf(low, fold, quad, name, true);
  });
  const { def, id, scalar } = fold;
  const both = (a: Value, b: Value): Reg => low.let(name, scalar, 4, { kind: "combine", def, a, b }, [id]);
  return joinLanes(low, fold, parts.reduce(both));
}

/** Where the threads of a row meet: in the left operand's tile, for as many rows at a time as it has room for. */
function sharesOf({ tiling, tx, ty, rows, a }: Tiled, job: Job): Share[] {
  const { low, space } = tiling.c;
  const tile = job.schedule.matmul!;
  const [across, down] = [tile.n / tile.rn, tile.m / tile.rm];
  const count = across / 4;
  const atOnce = Math.min(rows.length, Math.floor(a.length / (down * count)));
  const parts = new SharedParts(low, a, atOnce * down * count, atOnce);
  return rows.map((_, i) => {
    const own = space.add(space.int((i % atOnce) * down), ty);
    const at = (cell: Index): Index => space.add(space.mul(own, count), cell);
    return {
      parts,
      index: at(space.div(tx, 4)),
      lane: space.mod(tx, 4),
      cells: Array.from({ length: count }, (__, i4) => at(space.int(i4))),
    };
  });
}

/** Variant `matmul-rows-thread`: one thread owns a row, and keeps its elements. */
export function lowerMatmulRowsThread(job: Job): KernelProgram {
  const c = new Contraction(job);
  const { low, space, sizes } = c;
  const grid = threadPerItem(low, sizes.batch * sizes.m, job.schedule.threadsPerWorkgroup, job.target, "row");
  const batch = low.bind("batch", space.div(grid.index, sizes.m));
  const m = low.bind("m", space.mod(grid.index, sizes.m));
  const units = Math.ceil(sizes.n / 4);
  const elements = low.threadArray("elements", c.scalar, units, 4);
  low.loop("unit", units, (unit) => {
    const acc = low.variable("c", c.scalar, 4, literal(0, c.scalar), [c.id]);
    const at = c.quad(unit, sizes.n).at;
    low.loop("k", sizes.k, (k) => c.fma(acc, c.left(batch, m, k), null, c.right(batch, k, at)));
    low.emit({ kind: "storeShared", array: elements, index: unit, value: acc, lane: null, nodes: [c.id] });
  });
  const eachUnit = (visit: (unit: Index, element: Reg) => void): void =>
    low.loop("unit", units, (unit) => {
      const element = low.let("element", c.scalar, 4, { kind: "loadShared", array: elements, index: unit }, [c.id]);
      low.setRowValue(c.id, element);
      visit(unit, element);
    });
  for (const ids of stagesOf(job)) {
    const accs = ids.map((id) => accumulator(low, id, 4));
    eachUnit((unit) => {
      for (const acc of accs) {
        const b = partOf(low, acc, quadAt(c, batch, m, unit), `${node(job.graph, acc.id).op}_part`, true);
        low.set(acc.value, { kind: "combine", def: acc.def, a: acc.value, b }, [acc.id]);
      }
    });
    for (const acc of accs) low.setRowValue(acc.id, finished(low, foldLanes(low, acc), sizes.n));
  }
  const { full, perRow } = resultsOf(job);
  if (full.length > 0) eachUnit((unit, element) => c.finish(element, batch, m, unit, full));
  storeRow(c, perRow, batch, m, { kind: "always" });
  return programOf(low, job, {
    template: "matmul",
    schedule: `One thread per row of ${sizes.n} columns; it keeps the row, folds it and finishes it.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}
