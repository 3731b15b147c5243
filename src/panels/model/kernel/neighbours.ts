/** @file How 32 neighbouring threads meet each operand, in words and as boxes of 128 bytes. */
import type { NeighbourAccess } from "../../../fusion";
import { count, plural, significant } from "../units";

export interface OperandPicture {
  readonly key: string;
  readonly name: string;
  readonly access: NeighbourAccess["access"];
  /** `side by side, four each` */
  readonly way: string;
  /** `4 segments of 128 B for 512 B` */
  readonly cost: string;
  /** Whether no more segments move than hold what is wanted. */
  readonly tight: boolean;
  /** Shares of each segment that are wanted, 0 to 1; as many as are drawn. */
  readonly boxes: readonly number[];
}

const SEGMENT = 128;
/** As many as 32 threads that read one element each can touch. */
const MAX_BOXES = 32;

function wayOf({ stride, width, byData, threads }: NeighbourAccess): string {
  const each = width === 1 ? "" : width === 2 ? ", two each" : ", four each";
  if (byData) return "where the data says";
  if (threads === 1) return "one thread alone";
  if (stride === 0) return `all the same${width === 1 ? " element" : " four"}`;
  if (stride === width) return `side by side${each}`;
  if (stride === null) return `in several runs${each}`;
  return `${count(Math.abs(stride))} elements apart${each}`;
}

export function operandPicture(access: NeighbourAccess, at: number): OperandPicture {
  const { name, segments, byData } = access;
  const wanted = segments.reduce((sum, bytes) => sum + bytes, 0);
  const least = Math.ceil(wanted / SEGMENT);
  // A run that begins inside a segment may touch one more.
  const tight = segments.length <= least + 1;
  const share = segments.length === 0 ? 0 : wanted / (segments.length * SEGMENT);
  const used = tight ? "" : `, ${significant(share * 100, 2)} % of them used`;
  return {
    key: `${name} ${at}`,
    name,
    access: access.access,
    way: wayOf(access),
    cost: byData ? "" : `${plural(segments.length, "segment")} of 128 B for ${count(wanted)} B${used}`,
    tight: byData || tight,
    boxes: segments.slice(0, MAX_BOXES).map((bytes) => bytes / SEGMENT),
  };
}
