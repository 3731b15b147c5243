import { deflateRawSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { axe } from "./axe";
import { expect, test } from "./fixtures";

/** Nothing serious, in both themes. */
async function checkBothThemes(page: Page): Promise<void> {
  for (const theme of ["dark", "light"]) {
    await page.getByRole("button", { name: `Switch to the ${theme} theme` }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    const { violations } = await axe(page, theme === "dark" ? "colours" : undefined).analyze();
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

/** A result as a laptop hands it in, packed as its link is. */
const handedIn = (name: string, adapter: string, naive: number, answers: Record<number, boolean>): string => {
  const laptop = { standing: "ready", browser: "Chrome 142", system: "Linux", adapter, features: [], roofs: null };
  const times = [{ title: "log(relu(x + b))", naive, fused: 80 }];
  const course = { normalise: { furthest: 2, answers, done: [3], best: null } };
  const text = JSON.stringify({ v: 1, name, when: 1_800_000_000_000, laptop, times, course });
  return `#board=${deflateRawSync(text).toString("base64url")}`;
};

test("a class's results make a board, from links, lines and files; foreign ones are told, and it is still there later", async ({
  page,
}) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  // Scanned: the link itself brings the result.
  await page.goto(`./${handedIn("Ada", "nvidia lovelace", 190, { 1: true, 2: false })}`);
  const board = page.getByRole("region", { name: "Class board" });
  await expect(board).toContainText("1 handed in: 1 ready. Predictions: 1 of 2 right. Tasks solved: 1.");
  await expect(page).toHaveURL(/#board$/);
  const add = page.getByRole("region", { name: "Add results" });
  const lines = [
    handedIn("Grace", "apple metal-3", 160, { 1: true }),
    handedIn("Linus", "nvidia lovelace", 210, { 1: false }),
  ];
  await add.getByRole("textbox").fill(`hello\nGrace · ready\nhttps://x.org/${lines.join(" ")}\nhttps://x.org/#f1=abc`);
  await add.getByRole("button", { name: "Add", exact: true }).click();
  const said = add.getByRole("status");
  await expect(said).toContainText("2 added.");
  await expect(said).toContainText("“hello” is not a result");
  await expect(said).toContainText("a link to a program");
  const progress = JSON.stringify({ normalise: { furthest: 1, answers: { 1: true }, done: [], best: null } });
  await add
    .locator("input[type=file]")
    .setInputFiles({ name: "Alan.json", mimeType: "application/json", buffer: Buffer.from(progress) });
  await expect(board.getByRole("row")).toHaveCount(5);
  await expect(board.getByRole("row", { name: /^Alan – – – – – 1 of 1/ })).toBeVisible();
  await expect(
    page.getByRole("img", {
      name: /nvidia lovelace, 2 laptops, 2.5×; apple metal-3|apple metal-3, 1 laptop, 2×; nvidia/,
    }),
  ).toBeVisible();
  await expect(page.getByRole("region", { name: "Predictions" })).toContainText("step 30 of 1 right");
  await board.getByRole("button", { name: "Copy as CSV" }).click();
  await expect(board.getByRole("button", { name: "Copied" })).toBeVisible();
  expect((await page.evaluate(() => navigator.clipboard.readText())).split("\n")).toHaveLength(5);
  await checkBothThemes(page);
  await page.reload();
  await board.getByRole("button", { name: "Remove Alan" }).click();
  await expect(board.getByRole("row")).toHaveCount(4);
  await board.getByRole("button", { name: "Clear the board" }).click();
  await board.getByRole("button", { name: "Really clear the board?" }).click();
  await expect(board).toContainText("Nobody has handed in yet.");
});

test("without WebGPU the check says so, and what to do", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined }));
  await page.goto("./#check");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This browser has no WebGPU.");
  await expect(page.getByRole("region", { name: "What to do" })).toContainText("chrome://flags/#enable-unsafe-webgpu");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("region", { name: "Graph", exact: true })).toBeVisible();
});

test("predict first covers the whole page and the presenter until somebody guesses, and counts", async ({
  page,
  play,
}) => {
  await play.open("./?example=softmax&predict=1");
  const strip = page.getByRole("region", { name: "Predict first" });
  await expect(strip).toContainText(/The naive plan has \d+ full-size transfers/);
  const transfers = play.region("Score").getByRole("img", { name: /^Full-size transfers/ });
  await expect(transfers).toHaveAccessibleName(/end covered/);
  // No way round: keys, the staircase, the tabs, Measured.
  await play.leaveFields();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowRight");
  await expect(play.region("Steps")).toContainText("Predict first.");
  await page.keyboard.press("3");
  await expect(play.region("Kernels").getByText(/Allowed|Not allowed/)).toHaveCount(0);
  await expect(play.region("Kernels").getByLabel("covered until you answer").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "What if…" })).toHaveCount(0);
  await checkBothThemes(page);
  await strip.getByRole("textbox").fill("99");
  await strip.getByRole("button", { name: "Lock in 99" }).click();
  await expect(strip).toContainText(/Not quite: \d+ full-size transfers; you said 99/);
  await expect(strip).toContainText("0 of 1 right");
  await expect(transfers).not.toHaveAccessibleName(/covered/);
  // The same question on the projector.
  await play.leaveFields();
  await page.keyboard.press("v");
  const projector = page.getByRole("main", { name: "Presenter view" });
  await projector.getByRole("button", { name: "Accepted" }).click();
  await expect(projector).toContainText(/step 1 is (accepted|refused)/);
  await page.keyboard.press("Escape");
  await strip.getByRole("button", { name: "Show the rest" }).click();
  await expect(
    play
      .region("Kernels")
      .getByText(/Allowed|Not allowed/)
      .first(),
  ).toBeVisible();
  await expect(play.region("Steps").getByText("?", { exact: true })).toHaveCount(0);
  await play.leaveFields();
  await page.keyboard.press("g");
  await expect(strip).toHaveCount(0);
});

test("a teacher finds both plans, a lesson's answers and a handout; Share has a QR code; everything can be cleared", async ({
  page,
  play,
}) => {
  await page.goto("./#teach");
  await expect(page.getByRole("region", { name: "45 minutes" }).getByRole("row")).toHaveCount(6);
  await page
    .getByRole("region", { name: "3 hours" })
    .getByRole("button", { name: /^Sheet of A reduction stops it/ })
    .click();
  const sheet = page.getByRole("article", { name: /^A reduction stops it/ });
  await expect(sheet).toContainText("Right: 64 MiB.");
  await expect(sheet).toContainText("Usual mistake:");
  await expect(sheet).toContainText("A solution:");
  await checkBothThemes(page);
  await page.getByRole("checkbox", { name: /with answers/ }).uncheck();
  await expect(sheet).not.toContainText("Right:");
  await expect(sheet).toContainText("Name:");
  await page.emulateMedia({ media: "print" });
  await expect(sheet).toBeVisible();
  await expect(page.getByRole("region", { name: "3 hours" })).toBeHidden();
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("button", { name: "To the playground" }).click();
  await play.command("Share");
  await page.getByText("QR code of the link").click();
  await expect(page.getByRole("img", { name: "QR code of the link" })).toBeVisible();
  await page.keyboard.press("Escape");
  await play.type("x: f32[4]\ny = exp(x)\nreturn y\n");
  await play.command("Earlier work");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Clear everything…" }).click();
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download the program" }).click();
  await download;
  await dialog.getByRole("button", { name: "Clear everything", exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(play.editor).toContainText("layer_norm");
  const stored = await page.evaluate(() =>
    Object.keys(localStorage).filter((key) => /course|board|previous/.test(key)),
  );
  expect(stored).toEqual([]);
});
