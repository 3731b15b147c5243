/** @file Which loops stay loops: one iteration is read on stand-ins for what it carries, and where all of it works element by element it is a body. */
import type { Node, NodeId, Shape, TensorType } from "../../ir";
import { OPS_GROWING, sameShape } from "../../ir";
import { bodyText, opDef, ownShape, pruned, readBy, resultNumber, type LoopBody, type Result } from "../../ops";
import type { AnyIteration, Interpreter, StatementRun } from "../interpreter";
import { addNode, MAX_NODES, typeOf } from "../interpreter";
import { openTrial, type Trial } from "../trial";
import { numberValue, tensorValue, type Value } from "../values/values";
import { numbersIn } from "./any-iteration";
import type { Rows } from "./loop-rows";
import { differentiates } from "./training-loop";
import { bodyOf, type Carried, type ReadBody, type Walked } from "./loop-reading";

/** What an iteration is given. */
export interface Given {
  readonly carried: readonly NodeId[];
  /** A row of each of the candidate's. */
  readonly rows: readonly NodeId[];
  /** What stands for the tensors of which it writes a row. */
  readonly written: readonly NodeId[];
  /** The number that is `start` in the first iteration and grows by `step`. */
  readonly number: (start: number, step: number) => Value;
}

export interface LoopCandidate {
  /** Identity of the loop. */
  readonly id: string;
  readonly carried: readonly Carried[];
  readonly iterations: number;
  /** What the iteration's number is called; null where no iteration has one. */
  readonly number: string | null;
  /** Tensors of which each iteration is given a row. */
  readonly rows: readonly Walked[];
  /** Whether the first iteration gives the last row; left out: where it reads the last rows. */
  readonly backwards?: boolean;
  /** Tensors of which each iteration writes a row and reads nothing. */
  readonly written?: readonly NodeId[];
  /** Reads one iteration: what it carries on, in the order of `carried`, and what it gives a row of. Null where some of that is no tensor. */
  readonly iteration: (
    given: Given,
  ) => { readonly carried: readonly NodeId[]; readonly rows: readonly NodeId[] } | null;
}

type Made = Pick<Node, "id" | "label" | "groups"> & { readonly span: NonNullable<Node["span"]> };

/** What the loop's results are: as many as it carries, and as many as an iteration gives. */
export interface OneLoop {
  /** The first iteration gives the last row. */
  readonly backwards: boolean;
  /** Adds the node of carried value `at`. */
  readonly result: (at: number, made: Made) => NodeId;
  /** Adds the node of all rows of what an iteration gives; its identity may hang on the axis that rows are counted along. */
  readonly rows: (at: number, made: Made | ((axis: number) => Made)) => Rows;
}

/**
 * Whether the loop is one: its body is a map over what it carries and over rows, what is carried keeps shape and dtype, and written out it
 * would be more than a kernel holds. A shorter one is written out, and fused like anything else.
 * @returns a number where that many of the first iterations find the same conditions true, and the next one does not
 */
export function asOneLoop(
  interpreter: Interpreter,
  run: StatementRun,
  candidate: LoopCandidate,
): OneLoop | number | null {
  if (candidate.iterations < 2) return null;
  const trial = openTrial(interpreter);
  const found = readIteration(interpreter, run, candidate, trial);
  if (!found || typeof found === "number") {
    trial.undo();
    return found;
  }
  trial.dropAllBut(found.read.outside);
  const { body } = found.read;
  const launches = candidate.iterations * (body.values.length + body.rows.length);
  if (launches > MAX_NODES)
    interpreter.diagnostics.add(
      "too-long",
      run.statement.span,
      `Op by op this loop would launch ${launches} kernels; ${MAX_NODES} are the maximum. Write fewer iterations.`,
    );
  return new LoopNodes(interpreter, candidate, found);
}

interface Found {
  readonly read: ReadBody;
  /** Types of what an iteration gives, and the last axes of each that one run of the body has whole. */
  readonly given: readonly TensorType[];
  readonly own: { readonly carried: readonly Shape[]; readonly given: readonly Shape[] };
}

/** Results of one shape, which share a loop; a smaller one has a loop of its own, so that no element is computed for each of a larger one. */
interface Part {
  readonly op: "map_loop" | "row_loop";
  readonly inputs: readonly NodeId[];
  readonly attrs: Node["attrs"];
  /** Where each result of the whole body is among those of the part. */
  readonly at: ReadonlyMap<number, number>;
  /** The axis of rows. */
  readonly rowAxis: number;
}

class LoopNodes implements OneLoop {
  readonly backwards: boolean;
  readonly #interpreter: Interpreter;
  readonly #candidate: LoopCandidate;
  readonly #found: Found;
  readonly #parts = new Map<string, Part>();

  constructor(interpreter: Interpreter, candidate: LoopCandidate, found: Found) {
    this.#interpreter = interpreter;
    this.#candidate = candidate;
    this.#found = found;
    this.backwards = candidate.backwards ?? found.read.body.params.find(({ walk }) => walk)?.walk!.backwards ?? false;
  }

  result(at: number, made: Made): NodeId {
    const own = this.#found.own.carried[at]!;
    const { node } = this.#add(this.#carriedType(at), own, { kind: "last", at }, made);
    // Where rows are given, what is carried on is there for who reads it.
    if (this.#found.given.length > 0) this.#interpreter.spare.add(node);
    return node;
  }

  rows(at: number, made: Made | ((axis: number) => Made)): Rows {
    return this.#add(this.#found.given[at]!, this.#found.own.given[at]!, { kind: "rows", at }, made);
  }

  #carriedType = (at: number): TensorType => typeOf(this.#interpreter, this.#candidate.carried[at]!.node);

  #add({ dtype, shape: all }: TensorType, own: Shape, result: Result, asked: Made | ((axis: number) => Made)): Rows {
    const shape = all.slice(0, all.length - own.length);
    const inFront = typeof asked === "function" ? asked(shape.length) : asked;
    const part = this.#parts.get(shape.join()) ?? this.#partOf(shape, inFront);
    const made = typeof asked === "function" ? asked(part.rowAxis) : asked;
    this.#parts.set(shape.join(), part);
    const attrs = { ...part.attrs, result: part.at.get(resultNumber(this.#found.read.body, result))! };
    const rows = result.kind === "last" ? shape : shape.toSpliced(part.rowAxis, 0, this.#candidate.iterations);
    const whole = [...rows, ...own];
    const { op, inputs } = part;
    return {
      node: addNode(this.#interpreter, { ...made, op, inputs, attrs, type: { dtype, shape: whole } }),
      axis: part.rowAxis,
    };
  }

  #partOf(shape: Shape, made: Made): Part {
    const { read, given, own: owns } = this.#found;
    const { body, params, axes } = read;
    const isAlike = (type: TensorType, own: Shape): boolean =>
      sameShape(type.shape.slice(0, type.shape.length - own.length), shape);
    const alike = [
      ...body.next.flatMap((_, at) =>
        isAlike(this.#carriedType(at), owns.carried[at]!) ? [resultNumber(body, { kind: "last", at })] : [],
      ),
      ...given.flatMap((type, at) =>
        isAlike(type, owns.given[at]!) ? [resultNumber(body, { kind: "rows", at })] : [],
      ),
    ];
    const left = pruned(body, alike);
    const { iterations } = this.#candidate;
    const text = { iterations, body: bodyText(left.body), launched: true };
    if (isPlain(left.body) && !goesAlong(left.body))
      return {
        op: "map_loop",
        inputs: left.params.map((old) => params[old]!),
        attrs: text,
        at: left.results,
        rowAxis: 0,
      };
    // Elements behind the axis of rows: as they lie in what is read row by row.
    const ownRank = (old: number): number => ownShape(body.params[old]!).length;
    const behind = left.params.flatMap((old) => {
      const rank = typeOf(this.#interpreter, params[old]!).shape.length - 1 - ownRank(old);
      return axes[old] !== undefined && rank === shape.length ? [Math.max(0, rank - axes[old])] : [];
    });
    const after = behind[0] ?? shape.length;
    const inputs = left.params.map((old) => {
      const axis = axes[old];
      return axis === undefined ? params[old]! : this.#laid(params[old]!, axis, after, ownRank(old), made);
    });
    const attrs = { ...text, axis: -1 - after, reverse: this.backwards };
    return { op: "row_loop", inputs, attrs, at: left.results, rowAxis: shape.length - after };
  }

  /** A walked tensor with `around` axes behind that of its rows, and then those that one run has whole. */
  #laid(id: NodeId, axis: number, around: number, own: number, made: Made): NodeId {
    const { nodes } = this.#interpreter;
    const { dtype, shape, label } = { ...typeOf(this.#interpreter, id), label: nodes.get(id)!.label };
    const rank = shape.length - 1;
    const after = around + own;
    const target = Math.max(0, rank - after);
    const add = (op: string, input: NodeId, attrs: Node["attrs"], now: Shape): NodeId => {
      let own = `${made.id}.${label}`;
      for (let i = 2; nodes.has(own as NodeId); i++) own = `${made.id}.${label}@${i}`;
      return addNode(this.#interpreter, {
        ...made,
        id: own,
        op,
        inputs: [input],
        attrs,
        type: { dtype, shape: now },
        label: op,
      });
    };
    let found = id;
    const rest = shape.toSpliced(axis, 1);
    if (axis !== target) {
      const perm = [...shape.keys()].toSpliced(axis, 1).toSpliced(target, 0, axis);
      found = add(
        "transpose",
        found,
        { perm },
        perm.map((from) => shape[from]!),
      );
    }
    if (rank >= after) return found;
    const wide = [shape[axis]!, ...Array<number>(after - rank).fill(1), ...rest];
    return add("reshape", found, { shape: wide }, wide);
  }
}

const isPlain = (body: LoopBody): boolean => opDef("row_loop").loop!.isPlain(body);

const goesAlong = ({ params, rows }: LoopBody): boolean => rows.length > 0 || params.some(({ walk }) => walk);

function readIteration(
  interpreter: Interpreter,
  { frame, statement }: StatementRun,
  { id, carried, iterations, number, rows, written = [], iteration }: LoopCandidate,
  trial: Trial,
): Found | number | null {
  const { groups } = frame;
  const { span } = statement;
  // Two of what it carries may have one name, `(zeros(4), zeros(4))`.
  const standIn = (name: string, type: TensorType, again = 1): NodeId => {
    const own = `${id}##/${name}${again === 1 ? "" : `@${again}`}`;
    if (interpreter.nodes.has(own as NodeId)) return standIn(name, type, again + 1);
    return addNode(interpreter, {
      id: own,
      op: "input",
      inputs: [],
      attrs: {},
      type,
      label: name,
      groups,
      span,
    });
  };
  const whole = { dtype: "i32", shape: [] } as const;
  const carriedIn = carried.map(({ name, node }) => standIn(name, typeOf(interpreter, node)));
  const counter = number === null ? null : standIn(number, whole);
  const standing = rows.map(({ name, node, axis }, at): NodeId => {
    const { dtype, shape } = typeOf(interpreter, node);
    return standIn(`${name}#${at}`, { dtype, shape: shape.toSpliced(axis, 1) });
  });
  let asked = 0;
  const numbered = (start: number, step: number): Value => {
    if (counter === null) return numberValue(0, true);
    const own = asked++ === 0 ? "" : `@${asked}`;
    const scaled = (of: NodeId, op: string, by: number): NodeId => {
      const constant = { op: "const", inputs: [], attrs: { value: by }, type: whole, label: `${by}`, groups, span };
      const inputs = [of, addNode(interpreter, { id: `${id}##/${op}${own}/1`, ...constant })];
      const made = { op, inputs, attrs: {}, type: whole, label: op, groups, span };
      return addNode(interpreter, { id: `${id}##/${op}${own}`, ...made });
    };
    const stepped = step === 1 ? counter : scaled(counter, "mul", step);
    return tensorValue(start === 0 ? stepped : scaled(stepped, "add", start));
  };
  const wholes = written.map((node, at) => standIn(`written#${at}`, typeOf(interpreter, node)));
  const around = interpreter.anyIteration;
  const any: AnyIteration = {
    numbersOf: numbersIn(interpreter, counter, iterations),
    written: new Map(wholes.map((whole) => [whole, []])),
    alike: iterations,
  };
  interpreter.anyIteration = any;
  const after = iteration({ carried: carriedIn, rows: standing, written: wholes, number: numbered });
  interpreter.anyIteration = around;
  if (any.alike < iterations) return any.alike;
  if (!after || trial.failed()) return null;
  const { carried: ends, rows: given } = after;
  const sameTypes = ends.every((end, at) => {
    const [before, now] = [typeOf(interpreter, carried[at]!.node), typeOf(interpreter, end)];
    return before.dtype === now.dtype && sameShape(before.shape, now.shape);
  });
  if (!sameTypes) return null;
  const read = bodyOf(interpreter, {
    carried,
    iterations,
    number: number ?? "iteration",
    standIns: {
      carried: carriedIn,
      number: counter,
      rows: new Map(standing.map((rowAxis, at) => [rowAxis, rows[at]!])),
    },
    made: trial.made(),
    ends,
    given,
  });
  // What mixes elements has no derivative as a loop.
  if (!read || (!isPlain(read.body) && differentiates(interpreter))) return null;
  const { body } = read;
  // What only shows another value has no memory of its own.
  const shows = [...body.next, ...body.rows].some(
    (arg) => arg.kind === "value" && opDef(body.values[arg.at]!.op).movement?.free,
  );
  if (shows) return null;
  // A row that hangs on nothing that is carried needs no loop.
  const loose = body.rows.some((row) => [...readBy(body, [row]).params].every((at) => at >= body.next.length));
  const walked = body.params.filter(({ walk }) => walk).length;
  const ops = iterations * (body.values.length + walked + given.length);
  if (loose || ops <= OPS_GROWING || body.values.length === 0) return null;
  const own = { carried: carriedIn.map(read.ownOf), given: given.map(read.ownOf) };
  return { read, given: given.map((each) => typeOf(interpreter, each)), own };
}
