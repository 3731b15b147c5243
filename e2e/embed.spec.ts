import { expect, test } from "./fixtures";

// A newcomer: who was here before has preferences stored.
test.use({ viewport: { width: 360, height: 420 }, newcomer: true });

test("embedded, the page is counts, graph and steps; it keeps nothing and leads to the whole", async ({
  page,
  play,
}) => {
  await page.goto("./?embed=1&example=two-readers/store&step=naive");
  await expect(play.steps).toBeHidden();
  await expect(play.region("Steps")).toContainText("Naive plan.");
  await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 3, now 3/ })).toBeVisible();
  await expect(page.getByRole("banner")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Run/ })).toHaveCount(0);
  await play.region("Graph").click({ position: { x: 8, y: 8 } });
  await page.keyboard.press("j");
  await expect(play.steps).toContainText("Step 1 of");
  // Keys that open something over the page are the whole page's.
  await page.keyboard.press("?");
  await page.keyboard.press("v");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);

  const whole = page.getByRole("link", { name: "Open in playground" });
  await expect(whole).toHaveAttribute("href", /#f1=/);
  const coming = page.context().waitForEvent("page");
  await whole.click();
  const opened = await coming;
  await expect(opened.getByRole("button", { name: /^Example: One value, two readers: store t/ })).toBeAttached();
  await expect(opened.getByText(/^Step 1 of/).first()).toBeVisible();
});

test("Share offers the program as HTML for another page", async ({ page, play }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.command("Share");
  await page.getByText("Inside another page or a slide").click();
  const html = await page.getByRole("textbox", { name: "HTML to embed" }).inputValue();
  const address = /src="([^"]+)"/.exec(html)![1]!;
  await page.setViewportSize({ width: 720, height: 560 });
  await page.goto(address);
  await expect(play.steps).toContainText("Step 2 of 2");
  await expect(play.node(/^K1 add relu log, folded/)).toBeVisible();
});
