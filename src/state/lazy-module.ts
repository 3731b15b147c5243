/** @file Parts of the page that come in chunks of their own, shown the moment they are there. */
import { useSyncExternalStore } from "react";
import { isLostPart, loadPart } from "./load-part";

type Lazy<T> =
  | { readonly status: "waiting" }
  | { readonly status: "there"; readonly module: T }
  | { readonly status: "failed"; readonly error: unknown };

/**
 * A hook that answers the module once it is there, and null before; the first use starts `load`. For what belongs to
 * the first paint: React holds a late part under `Suspense` back for 300 ms after it showed the last placeholder.
 * A chunk that can't be loaded leaves it null.
 */
export function lazyModule<T>(load: () => Promise<T>): () => T | null {
  let lazy: Lazy<T> = { status: "waiting" };
  let started = false;
  const listeners = new Set<() => void>();
  const become = (next: Lazy<T>): void => {
    lazy = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    if (!started) {
      started = true;
      void loadPart(load).then(
        (module) => become({ status: "there", module }),
        (error: unknown) => {
          // Whoever shows it again asks for it again.
          started = false;
          become({ status: "failed", error });
        },
      );
    }
    return () => void listeners.delete(listener);
  };
  const read = (): Lazy<T> => lazy;
  return function useLazyModule() {
    const now = useSyncExternalStore(subscribe, read);
    // The page goes on without a part that could not be loaded, and says so elsewhere.
    if (now.status === "failed" && !isLostPart(now.error)) throw now.error;
    return now.status === "there" ? now.module : null;
  };
}
