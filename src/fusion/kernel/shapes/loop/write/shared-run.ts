/**
 * @file A loop whose runs are too long for one thread: the threads of a workgroup share a run, hold its values in workgroup memory, and meet
 * between the steps of an iteration. A machine whose threads do not meet has a run in each thread.
 */
import { node, sameShape, sizeOf, type Graph, type NodeId, type Shape } from "../../../../ir";
import { givenRow, opDef, ownShape, readAt, rowLoopOf, type Walk } from "../../../../ops";
import { accumulator, finished, foldIn, type Accumulator } from "../../../emit/accumulate";
import { registerScalar } from "../../../emit/emitter";
import type { Index, IndexSpace, Tuple } from "../../../emit/index-space";
import {
  loweringOf,
  programOf,
  threadPerItem,
  workgroupPerItem,
  type Grid,
  type Job,
} from "../../../emit/kernel-frame";
import {
  literal,
  widthOf,
  type KernelProgram,
  type SharedArray,
  type Value,
  type Width,
} from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { JoinMemory, joinThreads } from "../../fold/write/join";
import { spread } from "../../fold/write/rows";
import { rowRegionOf } from "../row-region";
import { runSteps, type RunPhase, type RunStep, type RunSteps } from "../run-steps";
import { tidy } from "./tidy-run";

/** Loads of a matrix that a thread makes before it adds up what they bring. */
const AHEAD = [8, 4, 2];

/** Variant `row-loop` where threads share a run. */
export function lowerSharedRun(job: Job): KernelProgram {
  const writer = new RunWriter(job);
  return writer.program();
}

class RunWriter {
  readonly job: Job;
  readonly low: Lowering;
  readonly space: IndexSpace;
  readonly plan: RunSteps;
  readonly lanes: number;
  readonly grid: Grid;
  readonly lane: Index;
  readonly #beside: 1 | 4;
  readonly #inputs: readonly NodeId[];
  readonly #arrays: readonly SharedArray[];
  readonly #joining: JoinMemory;
  readonly #region: ReturnType<typeof rowRegionOf>;
  /** The element that the thread owns of values of so many numbers, where a step goes through them. */
  #own: { readonly element: Index; readonly count: number } | null = null;
  /** Arrays that a step reads numbers of others from, and that it writes; the same of all steps since threads have met. */
  #read = new Set<SharedArray>();
  #written = new Set<SharedArray>();
  readonly #readBefore = new Set<SharedArray>();
  readonly #writtenBefore = new Set<SharedArray>();
  /** Whether threads read what others have left anywhere. */
  #meets = false;
  #folds = 0;
  #iteration: Index;
  /** Elements that have a name, by how many there are. */
  readonly #elements = new Map<number, Index>();

  constructor(job: Job) {
    const { graph, region, schedule, target } = job;
    this.job = job;
    this.#region = rowRegionOf(graph, region.members);
    const results = this.#region.results.map((id) => node(graph, id));
    const { lanes, beside } = schedule.run!;
    this.plan = runSteps(graph, results, beside);
    this.lanes = lanes;
    this.#beside = beside;
    this.#inputs = results[0]!.inputs;
    const own = [...this.plan.graph.nodes.values()].filter(({ op }) => opDef(op).kind !== "source");
    const members = [...region.members, ...own.map(({ id }) => id)];
    const all: Graph = { nodes: new Map([...graph.nodes, ...this.plan.graph.nodes]), outputs: graph.outputs };
    const low = loweringOf({ ...job, graph: all, region: { ...region, members } });
    this.low = low;
    this.space = low.space;
    const units = sizeOf(this.plan.loop.outer) / beside;
    const name = beside === 1 ? "run" : "runs";
    const alone = lanes === 1;
    const grid = alone
      ? threadPerItem(low, units, schedule.threadsPerWorkgroup, target, name)
      : workgroupPerItem(low, units, lanes, target, name);
    this.grid = grid;
    this.lane = "tid" in grid ? (grid.tid as Index) : low.space.int(0);
    this.#joining = new JoinMemory(low, lanes);
    const apart = new Set([...this.plan.slotOf].flatMap(([id, slot]) => (this.#isApart(id) ? [slot] : [])));
    this.#arrays = this.plan.slots.map(({ name: word, dtype, length }, slot) => {
      const width: Width = apart.has(slot) ? beside : 1;
      return low[alone ? "threadArray" : "sharedArray"](`${word}_row`, registerScalar(dtype), length, width);
    });
    this.#iteration = low.space.int(0);
  }

  /** Whether each of the runs beside one another has its own. */
  #isApart(id: NodeId): boolean {
    return node(this.plan.graph, id).type.shape.length > this.plan.own(id).length;
  }

  program(): KernelProgram {
    const { low, plan, job, lanes } = this;
    const { loop, body, params } = plan;
    for (const [id, at] of params) low.setReader(id, (asked) => this.#param(at, asked));
    low.setReader(plan.iteration, () =>
      low.let(`${body.iteration}_now`, "i32", 1, { kind: "index", index: this.#iteration }, this.#region.results),
    );
    low.comment("What is carried before the first iteration.");
    this.#eachOf(
      plan.ends.map(({ at }) => this.#carried(at)),
      (id, at, element) => {
        this.#leave(id, element, this.#param(params.get(id)!, at));
      },
    );
    low.meeting(() => {
      low.loop(body.iteration, loop.iterations, (iteration) => this.#iterate(iteration), "changes");
      return this.#meets;
    });
    this.#finish();
    tidy(low, new Set(plan.graph.nodes.keys()), this.#region.results);
    const runs = this.#beside === 1 ? "a row that is" : `${this.#beside} rows that are`;
    return programOf(low, job, {
      template: job.form.template,
      schedule:
        lanes === 1
          ? `One thread per row that is carried, ${loop.iterations} iterations one after the other.`
          : `${lanes} threads share ${runs} carried, in workgroup memory, ${loop.iterations} iterations one after the other.`,
      workgroupSize: this.grid.workgroupSize,
      workgroups: this.grid.workgroups,
    });
  }

  #carried = (at: number): NodeId => this.plan.idOf({ kind: "param", at });

  // ---- where values are ------------------------------------------------------------------------------------------------

  /** Which runs these are, as an index of what is carried. */
  #outer(run: Index | undefined): readonly Index[] {
    const { space, grid } = this;
    const isOne = this.#beside === 4 && run !== undefined && !run.lane;
    const index = isOne ? space.add(space.mul(grid.index, 4), run) : spread(space, grid.index, this.#beside === 4);
    return space.unravel(index, this.plan.loop.outer);
  }

  /** An element of a value: of the runs of this workgroup, or of all. */
  #at(id: NodeId, inside: readonly Index[]): Tuple {
    const { space, plan } = this;
    const run = this.#beside === 4 ? space.of(space.lane) : space.int(0);
    return space.tuple(this.#isApart(id) && plan.loop.outer.length > 0 ? [run, ...inside] : inside);
  }

  /** An operand of the loop, as memory has it. */
  #param(at: number, { at: asked }: Tuple): Value {
    const { low, space, plan, job } = this;
    const { loop, body } = plan;
    const said = body.params[at]!;
    const input = this.#inputs[at]!;
    const inside = asked.slice(asked.length - ownShape(said).length);
    const outer = this.#outer(asked.length > inside.length ? asked[0] : undefined);
    const row = said.walk ? this.#row(said.walk) : null;
    const index = readAt(loop, said, node(job.graph, input).type.shape, outer, row, space.int(0), inside);
    return low.converted(low.valueAt(input, space.tuple(index)), registerScalar(said.dtype), input);
  }

  #row({ start, backwards }: Walk): Index {
    const { space } = this;
    return space.add(space.int(start), space.mul(this.#iteration, backwards ? -1 : 1));
  }

  /** A value that waits in workgroup memory. */
  #waiting(id: NodeId, { at }: Tuple): Value {
    const { low, space, plan } = this;
    const own = plan.own(id);
    const array = this.#arrays[plan.slotOf.get(id)!]!;
    const index = space.ravel(at.slice(at.length - own.length), own);
    if (this.#own?.element !== index || this.#own.count !== array.length) this.#read.add(array);
    const { label } = node(plan.graph, id);
    const value = low.let(label, array.scalar, array.width, { kind: "loadShared", array, index }, [id]);
    const [run] = at;
    return array.width === 4 && run && !run.lane ? low.part(value, run.constant, [id]) : value;
  }

  /** Leaves a value for others, and for the steps that come. */
  #leave(id: NodeId, element: Index, value: Value): void {
    const array = this.#arrays[this.plan.slotOf.get(id)!]!;
    const whole: Value =
      array.width === widthOf(value)
        ? value
        : this.low.let(node(this.plan.graph, id).label, array.scalar, 4, { kind: "splat", a: value }, [id]);
    this.low.emit({ kind: "storeShared", array, index: element, value: whole, lane: null, nodes: [id] });
    this.#written.add(array);
  }

  /** The numbers of values of this shape that the thread owns. */
  #each(shape: Shape, body: (inside: readonly Index[], element: Index) => void): void {
    const { low, space, lane, lanes } = this;
    const count = sizeOf(shape);
    low.loop(lanes === 1 ? "element" : "turn", Math.ceil(count / lanes), (turn) => {
      const number = space.add(lane, space.mul(turn, lanes));
      low.branch(space.less(number, count), () => {
        const element = count === 1 ? space.int(0) : this.#element(number, count);
        this.#own = { element, count };
        body(space.unravel(element, shape), element);
        this.#own = null;
      });
    });
  }

  /** The index of an element, by a name where it is none yet. */
  #element(index: Index, count: number): Index {
    if (index.max < count && index.terms.length <= 1) return index;
    if (index.level > 0) return this.low.bind("element", index, count - 1);
    const known = this.#elements.get(count) ?? this.low.bind("element", index, count - 1);
    this.#elements.set(count, known);
    return known;
  }

  /** The same for several values; those of one shape together. */
  #eachOf(ids: readonly NodeId[], body: (id: NodeId, at: Tuple, element: Index) => void): void {
    for (const shape of shapesOf(ids.map((id) => this.plan.own(id))))
      this.#each(shape, (inside, element) => {
        for (const id of ids) if (sameShape(this.plan.own(id), shape)) body(id, this.#at(id, inside), element);
      });
  }

  // ---- an iteration ----------------------------------------------------------------------------------------------------

  #iterate(iteration: Index): void {
    const { low, plan } = this;
    this.#iteration = iteration;
    for (const { at } of plan.ends)
      low.setReader(this.#carried(at), (asked) => this.#waiting(this.#carried(at), asked));
    for (const id of plan.inside) low.setReader(id, (asked) => this.#product(id, asked));
    this.#readBefore.clear();
    this.#writtenBefore.clear();
    for (const phase of plan.phases) {
      this.#meetFor(() => this.#phase(phase));
      if (phase.steps[0]?.kind === "fold") {
        this.#readBefore.clear();
        this.#writtenBefore.clear();
      }
      for (const { id } of phase.steps) if (plan.slotOf.has(id)) low.setReader(id, (asked) => this.#waiting(id, asked));
    }
    if (this.#meets) low.barrier();
  }

  #phase({ shape, steps, given, ends }: RunPhase): void {
    const [first] = steps;
    if (first?.kind === "fold") return this.#fold(first.id);
    const { low } = this;
    this.#each(shape, (inside, element) => {
      for (const step of steps) this.#compute(step, inside, element);
      if (given.length > 0) this.#give(given, shape, inside);
      const values = ends.map(({ id }) => low.valueAt(id, this.#at(id, inside)));
      ends.forEach(({ at }, i) => this.#leave(this.#carried(at), element, values[i]!));
    });
  }

  /** Threads meet in front of a phase that reads what others have written, or writes where others have read. */
  #meetFor(body: () => void): void {
    const { low, lanes } = this;
    low.meeting(() => {
      this.#read = new Set();
      this.#written = new Set();
      body();
      if (lanes === 1) return false;
      const must =
        [...this.#read].some((array) => this.#writtenBefore.has(array)) ||
        [...this.#written].some((array) => this.#readBefore.has(array));
      if (must) {
        this.#readBefore.clear();
        this.#writtenBefore.clear();
      }
      for (const array of this.#read) this.#readBefore.add(array);
      for (const array of this.#written) this.#writtenBefore.add(array);
      this.#meets ||= this.#read.size > 0;
      return must;
    });
  }

  /** A number of a value, which the thread owns. */
  #compute({ kind, id }: RunStep, inside: readonly Index[], element: Index): void {
    const { low, plan } = this;
    const at = this.#at(id, inside);
    const isFold = opDef(node(plan.graph, id).op).kind === "reduce";
    const value = kind === "product" ? this.#product(id, at) : isFold ? this.#ownFold(id, at) : low.valueAt(id, at);
    if (plan.slotOf.has(id)) this.#leave(id, element, value);
    low.setValueAt(id, at, value);
  }

  #width = (id: NodeId): Width => (this.#isApart(id) ? this.#beside : 1);

  /** One number of a run, which all threads add up. */
  #fold(id: NodeId): void {
    const { low, plan, lanes, lane } = this;
    const [operand] = node(plan.graph, id).inputs as [NodeId];
    const acc = accumulator(low, id, this.#width(id));
    this.#each(plan.own(operand), (inside, element) =>
      foldIn(low, acc, this.#at(operand, inside), element, { kind: "always" }),
    );
    const joined = lanes === 1 ? acc : joinThreads([acc], lane, this.#joining, this.#folds++)[0]!;
    this.#meets ||= lanes > 1;
    low.setRowValue(id, finished(low, joined, sizeOf(plan.own(operand))));
  }

  /** One of several numbers, which the thread that owns it adds up. */
  #ownFold(id: NodeId, { at }: Tuple): Value {
    const { low, space, plan } = this;
    const { inputs, attrs, type } = node(plan.graph, id);
    const [operand] = inputs as [NodeId];
    const { shape } = node(plan.graph, operand).type;
    const axes = opDef(node(plan.graph, id).op).reduce!.axes(attrs, shape);
    const folded = axes.map((axis) => shape[axis]!);
    const acc: Accumulator = accumulator(low, id, this.#width(id));
    low.loop("k", sizeOf(folded), (k) => {
      const inner = space.unravel(k, folded);
      let next = 0;
      const from = shape.map((_, axis) => {
        if (axes.includes(axis)) return inner[axes.indexOf(axis)]!;
        return type.shape.length === shape.length ? at[axis]! : at[next++]!;
      });
      foldIn(low, acc, space.tuple(from), k, { kind: "always" });
    });
    return finished(low, acc, sizeOf(folded));
  }

  /** One number of a product. */
  #product(id: NodeId, { at }: Tuple): Value {
    const { low, space, plan } = this;
    const { inputs, type, label } = node(plan.graph, id);
    const [left, right] = inputs as [NodeId, NodeId];
    const [a, b] = [left, right].map((each) => node(plan.graph, each).type.shape) as [Shape, Shape];
    const [hasRow, hasColumn] = [a.length > 1, b.length > 1];
    const batch = at.slice(0, at.length - Number(hasRow) - Number(hasColumn));
    const batchOf = (shape: Shape): Index[] => {
      const outer = shape.slice(0, Math.max(0, shape.length - 2));
      return outer.map((extent, i) => (extent === 1 ? space.int(0) : batch[batch.length - outer.length + i]!));
    };
    const row = hasRow ? [at[batch.length]!] : [];
    const column = hasColumn ? [at.at(-1)!] : [];
    const count = a.at(-1)!;
    const ahead = AHEAD.find((each) => count % each === 0) ?? 1;
    const scalar = registerScalar(type.dtype);
    const width = this.#width(id);
    const acc = low.variable(label, scalar, width, literal(0, scalar), [id]);
    const factor = (of: NodeId, index: readonly Index[]): Value => {
      const value = low.converted(low.valueAt(of, space.tuple(index)), scalar, of);
      if (width === widthOf(value) || value.kind === "literal") return value;
      return low.let(`${node(plan.graph, of).label}_all`, scalar, width, { kind: "splat", a: value }, [of]);
    };
    low.loop("k", count / ahead, (turn) => {
      const terms = Array.from({ length: ahead }, (_, i) => space.add(space.mul(turn, ahead), space.int(i)));
      const pairs = terms.map((k) => [
        factor(left, [...batchOf(a), ...row, k]),
        factor(right, [...batchOf(b), k, ...column]),
      ]) as [Value, Value][];
      for (const [x, y] of pairs) low.set(acc, { kind: "fma", a: x, lane: null, b: y, c: acc }, [id]);
    });
    return acc;
  }

  /** What this iteration gives rows of. */
  #give(values: readonly NodeId[], shape: Shape, inside: readonly Index[]): void {
    const { low, plan, space, job } = this;
    const { loop, body } = plan;
    const { results, phases } = this.#region;
    const around = this.#outer(undefined).toSpliced(loop.rowAxis, 0, this.#row(givenRow(loop)));
    const at = space.tuple([...around, ...inside]);
    const given = results.filter((id) => {
      const { result } = rowLoopOf(node(job.graph, id))!;
      if (result.kind === "last") return false;
      const from = result.kind === "rows" ? plan.idOf(body.rows[result.at]!) : this.#carried(result.at);
      if (!values.includes(from)) return false;
      const value = low.valueAt(from, this.#at(from, inside));
      low.setValueAt(id, at, low.converted(value, registerScalar(node(job.graph, id).type.dtype), from));
      return true;
    });
    const found = new Set(given);
    for (const id of job.region.members)
      if (node(job.graph, id).inputs.some((input) => found.has(input))) found.add(id);
    this.#storeAll(
      job.region.outputs.filter((id) => phases.get(id) === "row" && found.has(id)),
      shape,
      at,
    );
  }

  /** Stores values of which a run has this shape. */
  #storeAll(ids: readonly NodeId[], own: Shape, at: Tuple): void {
    const { low, space, job } = this;
    const around = at.at.length - own.length;
    const here = ids.filter((id) => {
      const { shape } = node(job.graph, id).type;
      return sameShape(shape.slice(around), own);
    });
    const values = here.map((id) => low.valueAt(id, at));
    here.forEach((id, i) =>
      low.store(low.buffer(id), space.ravel(at.at, node(job.graph, id).type.shape), values[i]!, [id]),
    );
  }

  /** What is left after the last iteration. */
  #finish(): void {
    const { low, space, job } = this;
    const { results, phases } = this.#region;
    const last = results.map((id) => node(job.graph, id)).filter((n) => rowLoopOf(n)!.result.kind === "last");
    const stored = job.region.outputs.filter((id) => phases.get(id) === "after");
    for (const shape of shapesOf(last.map((n) => rowLoopOf(n)!.own)))
      this.#each(shape, (inside) => {
        const at = space.tuple([...this.#outer(undefined), ...inside]);
        for (const n of last) {
          const { result, own } = rowLoopOf(n)!;
          const from = this.#carried(result.at);
          if (!sameShape(own, shape)) continue;
          const value = low.valueAt(from, this.#at(from, inside));
          low.setValueAt(n.id, at, low.converted(value, registerScalar(n.type.dtype), from));
        }
        this.#storeAll(stored, shape, at);
      });
  }
}

/** Each shape once. */
const shapesOf = (shapes: readonly Shape[]): readonly Shape[] => [
  ...new Map(shapes.map((shape) => [shape.join(), shape])).values(),
];
