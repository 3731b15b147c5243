/** @file Index rules of movement ops as tables: one look an axis instead of one an element. */
import type { Shape } from "../ir";
import type { IndexAlgebra, IndexCase, IndexTable, MovementMeaning } from "./define";

/** A sum of one table per output axis and a constant. */
export interface Tables {
  readonly constant: number;
  /** By axis; absent: the value does not depend on it. */
  readonly axes: ReadonlyMap<number, Float64Array>;
}
/** A conjunction of one mask per output axis; `never` when a constant test failed. */
export interface Masks {
  readonly never: boolean;
  readonly axes: ReadonlyMap<number, Uint8Array>;
}

/** Index rules in which no coordinate mixes two output axes, evaluated once per axis instead of once per element. */
export class TableAlgebra implements IndexAlgebra<Tables, Masks> {
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

export type TabledCase = IndexCase<Tables, Masks>;

/** The cases of a rule in which no coordinate mixes two output axes; null for others. */
export function tabled(
  movement: MovementMeaning,
  context: Parameters<MovementMeaning["source"]>[1],
): readonly TabledCase[] | null {
  const algebra = new TableAlgebra();
  const axes = context.output.map((extent, axis): Tables => ({
    constant: 0,
    axes: new Map([[axis, Float64Array.from({ length: extent }, (_, i) => i)]]),
  }));
  const cases = movement.source<Tables, Masks>(axes, context, algebra);
  return algebra.separable ? cases : null;
}

/** Tables of a rule that takes each axis by itself: the position along input axis `axis` of output index `i`, or −1. */
export const tablesByAxis = (output: Shape, position: (axis: number, i: number) => number): IndexTable[] =>
  output.map((extent, axis) => ({
    from: [axis],
    positions: Int32Array.from({ length: extent }, (_, i) => position(axis, i)),
  }));
