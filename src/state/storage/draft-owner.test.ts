import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { browserDraftOwner } from "./draft-owner";

interface Asked {
  readonly name: string;
  readonly take: (lock: object) => Promise<void>;
  readonly done: () => void;
}

/** Locks of a browser that looks at what is asked only after `delay` ms; `free` false: another tab has every one of them. */
function slowLocks(delay: number, free: boolean) {
  const pending = new Set<Asked>();
  return {
    request(name: string, { signal }: { signal?: AbortSignal }, take: Asked["take"]): Promise<void> {
      return new Promise((done, refuse) => {
        const asked = { name, take, done };
        let granted = false;
        setTimeout(() => {
          if (signal?.aborted) return;
          granted = free;
          if (free) void take({}).then(done);
          else pending.add(asked);
        }, delay);
        signal?.addEventListener("abort", () => {
          pending.delete(asked);
          if (!granted) refuse(new DOMException("given up", "AbortError"));
        });
      });
    },
    /** Answered after what was asked before. */
    query: () => new Promise((answer) => setTimeout(() => answer({ held: [], pending: [...pending] }), delay)),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("BroadcastChannel", EventTarget);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function toldAfter(millis: number, locks: ReturnType<typeof slowLocks>): Promise<boolean[]> {
  vi.stubGlobal("navigator", { locks });
  const told: boolean[] = [];
  browserDraftOwner().follow(
    (owner) => told.push(owner),
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(millis);
  return told;
}

test("a lock that a busy browser gives late is waited for, and no page calls itself second meanwhile", async () => {
  expect(await toldAfter(30_000, slowLocks(10, true))).toEqual([true]);
  expect(await toldAfter(4_000, slowLocks(5_000, true))).toEqual([]);
  expect(await toldAfter(30_000, slowLocks(5_000, true))).toEqual([true]);
});

test("a page is second where another one has the lock", async () => {
  expect(await toldAfter(30_000, slowLocks(10, false))).toEqual([false]);
  expect(await toldAfter(30_000, slowLocks(5_000, false))).toEqual([false]);
});
