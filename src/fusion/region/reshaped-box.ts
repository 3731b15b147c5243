/** @file A box of one shape as a box of another shape of the same elements in the same order, where it is one. */
import type { Shape } from "../ir";
import { groupsOf } from "../ops";
import type { Box, BoxAxis } from "./demand";

/** Elements of a group, counted in order. */
type Run = BoxAxis;

/** Null where the elements have no one distance. */
function runOf(axes: readonly BoxAxis[], extents: Shape): Run | null {
  let run: Run = { start: 0, count: 1, step: 1 };
  let size = 1;
  for (let d = axes.length - 1; d >= 0; d--) {
    const { start, count, step } = axes[d]!;
    const offset = run.start + start * size;
    if (count === 1) run = { ...run, start: offset };
    else if (run.count === 1) run = { start: offset, count, step: step * size };
    else if (step * size === run.count * run.step) run = { ...run, start: offset, count: count * run.count };
    else return null;
    size *= extents[d]!;
  }
  return run;
}

/** Null where the run is no box. */
function axesOf({ start, count, step }: Run, extents: Shape): BoxAxis[] | null {
  const axes: BoxAxis[] = [];
  let [first, left, distance] = [start, count, step];
  for (let d = extents.length - 1; d >= 0; d--) {
    const extent = extents[d]!;
    const at = first % extent;
    first = (first - at) / extent;
    if (left === 1) axes.unshift({ start: at, count: 1, step: 1 });
    else if (distance % extent === 0) {
      axes.unshift({ start: at, count: 1, step: 1 });
      distance /= extent;
    } else if (at + (left - 1) * distance < extent) {
      axes.unshift({ start: at, count: left, step: distance });
      left = 1;
    } else if (extent % distance === 0 && at < distance && left % (extent / distance) === 0) {
      axes.unshift({ start: at, count: extent / distance, step: distance });
      left /= extent / distance;
      distance = 1;
    } else return null;
  }
  return axes;
}

/** The elements of `box` in `from`, as a box of `to`; null where they are none. */
export function reshapedBox(box: Box, from: Shape, to: Shape): Box | null {
  if (to.includes(0)) return null;
  const out: BoxAxis[] = [];
  for (const group of groupsOf(from, to)) {
    const run = runOf(
      group.from.map((axis) => box[axis]!),
      group.from.map((axis) => from[axis]!),
    );
    const axes =
      run &&
      axesOf(
        run,
        group.to.map((axis) => to[axis]!),
      );
    if (!axes) return null;
    out.push(...axes);
  }
  return out;
}
