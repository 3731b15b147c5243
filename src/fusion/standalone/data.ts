/** @file Numbers of weights as a module carries them: how they are drawn, or their bytes, of which a period is enough. */
import { dtypeBytes, type TensorType } from "../ir";
import type { InputData } from "../reference";

/** The bits of a binary16 that `value` is exactly. */
function exactHalf(value: number): number {
  const view = new DataView(Float32Array.of(value).buffer);
  const bits = view.getUint32(0, true);
  const sign = (bits >>> 16) & 0x8000;
  const size = Math.abs(value);
  if (Number.isNaN(size)) return sign | 0x7e00;
  if (size === Infinity) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  return sign | (((bits & 0x7fffffff) - 0x38000000) >>> 13);
}

/** `data` as a buffer stores it. */
function stored({ dtype }: TensorType, data: InputData): Uint8Array {
  const array = dtype === "f16" ? Uint16Array.from(data, exactHalf) : data;
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Length of the shortest piece that, repeated and cut off at the end, gives `items`. Knuth, Morris, Pratt 1977. */
function periodOf(items: ArrayLike<number>): number {
  const border = new Uint32Array(items.length);
  let length = 0;
  for (let i = 1; i < items.length; i++) {
    while (length > 0 && items[i] !== items[length]) length = border[length - 1]!;
    if (items[i] === items[length]) length++;
    border[i] = length;
  }
  return items.length - length;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** RFC 4648. */
function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const four = [18, 12, 6, 0].map((shift) => ALPHABET[(word >>> shift) & 63]!).join("");
    parts.push(i + 2 < bytes.length ? four : i + 1 < bytes.length ? `${four.slice(0, 3)}=` : `${four.slice(0, 2)}==`);
  }
  return parts.join("");
}

/** Base64 of the shortest period of `data`'s bytes; null where they are all 0, as a new buffer is. */
export function carried(type: TensorType, data: InputData): string | null {
  const bytes = stored(type, data);
  if (bytes.every((byte) => byte === 0)) return null;
  const width = dtypeBytes(type.dtype);
  const items = width === 2 ? new Uint16Array(bytes.buffer, bytes.byteOffset) : wordsOf(bytes);
  return base64(bytes.subarray(0, periodOf(items) * width));
}

const wordsOf = (bytes: Uint8Array): Uint32Array =>
  new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
