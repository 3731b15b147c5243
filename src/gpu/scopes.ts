/** @file Error scopes. Silence is not success: whoever calls the device asks it afterwards. */
import { done, fail, refusals } from "./problem";
import type { Outcome } from "./types";

// Popped inside out: validation first, out of memory last.
const scopes = [
  ["out-of-memory", "out-of-memory"],
  ["internal", "internal"],
  ["validation", "invalid"],
] as const;

const words = {
  "out-of-memory": "The GPU has no memory left for this. Choose a smaller size and run again.",
  internal: "The GPU driver gave up on this.",
  invalid: "The GPU refused a command.",
} as const;

/**
 * Runs `work` inside the three scopes and says what the device thought of it. Scopes are a stack shared by the
 * whole device, so two of these never overlap: `work` makes its calls before its first await.
 */
export async function scoped<T>(device: GPUDevice, work: () => T): Promise<Outcome<T>> {
  for (const [filter] of scopes) device.pushErrorScope(filter);
  let result: Outcome<T>;
  try {
    result = done(work());
  } catch (thrown) {
    result = fail("invalid", `${words.invalid} ${String(thrown)}`); // TypeError, RangeError, OperationError are thrown, not scoped
  }
  const asked = scopes.toReversed().map(async ([, code]) => ({ code, error: await device.popErrorScope() }));
  for (const answer of await Promise.allSettled(asked)) {
    if (answer.status === "rejected") return refusals.wentAway(); // only a dead device rejects
    const { code, error } = answer.value;
    if (error && result.ok) result = fail(code, `${words[code]} ${error.message}`);
  }
  return result;
}
