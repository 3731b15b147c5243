import { broadcastShapes, sizeOf, type Shape, type TensorType } from "../ir";
import type { Round } from "./rounding";
import { coordinatesOf, stridesIn } from "./strided-loops";

/** A product as batches of M×K by K×N; a vector is a row on the left, a column on the right. */
export interface Product {
  readonly batch: Shape;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Elements from one batch of a (b) to the next, by batch axis; 0 where broadcast. */
  readonly aSteps: readonly number[];
  readonly bSteps: readonly number[];
}

export function productOf(a: TensorType, b: TensorType): Product {
  const [x, y] = [a.shape.length === 1 ? [1, ...a.shape] : a.shape, b.shape.length === 1 ? [...b.shape, 1] : b.shape];
  const [m, k, n] = [x.at(-2)!, x.at(-1)!, y.at(-1)!];
  const batch = broadcastShapes(x.slice(0, -2), y.slice(0, -2)) ?? [];
  const steps = (shape: Shape, matrix: number): number[] =>
    stridesIn(shape.slice(0, -2), batch).map((stride) => stride * matrix);
  return { batch, m, n, k, aSteps: steps(x, m * k), bSteps: steps(y, k * n) };
}

/** Where the matrices of one batch begin. */
export const batchOffsets = ({ batch, aSteps, bSteps }: Product, index: number): { a: number; b: number } => {
  const at = coordinatesOf(index, batch);
  const dot = (steps: readonly number[]): number => steps.reduce((sum, step, axis) => sum + step * at[axis]!, 0);
  return { a: dot(aSteps), b: dot(bSteps) };
};

/** Adds a row of a, times b, to a row of the result: four terms a visit, one after the other, so that their order stays. */
function addRow(
  a: ArrayLike<number>,
  left: number,
  b: Float64Array,
  right: number,
  out: Float64Array,
  to: number,
  n: number,
  k: number,
): void {
  let p = 0;
  for (; p + 4 <= k; p += 4) {
    const [a0, a1, a2, a3] = [a[left + p]!, a[left + p + 1]!, a[left + p + 2]!, a[left + p + 3]!];
    const b0 = right + p * n;
    const [b1, b2, b3] = [b0 + n, b0 + 2 * n, b0 + 3 * n];
    for (let j = 0; j < n; j++)
      out[to + j] = out[to + j]! + a0 * b[b0 + j]! + a1 * b[b1 + j]! + a2 * b[b2 + j]! + a3 * b[b3 + j]!;
  }
  for (; p < k; p++) for (let j = 0; j < n; j++) out[to + j]! += a[left + p]! * b[right + p * n + j]!;
}

/** Values of a matmul, summed in f64, row by row so that b is read along its rows. */
export function evaluateMatmul(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  types: readonly [TensorType, TensorType],
  round: Round,
): Float64Array {
  const product = productOf(...types);
  const { batch, m, n, k } = product;
  const right = b instanceof Float64Array ? b : Float64Array.from(b);
  const out = new Float64Array(sizeOf(batch) * m * n);
  for (let matrix = 0; matrix < sizeOf(batch); matrix++) {
    const from = batchOffsets(product, matrix);
    for (let i = 0; i < m; i++) {
      addRow(a, from.a + i * k, right, from.b, out, (matrix * m + i) * n, n, k);
    }
  }
  for (let i = 0; i < out.length; i++) out[i] = round(out[i]!);
  return out;
}
