/** What JAX computed, where the folder of external cases is there: results, derivatives in both modes and batches, of the reference and of naive and fused kernels. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findCases } from "../src/cli/check/cases";
import { onCpu, runCase } from "../src/cli/check/run-case";

const FOLDER = join(homedir(), ".cache/fusion-playground/cases");
const folders = ["jax_autodiff", "jax_vmap"].map((name) => join(FOLDER, name)).filter((path) => existsSync(path));

describe.skipIf(folders.length === 0)("what JAX computed", () => {
  const cases = [...findCases(folders)].flatMap(({ read }) => read());
  const unsupported: string[] = [];
  test.each(cases.map((each) => [each.name, each] as const))("%s", async (name, each) => {
    const result = await runCase(each, onCpu);
    if (result.kind === "unsupported") unsupported.push(`${name}: ${result.op}, ${result.why}`);
    expect(result.kind === "failed" ? result : null).toBeNull();
  });
  test("few have no program here", () => {
    expect(unsupported.slice(Math.floor(cases.length / 40))).toEqual([]);
  });
});
