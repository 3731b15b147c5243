/** @file The smallest single edit between two texts, so that outside changes keep carets, folds and scrolling. Pure. */
import type { TextEdit } from "../../fusion";

/** Replaces only what differs between the common beginning and the common end; null when nothing does. */
export function smallestEdit(before: string, after: string): TextEdit | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let tail = 0;
  while (tail < shorter - from && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { span: { from, to: before.length - tail }, insert: after.slice(from, after.length - tail) };
}
