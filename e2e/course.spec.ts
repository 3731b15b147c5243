import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { axe, STANDARD } from "./axe";
import { expect, test } from "./fixtures";

async function violationsOf(page: Page, where: string, theme: string): Promise<string[]> {
  const { violations } = await axe(page, theme === "dark" ? "colours" : STANDARD).analyze();
  return violations.map(({ id, nodes }) => `${where}, ${theme}: ${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

test("a guess stands beside the truth on a scale; the keys go on where one reads; the next lesson follows", async ({
  page,
}) => {
  await page.goto("./#lesson=memory-is-the-cost/1");
  const next = page.getByRole("button", { name: "Next", exact: true });
  await next.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/memory-is-the-cost\/2$/);
  const card = page.getByRole("region", { name: "Predict first" });
  await expect(card).toBeVisible();
  // Tab leads from the step into its question, not once round the page.
  await page.keyboard.press("Tab");
  await expect(card.getByRole("textbox")).toBeFocused();
  await page.keyboard.type("300");
  await page.keyboard.press("Enter");
  await expect(
    card.getByRole("img", { name: /^On a scale from 0 to [\d,]+ MiB: you said 300, it is 384$/ }),
  ).toBeVisible();
  await expect(card.getByRole("status")).toBeFocused();
  await page.goto("./#lesson=memory-is-the-cost/6");
  await page.getByRole("button", { name: "Next lesson" }).click();
  await expect(page).toHaveURL(/one-kernel-instead-of-three\/1$/);
});

test("an answer counts that is given before its plan is there; what was solved is in sight", async ({ page, play }) => {
  await test.step("an answer counts that is given before its plan is there, also where the tab is closed at once", async () => {
    await page.goto("./#lesson=memory-is-the-cost/2");
    const card = page.getByRole("region", { name: "Predict first" });
    await card.getByRole("textbox").fill("384");
    // In one task of the page: no plan can come between the answer and the end.
    await page.evaluate(() => {
      const lock = [...document.querySelectorAll("button")].find((button) => button.textContent.startsWith("Lock in"))!;
      lock.click();
      location.replace("about:blank");
    });
    await page.waitForURL("about:blank");
    await page.goto("./");
    await expect(play.run).toBeVisible();
    await page.keyboard.press("l");
    await expect(page.getByRole("dialog").getByRole("button", { name: /Memory is the cost/ })).toContainText(
      "1 of 1 predictions right",
    );
  });
  await test.step("an answer counts that is left before its plan is there; what was solved is in sight", async () => {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto("./#lesson=memory-is-the-cost/2");
    const card = page.getByRole("region", { name: "Predict first" });
    await card.getByRole("textbox").fill("384");
    // In one task of the page: no plan can come between the answer and the close.
    await page.evaluate(() => {
      const press = (label: RegExp): void =>
        [...document.querySelectorAll("button")]
          .find((button) => label.test(button.getAttribute("aria-label") ?? button.textContent))!
          .click();
      press(/^Lock in/);
      press(/^Close the lesson/);
    });
    await play.leaveFields();
    await page.keyboard.press("l");
    await expect(page.getByRole("dialog").getByRole("button", { name: /Memory is the cost/ })).toContainText(
      "1 of 1 predictions right",
    );
    await page.goto("about:blank");
    await page.goto("./#lesson=your-own-model/7");
    const task = page.getByRole("region", { name: "Your turn" });
    for (const name of ["Show a solution", "Really show it?", "Put it into the program"])
      await task.getByRole("button", { name }).click();
    await expect(task.getByText("Done.")).toBeInViewport();
  });
});

test("progress is taken along as a file, and added on another machine", async ({ page, play, browser, baseURL }) => {
  await page.goto("./#lesson=memory-is-the-cost/2");
  await page.getByRole("region", { name: "Predict first" }).getByRole("button", { name: "I cannot tell" }).click();
  await page.getByRole("button", { name: "Close the lesson" }).click();
  await play.leaveFields();
  await page.keyboard.press("l");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("dialog").getByRole("button", { name: "Download it" }).click(),
  ]);
  const buffer = await readFile(await file.path());
  const profile = await browser.newContext({ baseURL });
  const other = await profile.newPage();
  await other.goto("./");
  await other.getByRole("button", { name: "Lessons and puzzles" }).click();
  const dialog = other.getByRole("dialog");
  const lesson = dialog.getByRole("button", { name: /Memory is the cost/ });
  await expect(lesson).not.toContainText("predictions");
  const take = dialog.getByLabel("Add progress from a file…");
  await take.setInputFiles({ name: "notes.json", mimeType: "application/json", buffer: Buffer.from("{}") });
  await expect(dialog.getByRole("status")).toContainText("notes.json holds no progress");
  await take.setInputFiles({ name: "fusion-course.json", mimeType: "application/json", buffer });
  await expect(dialog.getByRole("status")).toContainText("progress of 1 lesson was added");
  await expect(lesson).toContainText("0 of 1 predictions right");
  await profile.close();
});

test("Share shows the race's last frame of any program, and saves it", async ({ page, play }) => {
  await play.open();
  await expect(play.steps).toHaveText(/of \d/);
  await page.getByRole("banner").getByRole("button", { name: "Share" }).click();
  const frame = page.getByRole("dialog").getByRole("figure");
  await expect(frame).toContainText("naive: 3 kernels");
  await expect(frame).toContainText("fused: 1 kernel");
  const [png] = await Promise.all([
    page.waitForEvent("download"),
    frame.getByRole("button", { name: "Save this picture, .png" }).click(),
  ]);
  expect((await readFile(await png.path())).subarray(1, 4).toString()).toBe("PNG");
});

test("an address stops the race where it says", async ({ page }) => {
  await page.goto("./?example=log-relu#race&t=0.5");
  const race = page.getByRole("main", { name: "Race" });
  await expect(race.getByRole("slider", { name: "Time" })).toHaveValue("0.5");
  await expect(race.getByRole("button", { name: "Play" })).toBeVisible();
});

// Each view as a class meets it, light and dark.
const VIEWS = {
  "a lesson's question": "#lesson=memory-is-the-cost/2",
  "a lesson's task": "#lesson=memory-is-the-cost/6",
  "a puzzle": "#lesson=all-pairs",
  "the board": "#board",
  "the laptop check": "#check",
  "the teacher's page": "#teach",
};
test("lessons, puzzles, the pages for a class, presenter and comparison meet WCAG 2.2 A and AA in both themes", async ({
  page,
  play,
}) => {
  const found: string[] = [];
  const look = async (name: string, key?: string): Promise<void> => {
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
      if (key) await page.keyboard.press(key);
      if (key) await page.getByRole("main", { name }).waitFor();
      found.push(...(await violationsOf(page, name, colorScheme)));
      if (key) await page.keyboard.press("Escape");
    }
  };
  for (const [name, address] of Object.entries(VIEWS)) {
    await page.goto("about:blank");
    await page.goto(`./${address}`);
    await page.getByRole("heading").first().waitFor();
    if (address.startsWith("#lesson")) await page.locator("section.lesson-card").waitFor();
    await look(name);
  }
  await page.goto("about:blank");
  await play.open();
  await expect(play.steps).toHaveText(/of \d/);
  await play.leaveFields();
  await look("Comparison", "=");
  await look("Presenter view", "v");
  expect(found).toEqual([]);
});

test("by keyboard alone from the first visit to a solved puzzle and its link", async ({ page, play }) => {
  await page.goto("./");
  await expect(play.run).toBeVisible();
  /** Tab until it has the focus. */
  const tabTo = async (target: Locator): Promise<void> => {
    await expect(target.first()).toBeVisible();
    for (let presses = 0; presses < 80; presses++) {
      if (await target.first().evaluate((one) => one === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error("80 presses of Tab did not reach it");
  };
  await page.keyboard.press("l");
  await tabTo(page.getByRole("dialog").getByRole("button", { name: /Nobody asked for it/ }));
  await page.keyboard.press("Enter");
  const task = page.getByRole("region", { name: "Your turn" });
  await expect(task).toContainText("Not yet: 128 MiB moved.");
  await tabTo(task.getByRole("button", { name: "Give me a hint" }));
  await page.keyboard.press("Enter");
  await expect(task).toContainText("Hint 1 of 2.");
  // Written, not shown: from below `return loss, y` four characters back. From then on Tab indents, until Ctrl+M.
  await expect(play.editor).toBeVisible();
  await tabTo(play.editor.getByRole("textbox"));
  await page.keyboard.press("Control+End");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Backspace");
  await expect.poll(() => play.text()).toMatch(/return loss$/);
  await page.keyboard.press("Control+m");
  await expect(task).toContainText("Done.");
  await tabTo(page.getByRole("banner").getByRole("button", { name: "Share" }));
  await page.keyboard.press("Enter");
  const link = page.getByRole("dialog").getByRole("textbox", { name: "Link" });
  await expect(link).toHaveValue(/#/);
  const address = await link.inputValue();
  await page.goto("about:blank");
  await page.goto(address);
  await expect(task).toContainText("Done.");
});
