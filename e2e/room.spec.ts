import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";

/** Nothing serious, in both themes. */
async function checkBothThemes(page: Page): Promise<void> {
  for (const theme of ["dark", "light"]) {
    await page.getByRole("button", { name: `Switch to the ${theme} theme` }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map(({ id, nodes }) => `${theme}: ${id}: ${nodes.map(({ html }) => html).join(" | ")}`)).toEqual([]);
  }
}

test("a laptop is checked, and its result is copied for the teacher", async ({ page, play }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await play.open();
  await play.command("Check this laptop");
  await expect(page).toHaveURL(/#check$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("A CPU stands in for the GPU.", { timeout: 90_000 });
  const found = page.getByRole("region", { name: "What was found" });
  await expect(found).toContainText("swiftshader");
  const bench = page.getByRole("region", { name: "Bench" });
  await expect(bench).toContainText("naive, 7 transfers");
  await expect(bench).toContainText("fused, 3 transfers");
  await expect(bench).toContainText("all 4,194,304 values");
  await expect(page.getByRole("region", { name: "What to do" })).toContainText("chrome://settings/system");
  const handIn = page.getByRole("region", { name: "Hand in" });
  await handIn.getByRole("textbox", { name: "Name or number" }).fill("Laptop 7");
  await expect(handIn.getByRole("img", { name: "QR code of this result" })).toBeVisible();
  await expect(handIn).toContainText("Laptop 7 · software adapter");
  await handIn.getByRole("button", { name: "Copy result" }).click();
  await expect(handIn.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^Laptop 7 · .*\nhttp.*#board=[\w-]+$/);
  await checkBothThemes(page);
  await page.goBack();
  await expect(play.region("Graph")).toBeVisible();
  await expect(page).toHaveURL(/example=log-relu$/);
});

test("without WebGPU the check says so, and what to do", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined }));
  await page.goto("./#check");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This browser has no WebGPU.");
  await expect(page.getByRole("region", { name: "What to do" })).toContainText("chrome://flags/#enable-unsafe-webgpu");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("region", { name: "Graph", exact: true })).toBeVisible();
});
