import { sizeOf, type Node, type TensorType } from "../ir";
import { opDef } from "../ops";

/** An index that is data, clamped to an axis. */
export const clampIndex = (value: number, extent: number): number =>
  Math.min(Math.max(Math.trunc(value), 0), extent - 1);

/** Values of a gather: runs of the inner axes, one for each index and outer index. */
export function evaluateGather(
  node: Node,
  [data, index]: readonly ArrayLike<number>[],
  [dataType, indexType]: readonly TensorType[],
): Float64Array {
  const { shape } = dataType!;
  const axis = opDef(node.op).gather!.axis(node.attrs, shape);
  const [outer, extent, inner] = [sizeOf(shape.slice(0, axis)), shape[axis]!, sizeOf(shape.slice(axis + 1))];
  const count = sizeOf(indexType!.shape);
  const out = new Float64Array(sizeOf(node.type.shape));
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < count; i++) {
      const from = (o * extent + clampIndex(index![i]!, extent)) * inner;
      const to = (o * count + i) * inner;
      for (let k = 0; k < inner; k++) out[to + k] = data![from + k]!;
    }
  }
  return out;
}
