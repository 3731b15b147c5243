/** @file What a session needs besides the GPU: a clock, a pause, and whether the origin is secure. */

export interface SessionEnv {
  /** `isSecureContext`; decides which sentence explains a missing `navigator.gpu`. */
  readonly secureContext: boolean;
  /** A monotonic clock, ms. */
  now(): number;
  /** Notes the moment under a name, for whoever looks at a timeline. */
  mark?(name: string): void;
  /** Resolves after `millis`, or at once when `signal` aborts. */
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
}

/** The page's (and Node's) own environment. */
export const hostEnv = (): SessionEnv => ({
  secureContext: (globalThis as { isSecureContext?: boolean }).isSecureContext ?? true,
  now: () => performance.now(),
  mark: (name) => void performance.mark(name),
  sleep: (millis, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, millis);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
});

/** What `within` answers when the time is over. */
export const LATE = Symbol("late");

/** `promise`, or LATE after `millis`. The promise itself goes on. */
export async function within<T>(env: SessionEnv, millis: number, promise: Promise<T>): Promise<T | typeof LATE> {
  const settled = new AbortController();
  try {
    return await Promise.race([promise, env.sleep(millis, settled.signal).then((): typeof LATE => LATE)]);
  } finally {
    settled.abort();
  }
}
