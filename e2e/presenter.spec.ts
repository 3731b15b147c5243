/** @file A teacher at the projector: a chapter's example from the back of the room, by keys alone. */
import type { Locator } from "@playwright/test";
import { expect, test } from "./fixtures";

/** Texts of `view` that are smaller than 18 px: ten metres away they could not be read. */
const smallTexts = (view: Locator): Promise<string[]> =>
  view.evaluate((main) => {
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement!;
      if (
        !node.nodeValue!.trim() ||
        parent.closest(".offscreen, [aria-hidden=true], [role=img], .react-flow__attribution")
      )
        continue;
      if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const [box] = range.getClientRects();
      // Enlarged by whatever encloses it; letters of 18 px make a line of 20 px and more.
      if (box && box.width > 1 && box.height < 20) found.push(`${node.nodeValue} ${box.height}`);
    }
    return found;
  });

test("a chapter is presented by keys alone: found, stepped, code and counts beside it, blanked and left", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  // A click beside the graph is no view that has to be kept: the presenter's fits its own room.
  await page.locator(".react-flow__pane").click({ position: { x: 30, y: 300 } });
  await page.keyboard.press("v");
  const presenter = page.getByRole("main", { name: "Presenter view" });
  await expect(presenter.getByText("full-size transfers")).toBeVisible();
  const widest = (): Promise<number> =>
    presenter
      .locator(".react-flow__node")
      .evaluateAll((nodes) => Math.max(...nodes.map((node) => node.getBoundingClientRect().width)));
  await expect.poll(widest).toBeGreaterThan(200);

  // The next example of the chapter, without leaving the view.
  await play.command("Transpose, then a matmul");
  await expect(presenter.getByRole("group", { name: /matmul/ }).first()).toBeVisible();
  await page.keyboard.press("Home");
  await expect(presenter).toContainText("naive plan");
  await page.keyboard.press("ArrowRight");
  await expect(presenter.getByText(/^Step 1 of/)).toBeVisible();
  await expect(presenter.getByRole("heading", { name: /^Why (not )?(fused|rewritten)\?/ })).toBeVisible();
  await expect(presenter.getByRole("heading", { name: "Predicted time" })).toBeVisible();

  // 1 to 4 in any order, and the same key again for the words.
  await page.keyboard.press("1");
  await expect(presenter.getByText("@compute").first()).toBeVisible();
  await page.keyboard.press("2");
  await expect(presenter.getByRole("row", { name: /^All transfers/ })).toBeVisible();
  await page.keyboard.press("3");
  await expect(presenter.getByText("Not run yet.")).toBeVisible();
  await expect(presenter.getByText("Full-size transfers")).toBeVisible();
  await page.keyboard.press("4");
  await expect(presenter.getByText("Full-size transfers")).toBeHidden();
  await page.keyboard.press("4");
  await expect(presenter.getByText("full-size transfers")).toBeVisible();

  expect(await smallTexts(presenter)).toEqual([]);

  await page.keyboard.press("b");
  await expect(presenter.locator(".presenter-blank")).toBeVisible();
  await page.keyboard.press("b");
  await expect(presenter.locator(".presenter-blank")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(presenter).toBeHidden();
  await expect(page.getByRole("button", { name: "Example: Transpose, then a matmul" })).toBeVisible();
});

test("from the presenter a kernel is looked into and a race is run in large type, and Escape leads back", async ({
  page,
  play,
}) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await play.open("./?example=softmax");
  await expect(play.steps).toHaveText(/of \d/);
  await play.leaveFields();
  await page.keyboard.press("v");
  const presenter = page.getByRole("main", { name: "Presenter view" });
  await expect(presenter).toBeVisible();
  for (const [key, name, shows] of [
    ["i", "Inside a kernel", /Moment \d+ of \d+/],
    ["r", "Race", /Predicted, not measured/],
  ] as const) {
    await page.keyboard.press(key);
    const view = page.getByRole("main", { name });
    await expect(view.getByText(shows).first()).toBeVisible();
    await expect(page.getByRole("banner")).toHaveCount(0);
    expect(await smallTexts(view)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(presenter).toBeVisible();
  }
  await page.keyboard.press("Escape");
  await expect(presenter).toHaveCount(0);
  await expect(play.steps).toBeVisible();
});
