import { expect, test } from "./fixtures";

test("the gap to the best plan on request; a large graph says why there is none", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.leaveFields();
  await page.keyboard.press("4");
  const panel = play.region("Kernels").getByRole("tabpanel");
  await panel.getByRole("button", { name: "Compare with the best plan" }).click();
  await expect(panel.getByRole("status").filter({ hasText: "found by trying all" })).toBeVisible();

  await play.type(`x: f32[64, 64]\ny = ${"sin(x) + ".repeat(40)}x\n`);
  await panel.getByRole("button", { name: "Compare with the best plan" }).click();
  await expect(panel.getByText(/ops are too many to try every plan: \d+ at most/)).toBeVisible();
});
