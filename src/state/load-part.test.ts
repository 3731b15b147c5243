import { expect, test, vi } from "vitest";
import { isLostPart, loadPart } from "./load-part";

test("a chunk that comes on the third try is there; one that never comes is told from a mistake", async () => {
  vi.useFakeTimers();
  try {
    const late = vi.fn().mockRejectedValueOnce(new TypeError("gone")).mockRejectedValueOnce(new TypeError("gone"));
    late.mockResolvedValue("module");
    const loading = loadPart(() => late() as Promise<string>);
    await vi.runAllTimersAsync();
    expect(await loading).toBe("module");
    const gone = loadPart(() => Promise.reject(new TypeError("gone"))).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(isLostPart(await gone)).toBe(true);
    expect(isLostPart(new TypeError("gone"))).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
