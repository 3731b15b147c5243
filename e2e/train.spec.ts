import { axe } from "./axe";
import { expect, test } from "./fixtures";

// A software adapter takes its time, more so beside other work.
const LONG = { timeout: 120_000 };

test("a program that trains is trained in the page: watched, stopped, continued, reset", async ({ page, play }) => {
  await play.open();
  const train = page.getByRole("banner").getByRole("button", { name: "Train", exact: true });
  await expect(play.steps).toBeVisible();
  // A program that replaces nothing is not offered to be trained.
  await expect(train).toHaveCount(0);
  await play.open("./?example=train-spirals");
  await train.click();

  // One click, and it runs: both losses fall and stay together, and both speeds are said.
  const dialog = page.getByRole("dialog", { name: "Train" });
  const step = dialog.getByRole("status");
  const stepNow = async (): Promise<number> =>
    Number(/^Step ([\d,]+)$/.exec((await step.textContent())!)?.[1]?.replaceAll(",", "") ?? Number.NaN);
  await expect.poll(stepNow, LONG).toBeGreaterThan(60);
  const row = (name: string) => dialog.getByRole("row", { name: new RegExp(`^${name}`) });
  await expect(row("naive").getByRole("cell").first()).toHaveText(/^\d{2,}$/);
  await expect(row("fused")).toContainText(/\d/);
  await dialog.getByRole("button", { name: "Stop" }).click();
  await expect(dialog.getByRole("button", { name: "Continue" })).toBeVisible(LONG);
  const losses = await Promise.all(
    ["naive", "fused"].map(async (name) => Number(await row(name).getByRole("cell").nth(1).textContent())),
  );
  expect(losses[0]!).toBeLessThan(0.6);
  expect(Math.abs(losses[1]! - losses[0]!)).toBeLessThanOrEqual(1e-3 * losses[0]!);
  await expect(dialog.getByText(/The losses are (equal at every step|apart by at most [\d.e−⁻]+ %)/)).toBeVisible();
  await expect(dialog).toContainText("a software adapter: these are times of a CPU, not of a GPU");

  // What has been learned is drawn, and said.
  await expect(dialog.getByRole("img", { name: /^Loss of both plans: loss from 0\.7\d* at step 1 to/ })).toBeVisible();
  const plane = dialog.getByRole("img", { name: /^The plane as the program sees it: \d+ of 256 points/ });
  await expect(plane).toBeVisible();
  const right = Number(/: (\d+) of 256/.exec((await plane.getAttribute("aria-label"))!)![1]);
  expect(right).toBeGreaterThan(180);
  // The numbers go on while the picture is drawn, so it says when it was; at rest both are of one step.
  const shown = (await stepNow()).toLocaleString("en-US");
  await expect(dialog.getByText(`After ${shown} steps, what the fused weights say`)).toBeVisible();

  const { violations } = await axe(page).include("dialog[open]").analyze();
  expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);

  // It stands still until somebody goes on, from where it was.
  const before = await stepNow();
  await page.waitForTimeout(500);
  expect(await stepNow()).toBe(before);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect.poll(stepNow, LONG).toBeGreaterThan(before);
  // Closed while it runs, it stops; opened again, it is where it stopped.
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await train.click();
  await expect(dialog.getByRole("button", { name: "Continue" })).toBeVisible(LONG);
  expect(await stepNow()).toBeGreaterThan(before);
  await dialog.getByRole("button", { name: "Reset" }).click();
  await expect(step).toHaveText("Step 0");
  await expect(dialog.getByRole("button", { name: "Start" })).toBeVisible();
});

for (const { id, column, needs } of [
  { id: "train-spirals", column: 2, needs: "98 % of the points on their own side" },
  { id: "train-characters", column: 2, needs: "a bit a character less than knowing only how often each occurs" },
])
  test(`within two minutes on a software adapter: ${needs}`, async ({ page, play }) => {
    await play.open(`./?example=${id}`);
    await page.getByRole("banner").getByRole("button", { name: "Train", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Train" });
    await expect(dialog.getByRole("row", { name: /^fused/ })).toBeVisible(LONG);
    const begin = Date.now();
    const guessing = Number(
      /\(([\d.]+) bits\)/.exec((await dialog.getByText(/Knowing only how often/).textContent())!)![1],
    );
    // Of batches: the mean of five, so that an easy one does not count as learned.
    const last: number[] = [];
    const mean = async (): Promise<number> => {
      last.push(
        Number(
          await dialog
            .getByRole("row", { name: /^fused/ })
            .getByRole("cell")
            .nth(column)
            .textContent(),
        ),
      );
      return last.length < 5 ? Number.NaN : last.slice(-5).reduce((sum, each) => sum + each, 0) / 5;
    };
    const reached = expect.poll(mean, { timeout: 120_000 });
    if (id === "train-spirals") await reached.toBeGreaterThanOrEqual(0.98);
    else await reached.toBeLessThanOrEqual(guessing - 1);
    expect(Date.now() - begin).toBeLessThan(120_000);
    await dialog.getByRole("button", { name: "Stop" }).click();
  });
