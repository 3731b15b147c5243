import { expect, test } from "./fixtures";

test("earlier work is listed under the logo, opens again, and starting afresh asks first", async ({ page }) => {
  await page.goto("/");
  const menu = page.getByRole("button", { name: "Fusion Playground, menu" });
  const open = async () => {
    await menu.click();
    await page.getByRole("menuitem", { name: /Earlier work/ }).click();
    return page.getByRole("dialog", { name: "Earlier work" });
  };
  const text = () => page.evaluate(() => localStorage.getItem("fusion-playground.draft") ?? "");
  await page.getByRole("button", { name: /^Example/ }).waitFor();
  await page.getByRole("radio", { name: "S", exact: true }).click({ force: true });
  await expect.poll(text).toContain("document");
  await page.evaluate(() => {
    const { document } = JSON.parse(localStorage.getItem("fusion-playground.draft")!) as { document: object };
    const mine = { ...document, text: "mine: f32[8]\ny = mine + 1\n", example: null };
    const draft = JSON.stringify({ version: 1, document: mine, decision: null });
    localStorage.setItem("fusion-playground.previous", JSON.stringify([{ when: 1.7e12, draft }]));
  });
  await page.reload();
  const dialog = await open();
  await expect(dialog.getByRole("listitem")).toHaveCount(1);
  await expect(dialog.getByRole("listitem")).toContainText("1 op");
  await page.screenshot({ path: test.info().outputPath("earlier.png") });
  await dialog.getByRole("button", { name: /Open/ }).click();
  await expect.poll(text).toContain("mine");
  const again = await open();
  await again.getByRole("button", { name: "Start afresh…" }).click();
  const file = page.waitForEvent("download");
  await again.getByRole("button", { name: "Download it first" }).click();
  expect((await file).suggestedFilename()).toMatch(/fusion\.json$/);
  await page.screenshot({ path: test.info().outputPath("afresh.png") });
  await again.getByRole("button", { name: "Start afresh", exact: true }).click();
  await expect.poll(text).not.toContain("mine");
  await expect((await open()).getByText("mine: f32[8]")).toBeVisible();
});
