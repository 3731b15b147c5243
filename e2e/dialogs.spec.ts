import { expect, test } from "./fixtures";

test("Find or do, the sheet of keys and the options open, do their work and close", async ({ page, play }) => {
  await play.open();
  await test.step("options re-plan at once and are undone", async () => {
    await page.getByRole("button", { name: "Options", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Planning options" });
    await dialog.getByRole("radio", { name: "primitive op" }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Options", exact: true }).click();
    await expect(dialog.getByRole("radio", { name: "call, as written" })).toBeChecked();
  });
  await test.step("Find or do opens by Ctrl K, finds an example and opens it", async () => {
    await page.keyboard.press("Escape");
    await play.leaveFields();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Find or do" });
    await expect(field).toBeFocused();
    await field.fill("softmax");
    await page
      .getByRole("option", { name: /^Softmax Softmax|^Softmax/ })
      .first()
      .click();
    await expect(page.getByRole("button", { name: "Example: Softmax" })).toBeVisible();
  });
  await test.step("the sheet lists every key and single letters can be switched off", async () => {
    await play.leaveFields();
    await page.keyboard.press("Shift+?");
    const sheet = page.getByRole("dialog", { name: "All keys" });
    await expect(sheet).toContainText("Next refusal");
    await sheet.getByRole("checkbox", { name: "Single-letter keys work" }).uncheck();
    await page.keyboard.press("Escape");
    await expect(sheet).toBeHidden();
    const before = await play.steps.textContent();
    await page.keyboard.press("k");
    await expect(play.steps).toHaveText(before!);
  });
});
