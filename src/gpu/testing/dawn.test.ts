import { expect, test } from "vitest";
import { withAdapter } from "./dawn";

const gpu = (adapter: GPUAdapter | null): Pick<GPU, "requestAdapter"> => ({
  requestAdapter: () => Promise.resolve(adapter),
});

test("a package without an adapter fails instead of skipping every test on WebGPU", async () => {
  await expect(withAdapter(gpu(null), false)).rejects.toThrow(/no adapter/);
  await expect(withAdapter(null, true)).rejects.toThrow(/not installed/);
});

test("without the package, tests on WebGPU are skipped outside CI", async () => {
  expect(await withAdapter(null, false)).toBeNull();
  const found = gpu({} as GPUAdapter);
  expect(await withAdapter(found, true)).toBe(found);
});
