/** @file Walks protobuf messages field by field, reading only an allow-list and checking every length before it allocates. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** One reader per field number; fields that are not listed are skipped. */
export type Fields = Readonly<Record<number, (reader: BinaryReader, wire: WireType) => void>>;

/** Deepest nesting of messages (subgraphs in attributes) that is followed. */
const MAX_DEPTH = 100;

/** Reads one message of `bytes`; throws RangeError on truncated input (the caller turns it into a diagnostic). */
export function readMessage(bytes: Uint8Array, fields: Fields): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    const read = fields[field];
    if (read) read(reader, wire);
    else reader.skip(wire, field);
  }
}

/** Sub-messages arrive as bytes, so nesting is the caller's recursion, bounded here. */
export const nested =
  <T>(depth: number, read: (bytes: Uint8Array, depth: number) => T, take: (value: T) => void) =>
  (reader: BinaryReader): void => {
    if (depth >= MAX_DEPTH) throw new RangeError("messages are nested too deeply");
    take(read(reader.bytes(), depth + 1));
  };

const repeated =
  (one: (reader: BinaryReader) => number, take: (value: number) => void) =>
  (reader: BinaryReader, wire: WireType): void => {
    if (wire !== WireType.LengthDelimited) return take(one(reader));
    const end = reader.uint32() + reader.pos;
    while (reader.pos < end) take(one(reader));
  };

/** int64 narrowed to a safe integer: shapes, axes and indices never need more. */
export const int64 = (reader: BinaryReader): number => Number(reader.int64());
export const int32 = (reader: BinaryReader): number => reader.int32();
export const float = (reader: BinaryReader): number => reader.float();
export const double = (reader: BinaryReader): number => reader.double();

export const ints = (take: (value: number) => void): ReturnType<typeof repeated> => repeated(int64, take);
export const int32s = (take: (value: number) => void): ReturnType<typeof repeated> => repeated(int32, take);
export const floats = (take: (value: number) => void): ReturnType<typeof repeated> => repeated(float, take);
export const doubles = (take: (value: number) => void): ReturnType<typeof repeated> => repeated(double, take);
