import { sizeOf, type Node, type TensorType } from "../ir";
import { opDef } from "../ops";
import { rowsAlong } from "./scan";

/** The indices that sort a row, stably: NaN last, or first when descending. */
export function sortIndices(row: ArrayLike<number>, descending: boolean): Uint32Array {
  const indices = Uint32Array.from(row, (_, index) => index);
  const sign = descending ? -1 : 1;
  const compare = (a: number, b: number): number => {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    return a < b ? -1 : Number(a > b);
  };
  return indices.sort((i, j) => sign * compare(row[i]!, row[j]!) || i - j);
}

/** Values of a sort: the first elements of every sorted row, or their indices. */
export function evaluateOrder(node: Node, input: ArrayLike<number>, type: TensorType): Float64Array {
  const { order } = opDef(node.op);
  const axis = order!.axis(node.attrs, type.shape);
  const { outer, extent, inner } = rowsAlong(type, axis);
  const count = node.type.shape[axis]!;
  const out = new Float64Array(sizeOf(node.type.shape));
  const row = new Float64Array(extent);
  for (let at = 0; at < outer * inner; at++) {
    const [block, lane] = [Math.floor(at / inner), at % inner];
    for (let i = 0; i < extent; i++) row[i] = input[(block * extent + i) * inner + lane]!;
    const indices = sortIndices(row, order!.descending(node.attrs));
    for (let i = 0; i < count; i++) {
      const index = indices[i]!;
      out[(block * count + i) * inner + lane] = order!.indices ? index : row[index]!;
    }
  }
  return out;
}
