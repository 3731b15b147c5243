/** @file Chunks that come late: asked for again when the network or the server did not give them, and told when they are lost. */

/** Pauses before a chunk is asked for again, ms. */
const RETRIES = [500, 2_000];

const lost = new WeakSet<object>();
const listeners = new Set<() => void>();

/** `tell` runs each time a chunk is given up. */
export const onLostPart = (tell: () => void): void => void listeners.add(tell);

/** `error` says that a chunk could not be had, which is no mistake in the page's code. */
export const isLostPart = (error: unknown): boolean => typeof error === "object" && error !== null && lost.has(error);

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** What `load` imports. Rejects, after some tries, with an error that `isLostPart` knows. */
export async function loadPart<T>(load: () => Promise<T>, retries: readonly number[] = RETRIES): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const [millis, ...rest] = retries;
    if (millis === undefined) {
      if (typeof error === "object" && error !== null) lost.add(error);
      for (const tell of listeners) tell();
      throw error;
    }
    await pause(millis);
    return loadPart(load, rest);
  }
}
