/** @file Updates folded into bins: each thread has a bin for every bin, and a second kernel joins what the workgroups leave. */
import { node } from "../../../../ir";
import { binsOf } from "../schedule";
import { joinsOfSteps, rowSteps } from "../../fold/rows/row-steps";
import { opDef } from "../../../../ops";
import { loadedTogether } from "../../../nest/price";
import { programOf, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import { literal, widthOf, type KernelProgram, type Reg, type Value } from "../../../emit/kernel-ir";
import { foldOf } from "../../../emit/accumulate";
import { lowerJoin } from "../../fold/write/fold";
import { pointAt, rowsOf, spread } from "../../fold/write/rows";
import { gridFields, namesOf, partialLowering, partialsBuffer } from "../../../emit/split";

/** Variant `bins`: the bins, then what joins them. */
export function lowerBins(job: Job): KernelProgram[] {
  const rows = rowsOf(job);
  const steps = rowSteps(job.form, [], []);
  const joins = joinsOfSteps(job.graph, job.region, steps, rows.rowOutputs);
  return [fillBins(job), lowerJoin(job, rows, job.schedule.finish!, joins.at(-1)!)];
}

function fillBins(job: Job): KernelProgram {
  const { graph, region, form, schedule, target } = job;
  const { fold: id, index, value, binAxis, lists } = binsOf(graph, region, form)!;
  const { threads, turns, wide, parts } = schedule.bins!;
  const count = form.rows / lists;
  const low = partialLowering(job);
  const { space } = low;
  const rows = rowsOf(job);
  const { def, scalar } = foldOf(low, id);
  const grid = workgroupPerItem(low, parts * lists, threads, target, "part");
  const [list, part] = [space.div(grid.index, parts), space.mod(grid.index, parts)];
  const ofList = space.unravel(list, rows.rowShape.with(binAxis, 1));
  /** The row of one of the list's bins. */
  const rowOf = (bin: Index): Index => space.ravel(ofList.with(binAxis, bin), rows.rowShape);
  const bins = low.sharedArray("bins", scalar, count * threads);
  const nothing = literal(def.reduce!.identity(scalar), scalar);
  const nodes = [id];
  const store = (at: Index, put: Value): void =>
    low.emit({ kind: "storeShared", array: bins, index: at, value: put, lane: null, nodes });
  const load = (name: string, at: Index): Reg =>
    low.let(name, scalar, 1, { kind: "loadShared", array: bins, index: at }, nodes);
  const own = (binIndex: Index): Index => space.add(space.mul(binIndex, threads), grid.tid);
  const op = (name: string, as: "i32" | "bool" | typeof scalar, called: string, args: readonly Value[]): Reg =>
    low.let(name, as, 1, { kind: "op", def: opDef(called), args, attrs: {}, index: null }, nodes);
  low.comment("A thread's own bins are its column.");
  low.loop("bin", count, (binIndex) => store(own(binIndex), nothing));
  const each = form.columns / wide;
  /** The index and the value of an update, or of four. */
  const updateAt = (unit: Index): { readonly named: Value; readonly update: Value } => {
    const at = pointAt(space, rows, rowOf(space.int(0)), spread(space, unit, wide === 4));
    const valueOf = (what: typeof id, as: typeof scalar): Value =>
      low.converted(low.valueAt(what, low.broadcast(at, form.space, node(graph, what).type.shape)), as, what);
    return { named: valueOf(index, "i32"), update: value === null ? literal(1, scalar) : valueOf(value, scalar) };
  };
  const foldInto = (named: Value, update: Value): void => {
    // An index is held within the bins: what names none of them adds nothing.
    const variable = space.variable(low.names.frame("bin"), count - 1, low.level);
    low.emit({ kind: "bindValue", variable, value: named, nodes });
    const here = low.let("here", "i32", 1, { kind: "index", index: space.of(variable) }, nodes);
    const exists = op("exists", "bool", "eq", [here, named]);
    const taken = op("taken", scalar, "where", [exists, update, nothing]);
    const bin = own(space.of(variable));
    store(bin, low.let("next", scalar, 1, { kind: "combine", def, a: load("known", bin), b: taken }, nodes));
  };
  const together = loadedTogether(turns);
  low.loop("turn", turns / together, (turn) => {
    // Several updates are on their way before the first is folded; past the end the last is loaded, and not folded.
    const loads = Array.from({ length: together }, (_, i) => {
      const turnNumber = space.add(space.mul(turn, together), space.int(i));
      const start = space.add(space.mul(part, threads * turns), space.mul(turnNumber, threads));
      const unit = low.bind("unit", space.add(start, grid.tid));
      return { unit, ...updateAt(space.clamp(unit, each - 1)) };
    });
    for (const { unit, named, update } of loads)
      low.branch(space.less(unit, each), () => {
        for (let lane = 0; lane < wide; lane++) {
          const lanePart = (of: Value): Value => (widthOf(of) === 1 ? of : low.part(of, lane, nodes));
          foldInto(lanePart(named), lanePart(update));
        }
      });
  });
  low.barrier();
  low.comment("Join what all threads have of a bin, each beginning with another one.");
  const partials = partialsBuffer(low, job, id);
  low.loop("turn", Math.ceil(count / threads), (turn) => {
    const binIndex = space.add(grid.tid, space.mul(turn, threads));
    low.branch(space.less(binIndex, count), () => {
      const mine = low.bind("bin", binIndex, count - 1);
      const total = low.variable("total", scalar, 1, nothing, nodes);
      low.loop("thread", threads, (thread) => {
        const column = space.mod(space.add(thread, grid.tid), threads);
        const known = load("known", space.add(space.mul(mine, threads), column));
        low.set(total, { kind: "combine", def, a: total, b: known }, nodes);
      });
      low.store(partials, space.add(space.mul(part, form.rows), rowOf(mine)), total, nodes);
    });
  });
  const share = `${turns} ${wide === 4 ? "vectors" : "values"} each`;
  return programOf(low, job, {
    ...namesOf(job, "partials"),
    template: "split-reduce",
    schedule: `One workgroup of ${threads} threads per one of ${parts} chunks of ${form.columns} updates${lists > 1 ? ` of each of ${lists} lists` : ""}, ${share}; each thread has a bin for every one of ${count} indices.`,
    ...gridFields(grid),
  });
}
