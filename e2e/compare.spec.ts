import type { Page } from "@playwright/test";
import { axe, STANDARD } from "./axe";
import { expect, Playground, test } from "./fixtures";

/** Without the size of targets, which follows the zoom of both graphs. */
const RULES = STANDARD.filter((tag) => tag !== "wcag22aa");

async function expectClean(page: Page): Promise<void> {
  const { violations } = await axe(page, RULES).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
}

test("two plans beside each other: stepped together, differences marked and told, one link for both", async ({
  page,
  play,
  browser,
  baseURL,
}) => {
  await play.open("./?example=layer-norm-gelu");
  await expect(play.steps).toBeVisible();
  await play.region("Steps").getByRole("button", { name: "Compare" }).click();
  const view = page.getByRole("main", { name: "Comparison" });
  const side = (which: "First" | "Second", at = page) => at.getByRole("region", { name: new RegExp(`^${which} side`) });
  await expect(side("First")).toContainText("Kernels12");
  await expect(side("Second")).toContainText("Kernels1");

  const differs = view.getByRole("complementary", { name: "What differs" });
  await expect(differs.getByRole("row", { name: /^Memory traffic/ })).toContainText(/114 MiB.*18 MiB.*−96 MiB/);

  // The pair of levels: what one of them never tried is a difference, with the other's reason.
  await view.getByRole("combobox", { name: "What is compared" }).selectOption("Level 1 and level 3");
  await expect(side("First")).toHaveAccessibleName("First side: level 1");
  const items = differs.getByRole("listitem");
  await expect(items.first()).toContainText("Not tried.");
  await expect(items.filter({ hasText: /level 1Not tried\.level 3Accepted / }).first()).toBeVisible();
  await expect(items.filter({ hasText: /level 1Accepted .*level 3Not tried\./ }).first()).toBeVisible();

  // Both step together, from the keyboard and from a mark.
  await play.leaveFields();
  await page.keyboard.press("Home");
  await expect(view.getByRole("status")).toHaveText(/^Naive plans\. \d+ steps follow\.$/);
  for (const which of ["First", "Second"] as const) await expect(side(which)).toContainText("Kernels12");
  await page.keyboard.press("Shift+ArrowRight");
  await expect(view.getByRole("status")).toHaveText(/^Step \d+ of \d+/);
  await expect(differs.locator("[aria-current=step]")).toHaveCount(1);
  const mark = side("Second")
    .getByRole("button", { name: /^Differs at step/ })
    .last();
  const at = /\d+$|\d+(?=:)/.exec((await mark.getAttribute("aria-label"))!)![0];
  await mark.click();
  await expect(view.getByRole("status")).toHaveText(new RegExp(`^Step ${at} of`));

  for (const theme of ["light", "dark"]) {
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    await expectClean(page);
    await page.getByRole("button", { name: /^Switch to the/ }).click();
  }

  const words = (await view.getByRole("status").textContent())!;
  const profile = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 } });
  const guest = new Playground(await profile.newPage());
  await guest.page.goto(await play.share());
  await expect(side("First", guest.page)).toHaveAccessibleName("First side: level 1");
  // On a phone one part at a time.
  const tabs = guest.page.getByRole("navigation", { name: "Parts of the comparison" });
  await tabs.getByRole("button", { name: "What differs" }).click();
  await expect(guest.page.locator("[aria-current=step]")).toContainText(words.split(": ")[1]!);
  await tabs.getByRole("button", { name: "level 3" }).click();
  await expect(side("Second", guest.page)).toBeVisible();
  await profile.close();

  // An edit, before and after; Escape leads back.
  await page.keyboard.press("Escape");
  await expect(view).toBeHidden();
  await play.type("x: f32[64, 64]\ny = log(relu(x))\n");
  await expect(play.steps).toHaveText(/of 1/);
  await play.leaveFields();
  await page.keyboard.press("=");
  await view.getByRole("combobox", { name: "What is compared" }).selectOption("Before and after the last edit");
  await expect(side("First")).toContainText("Kernels1");
  await expect(differs.getByRole("row", { name: /^Memory traffic/ })).toContainText("−18 MiB");
  // Two programs are called by what tells them apart, not by what both begin with.
  await play.open("./?example=batches");
  await expect(play.steps).toHaveText(/of \d/);
  await play.leaveFields();
  await page.keyboard.press("=");
  const what = view.getByRole("combobox", { name: "What is compared" });
  await what.selectOption("Batch then gradient, gradient then batch");
  await expect(side("First")).toHaveAccessibleName("First side: batch, then derivative");
  await expect(side("Second")).toHaveAccessibleName("Second side: derivative, then batch");
});
