import { expect, test } from "./fixtures";

test("a link opens the same program, choices and step in a fresh profile", async ({ page, play, browser, baseURL }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.command("softmax");
  await expect(page.getByRole("button", { name: "Example: Softmax" })).toBeVisible();
  await expect(page.getByRole("heading", { name: /softmax/i })).toBeVisible();
  await play.leaveFields();
  await page.keyboard.press("Home");
  await page.keyboard.press("j");
  const step = await page
    .getByText(/^Step 1 of/)
    .first()
    .textContent();
  const link = await play.share();
  const other = await browser.newContext({ baseURL: baseURL! });
  const guest = await other.newPage();
  await guest.goto(link);
  await expect(guest.getByRole("button", { name: "Example: Softmax" })).toBeVisible();
  await expect(guest.getByText(/^Step 1 of/).first()).toHaveText(step!);
  await other.close();
});

test("Share says that nothing is uploaded, and copies", async ({ page, play, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await play.open();
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  await expect(dialog).toContainText("Nothing is uploaded");
  await expect(dialog.getByRole("textbox", { name: "Link" })).toHaveValue(/#f1=/);
  await dialog.getByRole("button", { name: "Copy" }).click();
  await expect(dialog.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("#f1=");
});

test("opening a link leaves the draft alone, and leads back to it", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  const link = await play.share();
  await play.type("N = 16\nx: f32[N, N]\nmine = exp(x)\n");
  const draft = () => page.evaluate(() => localStorage.getItem("fusion-playground.draft"));
  await expect.poll(draft).toContain("mine");
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.getByText("Yours is kept")).toBeVisible();
  await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("log");
  expect(await draft()).toContain("mine");
  await page.getByRole("button", { name: "Back to mine" }).click();
  await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("mine");
});

test("a damaged, a huge and a newer link are refused with a reason, and the program stays", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  for (const [link, words] of [
    ["#f1=%%%", "damaged"],
    [`#f1=${"A".repeat(40_000)}`, "more than 32768 characters"],
  ] as const) {
    await page.evaluate((hash) => (location.hash = hash), link);
    await expect(page.getByText(words)).toBeVisible();
    await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("relu");
  }
});

test("a reload brings the last edit back", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[64, 64]\nlast = tanh(x)\n");
  await page.waitForTimeout(1000);
  await page.reload();
  await expect(page.getByRole("region", { name: "Program", exact: true })).toContainText("last");
});
