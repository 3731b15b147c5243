/** @file Where four neighbours of one load lie in a row group. */
import type { Lane, RegionForm } from "../types";

export function rowLane({ space, reducedAxes, rows, columns }: RegionForm): Lane {
  const inner = space.findLastIndex((extent) => extent > 1);
  if (inner < 0) return "none";
  // The innermost run of axes on the same side is contiguous; four neighbours must not leave it.
  const side = reducedAxes.includes(inner);
  let run = 1;
  for (let axis = inner; axis >= 0 && (space[axis] === 1 || reducedAxes.includes(axis) === side); axis--)
    run *= space[axis]!;
  if (run % 4 !== 0 || (side ? columns : rows) % 4 !== 0) return "none";
  return side ? "columns" : "rows";
}

/** Coordinates that each of four neighbouring rows has whichever four they are, by axis: those of axes that end inside the four. */
export function laneCoordinates(form: RegionForm, lane: Lane): readonly ReadonlyMap<number, number>[] {
  if (lane !== "rows") return [new Map()];
  const ends: (readonly [axis: number, stride: number])[] = [];
  let stride = 1;
  for (let axis = form.space.length - 1; axis >= 0 && 4 % (stride * form.space[axis]!) === 0; axis--) {
    if (form.reducedAxes.includes(axis)) continue;
    if (form.space[axis]! > 1) ends.push([axis, stride]);
    stride *= form.space[axis]!;
  }
  if (ends.length === 0) return [new Map()];
  return [0, 1, 2, 3].map(
    (lane) => new Map(ends.map(([axis, by]) => [axis, Math.floor(lane / by) % form.space[axis]!])),
  );
}
