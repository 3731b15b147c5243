/** @file Chunks of a row that was folded while it was made: they agree on its peak, what each has summed is rescaled to it, and the results are stored. */
import { node, type DType, type NodeId, partialsId } from "../../../../ir";
import { opDef } from "../../../../ops";
import type { OnlineParts } from "../online-parts";
import { programOf, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import { wordFor } from "../../../emit/emitter";
import type { Index } from "../../../emit/index-space";
import type { Buffer, KernelProgram, Reg, Value } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { accumulator, finished, type Accumulator } from "../../../emit/accumulate";
import { JoinMemory, joinThreads } from "../../fold/write/join";
import { storeResults } from "./reduce";
import { LOWEST_FINITE, scale } from "./online-softmax-state";
import { finishLowering, namesOf } from "../../../emit/split";
import { lineOf } from "../../../types";

interface Left {
  readonly id: NodeId;
  readonly value: Value;
  readonly position: Value | null;
}

/** Memory in which chunks leave what they folded: for each type of value one buffer, fold after fold, chunk after chunk, row after row. */
export class Partials {
  readonly #slots = new Map<string, { readonly slot: number; readonly dtype: DType }>();
  readonly #counts = new Map<DType, number>();

  readonly low: Lowering;
  readonly job: Job;

  /** @param accs of one row; the peak's own comes first */
  constructor(low: Lowering, job: Job, accs: readonly Pick<Accumulator, "id" | "scalar" | "position">[]) {
    this.low = low;
    this.job = job;
    for (const { id, scalar, position } of accs) {
      this.#reserve(id, scalar);
      if (position) this.#reserve(indexKey(id), "i32");
    }
  }

  #reserve(what: string, dtype: DType): void {
    const slot = this.#counts.get(dtype) ?? 0;
    this.#slots.set(what, { slot, dtype });
    this.#counts.set(dtype, slot + 1);
  }

  #buffer(what: string): Buffer {
    const { form, schedule, region } = this.job;
    const { dtype } = this.#slots.get(what)!;
    const name = dtype === "f32" ? "partials" : `${dtype}_partials`;
    return this.low.temporary(
      partialsId(`${region.outputs[0]}~${dtype}`),
      name,
      dtype,
      this.#counts.get(dtype)! * schedule.chunks * form.rows,
    );
  }

  #offset(what: string, chunk: Index, row: Index): Index {
    const { space } = this.low;
    const { form, schedule } = this.job;
    const block = space.add(space.int(this.#slots.get(what)!.slot * schedule.chunks), chunk);
    return space.add(space.mul(block, form.rows), row);
  }

  store({ id, value, position }: Left, chunk: Index, row: Index): void {
    const put = (what: string, part: Value): void =>
      this.low.store(this.#buffer(what), this.#offset(what, chunk, row), part, [id]);
    put(id, value);
    if (position) put(indexKey(id), position);
  }

  /** Into an accumulator that holds nothing yet. */
  take({ id, value, position }: Accumulator, chunk: Index, row: Index): void {
    const { low } = this;
    const load = (what: string): Value =>
      low.load(this.#buffer(what), this.#offset(what, chunk, row), [id], `${wordFor(node(low.graph, id))}_part`);
    low.set(value, load(id), [id]);
    if (position) low.set(position, load(indexKey(id)), [id]);
  }
}

const indexKey = (id: NodeId): string => `${id} index`;

/** What the chunks of a row come to. */
export interface Joined {
  /** What sums that this thread's chunk has left are multiplied by, and all of them in the end; null where no peak is known. */
  readonly fade: Value | null;
  readonly last: Value | null;
}

/** Threads of a workgroup that joins chunks. */
export const finishThreads = (chunks: number): number => Math.max(32, 2 ** Math.ceil(Math.log2(chunks)));

/** The peak and the folds of a row, whose chunks a thread each takes in: from here on row values mean this row's. */
export function joinChunks(
  low: Lowering,
  job: Job,
  { peak, exp, folds }: OnlineParts,
  { tid, row, memory }: { readonly tid: Index; readonly row: Index; readonly memory: JoinMemory },
): Joined {
  const { schedule, form, graph } = job;
  const { space } = low;
  const ids = [...(peak === null ? [] : [peak]), ...folds.map((fold) => fold.node)];
  if (ids.length === 0) return { fade: null, last: null };
  const accs = ids.map((id) => accumulator(low, id, 1));
  const partials = new Partials(low, job, accs);
  low.branch(space.less(tid, schedule.chunks), () => {
    for (const acc of accs) partials.take(acc, space.clamp(tid, schedule.chunks - 1), row);
  });
  const own = peak === null ? accs : accs.slice(1);
  let [fade, last]: [Value | null, Value | null] = [null, null];
  if (peak !== null) {
    low.comment("The row's peak; what each chunk has summed under its own fades to it.");
    const part = accs[0]!.value;
    const top = joinThreads(accs.slice(0, 1), tid, memory, 0)[0]!.value;
    low.setRowValue(peak, top);
    const { op } = node(graph, exp!);
    const base = low.let("base", "f32", 1, { kind: "combine", def: accs[0]!.def, a: top, b: LOWEST_FINITE }, [peak]);
    const factor = rescaleFactor(low, { from: part, to: base, exp: op }, peak);
    const end = rescaleFactor(low, { from: base, to: top, exp: op }, peak);
    own.forEach((acc, i) => {
      if (folds[i]!.rescaled) scale(low, acc.value, factor, acc.id);
      if (folds[i]!.rescaled && folds[i]!.whole) scale(low, acc.value, end, acc.id);
    });
    [fade, last] = [factor, end];
  }
  if (own.length === 0) return { fade, last };
  for (const acc of joinThreads(own, tid, memory, 1)) low.setRowValue(acc.id, finished(low, acc, form.columns));
  return { fade, last };
}

/** One workgroup per row, a thread for each chunk. */
export function lowerReduceFinish(job: Job, parts: OnlineParts): KernelProgram {
  const { schedule, form, target } = job;
  const { peak, folds } = parts;
  const low = finishLowering(job, [...(peak === null ? [] : [peak]), ...folds.map((fold) => fold.node)]);
  const { space } = low;
  const threads = finishThreads(schedule.chunks);
  const grid = workgroupPerItem(low, form.rows, threads, target);
  const memory = new JoinMemory(low, threads, schedule.joined);
  joinChunks(low, job, parts, { tid: grid.tid, row: grid.index, memory });
  low.branch(space.less(grid.tid, 1), () => storeResults(low, job, grid.index, job.region.outputs));
  return programOf(low, job, {
    template: "contract-reduce",
    ...namesOf(job, "finish"),
    schedule: `One workgroup of ${threads} threads per ${lineOf(form)} joins its ${schedule.chunks} chunks.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** exp(from − to) */
function rescaleFactor(
  low: Lowering,
  { from, to, exp }: { readonly from: Value; readonly to: Value; readonly exp: string },
  peak: Accumulator["id"],
): Reg {
  const op = (name: string, def: string, args: readonly Value[]): Reg =>
    low.let(name, "f32", 1, { kind: "op", def: opDef(def), args, attrs: {}, index: null }, [peak]);
  return op("fade", exp, [op("fallen", "sub", [from, to])]);
}
