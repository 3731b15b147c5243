/** @file Values with one element a row, or one a column, where rows are stored through a view: counted as often as they are loaded. */
import { expect, test } from "vitest";
import { complaints, cpu, gpu, graphOf, oneRegion } from "./kernel-harness";

const SPACES = [
  [2, 3, 3],
  [5, 4, 6],
  [3, 7, 40],
] as const;
const FOLDED = ["(0, 2)", "(1, 2)", "(0, 1)", "2", "1", "0"];

/** Views that join axes of a space, part them, or exchange and join them. */
const viewsOf = ([a, b, c]: readonly [number, number, number]): string[] => [
  `v.reshape(${a * b}, ${c})`,
  `v.reshape(${a}, ${b * c})`,
  `v.transpose(0, 1).reshape(${b}, ${a * c})`,
  `v.transpose(1, 2).reshape(${a * c}, ${b})`,
  ...(c % 2 === 0 ? [`v.reshape(${2 * a * b}, ${c / 2})`, `v.reshape(${a}, ${b}, 2, ${c / 2})`] : []),
];
const targets = [cpu, gpu, { ...gpu, knobs: { all: { rows: "again" }, kernels: {} } } as const];

test.each(SPACES.flatMap((space) => viewsOf(space).map((view) => [space, view] as const)))(
  "of %j: %s",
  (space, view) => {
    const [a, b, c] = space;
    const faults = FOLDED.flatMap((dim) =>
      [`${a}, 1, 1`, `${b}, 1`, `${c}`].flatMap((shape) => {
        const text = `x: f32[${space.join(", ")}]\nr: f32[${shape}]\ny = x * r\nv = (y - y.mean(dim=${dim}, keepdim=True)) * r\nz = ${view} * 2`;
        const fusion = oneRegion(graphOf(text));
        return targets.flatMap((target) => complaints(fusion, target).map((fault) => `${text}\n${fault}`));
      }),
    );
    expect(faults).toEqual([]);
  },
);
