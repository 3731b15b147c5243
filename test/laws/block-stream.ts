/** @file How blocks of statements are said, one line after the other. */
import { sizeOf, type DType, type Shape } from "../../src/fusion/ir";
import type { Dice, Value, Writing } from "./any-program";

/** A statement that the language did not take, or whose result is too large: the block ends there. */
export class Refused extends Error {}

/** A program in the making, as a block sees it. */
export class Stream {
  readonly writing: Writing;

  constructor(writing: Writing) {
    this.writing = writing;
  }

  /** One statement: `$0`, `$1` … are the operands. */
  say(text: string, ...operands: readonly Value[]): Value {
    const before = this.writing.statements;
    this.writing.state({ text, operands });
    if (this.writing.statements > before) return this.writing.values.at(-1)!;
    const types = operands.map(({ name, type }) => `${name}: [${type.shape.join(", ")}]`).join("; ");
    throw new Refused(`${text} of ${types}`);
  }

  input(shape: Shape, dtype: DType = "f32", source = ""): Value {
    return this.writing.input(shape, dtype, source);
  }

  indices(shape: Shape, below: number): Value {
    return this.input(shape, "i32", `uniform(0, ${below})`);
  }

  /** Whether a product of so many multiplications fits. */
  affords(multiplications: number): boolean {
    return multiplications <= this.writing.demands.mostProducts;
  }
}

export type Block = (stream: Stream, x: Value, dice: Dice) => void;

export const shapeOf = ({ type }: Value): Shape => type.shape;
export const widthOf = (value: Value): number => shapeOf(value).at(-1)!;
export const rankOf = (value: Value): number => shapeOf(value).length;
/** Without the last axis. */
export const leadOf = (value: Value): Shape => shapeOf(value).slice(0, -1);
export const elements = (value: Value): number => sizeOf(shapeOf(value));
export const sameShape = (a: Value, b: Value): boolean => shapeOf(a).join() === shapeOf(b).join();
export const list = (shape: Shape): string => shape.join(", ");

export const ACTIVATIONS = [
  "relu",
  "silu",
  "F.gelu",
  "tanh",
  "sigmoid",
  "F.softplus",
  "torch.abs",
  "F.elu",
  "torch.square",
];

/** A shape that broadcasts against `shape`. */
export function narrowed(shape: Shape, dice: Dice): Shape {
  const rank = shape.length;
  switch (dice.roll(6)) {
    case 0:
      return shape.slice(-1);
    case 1:
      return shape.slice(-2);
    case 2:
      return [...shape.slice(0, -1), 1];
    case 3:
      return shape.map((extent, i) => (i === rank - 2 ? 1 : extent));
    case 4:
      return shape.map((extent, i) => (i % 2 === 0 ? 1 : extent));
    default:
      return shape.map((extent, i) => (i === 1 ? extent : 1));
  }
}
