/** @file Parts of a row in order, which one kernel leaves and another goes on with: elements, and where in the row each of them stood. */
import { node, partialsId, type DType, type Graph } from "../../../../ir";
import { opDef } from "../../../../ops";
import type { OrderStage } from "../merge-factors";
import type { RowSort } from "../../../nest/threads";
import { registerScalar, wordFor } from "../../../emit/emitter";
import type { Index } from "../../../emit/index-space";
import type { Buffer } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import type { Sorting } from "./sort";

/** What elements of a row are compared and handed over as. */
export function scalarOf(graph: Graph, { operand, orders }: RowSort): Exclude<DType, "f16"> {
  const first = node(graph, orders[0]!);
  return registerScalar(opDef(first.op).operandTypes!([node(graph, operand).type.dtype], first.attrs)[0]!);
}

/** Runs as one kernel left them. */
export interface Runs {
  readonly stage: OrderStage;
  readonly values: Buffer;
  readonly indices: Buffer | null;
}

/** The tensors that hold what kernel `at` leaves. */
export function runsAfter(
  low: Lowering,
  sort: RowSort,
  rows: number,
  stage: OrderStage,
  at: number,
  name: string,
): Runs {
  const first = sort.orders[0]!;
  const word = wordFor(node(low.graph, first));
  const buffer = (what: string, dtype: DType, suffix: string): Buffer =>
    low.temporary(partialsId(`${first}~${what}${at}`), `${word}_${name}${suffix}`, dtype, rows * stage.length);
  return {
    stage,
    values: buffer("runs", scalarOf(low.graph, sort), ""),
    indices: sort.indices ? buffer("indices", "i32", "_indices") : null,
  };
}

/** Who stores a run: the threads of a workgroup, and which run of which row is theirs. */
interface Storers {
  readonly tid: Index;
  readonly threads: number;
  readonly row: Index;
  readonly run: Index;
}

/** Stores the first elements of what a workgroup has put in order. */
export function storeRun(low: Lowering, sorting: Sorting, { stage, values, indices }: Runs, storers: Storers): void {
  const { space } = low;
  const { tid, threads, row, run } = storers;
  const nodes = sorting.sort.orders;
  low.loop("turn", Math.ceil(stage.run / threads), (iteration) => {
    const spot = space.add(tid, space.mul(iteration, threads));
    const near = space.less(spot, stage.run);
    const position = space.add(space.mul(run, stage.run), spot);
    low.branch(space.and(near, space.less(position, stage.length)), () => {
      const index = space.add(space.mul(row, stage.length), position);
      low.store(values, index, sorting.value(spot), nodes);
      if (indices) low.store(indices, index, sorting.indexAt(spot), nodes);
    });
  });
}
