/** @file Tensor types: dtype, shape, bytes, promotion and NumPy broadcasting. Shapes are static. */

export type DType = "f32" | "f16" | "i32" | "bool";
export type Shape = readonly number[];
export interface TensorType {
  readonly dtype: DType;
  readonly shape: Shape;
}

/** Elements in a shape; 1 for a scalar. */
export const sizeOf = (shape: Shape): number => shape.reduce((product, extent) => product * extent, 1);

/** Bytes one element takes in a storage buffer. WGSL has no bool in storage: it is stored as u32 and counted as moved. */
export const dtypeBytes = (dtype: DType): number => (dtype === "f16" ? 2 : 4);

/** Bytes of a tensor in memory. */
export const bytesOf = (type: TensorType): number => sizeOf(type.shape) * dtypeBytes(type.dtype);

const RANK: readonly DType[] = ["bool", "i32", "f16", "f32"];

/** bool < i32 < f16 < f32, as in PyTorch. */
export const promote = (a: DType, b: DType): DType => (RANK.indexOf(a) >= RANK.indexOf(b) ? a : b);

/** NumPy broadcasting of two shapes; null when they do not fit. */
export function broadcastShapes(a: Shape, b: Shape): Shape | null {
  const rank = Math.max(a.length, b.length);
  const out: number[] = [];
  for (let i = 0; i < rank; i++) {
    const x = a[a.length - rank + i] ?? 1;
    const y = b[b.length - rank + i] ?? 1;
    if (x !== y && x !== 1 && y !== 1) return null;
    out.push(x === 1 ? y : x);
  }
  return out;
}

export const sameShape = (a: Shape, b: Shape): boolean =>
  a.length === b.length && a.every((extent, i) => extent === b[i]);

/** As a label: `2048×768`, `scalar`. */
export const shapeLabel = (shape: Shape): string => (shape.length === 0 ? "scalar" : shape.join("×"));
/** In a sentence: `2048×768`, `a scalar`. */
export const showShape = (shape: Shape): string => (shape.length === 0 ? "a scalar" : shapeLabel(shape));

/** `f32[2048, 768]`, as the language writes it. */
export const showType = (type: TensorType): string => `${type.dtype}[${type.shape.join(", ")}]`;

/** Row-major strides in elements. */
export function stridesOf(shape: Shape): number[] {
  const strides = Array.from({ length: shape.length }, () => 1);
  for (let i = shape.length - 2; i >= 0; i--) strides[i] = strides[i + 1]! * shape[i + 1]!;
  return strides;
}
