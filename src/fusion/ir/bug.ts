/** @file The one door for mistakes of ours. The user's are diagnostics, the machine's are outcomes. */

export class Bug extends Error {
  override readonly name = "Bug";
}

/** Use as `throw bug("region r1 has no members")`. */
export const bug = (text: string): Bug => new Bug(text);

/** For the `default` of an exhaustive switch. */
export const never = (value: never): Bug => bug(`unexpected ${JSON.stringify(value)}`);
