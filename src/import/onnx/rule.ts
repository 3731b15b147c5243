/** @file What a rule sees of one ONNX node, and how it answers. */
import { sizeOf, type AttrValue, type DType, type Shape } from "../../fusion";
import type { Emitter, Value } from "./emit";
import { FORMATS } from "./tensor";
import type { WholeKind } from "./whole-kinds";
import { wholeCall } from "./whole-numbers";
import type { OnnxAttribute, OnnxGraph, OnnxNode } from "./model";

/** Larger constants of one number are made where they are read. */
const MAX_STORED = 2 ** 18;

/** Attributes that say how or where to compute, or belong to training, and change no value that is read here. */
const IDLE: ReadonlySet<string> = new Set([
  "consumed_inputs",
  "training_mode",
  "is_test",
  "momentum",
  "precision",
  "softmax_precision",
  "broadcast",
  "seed",
  "nodes_hitrates",
  "saturate",
  "round_mode",
]);

export class NodeContext {
  readonly emit: Emitter;
  readonly node: OnnxNode;
  readonly opset: number;
  private readonly values: readonly (Value | null)[];
  private readonly attributes: ReadonlyMap<string, OnnxAttribute>;
  /** Names of the attributes that the rule has looked at, those of this node under another operand too. */
  private readonly asked: Set<string>;
  readonly hint: string;
  private readonly run: (graph: OnnxGraph, inputs: readonly Value[]) => readonly Value[];
  private readonly find: (name: string) => Value | null;

  constructor(given: {
    emit: Emitter;
    node: OnnxNode;
    opset: number;
    inputs: readonly (Value | null)[];
    attributes: ReadonlyMap<string, OnnxAttribute>;
    asked?: Set<string>;
    hint: string;
    /** Reads a graph that an attribute holds, in the scope of this node. */
    run: (graph: OnnxGraph, inputs: readonly Value[]) => readonly Value[];
    /** A value that stands where this node does, by its name in the model. */
    find: (name: string) => Value | null;
  }) {
    this.emit = given.emit;
    this.node = given.node;
    this.opset = given.opset;
    this.values = given.inputs;
    this.attributes = given.attributes;
    this.asked = given.asked ?? new Set();
    this.hint = given.hint;
    this.run = given.run;
    this.find = given.find;
  }

  /** The same node with another value as its operand `i`, or without one. */
  withInput(i: number, value: Value | null): NodeContext {
    const { emit, node, opset, attributes, asked, hint, run, find } = this;
    return new NodeContext({
      emit,
      node,
      opset,
      inputs: this.values.toSpliced(i, 1, value),
      attributes,
      asked,
      hint,
      run,
      find,
    });
  }
  /** The attribute of that name: from now on the rule answers for it. */
  private get(name: string): OnnxAttribute | undefined {
    this.asked.add(name);
    return this.attributes.get(name);
  }
  /** Attributes that the rule has not looked at: what they would change is not known. Graphs of branches that are not taken are none. */
  unread(): readonly string[] {
    return [...this.attributes].flatMap(([name, { g }]) =>
      g || this.asked.has(name) || IDLE.has(name) || this.isSlip(name) ? [] : [name],
    );
  }
  /** `epsion`: a letter is missing in the name of an attribute that was asked for and is not there. Runtimes take its default. */
  private isSlip(name: string): boolean {
    return [...this.asked].some(
      (known) =>
        known.length === name.length + 1 &&
        !this.attributes.has(known) &&
        Array.from(known).some((_, at) => known.slice(0, at) + known.slice(at + 1) === name),
    );
  }
  /** Attributes that say nothing new here: what they say follows from operands, or from other attributes. */
  implied(...names: readonly string[]): void {
    for (const name of names) this.asked.add(name);
  }
  get inputs(): readonly Value[] {
    return this.values.filter((value) => value !== null);
  }
  maybe(i: number): Value | null {
    return this.values[i] ?? null;
  }
  in(i: number): Value {
    return this.maybe(i) ?? this.emit.fail(`${this.node.op} without its operand ${i + 1}`);
  }
  int(name: string, otherwise: number): number {
    return this.get(name)?.i ?? otherwise;
  }
  maybeInt(name: string): number | null {
    return this.get(name)?.i ?? null;
  }
  float(name: string, otherwise: number): number {
    const attribute = this.get(name);
    return attribute?.f ?? attribute?.i ?? otherwise;
  }
  maybeFloat(name: string): number | null {
    return this.get(name)?.f ?? null;
  }
  text(name: string, otherwise: string): string {
    return this.get(name)?.s ?? otherwise;
  }
  ints(name: string): readonly number[] | null {
    const attribute = this.get(name);
    return attribute ? attribute.ints : null;
  }
  attribute(name: string): OnnxAttribute | null {
    return this.get(name) ?? null;
  }
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }
  /** One op as the model means it: on integers that are narrower than i32 or unsigned it is several calls. */
  op(op: string, inputs: readonly (Value | null)[], attrs: Readonly<Record<string, AttrValue>> = {}): Value {
    return wholeCall(this.emit, this.hint, op, inputs, attrs) ?? this.emit.op(this.hint, op, inputs, attrs);
  }
  fail(why: string): Value {
    return this.emit.fail(why);
  }
  /** The numbers of an operand that must be known while importing: a shape, axes, pads. */
  known(i: number, what: string): number[] {
    const value = this.in(i);
    const numbers = this.emit.numbersOf(value);
    if (numbers) return [...numbers.data];
    this.emit.wants(value);
    this.fail(`${this.node.op} whose ${what} is computed at run time`);
    return [];
  }
  /** The same, from an attribute in older opsets or an operand in newer ones; null when neither is there. */
  knownOr(attribute: string, i: number): readonly number[] | null {
    return this.ints(attribute) ?? (this.maybe(i) ? this.known(i, attribute) : null);
  }
  dtypeOf(dataType: number): DType {
    const format = FORMATS.get(dataType);
    if (!format) this.fail(`dtype`);
    return this.emit.inside(format?.dtype ?? "f32");
  }
  /** The kind of integer that a data type is, where it is none of our own. */
  wholeOf(dataType: number): WholeKind | undefined {
    return FORMATS.get(dataType)?.whole;
  }
  /** One number everywhere; many of them are stored nowhere. */
  filled(value: number, shape: Shape, dtype: DType, wide = false): Value {
    const size = sizeOf(shape);
    if (size > MAX_STORED) return this.op("expand", [this.emit.scalar(value, dtype)], { shape });
    return this.emit.host({ dtype, dims: shape, data: new Float64Array(size).fill(value), wide });
  }
  cast(value: Value, dtype: DType): Value {
    return value.type.dtype === dtype ? value : this.op("cast", [value], { dtype });
  }
  reshape(value: Value, shape: Shape): Value {
    return this.emit.shapeTo(this.hint, value, shape);
  }
  /** The values of a list. */
  items(i: number): readonly Value[] {
    const { items } = this.in(i);
    if (!items) this.fail(`${this.node.op} of a value that is no list`);
    return items ?? [];
  }
  /** The results of a graph that an attribute holds. */
  subgraph(name: string, inputs: readonly Value[]): readonly Value[] {
    const graph = this.get(name)?.g;
    if (!graph) return [this.fail(`${this.node.op} without its graph ${name}`)];
    return this.run(graph, inputs);
  }
  /** The value that an attribute names. */
  called(name: string): Value {
    return this.find(name) ?? this.fail(`${this.node.op} of ${name}, which is not there`);
  }
  axis(axis: number, rank: number): number {
    return axis < 0 ? axis + rank : axis;
  }
}

export type Rule = (c: NodeContext) => Value | readonly Value[];
export type Rules = Readonly<Record<string, Rule>>;
