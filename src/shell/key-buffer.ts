/** @file Letters for Find or do that come before its field is there: on a slow machine one types faster than it opens. */

let letters = "";

export const bufferKey = (letter: string): void => void (letters += letter);

/** What was typed since the last time, for the field to begin with. */
export function takeKeyBuffer(): string {
  const taken = letters;
  letters = "";
  return taken;
}
