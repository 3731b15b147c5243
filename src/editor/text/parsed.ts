/** @file The text as the compiler reads it, for the editor's questions. Planning is the worker's; this is only the reading. */
import { parseProgram, type Parsed } from "../../fusion";

let last: Parsed | null = null;

/** Remembered for one text: the editor asks many questions about the same one. */
export function parsedText(text: string): Parsed {
  if (last?.text !== text) last = parseProgram(text, { patience: 1 });
  return last;
}
