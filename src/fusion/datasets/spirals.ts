/** @file Two spirals, one inside the other: points of the plane that no straight line separates. */
import { labelPart, normal, numbersOfExample, type DataPart, type DataSet } from "./define";

const EXAMPLES = 256;
const ARMS = 2;
/** Of each arm, from the centre to its end. */
const ROUNDS = 1.25;
/** How far points lie off their arm, as a standard deviation. */
const NOISE = 0.02;
const NEAREST = 0.1;
const STREAM = 1;

/** The arm of point `index`: they take turns, so that every batch has both. */
const armOf = (index: number): number => index % ARMS;

/** x and y of point `index`, within ±1 but for the noise. */
export function spiralPoint(index: number, seed: number): readonly [number, number] {
  const next = numbersOfExample(seed, STREAM, index);
  const along = (Math.floor(index / ARMS) + 0.5) / (EXAMPLES / ARMS);
  const radius = NEAREST + (1 - NEAREST) * along;
  const angle = 2 * Math.PI * (ROUNDS * along + armOf(index) / ARMS);
  return [radius * Math.cos(angle) + NOISE * normal(next), radius * Math.sin(angle) + NOISE * normal(next)];
}

const points: DataPart = {
  name: "points",
  dtype: "f32",
  shapes: "[2]",
  usual: [[2]],
  fits: (shape) => shape.join() === "2",
  read(out, at, index, _shape, seed) {
    const [x, y] = spiralPoint(index, seed);
    out[at] = x;
    out[at + 1] = y;
  },
};

/** 256 points on two arms; the label is the arm, 0 or 1. */
export const spirals: DataSet = {
  name: "spirals",
  sentence: "256 points of two spirals; the label is the arm.",
  view: "plane",
  examples: EXAMPLES,
  classes: ARMS,
  parts: [points, labelPart(armOf)],
};
