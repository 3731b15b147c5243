import { sizeOf, type Node, type TensorType } from "../ir";
import { opDef } from "../ops";
import { rowsAlong } from "./scan";

/** Places of a row's elements in order: NaN behind all, equal ones as they stand; descending the other way round, equal ones still as they stand. */
export function placesInOrder(row: ArrayLike<number>, descending: boolean): Uint32Array {
  const places = Uint32Array.from(row, (_, place) => place);
  const sign = descending ? -1 : 1;
  const compare = (a: number, b: number): number => {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    return a < b ? -1 : Number(a > b);
  };
  return places.sort((i, j) => sign * compare(row[i]!, row[j]!) || i - j);
}

/** Values of an order: every row sorted, its first elements or their places. */
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
    const places = placesInOrder(row, order!.descending(node.attrs));
    for (let i = 0; i < count; i++) {
      const place = places[i]!;
      out[(block * count + i) * inner + lane] = order!.places ? place : row[place]!;
    }
  }
  return out;
}
