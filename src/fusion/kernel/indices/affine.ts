/** @file Where one element of a movement op comes from, and the ops whose rule for all of them is affine. */
import { sizeOf, type Node, type Shape } from "../../ir";
import { opDef, type IndexAlgebra, type IndexCase } from "../../ops";

/** Numbers as indices: the interpreter's side of MovementMeaning. */
const numbers: IndexAlgebra<number, boolean> = {
  int: (value) => value,
  add: (a, b) => a + b,
  mul: (a, by) => a * by,
  div: (a, by) => Math.floor(a / by),
  mod: (a, by) => a % by,
  less: (a, bound) => a < bound,
  atLeast: (a, bound) => a >= bound,
  and: (a, b) => a && b,
};

/** Element of an operand that element `out` of a movement op shows; null where it shows its fill value. */
export function sourceOf(
  n: Node,
  inputs: readonly Shape[],
  out: readonly number[],
): { operand: number; index: readonly number[] } | null {
  return casesOf(n, inputs, out).find((c) => c.when !== false) ?? null;
}

const casesOf = (n: Node, inputs: readonly Shape[], out: readonly number[]): readonly IndexCase<number, boolean>[] =>
  opDef(n.op).movement!.source(out, { inputs, output: n.type.shape, attrs: n.attrs }, numbers);

/** Does a movement op show an element of the same operand everywhere, so that none is loaded by some threads only? */
export function showsOneOperand(n: Node, inputs: readonly Shape[]): boolean {
  const [first, ...others] = casesOf(
    n,
    inputs,
    n.type.shape.map(() => 0),
  );
  return others.length === 0 && first?.when === null;
}

/** `index[d] = base[d] + Σ columns[o][d] · out[o]` for a movement op whose every element comes from one index, else null. */
export interface AffineView {
  readonly base: readonly number[];
  readonly columns: readonly (readonly number[])[];
}

export function affineView(n: Node, inputs: readonly Shape[]): AffineView | null {
  const shape = n.type.shape;
  if (inputs.length !== 1 || sizeOf(shape) === 0) return null;
  const at = (out: readonly number[]): readonly number[] | null => sourceOf(n, inputs, out)?.index ?? null;
  const zero = shape.map(() => 0);
  const base = at(zero);
  if (!base) return null;
  const columns: number[][] = [];
  for (let axis = 0; axis < shape.length; axis++) {
    const step = shape[axis]! > 1 ? at(zero.map((_, i) => (i === axis ? 1 : 0))) : base;
    if (!step) return null;
    columns.push(step.map((value, d) => value - base[d]!));
  }
  for (const probe of probes(shape)) {
    const real = at(probe);
    if (
      !real ||
      real.some((value, d) => value !== base[d]! + columns.reduce((sum, column, o) => sum + column[d]! * probe[o]!, 0))
    )
      return null;
  }
  return { base, columns };
}

/** The far corner, each axis' end and a spread of inner points: enough to tell an affine map from div/mod. */
function* probes(shape: Shape): Generator<number[]> {
  yield shape.map((extent) => extent - 1);
  for (let axis = 0; axis < shape.length; axis++) {
    for (let k = 1; k <= 4; k++) yield shape.map((extent, i) => (i === axis ? Math.floor(((extent - 1) * k) / 4) : 0));
  }
  for (let k = 1; k <= 8; k++) yield shape.map((extent, i) => (k * (2 * i + 3)) % extent);
}
