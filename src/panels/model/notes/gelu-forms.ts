/** @file GELU by erf and by tanh: how far apart they are, as the reference computes them. */
import { opDef } from "../../../fusion";

/** A function of one variable, sampled evenly. */
export interface Curve {
  readonly title: string;
  readonly least: number;
  readonly most: number;
  /** Values from `least` to `most`. */
  readonly values: readonly number[];
}

/** Beyond these bounds both forms are x or 0 to the last digit. */
const RANGE = { least: -6, most: 6, steps: 1200 };

const sampleAt = (i: number): number => RANGE.least + ((RANGE.most - RANGE.least) * i) / RANGE.steps;

/** GELU by tanh minus GELU by erf. */
export function geluCurve(): Curve {
  const gelu = opDef("gelu").scalar!;
  const values = Array.from({ length: RANGE.steps + 1 }, (_, i) => {
    const x = sampleAt(i);
    return gelu.js([x], { approximate: "tanh" }) - gelu.js([x], { approximate: "none" });
  });
  return { title: "by tanh − by erf", least: RANGE.least, most: RANGE.most, values };
}

/** Largest distance between the two, and where it is. */
export function geluDistance({ values }: Curve = geluCurve()): { readonly distance: number; readonly at: number } {
  let worst = { distance: 0, at: 0 };
  values.forEach((value, i) => {
    if (Math.abs(value) > worst.distance) worst = { distance: Math.abs(value), at: Math.abs(sampleAt(i)) };
  });
  return worst;
}
