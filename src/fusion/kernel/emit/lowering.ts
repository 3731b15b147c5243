/**
 * @file The engine: "the value of node n at these indices", answered by walking back to loads. Every op becomes one named
 * value, in the outermost scope where its operands are known. Templates decide only which indices to ask for.
 */
import { broadcastShapes, bug, type Graph, isLiteral, node, type Node, type NodeId } from "../../ir";
import { opDef, type OpDef } from "../../ops";
import { rangeStep, rangeTerms } from "../count/data-loads";
import { isFreeView } from "../indices/views";
import { loopOf, resultsOf } from "../shapes/loop/map-loops";
import { registerScalar, wordFor } from "./emitter";
import { convertNumber, ValueIndices } from "./value-indices";
import { dependsOnLane, evenLanes, INDEX_DEPTH, IndexSpace, type Cond, type Index, type Tuple } from "./index-space";
import { literal, widthOf, type Expr, type Reg, type Scalar, type Stmt, type Value } from "./kernel-ir";
import { writeLoop } from "../shapes/loop/write/map-loop";

/** `yield [id, at]` asks the driver for another value; a plain call would recurse as deep as the graph. */
type Demand = readonly [NodeId, Tuple];
type Walk = Generator<Demand, Value, Value>;

export class Lowering extends ValueIndices {
  /** Registers named after a value at these indices: `x_0` for chunk 0 of a row. */
  suffix: (at: Tuple) => string = () => "";
  readonly #inside: ReadonlySet<NodeId>;
  readonly #rowValues = new Map<NodeId, Value>();
  readonly #readers = new Map<NodeId, (at: Tuple) => Value>();
  /** While four neighbours are computed one by one: which of them. */
  #oneLane: number | null = null;

  /**
   * @param members nodes that this kernel computes; others are loaded
   * @param stored values that get a binding, in this order
   */
  constructor(graph: Graph, members: readonly NodeId[], stored: readonly NodeId[], space = new IndexSpace()) {
    super(graph, stored, space);
    this.#inside = new Set(members);
  }

  /** From here on `id` is `value` wherever it is asked for: the result of a reduction, one per row; an accumulator while its outputs are stored. */
  setRowValue(id: NodeId, value: Value): void {
    this.#rowValues.set(id, value);
  }

  /** `id` is about to be another row value: what was computed from the old one is asked for anew. */
  forget(id: NodeId): void {
    const stale = new Set([id]);
    for (const member of this.#inside)
      if (node(this.graph, member).inputs.some((input) => stale.has(input))) stale.add(member);
    for (const { memo } of this.scopes)
      for (const key of memo.keys()) if (stale.has(key.slice(key.indexOf(":") + 1) as NodeId)) memo.delete(key);
  }

  /** From here on, in this scope, `id` is `value` at `at`: an element of a scan. */
  setValueAt(id: NodeId, at: Tuple, value: Value): void {
    this.scopes.at(-1)!.memo.set(`${at.id}:${id}`, this.#rounded(id, value));
  }

  /** From here on elements of `id` are read elsewhere: from a row that was put in order, or from what an iteration has left. */
  setReader(id: NodeId, reader: (at: Tuple) => Value): void {
    this.#readers.set(id, reader);
  }

  isKnownAt(id: NodeId, at: Tuple): boolean {
    return this.find(`${at.id}:${id}`) !== undefined;
  }

  /** The value of `id` at `at`. Iterative: the depth of the graph costs no stack. */
  valueAt(id: NodeId, at: Tuple): Value {
    const known = this.find(`${at.id}:${id}`);
    if (known) return known;
    const walks: { walk: Walk; id: NodeId; key: string }[] = [{ walk: this.#lower(id, at), id, key: `${at.id}:${id}` }];
    let answer: Value | undefined;
    for (;;) {
      const top = walks.at(-1)!;
      const next = answer === undefined ? top.walk.next() : top.walk.next(answer);
      if (next.done) {
        answer = this.#rounded(top.id, next.value);
        walks.pop();
        const level = answer.kind === "reg" ? answer.level : 0;
        this.scopes[level]!.memo.set(top.key, answer);
        if (walks.length === 0) return answer;
        continue;
      }
      const [wanted, where] = next.value;
      const key = `${where.id}:${wanted}`;
      answer = this.find(key);
      if (!answer) walks.push({ walk: this.#lower(wanted, where), id: wanted, key });
    }
  }

  /** What memory would keep of a value that is rounded wherever it is read. */
  #rounded(id: NodeId, value: Value): Value {
    const { rounded, type } = node(this.graph, id);
    if (!rounded || !this.#inside.has(id)) return value;
    const [def, attrs] = [opDef("cast"), { dtype: type.dtype }];
    if (value.kind === "literal") return literal(def.scalar!.js([value.value], attrs), value.scalar);
    return this.let(
      `${value.name}_half`,
      value.scalar,
      value.width,
      { kind: "op", def, args: [value], attrs, index: null },
      [id],
      value.level,
    );
  }

  *#lower(id: NodeId, at: Tuple): Walk {
    const n = node(this.graph, id);
    const row = this.#rowValues.get(id);
    if (row) return this.#oneLane === null || row.kind === "literal" ? row : this.part(row, this.#oneLane, [id]);
    const reader = this.#readers.get(id);
    if (reader) return reader(at);
    if (!this.#inside.has(id)) return yield* this.#outside(n, at);
    const def = opDef(n.op);
    switch (def.kind) {
      case "movement":
        return yield* this.#move(n, at);
      case "order":
        throw bug(`${id} was asked for before its row was in order`);
      case "gather":
        return yield* this.#gather(n, at);
      case "search":
        return yield* this.#search(n, at);
      case "ranges":
        return yield* this.#foldOfRange(n, at);
      case "elementwise":
      case "random":
      case "opaque":
        return yield* this.#compute(n, at);
      case "source":
        return yield* this.#outside(n, at);
      case "reduce":
      case "scan":
      case "loop":
      case "groups":
      case "contraction":
        throw bug(`${id} (${n.op}) was asked for before its template computed it`);
    }
  }

  /** Literals, generated sources, and loads of what another kernel stored. Views outside may show something inside. */
  *#outside(n: Node, at: Tuple): Walk {
    let source = n;
    let tuple = at;
    while (isFreeView(source) && !this.#inside.has(source.id)) {
      const { shape } = source.type;
      source = node(this.graph, source.inputs[0]!);
      tuple = this.space.tuple(this.space.unravel(this.space.ravel(tuple.at, shape), source.type.shape));
    }
    if (this.#inside.has(source.id)) return yield [source.id, tuple];
    if (isLiteral(source)) return literal(Number(source.attrs["value"]), registerScalar(source.type.dtype));
    if (opDef(source.op).generate) return this.#generate(source, tuple);
    const offset = this.space.ravel(tuple.at, source.type.shape);
    return this.load(this.buffer(source.id), offset, [n.id], undefined, this.suffix(at));
  }

  #generate(n: Node, at: Tuple): Value {
    const def = opDef(n.op);
    const scalar = registerScalar(n.type.dtype);
    const label = this.label(wordFor(n), this.suffix(at));
    if (!at.lane) {
      return this.let(label, scalar, 1, { kind: "generate", def, at: at.at, attrs: n.attrs }, [n.id], at.level);
    }
    const parts = [0, 1, 2, 3].map((lane) => this.#generate(n, this.#tupleAtLane(at, lane)));
    return this.let(label, scalar, 4, { kind: "pack", parts }, [n.id], at.level);
  }

  #tupleAtLane(at: Tuple, lane: number): Tuple {
    return this.space.substituteAll(at, this.space.lane, this.space.int(lane));
  }

  *#compute(n: Node, at: Tuple): Walk {
    const def = opDef(n.op);
    const index = def.scalar?.usesIndex ? this.space.ravel(at.at, n.type.shape) : null;
    if (index && !evenLanes(index)) return yield* this.#perLane(n, at);
    const dtypes = n.inputs.map((input) => node(this.graph, input).type.dtype);
    const wanted = def.operandTypes?.(dtypes, n.attrs) ?? dtypes;
    const args: Value[] = [];
    for (const [operand, input] of n.inputs.entries()) {
      const value = yield [input, this.broadcast(at, n.type.shape, node(this.graph, input).type.shape)];
      args.push(this.converted(value, registerScalar(wanted[operand]!), input));
    }
    if (def.loop) return this.#loopValue(n, at, args);
    const rest = this.#withoutNeutral(def, args);
    if (rest) return rest;
    const width = index?.lane || args.some((arg) => arg.kind === "reg" && arg.width === 4) ? 4 : 1;
    const level = Math.max(index?.level ?? 0, ...args.map((arg) => (arg.kind === "reg" ? arg.level : 0)));
    const label = this.label(wordFor(n), this.suffix(at));
    const expr: Expr = { kind: "op", def, args, attrs: n.attrs, index };
    return this.let(label, registerScalar(n.type.dtype), width, expr, [n.id], level);
  }

  /** All iterations of a loop, once for all of its results that are wanted here, as far out as its operands are known. */
  #loopValue(n: Node, at: Tuple, args: readonly Value[]): Value {
    const loop = opDef(n.op).loop!;
    const body = loop.bodyOf(n.attrs);
    const nodes = loopOf(this.graph, [...this.#inside], n.id);
    const results = resultsOf(nodes.map((id) => node(this.graph, id)));
    const { conditionalLevel } = this.scopes.at(-1)!;
    const level = Math.max(conditionalLevel, ...args.map((arg) => (arg.kind === "reg" ? arg.level : 0)));
    const inner = this.scopes.splice(level + 1);
    const found = writeLoop(this, {
      body,
      types: loop.typesOf(body),
      iterations: loop.iterations(n.attrs),
      results,
      args: args.map((arg) => [arg]),
      nodes,
    });
    this.scopes.push(...inner);
    nodes.forEach((id, i) => this.scopes[level]!.memo.set(`${at.id}:${id}`, found.get(results[i]!)![0]!));
    return found.get(loop.result(n.attrs))![0]!;
  }

  /** The other operand where one is 1, or whatever changes no bit. A kernel of one op writes it as it is. */
  #withoutNeutral({ scalar }: OpDef, args: readonly Value[]): Value | null {
    const neutral = scalar?.neutral;
    if (!neutral || neutral.changesZero || this.#inside.size === 1) return null;
    const is = (arg: Value | undefined): boolean => arg?.kind === "literal" && arg.value === neutral.value;
    const at = neutral.operands.find((operand) => is(args[operand]));
    return at === undefined ? null : args[1 - at]!;
  }

  /** Indices of an operand that broadcasts to the result. */
  broadcast(at: Tuple, out: readonly number[], shape: readonly number[]): Tuple {
    if (out.length === shape.length && out.every((extent, i) => extent === shape[i])) return at;
    if (!broadcastShapes(out, shape)) throw bug(`${shape.join("×")} does not broadcast to ${out.join("×")}`);
    const skip = out.length - shape.length;
    return this.space.tuple(shape.map((extent, i) => (extent === 1 ? this.space.int(0) : at.at[skip + i]!)));
  }

  *#move(n: Node, at: Tuple): Walk {
    const def = opDef(n.op);
    const inputs = n.inputs.map((input) => node(this.graph, input).type.shape);
    const cases = def.movement!.source<Index, Cond>(
      at.at,
      { inputs, output: n.type.shape, attrs: n.attrs },
      this.space,
    );
    const open = cases.filter((c) => c.when?.kind !== "never");
    const first = open[0];
    if (first && (first.when === null || first.when.kind === "always")) {
      const index = first.index.map((part) => this.shortened(part));
      if (index.some((part) => part.lane && part.depth > INDEX_DEPTH)) return yield* this.#perLane(n, at);
      const value = yield [n.inputs[first.operand]!, this.space.tuple(index)];
      return this.converted(value, registerScalar(n.type.dtype), n.inputs[first.operand]!);
    }
    if (open.some(({ when }) => when && dependsOnLane(when))) return yield* this.#perLane(n, at);
    const along = def.movement!.alongAxes?.<Index, Cond>(at.at, { inputs, attrs: n.attrs }, this.space);
    if (along) {
      const index = along.map((each, axis) => this.picked(n, each, inputs[0]![axis]!, at.at[axis]!.level));
      const value = yield [n.inputs[0]!, this.space.tuple(index)];
      return this.converted(value, registerScalar(n.type.dtype), n.inputs[0]!);
    }
    // Neighbouring windows have elements in common.
    const key = `moved ${n.id} ${open.map((each) => this.#caseKey(each)).join()}`;
    const known = at.lane ? undefined : this.find(key);
    if (known) return known;
    const value =
      this.lean && open.length === 1 ? yield* this.#masked(n, at, open[0]!) : yield* this.#choose(n, at, open);
    if (!at.lane && value.kind === "reg") this.scopes[value.level]!.memo.set(key, value);
    return value;
  }

  #caseKey({ when, operand, index }: { when: Cond | null; operand: number; index: readonly Index[] }): string {
    return `${operand} ${this.space.tuple(index).id} ${when ? this.space.keyOf(when) : ""}`;
  }

  /** An element or the fill value without a branch: it is read anyhow, and dropped where it does not exist. */
  *#masked(
    n: Node,
    at: Tuple,
    { when, operand, index }: { when: Cond | null; operand: number; index: readonly Index[] },
  ): Walk {
    const scalar = registerScalar(n.type.dtype);
    const around = this.scopes.at(-1)!;
    const isNested = around.isMask === true;
    const level = isNested ? this.scopes.length - 1 : Math.max(at.level, around.conditionalLevel);
    // Masks stand side by side: one inside another is that of both conditions.
    const inner = this.scopes.splice(isNested ? level : level + 1);
    const cond = this.namedCond(when!);
    const before = this.reading;
    this.reading = before ? this.space.and(before, cond) : cond;
    this.#openMask(this.reading);
    const value = yield [n.inputs[operand]!, this.space.tuple(index)];
    const yes = this.converted(value, scalar, n.inputs[operand]!);
    this.leave();
    this.reading = before;
    if (isNested) this.scopes.push(...inner.splice(0));
    const no = fillOf(n, scalar);
    const width = yes.kind === "reg" ? yes.width : 1;
    const label = this.label(wordFor(n), this.suffix(at));
    const result = this.let(label, scalar, width, { kind: "select", when: cond, yes, no }, [n.id], level);
    this.scopes.push(...inner);
    return result;
  }

  /** What is read here is known only where the same elements may be missing: elsewhere the same value may have to exist. */
  #openMask(when: Cond): void {
    const { block, masks } = this.scopes.at(-1)!;
    const key = this.space.keyOf(when);
    const known = masks.get(key) ?? { memo: new Map(), parts: new Map() };
    masks.set(key, known);
    this.scopes.push({ block, ...known, conditionalLevel: this.scopes.length, masks: new Map(), isMask: true });
  }

  /** The element that the index operand names: its value becomes an index like any other. */
  *#gather(n: Node, at: Tuple): Walk {
    const [data, index] = n.inputs.map((input) => node(this.graph, input)) as [Node, Node];
    const axis = opDef(n.op).gather!.axis(n.attrs, data.type.shape);
    const rank = index.type.shape.length;
    const asked = yield [index.id, this.space.tuple(at.at.slice(axis, axis + rank))];
    if (asked.kind === "reg" && asked.width === 4) return yield* this.#perLane(n, at);
    const value = this.converted(asked, "i32", index.id);
    const position = this.indexOf(value, data.type.shape[axis]!, index);
    const source = [...at.at.slice(0, axis), position, ...at.at.slice(axis + rank)];
    return yield [data.id, this.space.tuple(source)];
  }

  /** How many of the sorted keys come before a value: half of what is left is decided with each load. */
  *#search(n: Node, at: Tuple): Walk {
    const [keys, x] = n.inputs.map((input) => node(this.graph, input)) as [Node, Node];
    const asked = yield [x.id, at];
    if (asked.kind === "reg" && asked.width === 4) return yield* this.#perLane(n, at);
    const { space } = this;
    const [count] = keys.type.shape as [number];
    const def = opDef(n.op);
    const scalar = registerScalar(def.operandTypes!([keys.type.dtype, x.type.dtype], n.attrs)[0]!);
    const value = this.converted(asked, scalar, x.id);
    const nodes = [n.id];
    const op = (name: string, as: string, scalar: Scalar, ...args: Value[]): Value =>
      this.let(as, scalar, 1, { kind: "op", def: opDef(name), args, attrs: {}, index: null }, nodes);
    const outer = this.scopes.splice(
      Math.max(this.scopes.at(-1)!.conditionalLevel, value.kind === "reg" ? value.level : 0) + 1,
    );
    const found = this.variable(this.label(wordFor(n), this.suffix(at)), "i32", 1, literal(0, "i32"), nodes);
    const most = 2 ** Math.floor(Math.log2(Math.max(1, count)));
    const half = space.variable(this.names.frame("half"), most, this.level + 1);
    const body = this.enter(false);
    const stride = this.let("stride", "i32", 1, { kind: "index", index: space.of(half) }, nodes);
    const end = op("add", "end", "i32", found, stride);
    const position = this.indexOf(op("sub", "probe", "i32", end, literal(1, "i32")), count, keys);
    const key = this.converted(yield [keys.id, space.tuple([position])], scalar, keys.id);
    const less = op(def.search!.comesBefore(n.attrs), "less", "bool", key, value);
    const inside = op("le", "inside", "bool", end, literal(count, "i32"));
    const goes = op("and", "goes", "bool", less, inside);
    this.set(found, { kind: "choose", when: goes as Reg, yes: end, no: found }, nodes);
    this.leave();
    this.names.release(half.name);
    if (count > 0) this.emit({ kind: "halve", variable: half, from: space.int(most), body });
    this.scopes.push(...outer);
    return found;
  }

  /** The rows that a range of the order lists, folded one after the other. */
  *#foldOfRange(n: Node, at: Tuple): Walk {
    const [x, order, starts, stops] = n.inputs.map((input) => node(this.graph, input)) as [Node, Node, Node, Node];
    const { space } = this;
    const { ranges } = opDef(n.op);
    const axis = ranges!.axis(n.attrs, x.type.shape);
    const fold = opDef(ranges!.fold(n.attrs));
    const own = space.tuple([at.at[axis]!]);
    if (own.lane) return yield* this.#perLane(n, at);
    const [listed] = order.type.shape as [number];
    const ends: Index[] = [];
    for (const end of [starts, stops])
      ends.push(this.indexOf(this.converted(yield [end.id, own], "i32", end.id), listed + 1, end));
    const [from, limit] = ends as [Index, Index];
    const scalar = registerScalar(n.type.dtype);
    const level = Math.max(at.level, from.level, limit.level, this.scopes.at(-1)!.conditionalLevel);
    const outer = this.scopes.splice(level + 1);
    const width = at.lane ? 4 : 1;
    const start = literal(fold.reduce!.identity(scalar), scalar);
    const total = this.variable(this.label(wordFor(n), this.suffix(at)), scalar, width, start, [n.id]);
    const update = space.variable(this.names.frame("update"), Math.max(0, listed - 1), this.level + 1);
    const body = this.enter(false);
    // Several rows are on their way at once; behind the end of the range the first of them is loaded again, and dropped.
    const step = rangeStep(rangeTerms(this.graph, n.inputs));
    const ahead = Array.from({ length: step }, (_, i) => space.add(space.of(update), space.int(i)));
    const last = step === 1 ? null : this.indexReg("last", space.add(limit, space.int(-1)), 1, [n.id]);
    const positions: Index[] = [];
    for (const next of ahead) {
      const listedAt = last && next !== ahead[0] ? this.atMost(next, last, listed, n) : next;
      const row = this.converted(yield [order.id, space.tuple([listedAt])], "i32", order.id);
      positions.push(this.indexOf(row, x.type.shape[axis]!, order));
    }
    const values: Value[] = [];
    for (const position of positions) {
      const value = yield [x.id, space.tuple(at.at.map((index, i) => (i === axis ? position : index)))];
      values.push(this.converted(value, scalar, x.id));
    }
    for (const [i, value] of values.entries()) {
      const select: Expr = { kind: "select", when: space.below(ahead[i]!, limit), yes: value, no: start };
      const b = i === 0 ? value : this.let("more", scalar, widthOf(value), select, [n.id]);
      this.set(total, { kind: "combine", def: fold, a: total, b }, [n.id]);
    }
    this.leave();
    this.names.release(update.name);
    this.emit({ kind: "range", variable: update, from, limit, step, body });
    this.scopes.push(...outer);
    return total;
  }

  /** Four neighbours that don't lie side by side: one by one. */
  *#perLane(n: Node, at: Tuple): Walk {
    const parts: Value[] = [];
    for (const lane of [0, 1, 2, 3]) {
      this.#oneLane = lane;
      parts.push(yield [n.id, this.#tupleAtLane(at, lane)]);
    }
    this.#oneLane = null;
    const level = Math.max(0, ...parts.map((part) => (part.kind === "reg" ? part.level : 0)));
    return this.let(
      this.label(wordFor(n), this.suffix(at)),
      registerScalar(n.type.dtype),
      4,
      { kind: "pack", parts },
      [n.id],
      level,
    );
  }

  /** An element that comes from one of several operands, or from nowhere: nothing outside is loaded. */
  *#choose(
    n: Node,
    at: Tuple,
    cases: readonly { when: Cond | null; operand: number; index: readonly Index[] }[],
  ): Walk {
    const scalar = registerScalar(n.type.dtype);
    const level = Math.max(at.level, this.scopes.at(-1)!.conditionalLevel);
    const inner = this.scopes.splice(level + 1);
    const result = this.variable(
      this.label(wordFor(n), this.suffix(at)),
      scalar,
      at.lane ? 4 : 1,
      fillOf(n, scalar),
      [n.id],
      level,
    );
    const open: Stmt[] = [];
    for (const { when, operand, index } of cases) {
      const test = when === null || when.kind === "always" ? null : when;
      const yes = test ? this.enter(true) : null;
      const value = yield [n.inputs[operand]!, this.space.tuple(index.map((part) => this.shortened(part)))];
      this.set(result, this.converted(value, scalar, n.inputs[operand]!), [n.id]);
      if (!test || !yes) break;
      this.leave();
      open.push({ kind: "if", when: test, body: yes, otherwise: this.enter(true) });
    }
    // Written on the way out, so that what was hoisted stands before it.
    for (const branch of open.toReversed()) {
      this.leave();
      this.emit(branch);
    }
    this.scopes.push(...inner);
    return result;
  }
}

/** What stands where a movement op has no element, as its dtype holds it. */
const fillOf = (n: Node, scalar: Scalar): Value =>
  literal(convertNumber(opDef(n.op).movement!.fill?.(n.attrs) ?? 0, scalar), scalar);
