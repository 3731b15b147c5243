import { expect, test } from "./fixtures";

test("a graph is built by keyboard alone", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[64, 64]\n");
  const program = page.getByRole("region", { name: "Program", exact: true });
  await play.command("Add exp");
  await expect(program).toContainText("exp(...)");
  // The input's pill, then C: the list of legal targets.
  await page
    .getByRole("group", { name: /^(input )?x\b/ })
    .first()
    .focus();
  await page.keyboard.press("c");
  const targets = page.getByRole("listbox");
  await expect(targets).toBeVisible();
  await expect(targets.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(program).toContainText("exp(x)");
  await expect(page.getByRole("region", { name: "Kernels", exact: true })).toContainText("exp(");
});

test("forbidding an edge re-plans at once, and undo allows it again", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  const kernels = page.getByRole("region", { name: "Score", exact: true });
  const before = await kernels.textContent();
  await play.leaveFields();
  await page.keyboard.press("x");
  await expect(kernels).not.toHaveText(before!);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(kernels).toHaveText(before!);
});
