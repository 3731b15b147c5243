/** @file What a rule sees of one equation, and how it answers. */
import { sizeOf, type AttrValue, type DType, type Shape } from "../../fusion";
import type { Emitter, Value } from "../onnx/emit";
import { dtypeOf, jaxprIn, numbersIn, type JaxEquation, type Jaxpr, type Typed } from "./jaxpr";

/** Reads a jaxpr inside another one, with these operands. */
export type Inline = (jaxpr: Jaxpr, operands: readonly Value[]) => readonly Value[];

export class Equation {
  readonly emit: Emitter;
  readonly prim: string;
  readonly args: readonly Value[];
  readonly out: readonly Typed[];
  readonly inline: Inline;
  private readonly params: JaxEquation["params"];

  constructor(emit: Emitter, equation: JaxEquation, args: readonly Value[], inline: Inline) {
    this.emit = emit;
    this.prim = equation.prim;
    this.params = equation.params;
    this.args = args;
    this.out = equation.out;
    this.inline = inline;
  }

  in(i: number): Value {
    return this.args[i] ?? this.fail(`its operand ${i + 1} is missing`);
  }
  /** The shape of operand `i`. */
  shape(i: number): Shape {
    return this.in(i).type.shape;
  }
  has(name: string): boolean {
    const value = this.params[name];
    return value !== undefined && value !== null;
  }
  list(name: string): number[] {
    return numbersIn(this.params[name]);
  }
  /** Pairs, or longer tuples, of numbers. */
  tuples(name: string): number[][] {
    const value = this.params[name];
    return Array.isArray(value) ? value.map(numbersIn) : [];
  }
  raw(name: string): unknown {
    return this.params[name];
  }
  number(name: string, otherwise: number): number {
    return this.has(name) ? this.list(name)[0]! : otherwise;
  }
  flag(name: string): boolean {
    return this.params[name] === true;
  }
  text(name: string): string {
    const value = this.params[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }
  /** The program that a parameter holds. */
  program(...names: readonly string[]): Jaxpr | null {
    for (const name of names) {
      const found = jaxprIn(this.params[name]);
      if (found) return found;
    }
    return null;
  }
  /** The programs that a parameter lists. */
  programs(name: string): readonly Jaxpr[] {
    const value = this.params[name];
    return Array.isArray(value) ? value.flatMap((each) => jaxprIn(each) ?? []) : [];
  }
  /** The numbers of operand `i` where they are known before a run. */
  known(i: number): Float64Array | null {
    return this.emit.numbersOf(this.in(i))?.data ?? null;
  }
  op(op: string, inputs: readonly (Value | number)[], attrs: Readonly<Record<string, AttrValue>> = {}): Value {
    const dtype = inputs.flatMap((value) => (typeof value === "number" ? [] : [value.type.dtype])).at(-1) ?? "f32";
    const operands = inputs.map((value) => (typeof value === "number" ? this.emit.scalar(value, dtype) : value));
    return this.emit.op(this.prim.replaceAll(/\W/g, "_"), op, operands, attrs);
  }
  fail(why: string): Value {
    return this.emit.fail(why);
  }
  reshape(value: Value, shape: Shape): Value {
    return this.emit.shapeTo(this.prim.replaceAll(/\W/g, "_"), value, shape);
  }
  permute(value: Value, perm: readonly number[]): Value {
    return perm.every((axis, i) => axis === i) ? value : this.op("transpose", [value], { perm });
  }
  cast(value: Value, dtype: DType): Value {
    return value.type.dtype === dtype ? value : this.op("cast", [value], { dtype });
  }
  slice(value: Value, axis: number, start: number, stop: number): Value {
    return this.op("slice", [value], { start: [start], stop: [stop], axes: [axis] });
  }
  /** The dtype that a name stands for. */
  dtype(name: string): DType {
    const found = dtypeOf(name);
    if (!found) this.fail("dtype");
    return this.emit.inside(found ?? "f32");
  }
  /** Whole numbers that are known. */
  whole(dims: readonly number[], data: readonly number[]): Value {
    return this.emit.host({ dtype: "i32", dims, data: Float64Array.from(data), wide: false });
  }
  /** One number everywhere. */
  filled(value: number, shape: Shape, dtype: DType): Value {
    if (sizeOf(shape) === 1) return this.emit.host({ dtype, dims: shape, data: Float64Array.of(value), wide: false });
    return this.op("expand", [this.emit.scalar(value, dtype)], { shape });
  }
}

export type Rule = (c: Equation) => Value | readonly Value[];
export type Rules = Readonly<Record<string, Rule>>;
