import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import { PATIENCE_MILLIS, firstPaint, introPlayed } from "./first-paint";
import type { PlaygroundStore } from "./slices/slice-context";
import type { Derived, PlaygroundState } from "./types";

const compiling: Derived = {
  revision: 0,
  status: "compiling",
  compilation: null,
  latest: null,
  layout: null,
  plans: new Map(),
};
const layout = { boxes: new Map(), bends: new Map(), width: 0, height: 0 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Whether the picture is said to stand after each change, in order. */
async function standsAfter(...changes: readonly Derived[]): Promise<boolean[]> {
  const store = createStore<PlaygroundState>()(() => ({ derived: compiling }) as PlaygroundState);
  let stands = false;
  void firstPaint(store as PlaygroundStore).then(() => (stands = true));
  const answers: boolean[] = [];
  for (const derived of changes) {
    store.setState({ derived });
    await vi.advanceTimersByTimeAsync(1);
    answers.push(stands);
  }
  return answers;
}

test("the first paint is done when the graph has its places, not when it is planned", async () => {
  const latest = {} as NonNullable<Derived["latest"]>;
  const planned: Derived = { ...compiling, status: "ready", latest, compilation: latest };
  expect(await standsAfter(compiling, planned, { ...planned, layout })).toEqual([false, false, true]);
});

test("a text without a picture keeps nobody waiting", async () => {
  expect(await standsAfter({ ...compiling, status: "broken" })).toEqual([true]);
  expect(await standsAfter({ ...compiling, status: "ready" })).toEqual([true]);
});

test("a plan that takes long is not waited for", async () => {
  const store = createStore<PlaygroundState>()(() => ({ derived: compiling }) as PlaygroundState);
  const stood = firstPaint(store as PlaygroundStore);
  await vi.advanceTimersByTimeAsync(PATIENCE_MILLIS);
  await expect(stood).resolves.toBeUndefined();
});

test("what takes long waits until the first visit has played, however it ends", async () => {
  const store = createStore<PlaygroundState>()(() => ({ derived: compiling, intro: "waiting" }) as PlaygroundState);
  let played = false;
  void introPlayed(store as PlaygroundStore).then(() => (played = true));
  const after = async (change: Partial<PlaygroundState>): Promise<boolean> => {
    store.setState(change);
    await vi.advanceTimersByTimeAsync(1);
    return played;
  };
  expect(await after({ derived: { ...compiling, layout } })).toBe(false);
  expect(await after({ intro: "playing" })).toBe(false);
  expect(await after({ intro: "resting" })).toBe(true);
  store.setState({ intro: "waiting", derived: { ...compiling, status: "broken" } });
  await expect(introPlayed(store as PlaygroundStore)).resolves.toBeUndefined();
});
