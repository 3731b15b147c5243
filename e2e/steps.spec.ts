import { expect, test } from "./fixtures";

test("arrows, j and k, Home and End walk the decisions; the step is said aloud", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.leaveFields();
  await page.keyboard.press("Home");
  await expect(page.getByRole("status").filter({ hasText: "Naive plan" })).toBeAttached();
  await page.keyboard.press("j");
  await expect(page.getByText(/^Step 1 of/).first()).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText(/^Step 2 of/).first()).toBeVisible();
  await page.keyboard.press("k");
  await expect(page.getByText(/^Step 1 of/).first()).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: /^Step 1 of \d+, (accepted|refused): / })).toBeAttached();
  await page.keyboard.press("End");
  await expect(page.getByText(/^Step (\d+) of \1/).first()).toBeVisible();
});

test("presenter view opens, steps, blanks and closes by keys", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.leaveFields();
  await page.keyboard.press("v");
  const presenter = page.getByRole("main", { name: "Presenter view" });
  await expect(presenter).toBeVisible();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(presenter.getByText(/^Step 1 of/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(presenter).toBeHidden();
});
