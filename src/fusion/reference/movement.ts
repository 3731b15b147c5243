import { sizeOf, stridesOf, type Node, type Shape, type TensorType } from "../ir";
import { opDef, TableAlgebra, tabled, type IndexAlgebra, type IndexTable, type TabledCase } from "../ops";
import { roundingOf } from "./rounding";
import { coordinatesOf } from "./strided-loops";

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

/** Values of a movement op: the operands' elements at other indices. Free views share their operand's array. */
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
  const cases = tabled(movement, context);
  if (cases) {
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

/** Row-major position of `index`. */
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
  const readers = tables.map(({ from, positions }, axis) => ({
    from,
    positions,
    stride: strides[axis]!,
    steps: stridesOf(from.map((o) => output[o]!)),
  }));
  const along = readers.find(({ from }) => from.includes(last));
  const rest = readers.filter((reader) => reader !== along);
  const at = output.slice(0, -1).map(() => 0);
  const offsetOf = ({ from, steps }: (typeof readers)[number]): number => {
    let sum = 0;
    for (let i = 0; i < from.length; i++) if (from[i] !== last) sum += at[from[i]!]! * steps[i]!;
    return sum;
  };
  const step = along ? along.steps[along.from.indexOf(last)]! : 0;
  for (let to = 0; to < out.length; to += inner) {
    let base = 0;
    for (const reader of rest) {
      const position = reader.positions[offsetOf(reader)]!;
      base = position < 0 || base < 0 ? -1 : base + position * reader.stride;
    }
    if (base >= 0 && along) {
      const start = offsetOf(along);
      for (let i = 0; i < inner; i++) {
        const position = along.positions[start + i * step]!;
        if (position >= 0) out[to + i] = input[base + position * along.stride]!;
      }
    } else if (base >= 0) out.fill(input[base]!, to, to + inner);
    for (let axis = at.length - 1; axis >= 0 && ++at[axis]! === output[axis]; axis--) at[axis] = 0;
  }
}

function moveByTables(
  { when, index }: TabledCase,
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
