import { readFile } from "node:fs/promises";
import type { Download, Page } from "@playwright/test";
import { axe } from "./axe";
import { expect, Playground, test } from "./fixtures";

async function expectClean(page: Page): Promise<void> {
  const { violations } = await axe(page).analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
}

const bytesOf = async (file: Download): Promise<Buffer> => readFile(await file.path());

test("naive races fused: predicted until a run, played and scrubbed, its last frame a picture, its moment a link", async ({
  page,
  play,
  browser,
  baseURL,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await play.type("x: f32[64, 64]\nb: f32[64]\ny = log(relu(x + b))\n");
  await expect(play.steps).toHaveText(/of 2/);
  await play.region("Steps").getByRole("button", { name: "Race" }).click();
  const race = (at: Page = page) => at.getByRole("main", { name: "Race" });
  const clock = (at: Page = page) => race(at).getByRole("timer", { name: "Clock" });
  await expect(race()).toContainText(/Predicted, not measured: .* per launch/);
  await expect(race().getByRole("region", { name: "Naive plan" })).toContainText("3 kernels");
  const first = await clock().textContent();
  await expect.poll(() => clock().textContent()).not.toBe(first);

  // Paused, the clock stands; the ends and what is between are a key or a drag away.
  await play.leaveFields();
  await page.keyboard.press("End");
  await expect(race().getByRole("button", { name: "Play" })).toBeVisible();
  for (const name of ["Naive plan", "Fused plan"])
    await expect(race().getByRole("region", { name })).toContainText("done at");
  const end = await clock().textContent();
  await page.keyboard.press("Home");
  for (const name of ["Naive plan", "Fused plan"])
    await expect(race().getByRole("region", { name })).toContainText("launching kernel 1 of");
  await race().getByRole("slider", { name: "Time" }).fill("0.4");
  await expect(race().getByRole("slider", { name: "Time" })).toHaveAttribute(
    "aria-valuetext",
    /naive .*kernel \d of 3.*fused/,
  );
  const stood = (await clock().textContent())!;

  for (const theme of ["light", "dark"]) {
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    await expectClean(page);
    await page.getByRole("button", { name: /^Switch to the/ }).click();
  }

  // The link stops the clock where it stood.
  const profile = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 } });
  const guest = new Playground(await profile.newPage());
  await guest.page.goto(await play.share());
  await expect(clock(guest.page)).toHaveText(stood);
  await profile.close();

  const [png] = await Promise.all([page.waitForEvent("download"), race().getByRole("button", { name: "PNG" }).click()]);
  const picture = await bytesOf(png);
  expect(picture.subarray(1, 4).toString()).toBe("PNG");
  // 960 CSS pixels, twice.
  expect(picture.readUInt32BE(16)).toBe(1920);
  const [webm] = await Promise.all([
    page.waitForEvent("download", { timeout: 60_000 }),
    race().getByRole("button", { name: "WebM" }).click(),
  ]);
  // The mark that every WebM begins with.
  expect((await bytesOf(webm)).readUInt32BE(0)).toBe(0x1a45dfa3);

  // A run's times replace the prediction.
  await play.run.click();
  await expect(race()).toContainText("Measured on", { timeout: 120_000 });
  await expect(race()).not.toContainText("Predicted");
  await expect(clock()).not.toHaveText(end!);
  await page.keyboard.press("Escape");
  await expect(race()).toBeHidden();
});

test("on a narrow page the kernel that runs comes into sight", async ({ page, play }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await play.open("./?example=mlp#race&t=0.95");
  const naive = page.getByRole("region", { name: "Naive plan" });
  await expect(naive).toContainText("kernel 5 of 5");
  await expect(naive.locator(".still svg > rect").last()).toBeInViewport({ ratio: 1 });
});

test("where motion is reduced, a race stands at its end", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("./?example=log-relu#race");
  const race = page.getByRole("main", { name: "Race" });
  for (const name of ["Naive plan", "Fused plan"])
    await expect(race.getByRole("region", { name })).toContainText("done at");
  await expect(race.getByRole("slider", { name: "Time" })).toHaveValue("1");
  await page.keyboard.press("Home");
  await expect(race.getByRole("slider", { name: "Time" })).toHaveValue("0");
});

test("where nothing is fused, and of one op alone, the race says that both plans are the same", async ({
  page,
  play,
}) => {
  await play.open();
  await test.step("one op alone, about which nothing is decided, races and is compared all the same", async () => {
    await play.type("x: f32[64, 64]\ny = tanh(x)\n");
    await expect(play.node(/^tanh y/)).toBeVisible();
    await play.leaveFields();
    await page.keyboard.press("r");
    await expect(page.getByRole("main", { name: "Race" })).toContainText("both plans are the same");
    await page.keyboard.press("Escape");
    await page.keyboard.press("=");
    await expect(page.getByRole("main", { name: "Comparison" })).toBeVisible();
  });
  await test.step("where nothing is fused, the race says that both plans are the same", async () => {
    await page.keyboard.press("Escape");
    await page.goto("./?example=log-relu#race&t=1");
    const race = page.getByRole("main", { name: "Race" });
    await expect(race).toContainText("naive against fused");
    await page.keyboard.press("Escape");
    await play.type("x: f32[64, 64]\na: f32[64, 8]\nb: f32[8, 64]\nh = x @ a\ny = h @ b\n");
    await expect(play.region("Score")).toContainText("Kernels2→2→2");
    await play.leaveFields();
    await page.keyboard.press("r");
    await expect(race).toContainText("both plans are the same");
  });
});
