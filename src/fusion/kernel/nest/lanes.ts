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
