/**
 * @file Elements counted or grouped by their keys. Threads add to counts that all of them share, and what stood there numbers each element among
 * those of its key; workgroups take ranges from the list as they come; each element goes into its range. Keys outside have a range of their own, behind all others or between them, which nobody asks for.
 */
import { node, partialsId, sizeOf, type NodeId } from "../../../../ir";
import { opDef } from "../../../../ops";
import { wordFor } from "../../../emit/emitter";
import { programOf, threadPerItem, workgroupPerItem, type Grid, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import { literal, type Buffer, type KernelProgram, type Reg, type Value } from "../../../emit/kernel-ir";
import { Lowering } from "../../../emit/lowering";
import { spread } from "../../fold/write/rows";
import { gridFields, namesOf, type PartName } from "../../../emit/split";
import { COUNTED_AHEAD, type CountFactors } from "../count-factors";
import { groupOf, leftOf, listsOf, targetsOf } from "../schedule";

/** Variant `groups`: counts are cleared and elements counted; with a list, ranges are cut and elements put into them. */
export function lowerGroups(job: Job): KernelProgram[] {
  const all = new Grouping(job);
  const { counting } = job.schedule;
  const counted = [all.clear(), counting ? all.countApart(counting) : all.count()];
  return all.leaves === "ranges" ? [...counted, all.cut(), all.fill()] : counted;
}

/** What the kernel over all elements is called, and what each of its threads does. */
const COUNTING = {
  count: ["count", "adds one to the count of its key"],
  ranges: ["count", "adds one to the count of its key, and what stood there is its number"],
  last: ["latest", "leaves its number at its key, where the largest one stays"],
} as const;

class Grouping {
  readonly leaves: ReturnType<typeof leftOf>;
  readonly #job: Job;
  readonly #id: NodeId;
  readonly #keys: NodeId;
  readonly #elements: number;
  readonly #targets: number;
  readonly #lists: number;
  readonly #threads: number;

  constructor(job: Job) {
    const grouped = groupOf(job.graph, job.region.members);
    this.leaves = leftOf(grouped);
    this.#job = job;
    this.#id = grouped.id;
    this.#keys = grouped.inputs[0]!;
    this.#elements = sizeOf(job.form.space);
    this.#targets = targetsOf(grouped);
    this.#lists = listsOf(grouped);
    this.#threads = job.schedule.threadsPerWorkgroup;
  }

  clear(): KernelProgram {
    const low = new Lowering(this.#job.graph, [], []);
    const width = this.#cells % 4 === 0 ? 4 : 1;
    const grid = threadPerItem(low, this.#cells / width, this.#threads, this.#job.target, "key");
    const [nodes, value] = [[this.#id], literal(this.leaves === "last" ? -1 : 0, "i32")];
    const zero = literal(0, "i32");
    const cells = width === 1 ? value : low.let("cells", "i32", 4, { kind: "splat", a: value }, nodes);
    low.store(this.#counts(low), spread(low.space, grid.index, width === 4), cells, nodes);
    if (this.leaves === "ranges")
      low.branch(low.space.less(grid.index, 1), () =>
        low.store(this.#buffer(low, "given"), low.space.int(0), zero, [this.#id]),
      );
    const nothing = this.leaves === "last" ? "none has an element" : "nothing is counted";
    const keys = width === 1 ? "key" : "four neighbouring keys";
    return this.#program(low, grid, "clear", `One thread per ${keys}, ${this.#threads} a workgroup: ${nothing} yet.`);
  }

  count(): KernelProgram {
    const low = new Lowering(this.#job.graph, this.#before(), []);
    const grid = threadPerItem(low, this.#elements, this.#threads, this.#job.target, "element");
    const key = this.#keyOf(low, grid.index);
    const nodes = [this.#id];
    const inList = low.space.mod(grid.index, this.#elements / this.#lists);
    const add = (): Reg => low.fetchAtomic("add", "rank", this.#counts(low), key, literal(1, "i32"), nodes);
    const leave = (): Reg =>
      low.fetchAtomic("max", "before", this.#counts(low), key, low.indexReg("which", inList, 1, nodes), nodes);
    if (this.leaves === "ranges") low.store(this.#buffer(low, "ranks"), grid.index, add(), nodes);
    else low.branch(low.space.less(key, this.#targets), this.leaves === "last" ? leave : add);
    const [part, doing] = COUNTING[this.leaves];
    return this.#program(low, grid, part, `One thread per element, ${this.#threads} a workgroup: each ${doing}.`);
  }

  /** Each workgroup counts a part of a list by itself, and adds its counts to those of all. */
  countApart({ bins, turns, parts, lists }: CountFactors): KernelProgram {
    const low = new Lowering(this.#job.graph, this.#before(), []);
    const { space } = low;
    const [threads, nodes] = [this.#threads, [this.#id]];
    const perList = this.#elements / lists;
    const grid = workgroupPerItem(low, parts * lists, threads, this.#job.target, "part");
    const [list, part] = [space.div(grid.index, parts), space.mod(grid.index, parts)];
    const own = low.sharedCounts("own", bins);
    const one = literal(1, "i32");
    const eachBin = (body: (bin: Index) => void): void =>
      low.loop("turn", Math.ceil(bins / threads), (turn) => {
        const bin = low.bind("bin", space.add(space.mul(turn, threads), grid.tid));
        low.branch(space.less(bin, bins), () => body(bin));
      });
    low.comment("Counts of this workgroup.");
    eachBin((bin) =>
      low.emit({ kind: "storeShared", array: own, index: bin, value: literal(0, "i32"), lane: null, nodes }),
    );
    low.barrier();
    low.loop("turn", turns / COUNTED_AHEAD, (turn) => {
      const first = space.add(space.mul(part, threads * turns), space.mul(turn, threads * COUNTED_AHEAD));
      const units = Array.from({ length: COUNTED_AHEAD }, (_, i) =>
        low.bind("unit", space.add(space.add(first, space.int(i * threads)), grid.tid)),
      );
      const keys = units.map((unit) =>
        this.#keyOf(low, space.add(space.mul(list, perList), space.clamp(unit, perList - 1))),
      );
      for (const [i, unit] of units.entries()) {
        const key = keys[i]!;
        const add = (): void =>
          low.emit({ kind: "addShared", array: own, index: space.mod(key, bins), value: one, nodes });
        low.branch(space.less(unit, perList), () => low.branch(space.less(key, this.#targets), add));
      }
    });
    low.barrier();
    low.comment("They are added to those of all workgroups.");
    const counts = this.#counts(low);
    eachBin((bin) => {
      const counted = low.let("counted", "i32", 1, { kind: "loadShared", array: own, index: bin }, nodes);
      low.fetchAtomic("add", "before", counts, space.add(space.mul(list, bins), bin), counted, nodes);
    });
    const ofLists = lists > 1 ? ` of each of ${lists} lists` : "";
    return this.#program(
      low,
      grid,
      "count",
      `One workgroup of ${threads} threads per one of ${parts} chunks of ${perList} elements${ofLists}, ${turns} each: it counts keys in workgroup memory and adds its counts to those of all.`,
    );
  }

  cut(): KernelProgram {
    const low = new Lowering(this.#job.graph, [], []);
    const { space } = low;
    const [keys, threads, nodes] = [this.#targets + 1, this.#threads, [this.#id]];
    const grid = workgroupPerItem(low, Math.ceil(keys / threads), threads, this.#job.target, "part");
    const key = low.bind("key", space.add(space.mul(grid.index, threads), grid.tid));
    const sums = low.sharedArray("sums", "i32", threads);
    const inside = space.less(key, keys);
    const own = low.variable("own", "i32", 1, literal(0, "i32"), nodes);
    low.branch(inside, () => low.set(own, low.load(this.#buffer(low, "counts"), key, nodes, "count"), nodes));
    const sum = low.variable("sum", "i32", 1, own, nodes);
    const put = (at: Index, value: Value): void =>
      low.emit({ kind: "storeShared", array: sums, index: at, value, lane: null, nodes });
    const read = (name: string, at: Index): Reg =>
      low.let(name, "i32", 1, { kind: "loadShared", array: sums, index: at }, nodes);
    put(grid.tid, sum);
    low.barrier();
    low.comment("Each key's count, and those of the keys before it.");
    low.doubling("step", space.int(threads), (step) => {
      low.branch(space.below(step, space.add(grid.tid, space.int(1))), () =>
        this.#add(low, sum, read("before", space.add(grid.tid, space.mul(step, -1)))),
      );
      low.barrier();
      put(grid.tid, sum);
      low.barrier();
    });
    low.comment("The workgroup takes a range of the list for all of them.");
    const first = low.sharedArray("first", "i32", 1);
    low.branch(space.atLeast(grid.tid, threads - 1), () => {
      const from = low.fetchAtomic("add", "from", this.#buffer(low, "given"), space.int(0), sum, nodes);
      low.emit({ kind: "storeShared", array: first, index: space.int(0), value: from, lane: null, nodes });
    });
    low.barrier();
    const stop = low.variable("stop", "i32", 1, { kind: "loadShared", array: first, index: space.int(0) }, nodes);
    this.#add(low, stop, sum);
    const start = low.let("start", "i32", 1, this.#sum("sub", stop, own), nodes);
    low.branch(inside, () => low.store(this.#buffer(low, "starts"), key, start, nodes));
    const out = low.buffer(this.#id);
    low.branch(space.less(key, this.#targets), () => {
      low.store(out, space.add(key, space.int(this.#elements)), start, nodes);
      low.store(out, space.add(key, space.int(this.#elements + this.#targets)), stop, nodes);
    });
    out.written = 2 * this.#targets;
    return this.#program(
      low,
      grid,
      "cut",
      `One thread per key, ${threads} a workgroup, which takes the next part of the list: where the range of each key starts, and where it stops.`,
    );
  }

  fill(): KernelProgram {
    const low = new Lowering(this.#job.graph, this.#before(), []);
    const { space } = low;
    const nodes = [this.#id];
    const grid = threadPerItem(low, this.#elements, this.#threads, this.#job.target, "element");
    const key = this.#keyOf(low, grid.index);
    const spot = low.variable("goes", "i32", 1, low.load(this.#buffer(low, "starts"), key, nodes, "start"), nodes);
    this.#add(low, spot, low.load(this.#buffer(low, "ranks"), grid.index, nodes, "rank"));
    const at = space.variable(low.names.frame("spot"), this.#elements - 1, low.level);
    low.emit({ kind: "bindValue", variable: at, value: spot, nodes });
    const out = low.buffer(this.#id);
    low.store(out, space.of(at), low.indexReg("which", grid.index, 1, nodes), nodes);
    out.written = this.#elements;
    return this.#program(
      low,
      grid,
      "fill",
      `One thread per element, ${this.#threads} a workgroup: each is put into the range of its key.`,
    );
  }

  /** What computes the keys. */
  #before(): readonly NodeId[] {
    return this.#job.region.members.filter((id) => id !== this.#id);
  }

  /** An element's key as an index; those outside are the last one. */
  #keyOf(low: Lowering, element: Index): Index {
    const { space } = low;
    const value = low.converted(low.valueAt(this.#keys, space.tuple([element])), "i32", this.#keys);
    const op = (name: string, as: "i32" | "bool", called: string, args: readonly Value[]): Reg =>
      low.let(name, as, 1, { kind: "op", def: opDef(called), args, attrs: {}, index: null }, [this.#id]);
    const outside = op("outside", "bool", "lt", [value, literal(0, "i32")]);
    const known = op("known", "i32", "where", [outside, literal(this.#targets, "i32"), value]);
    const key = space.variable(low.names.frame("key"), this.#targets, low.level);
    low.emit({ kind: "bindValue", variable: key, value: known, nodes: [this.#id] });
    return space.of(key);
  }

  #sum(name: "add" | "sub", a: Value, b: Value) {
    return { kind: "op", def: opDef(name), args: [a, b], attrs: {}, index: null } as const;
  }

  #add(low: Lowering, into: Reg, value: Value): void {
    low.set(into, this.#sum("add", into, value), [this.#id]);
  }

  /** Counts, with one for the keys outside where elements have a number. */
  get #cells(): number {
    return this.leaves === "ranges" ? this.#targets + 1 : this.#targets;
  }

  #counts(low: Lowering): Buffer {
    return this.leaves === "ranges" ? this.#buffer(low, "counts") : low.buffer(this.#id);
  }

  #buffer(low: Lowering, what: "counts" | "ranks" | "starts" | "given"): Buffer {
    const keys = this.#cells;
    const elements = { counts: keys, ranks: this.#elements, starts: keys, given: 1 }[what];
    const word = wordFor(node(this.#job.graph, this.#id));
    return low.temporary(partialsId(`${this.#id}~${what}`), `${word}_${what}`, "i32", elements);
  }

  #program(low: Lowering, grid: Grid, part: PartName, schedule: string): KernelProgram {
    return programOf(low, this.#job, {
      ...namesOf(this.#job, part),
      template: "groups",
      schedule,
      ...gridFields(grid),
    });
  }
}
