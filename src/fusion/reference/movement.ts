import { sizeOf, stridesOf, type Node, type Shape, type TensorType } from "../ir";
import { opDef, type IndexAlgebra, type IndexCase, type IndexTable } from "../ops";
import { roundingOf } from "./rounding";
import { coordinatesOf } from "./walk";

/** Arithmetic on plain numbers. */
export const numbers: IndexAlgebra<number, boolean> = {
  int: (value) => value,
  add: (a, b) => a + b,
  mul: (a, by) => a * by,
  div: (a, by) => Math.floor(a / by),
  mod: (a, by) => a % by,
  less: (a, bound) => a >= 0 && a < bound,
  atLeast: (a, bound) => a >= bound,
  and: (a, b) => a && b,
};

/** A sum of one table per output axis and a constant. */
interface Tables {
  readonly constant: number;
  /** By axis; absent: the value does not depend on it. */
  readonly axes: ReadonlyMap<number, Float64Array>;
}
/** A conjunction of one mask per output axis; `never` when a constant test failed. */
interface Masks {
  readonly never: boolean;
  readonly axes: ReadonlyMap<number, Uint8Array>;
}

/** Index rules in which no coordinate mixes two output axes, evaluated once per axis instead of once per element. */
class TableAlgebra implements IndexAlgebra<Tables, Masks> {
  /** False once a rule mixed axes: then the tables mean nothing. */
  separable = true;

  int(value: number): Tables {
    return { constant: value, axes: new Map() };
  }
  add(a: Tables, b: Tables): Tables {
    const axes = new Map(a.axes);
    for (const [axis, table] of b.axes) {
      const other = axes.get(axis);
      axes.set(axis, other ? table.map((value, i) => value + other[i]!) : table);
    }
    return { constant: a.constant + b.constant, axes };
  }
  mul(a: Tables, by: number): Tables {
    const axes = new Map([...a.axes].map(([axis, table]) => [axis, table.map((value) => value * by)]));
    return { constant: a.constant * by, axes };
  }
  div(a: Tables, by: number): Tables {
    return this.#each(a, (value) => Math.floor(value / by));
  }
  mod(a: Tables, by: number): Tables {
    return this.#each(a, (value) => value % by);
  }
  less(a: Tables, bound: number): Masks {
    return this.#test(a, (value) => value >= 0 && value < bound);
  }
  atLeast(a: Tables, bound: number): Masks {
    return this.#test(a, (value) => value >= bound);
  }
  and(a: Masks, b: Masks): Masks {
    const axes = new Map(a.axes);
    for (const [axis, mask] of b.axes) {
      const other = axes.get(axis);
      axes.set(axis, other ? mask.map((value, i) => value & other[i]!) : mask);
    }
    return { never: a.never || b.never, axes };
  }
  #each({ constant, axes }: Tables, rule: (value: number) => number): Tables {
    if (axes.size === 0) return this.int(rule(constant));
    if (axes.size > 1) this.separable = false;
    const [axis, table] = [...axes][0]!;
    return { constant: 0, axes: new Map([[axis, table.map((value) => rule(value + constant))]]) };
  }
  #test({ constant, axes }: Tables, holds: (value: number) => boolean): Masks {
    if (axes.size === 0) return { never: !holds(constant), axes: new Map() };
    if (axes.size > 1) this.separable = false;
    const [axis, table] = [...axes][0]!;
    return {
      never: false,
      axes: new Map([[axis, Uint8Array.from(table, (value) => Number(holds(value + constant)))]]),
    };
  }
}

/** Values of a movement op: the operands' elements at other places. Free views share their operand's array. */
export function evaluateMovement(
  node: Node,
  inputs: readonly ArrayLike<number>[],
  types: readonly TensorType[],
): Float64Array {
  const movement = opDef(node.op).movement!;
  if (movement.free) return inputs[0] instanceof Float64Array ? inputs[0] : Float64Array.from(inputs[0]!);
  const { shape: output } = node.type;
  const shapes = types.map((type) => type.shape);
  const fill = roundingOf(node.type.dtype, "f64")(movement.fill?.(node.attrs) ?? 0);
  const out = new Float64Array(sizeOf(output)).fill(fill);
  const context = { inputs: shapes, output, attrs: node.attrs };
  const tables = movement.tables?.(context);
  if (tables) {
    gatherByTables(tables, inputs[0]!, shapes[0]!, output, out);
    return out;
  }
  const algebra = new TableAlgebra();
  const axes = output.map((extent, axis) => ({
    constant: 0,
    axes: new Map([[axis, Float64Array.from({ length: extent }, (_, i) => i)]]),
  }));
  const cases = movement.source<Tables, Masks>(axes, context, algebra);
  if (algebra.separable) {
    // Later cases first: an earlier one that also holds overwrites them.
    for (const one of cases.toReversed()) moveByTables(one, inputs[one.operand]!, shapes[one.operand]!, output, out);
    return out;
  }
  for (let flat = 0; flat < out.length; flat++) {
    const found = movement.source(coordinatesOf(flat, output), context, numbers).find(({ when }) => when !== false);
    if (found) out[flat] = inputs[found.operand]![flatIndex(found.index, shapes[found.operand]!)]!;
  }
  return out;
}

/** Row-major place of `index`. */
export function flatIndex(index: readonly number[], shape: Shape): number {
  let at = 0;
  for (let axis = 0; axis < shape.length; axis++) at = at * shape[axis]! + index[axis]!;
  return at;
}

/** Input axes that each follow output axes of their own: rows along the last output axis, all else decided once a row. */
function gatherByTables(
  tables: readonly IndexTable[],
  input: ArrayLike<number>,
  shape: Shape,
  output: Shape,
  out: Float64Array,
): void {
  const last = output.length - 1;
  const inner = output[last] ?? 1;
  const strides = stridesOf(shape);
  const readers = tables.map(({ from, positions }, axis) => ({ from, positions, stride: strides[axis]!, steps: stridesOf(from.map((o) => output[o]!)) })); // prettier-ignore
  const along = readers.find(({ from }) => from.includes(last));
  const rest = readers.filter((reader) => reader !== along);
  const at = output.slice(0, -1).map(() => 0);
  const place = ({ from, steps }: (typeof readers)[number]): number => {
    let sum = 0;
    for (let i = 0; i < from.length; i++) if (from[i] !== last) sum += at[from[i]!]! * steps[i]!;
    return sum;
  };
  const step = along ? along.steps[along.from.indexOf(last)]! : 0;
  for (let to = 0; to < out.length; to += inner) {
    let base = 0;
    for (const reader of rest) {
      const position = reader.positions[place(reader)]!;
      base = position < 0 || base < 0 ? -1 : base + position * reader.stride;
    }
    if (base >= 0 && along) {
      const start = place(along);
      for (let i = 0; i < inner; i++) {
        const position = along.positions[start + i * step]!;
        if (position >= 0) out[to + i] = input[base + position * along.stride]!;
      }
    } else if (base >= 0) out.fill(input[base]!, to, to + inner);
    for (let axis = at.length - 1; axis >= 0 && ++at[axis]! === output[axis]; axis--) at[axis] = 0;
  }
}

function moveByTables(
  { when, index }: IndexCase<Tables, Masks>,
  input: ArrayLike<number>,
  shape: Shape,
  output: Shape,
  out: Float64Array,
): void {
  if (when?.never) return;
  const strides = stridesOf(shape);
  const whole = new TableAlgebra();
  const flat = index.reduce((sum, at, axis) => whole.add(sum, whole.mul(at, strides[axis]!)), whole.int(0));
  const last = output.length - 1;
  const inner = output[last] ?? 1;
  const zeros = new Float64Array(inner);
  const ones = new Uint8Array(inner).fill(1);
  const [row, mask] = [flat.axes.get(last) ?? zeros, when?.axes.get(last) ?? ones];
  const outer = output.slice(0, -1);
  const at = outer.map(() => 0);
  const rows = sizeOf(outer);
  for (let r = 0; r < rows; r++) {
    let base = flat.constant;
    let held = true;
    for (let axis = 0; axis < at.length; axis++) {
      base += flat.axes.get(axis)?.[at[axis]!] ?? 0;
      held &&= (when?.axes.get(axis)?.[at[axis]!] ?? 1) === 1;
    }
    if (held) {
      const to = r * inner;
      for (let i = 0; i < inner; i++) if (mask[i] === 1) out[to + i] = input[base + row[i]!]!;
    }
    for (let axis = at.length - 1; axis >= 0 && ++at[axis]! === outer[axis]; axis--) at[axis] = 0;
  }
}
