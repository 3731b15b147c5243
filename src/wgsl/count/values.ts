/** @file Expressions: the numbers of those that an address needs, and what evaluating the others touches. */
import type { Expression } from "wgsl_reflect";
import * as W from "wgsl_reflect/wgsl_reflect.module.js";
import { arithmetic, builtinCall, type Scalar } from "./arithmetic";
import { Names, NOWHERE, type Frame, type Variable } from "./names";
import { isIdle, sequence, type Run } from "./runs";
import { joined, shapeOfType, wrapped } from "./types";
import type { BufferTrace } from "./trace";

const SWIZZLE = "xyzwrgba";
export const laneOf = (letter: string): number => SWIZZLE.indexOf(letter) % 4;
/** Calls that take part in no address: what they are given is read, nothing else. */
const ATOMIC = /^atomic/;
const BARRIER = /Barrier$|^workgroupUniformLoad$/;

export abstract class Values extends Names {
  /** A call of a function of the text. */
  protected abstract inlined(
    own: W.Function,
    node: W.CallExpr | W.Call,
    args: readonly Expression[],
    frame: Frame,
  ): Run | null;

  // ---- values of whole numbers ------------------------------------------------------------------------------------

  /** The components of an expression that is no data. Calls and loads in it happen in `effects`. */
  protected lanes(node: Expression, frame: Frame): readonly Scalar[] {
    const whole = this.wholeLanes(node, frame);
    const { postfix } = node;
    if (!postfix) return whole;
    if (postfix instanceof W.StringExpr)
      return Array.from(postfix.value, (letter) => whole[laneOf(letter)] ?? this.refuse(`.${letter} is missing`));
    if (postfix instanceof W.ArrayIndex) {
      const at = this.lanes(postfix.index, frame)[0]!;
      return [() => whole[Math.min(whole.length - 1, at())]!()];
    }
    return this.refuse("This expression is not supported");
  }

  protected wholeLanes(node: Expression, frame: Frame): readonly Scalar[] {
    const { slots } = this;
    if (node instanceof W.LiteralExpr) {
      const values = node.isScalar ? [node.scalarValue] : [...node.vectorValue];
      return values.map((value) => () => value);
    }
    if (node instanceof W.VariableExpr || node instanceof W.ConstExpr) {
      const variable = frame.scope.get(node.name);
      if (variable) return this.read(variable);
      const value = this.constants.get(node.name);
      if (!value) this.refuse(`${node.name} is not known`);
      return this.lanes(value!, NOWHERE);
    }
    if (node instanceof W.UnaryOperator) {
      const { kind } = this.shapeOf(node.right, frame);
      const own = this.lanes(node.right, frame);
      if (node.operator === "!") return own.map((of) => () => (of() === 0 ? 1 : 0));
      if (node.operator === "~") return own.map((of) => () => wrapped(kind, ~of()));
      return own.map((of) => () => wrapped(kind, -of()));
    }
    if (node instanceof W.BinaryOperator) {
      const kind = joined(this.shapeOf(node.left, frame), this.shapeOf(node.right, frame)).kind;
      const [a, b] = [this.lanes(node.left, frame), this.lanes(node.right, frame)];
      const lanes = Math.max(a.length, b.length);
      return Array.from({ length: lanes }, (_, i) =>
        arithmetic(node.operator, kind, a[a.length === 1 ? 0 : i]!, b[b.length === 1 ? 0 : i]!),
      );
    }
    if (node instanceof W.CreateExpr) {
      const { kind, lanes } = shapeOfType(node.type);
      const given = (node.args ?? []).flatMap((each) => this.lanes(each, frame));
      const of = (value: Scalar): Scalar =>
        kind === "bool" ? () => (value() === 0 ? 0 : 1) : () => wrapped(kind, value());
      if (given.length === 0) return Array.from({ length: lanes }, () => () => 0);
      return Array.from({ length: lanes }, (_, i) => of(given[given.length === 1 ? 0 : i]!));
    }
    if (node instanceof W.BitcastExpr) {
      const { kind } = shapeOfType(node.type);
      return this.lanes(node.value, frame).map((of) => () => wrapped(kind, of()));
    }
    if (node instanceof W.CallExpr) {
      if (node.name === "arrayLength") return [this.lengthOf(node)];
      if (this.functions.has(node.name)) {
        const key = `${frame.path}/${node.id} result`;
        this.mark(this.used, key);
        const { slot, lanes } = this.results.get(key)!;
        return Array.from({ length: lanes }, (_, i) => () => slots[slot + i]!);
      }
      const args = node.args ?? [];
      const call = builtinCall(
        node.name,
        args.map((each) => this.shapeOf(each, frame)),
      );
      if (call) return call.lanes(args.map((each) => this.lanes(each, frame)));
    }
    return this.refuse("This expression is not supported");
  }

  protected readonly results = new Map<string, { readonly slot: number; readonly lanes: number }>();

  protected read(variable: Variable): readonly Scalar[] {
    const { slots } = this;
    this.mark(this.used, variable.key);
    return Array.from({ length: variable.shape.lanes }, (_, i) => {
      const slot = variable.slot + i;
      return () => slots[slot]!;
    });
  }

  protected lengthOf(node: W.CallExpr): Scalar {
    const [given] = node.args ?? [];
    const name = given instanceof W.UnaryOperator && given.right instanceof W.VariableExpr ? given.right.name : "";
    const buffer = this.buffers.get(name);
    if (buffer === undefined) return this.refuse("arrayLength is counted for bindings alone");
    const { length } = this.log.traces[buffer]!;
    return () => length;
  }

  /** The number of an index or a condition. */
  protected number(node: Expression, frame: Frame, what: string): Scalar {
    if (this.shapeOf(node, frame).kind === "data") this.refuse(`${what} depends on loaded values`);
    return this.lanes(node, frame)[0]!;
  }

  // ---- what evaluating an expression touches ----------------------------------------------------------------------

  protected effects(node: Expression | null, frame: Frame): Run | null {
    if (!node) return null;
    if (node instanceof W.VariableExpr) {
      const buffer = this.buffers.get(node.name);
      if (buffer !== undefined && !frame.scope.has(node.name)) return this.touch(node, buffer, frame, [false]);
      return this.postfixEffects(node.postfix, frame);
    }
    if (node instanceof W.BinaryOperator) {
      const [left, right] = [this.effects(node.left, frame), this.effects(node.right, frame)];
      const short = node.operator === "&&" || node.operator === "||";
      if (!short || isIdle(right)) return sequence([left, right]);
      const goesOn = this.number(node.left, frame, `What stands right of ${node.operator} is read or not as it`);
      const wanted = node.operator === "&&" ? 1 : 0;
      return sequence([left, () => (goesOn() === wanted ? right!() : 0)]);
    }
    if (node instanceof W.UnaryOperator) {
      if (node.operator === "&" && this.isStorage(node.right, frame))
        this.refuse("A pointer to a binding is not followed");
      return sequence([this.effects(node.right, frame), this.postfixEffects(node.postfix, frame)]);
    }
    if (node instanceof W.CallExpr) return this.call(node, node.args ?? [], frame);
    const args = node instanceof W.CreateExpr ? (node.args ?? []) : node instanceof W.BitcastExpr ? [node.value] : [];
    return sequence([...args.map((each) => this.effects(each, frame)), this.postfixEffects(node.postfix, frame)]);
  }

  protected isStorage = (node: Expression, frame: Frame): boolean =>
    node instanceof W.VariableExpr && this.buffers.has(node.name) && !frame.scope.has(node.name);

  protected postfixEffects(postfix: Expression | null, frame: Frame): Run | null {
    if (!postfix) return null;
    const index = postfix instanceof W.ArrayIndex ? this.effects(postfix.index, frame) : null;
    return sequence([index, this.postfixEffects(postfix.postfix, frame)]);
  }

  /** An access to a binding; `ways`: false reads, true writes, in this order. */
  protected touch(node: W.VariableExpr, buffer: number, frame: Frame, ways: readonly boolean[]): Run {
    const trace: BufferTrace = this.log.traces[buffer]!;
    const log = this.log;
    const [line, pass] = [this.line, this.pass];
    const { postfix } = node;
    const isIndexed = postfix instanceof W.ArrayIndex && this.isArray.has(node.name);
    const at = isIndexed ? this.number(postfix.index, frame, "An index") : () => 0;
    const before = isIndexed ? this.effects(postfix.index, frame) : null;
    const inner = isIndexed ? postfix.postfix : postfix;
    const each = trace.units / trace.lanes;
    let [first, count]: [Scalar, number] = [() => 0, trace.units];
    if (inner instanceof W.StringExpr && inner.value.length === 1 && each >= 1) {
      const lane = laneOf(inner.value);
      [first, count] = [() => lane * each, each];
    } else if (inner instanceof W.ArrayIndex && each >= 1) {
      const lane = this.number(inner.index, frame, "An index");
      [first, count] = [() => lane() * each, each];
    }
    const marks = ways.map((write) => () => log.access(buffer, write, at(), first(), count, pass, line));
    const [one, two] = marks;
    const mark = two ? () => (one!(), two(), 0) : () => (one!(), 0);
    return before ? sequence([before, mark])! : mark;
  }

  protected readonly isArray = new Set<string>();
  /** Bindings that are arrays. */
  arrays(names: Iterable<string>): void {
    for (const name of names) this.isArray.add(name);
  }

  /** A call: its arguments, then what it touches itself. */
  protected call(node: W.CallExpr | W.Call, args: readonly Expression[], frame: Frame): Run | null {
    if (BARRIER.test(node.name)) {
      if (this.depth > 0) return null;
      // Passes are told apart by it.
      if (this.unsure > 0) this.refuse("A barrier depends on loaded values");
      this.pass++;
      return null;
    }
    if (node.name === "arrayLength") return null;
    if (ATOMIC.test(node.name)) {
      const [pointer, ...rest] = args;
      const target = pointer instanceof W.UnaryOperator ? pointer.right : null;
      const buffer = target instanceof W.VariableExpr ? this.buffers.get(target.name) : undefined;
      const before = rest.map((each) => this.effects(each, frame));
      if (buffer === undefined) return sequence(before);
      const ways = node.name === "atomicLoad" ? [false] : node.name === "atomicStore" ? [true] : [false, true];
      return sequence([...before, this.touch(target as W.VariableExpr, buffer, frame, ways)]);
    }
    const own = this.functions.get(node.name);
    return own ? this.inlined(own, node, args, frame) : sequence(args.map((each) => this.effects(each, frame)));
  }
}
