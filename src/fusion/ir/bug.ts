/** @file The one door for mistakes of ours. The user's are diagnostics, the machine's are outcomes. */

export class Bug extends Error {
  override readonly name = "Bug";
}

/** What `work` gives; what it throws says at which stage of the compiler that was. */
export function during<T>(stage: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Bug(`${stage}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Use as `throw bug("region r1 has no members")`. */
export const bug = (text: string): Bug => new Bug(text);

/** For the `default` of an exhaustive switch. */
export const never = (value: never): Bug => bug(`unexpected ${JSON.stringify(value)}`);
