/** @file Numbers between JavaScript's arrays and storage buffers: f32 and i32 as they are, bool as u32, f16 as packed halves. */
import type { DType } from "../fusion";

/** What inputs may come as. */
export type NumberArray = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array;
export type Words = Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

const scratch = new DataView(new ArrayBuffer(4));

/** IEEE binary16 bits nearest to `x`, ties to even. */
export function halfBits(x: number): number {
  scratch.setFloat32(0, x);
  const bits = scratch.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00; // 65520 and above round to infinity
  if (magnitude < 0x38800000) return sign | Math.round(roundEven(Math.abs(Math.fround(x)) * 2 ** 24)); // subnormal: units of 2^-24
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

function roundEven(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
}

/** The number that binary16 `bits` stand for. */
export function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function packHalves(data: NumberArray): Uint32Array<ArrayBuffer> {
  const halves = new Uint16Array(Math.ceil(data.length / 2) * 2);
  data.forEach((x, i) => (halves[i] = halfBits(x)));
  return new Uint32Array(halves.buffer);
}

const owned = (data: NumberArray): data is NumberArray & { buffer: ArrayBuffer } => data.buffer instanceof ArrayBuffer;

/** `data` as it is stored in a buffer of `dtype`. Copies only when it must. */
export function pack(dtype: DType, data: NumberArray): Words {
  switch (dtype) {
    case "f32":
      return data instanceof Float32Array && owned(data)
        ? (data as Float32Array<ArrayBuffer>)
        : Float32Array.from(data);
    case "i32":
      return data instanceof Int32Array && owned(data) ? (data as Int32Array<ArrayBuffer>) : Int32Array.from(data);
    case "bool":
      return Uint32Array.from(data, (x) => (x ? 1 : 0));
    case "f16":
      return packHalves(data);
  }
}

/** The `length` elements of `dtype` that `bytes` hold. */
export function unpack(dtype: DType, bytes: ArrayBuffer, length: number): Float32Array | Int32Array | Uint32Array {
  switch (dtype) {
    case "f32":
      return new Float32Array(bytes, 0, length);
    case "i32":
      return new Int32Array(bytes, 0, length);
    case "bool":
      return new Uint32Array(bytes, 0, length);
    case "f16":
      return Float32Array.from(new Uint16Array(bytes, 0, length), halfValue);
  }
}
