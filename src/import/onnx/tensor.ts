/** @file Data of an ONNX tensor as numbers. */
import type { DType, InputData } from "../../fusion";
import { NO_TENSOR, readTensor, type OnnxTensor } from "./model";
import { toWhole, type WholeKind } from "./whole-kinds";

/** A tensor whose numbers are known while importing: shapes, axes, constants, weights. */
export interface HostTensor {
  readonly dtype: DType;
  readonly dims: readonly number[];
  readonly data: Float64Array;
  /** How many numbers there are, where asking for them would read them. */
  readonly size?: number;
  /** int64 in the file: shape arithmetic is done on these. */
  readonly wide: boolean;
  /** Narrower than i32 or unsigned in the file: the i32 that stand for such numbers. */
  readonly whole?: WholeKind;
}

export interface Format {
  readonly dtype: DType;
  readonly bytes: number;
  readonly whole?: WholeKind;
  read(view: DataView, at: number): number;
}

/** IEEE half to number. */
export function fromHalf(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

/** TensorProto.DataType → how its raw bytes read. f64 narrows to f32, 64-bit integers to i32, others are stored as i32; anything else is refused by name. */
export const FORMATS: ReadonlyMap<number, Format> = new Map<number, Format>([
  [1, { dtype: "f32", bytes: 4, read: (v, at) => v.getFloat32(at, true) }],
  [2, { dtype: "i32", bytes: 1, whole: "u8", read: (v, at) => v.getUint8(at) }],
  [3, { dtype: "i32", bytes: 1, whole: "i8", read: (v, at) => v.getInt8(at) }],
  [4, { dtype: "i32", bytes: 2, whole: "u16", read: (v, at) => v.getUint16(at, true) }],
  [5, { dtype: "i32", bytes: 2, whole: "i16", read: (v, at) => v.getInt16(at, true) }],
  [6, { dtype: "i32", bytes: 4, read: (v, at) => v.getInt32(at, true) }],
  [7, { dtype: "i32", bytes: 8, read: (v, at) => Number(v.getBigInt64(at, true)) }],
  [12, { dtype: "i32", bytes: 4, whole: "u32", read: (v, at) => v.getInt32(at, true) }],
  [13, { dtype: "i32", bytes: 8, read: (v, at) => Number(v.getBigUint64(at, true)) }],
  [9, { dtype: "bool", bytes: 1, read: (v, at) => v.getUint8(at) }],
  [11, { dtype: "f32", bytes: 8, read: (v, at) => Math.fround(v.getFloat64(at, true)) }],
  [10, { dtype: "f16", bytes: 2, read: (v, at) => fromHalf(v.getUint16(at, true)) }],
]);

const NAMES = [
  "undefined",
  "f32",
  "u8",
  "i8",
  "u16",
  "i16",
  "i32",
  "i64",
  "string",
  "bool",
  "f16",
  "f64",
  "u32",
  "u64",
  "c64",
  "c128",
  "bf16",
];
const KINDS = new Map(Object.entries(NO_TENSOR).map(([kind, number]) => [number as number, kind]));
export const dataTypeName = (dataType: number): string => NAMES[dataType] ?? KINDS.get(dataType) ?? `type ${dataType}`;

/** The numbers of a tensor, or in words why not. `capBytes` bounds what is allocated. */
export function tensorData(
  tensor: OnnxTensor,
  capBytes: number,
):
  | { readonly ok: true; readonly value: HostTensor; readonly bytes: number }
  | { readonly ok: false; readonly why: string } {
  const format = FORMATS.get(tensor.dataType);
  if (!format) return { ok: false, why: `${tensor.name} holds ${dataTypeName(tensor.dataType)}` };
  if (tensor.external)
    return { ok: false, why: `${tensor.name} keeps its data in another file, which is never opened` };
  const size = tensor.dims.reduce((product, extent) => product * extent, 1);
  const bytes = size * format.bytes;
  if (!(size >= 0) || bytes > capBytes)
    return { ok: false, why: `${tensor.name} has ${size} elements, more than fits in the cap` };
  const { raw, numbers, dataType, dims } = tensor;
  if (raw && raw.byteLength !== bytes)
    return { ok: false, why: `${tensor.name} says ${size} elements and carries ${raw.byteLength} bytes` };
  if (!raw && numbers.length !== size)
    return { ok: false, why: `${tensor.name} says ${size} elements and carries ${numbers.length}` };
  // A model's weights are eight times as large as numbers than as bytes of halves: each is read when it is asked for.
  let read: Float64Array | null = null;
  const value: HostTensor = {
    dtype: format.dtype,
    dims,
    size,
    wide: format.dtype === "i32" && format.bytes === 8,
    ...(format.whole ? { whole: format.whole } : {}),
    get data() {
      read ??= raw
        ? numbersOf(raw, size, format)
        : Float64Array.from(numbers, (n) =>
            dataType === 10 ? fromHalf(n) : format.whole ? toWhole(format.whole, n) : n,
          );
      return read;
    },
  };
  return { ok: true, value, bytes };
}

function numbersOf(raw: Uint8Array, size: number, format: Format): Float64Array {
  const data = new Float64Array(size);
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  for (let i = 0; i < size; i++) data[i] = format.read(view, i * format.bytes);
  return data;
}

/** A `.pb` data file: its name, the dtype's name and its numbers (null where the dtype is not one of ours). */
export function readTensorFile(bytes: Uint8Array): {
  readonly name: string;
  readonly dtype: string;
  readonly tensor: HostTensor | null;
} {
  const tensor = readTensor(bytes);
  const data = tensorData(tensor, 1 << 30);
  return { name: tensor.name, dtype: dataTypeName(tensor.dataType), tensor: data.ok ? data.value : null };
}

/** Numbers of a dtype that is stored as i32, named as `dataTypeName` names it; null where it is no such dtype. */
export function wholeTensor(dtype: string, dims: readonly number[], data: Float64Array): HostTensor | null {
  const { whole } = [...FORMATS.values()].find((format) => format.whole === dtype) ?? {};
  return whole ? { dtype: "i32", dims, data: data.map((value) => toWhole(whole, value)), wide: false, whole } : null;
}

/** Numbers as a run uploads them. */
export function typedData({ dtype, data }: HostTensor): InputData {
  if (dtype === "i32") return Int32Array.from(data);
  return dtype === "bool" ? Uint32Array.from(data) : Float32Array.from(data);
}
