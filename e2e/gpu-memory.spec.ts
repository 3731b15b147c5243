/** @file Runs leave nothing behind: the memory of the GPU's process after many runs is that after a few. PW_RUNS=300 runs as often. */
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "./fixtures";

const RUNS = Number(process.env.PW_RUNS ?? 11);
/** Runs before the first reading: buffers, pipelines and arenas are made once. */
const WARM = 4;
const ALLOWED = 20e6;

test.setTimeout(120_000 + RUNS * 20_000);

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // It ended meanwhile.
  }
};

const parentOf = (pid: number): number => Number(/\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1] ?? 0);

function isOurs(pid: number): boolean {
  for (let at = pid; at > 1; at = parentOf(at)) if (at === process.pid) return true;
  return false;
}

/** Bytes that the GPU's process of this browser holds. */
function held(): number {
  const found = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 1 && read(`/proc/${pid}/cmdline`).includes("--type=gpu-process") && isOurs(pid));
  const kilobytes = found.map((pid) => Number(/^VmRSS:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
  return 1024 * kilobytes.reduce((sum, each) => sum + each, 0);
}

test(`${RUNS} runs leave the GPU's process within 20 MB`, async ({ page, play }) => {
  test.skip(process.platform !== "linux", "reads /proc");
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[1024, 512]\nb: f32[1024, 512]\n\ny = softmax(relu(x + b), dim=-1)\n");
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive/ })).toBeVisible();
  let before = 0;
  for (let run = 1; run <= RUNS; run++) {
    await expect(play.run).toHaveAccessibleName(/^Run/);
    await play.run.click();
    // A short run is over before its Cancel is seen.
    await page.waitForTimeout(200);
    await expect(play.run).toHaveAccessibleName(/^Run/, { timeout: 120_000 });
    await expect(play.region("Measured")).toContainText("Same result.");
    if (run === WARM) before = held();
  }
  expect(before, "the GPU's process is found").toBeGreaterThan(1e6);
  await page.waitForTimeout(500);
  const more = held() - before;
  console.log(
    `GPU process: ${(before / 1e6).toFixed(1)} MB after ${WARM} runs, ${(more / 1e6).toFixed(1)} MB more after ${RUNS}`,
  );
  expect(more).toBeLessThan(ALLOWED);
});
