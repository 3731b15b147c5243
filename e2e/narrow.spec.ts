/** @file On a phone, in half a window, at 200 % zoom: everything is there, one thing at a time. */
import { expect, test, type Playground } from "./fixtures";

const paneOf = (play: Playground, name: string) =>
  play.page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name });

test.describe("a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("long lines of the program end in sight", async ({ play }) => {
    await play.open("./?example=gpt-block");
    await paneOf(play, "Text").tap();
    const field = play.page.getByRole("textbox", { name: "Program text" });
    await expect(field).toHaveValue(/scaled_dot_product_attention\(heads\(q\)/);
    expect(await field.evaluate((area) => area.scrollWidth - area.clientWidth)).toBeLessThanOrEqual(0);
  });

  test("the sheet about an op that is tapped leaves the op in sight", async ({ play }) => {
    await play.open("./?example=softmax");
    await expect(play.steps).toHaveText(/of \d/);
    const op = play.node(/^softmax/).last();
    await op.tap();
    await expect(play.card).toBeVisible();
    await expect(async () => {
      const [box, sheet] = [(await op.boundingBox())!, (await play.card.boundingBox())!];
      expect(box.y + box.height / 2).toBeLessThan(sheet.y);
    }).toPass();
  });

  test("an empty program has examples; one is typed, mended, stepped through and run; news stands over every pane", async ({
    page,
    play,
  }) => {
    await play.open();
    await test.step("an empty program offers its examples within the canvas", async () => {
      await paneOf(play, "Text").tap();
      await page.getByRole("textbox", { name: "Program text" }).fill("");
      await paneOf(play, "Graph").tap();
      await expect(page.getByText("Nothing here yet")).toBeVisible();
      const cards = page.locator(".empty-card");
      await expect(cards).toHaveCount(3);
      await expect(cards.getByRole("img", { name: /full-size transfers become/ })).toHaveCount(3);
      // The line above the canvas may still be taking its room.
      await expect(async () => {
        const canvas = (await play.region("Graph").boundingBox())!;
        for (const card of await cards.all()) {
          const { y, height } = (await card.boundingBox())!;
          expect(y).toBeGreaterThanOrEqual(canvas.y);
          expect(y + height).toBeLessThanOrEqual(canvas.y + canvas.height);
        }
      }).toPass();
      await page.getByRole("button", { name: "Open an example" }).tap();
      await expect(page.getByRole("dialog").first()).toBeVisible();
      await page.keyboard.press("Escape");
      await paneOf(play, "Text").tap();
      await page.getByRole("textbox", { name: "Program text" }).fill("x: f32[64, 64]\ny = relo(x)\n");
      await expect(page.getByText("There is no graph yet.")).toBeVisible();
      await expect(page.locator(".react-flow__node")).toHaveCount(0);
    });
    await test.step("a program is typed, mended, stepped through and run; Run leads to its results", async () => {
      await paneOf(play, "Text").tap();
      await page.getByRole("textbox", { name: "Program text" }).fill("x: f32[64, 64]\nb: f32[64]\ny = relo(x + b)\n");
      await expect(page.getByText("Line 3 does not compile.")).toBeVisible();
      await play
        .region("Program")
        .getByRole("button", { name: /Change to relu/ })
        .tap();
      await expect(page.getByText("Line 3 does not compile.")).toBeHidden();
      await paneOf(play, "Graph").tap();
      await expect(play.region("Score").getByRole("img", { name: /^Kernels: naive 2, now 1, end 1/ })).toBeVisible();
      await play.region("Steps").getByRole("button", { name: "Previous step" }).tap();
      await expect(play.region("Steps")).toContainText("Naive plan. Play to see the one step.");
      await play.region("Steps").getByRole("button", { name: "Next step" }).tap();
      await expect(play.steps).toContainText("Step 1 of 1");

      await play.region("Steps").getByRole("button", { name: "Note" }).tap();
      const notes = page.getByRole("dialog", { name: "Notes" });
      const close = notes.getByRole("button", { name: "Close" });
      for (const other of [null, notes.getByRole("navigation").getByRole("button").last()]) {
        await other?.tap();
        await expect(close).toBeInViewport({ ratio: 1 });
        await expect(notes.getByRole("article").getByRole("heading").first()).toBeInViewport({ ratio: 1 });
      }
      await close.tap();

      await play.run.tap();
      await expect(paneOf(play, "Run")).toHaveAttribute("aria-current", "page");
      await expect(play.region("Measured").getByText("Same result.")).toBeVisible({ timeout: 120_000 });
      await expect(play.region("Measured").getByRole("img", { name: /^Median time/ })).toBeVisible();
    });
    await test.step("news stands over every pane: a question before a long run is asked where Run was pressed", async () => {
      await paneOf(play, "Text").tap();
      const text = page.getByRole("textbox", { name: "Program text" });
      // Long enough whatever the run before it measured, and not too long for a CPU.
      await text.fill("x: f32[1536, 1536]\nw: f32[1536, 1536]\ny = relu(x @ w)\n");
      await play.run.tap();
      await expect(page.getByText("This may take a while:")).toBeVisible();
      await page.getByRole("button", { name: "Run anyway" }).tap();
      await expect(play.run).toHaveText(/Cancel/);
      await play.run.tap();
      await expect(play.run).toHaveText("Run");
    });
  });

  test("from the pages for a class a button in sight leads back; the presenter cuts no word off", async ({
    page,
    play,
  }) => {
    await page.goto("./#board");
    const back = page.getByRole("button", { name: "To the playground" });
    await expect(back).toBeInViewport({ ratio: 1 });
    await back.tap();
    await expect(play.run).toBeVisible();
    await page.goto("about:blank");
    await play.open();
    await paneOf(play, "Graph").tap();
    await expect(play.steps).toHaveText(/of 2/);
    await page.keyboard.press("v");
    const words = page.getByRole("main", { name: "Presenter view" }).locator(".presenter-bars");
    await expect(words).toBeVisible();
    const { right } = await words.evaluate((element) => element.lastElementChild!.getBoundingClientRect());
    expect(right).toBeLessThanOrEqual(390);
  });

  test("without WebGPU the pane of the run says so, and shows what the reference computes", async ({ page, play }) => {
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined });
    });
    await play.open();
    await play.run.tap();
    await expect(play.region("Measured")).toContainText("This browser has no WebGPU.");
    await expect(play.region("Measured").getByRole("table", { name: "Outputs of the reference" })).toBeVisible();
  });
});

test("between the two a run opens its tab beside the graph", async ({ page, play }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await play.open();
  await page.getByRole("tab", { name: "Traffic" }).click();
  await play.run.click();
  await expect(page.getByRole("tab", { name: "Run" })).toHaveAttribute("aria-selected", "true");
  await play.run.click();
  await expect(play.run).toHaveText(/Run both/);
});

test("at 200 % zoom every part is reached by scrolling down alone", async ({ page, play }) => {
  await page.setViewportSize({ width: 960, height: 540 });
  await play.open();
  await expect(play.steps).toBeVisible();
  for (const [width, height] of [
    [960, 540],
    [720, 450],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const [pane, parts] of [
      ["Graph", ["Score", "Graph", "Steps"]],
      ["Text", ["Program"]],
      ["Kernels", ["Kernels"]],
      ["Run", ["Measured"]],
    ] as const) {
      await paneOf(play, pane).click();
      for (const part of parts) {
        await play.region(part).scrollIntoViewIfNeeded();
        await expect(play.region(part)).toBeInViewport();
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }
});
