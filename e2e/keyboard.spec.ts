/** @file By keyboard alone, and by ear: what has the focus, where it goes back to, what is said, and how often. */
import { expect, test, type Playground } from "./fixtures";

const focused = (play: Playground): Promise<string> =>
  play.page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.getAttribute("aria-label") ?? at?.textContent ?? "";
  });

test("by keyboard alone: round the parts, into dialogs and back, out of the editor, along the graph", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.editor).toBeVisible();
  await test.step("F6 goes round the parts, and each shows where the focus is", async () => {
    const seen: string[] = [];
    for (let i = 0; i < 7; i++) {
      await page.keyboard.press("F6");
      seen.push((await page.evaluate(() => (document.activeElement as HTMLElement).dataset["pane"])) ?? "");
      const ring = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
      expect(ring, seen.at(-1)).not.toBe("none");
    }
    expect(seen).toEqual(["top", "program", "score", "graph", "steps", "kernels", "measured"]);
  });
  await test.step("a dialog gives the focus back to what opened it; the first Tab in it is inside", async () => {
    for (const [name, title] of [
      ["Options", "Planning options"],
      ["Share", "Share"],
      ["Keys and help", "All keys"],
    ] as const) {
      const button = page.getByRole("banner").getByRole("button", { name, exact: true });
      await button.focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: title });
      await expect(dialog).toBeVisible();
      await page.keyboard.press("Tab");
      expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
      await page.keyboard.press("Escape");
      await expect(dialog).toBeHidden();
      await expect(button).toBeFocused();
    }
  });
  await test.step("Tab leaves the editor until somebody types, and indents from then on", async () => {
    const inEditor = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.closest(".monaco-editor") !== null);
    const text = await play.text();
    await play.editor.click();
    await expect.poll(inEditor).toBe(true);
    await page.keyboard.press("Tab");
    await expect.poll(inEditor).toBe(false);
    expect(await play.text()).toBe(text);
    await play.editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("z");
    await expect(page.getByText("Ctrl M, then Tab: next part")).toBeVisible();
    await page.keyboard.press("Tab");
    expect(await inEditor()).toBe(true);
  });
  await test.step("Ctrl K opens Find from within the text, and no letter that follows is lost or gets into the program", async () => {
    const text = await play.text();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("board");
    await expect(page.getByRole("combobox", { name: "Find or do" })).toHaveValue("board");
    expect(await play.text()).toBe(text);
  });
});

test("from the program to a reason without a mouse: out of the editor, along the graph, into a card and back", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.editor).toBeVisible();
  await play.editor.click();
  await page.keyboard.press("Control+m");
  await page.keyboard.press("F6");
  await page.keyboard.press("F6");
  expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["pane"])).toBe("graph");
  // The first op is one Tab away; arrows follow the lines.
  await expect(async () => {
    await page.keyboard.press("Tab");
    expect(await focused(play)).toMatch(/^input x/);
  }).toPass();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  expect(await focused(play)).toMatch(/^add/);
  await page.keyboard.press("ArrowDown");
  expect(await focused(play)).toMatch(/ to y/);
  await page.keyboard.press("Enter");
  await expect(play.card).toContainText("Why fused?");
  await page.keyboard.press("x");
  await expect(play.card).toContainText("Your choice. You drew a boundary");
  await page.keyboard.press("Escape");
  await expect(play.card).toBeHidden();
  // A letter opens the list of ops; All keys names it.
  await page.keyboard.press("a");
  await expect(page.getByRole("combobox", { name: "Add an op" })).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "All keys" })).toContainText(/A\s*Add an op/);
});

test("what a fold takes away leaves the focus to the box that stands for it", async ({ page, play }) => {
  await play.open("./?example=softmax");
  await expect(play.steps).toBeVisible();
  const atBox = (): Promise<string | null> => page.evaluate(() => document.activeElement!.getAttribute("data-id"));
  await page.getByRole("button", { name: /^Kernel K1 / }).focus();
  await page.keyboard.press(" ");
  await expect.poll(atBox).toMatch(/^\[k:/);
  await page.keyboard.press(" ");
  await expect.poll(atBox).toBe("y.max");
  await play.node(/softmax y/).focus();
  await page.keyboard.press("Enter");
  await play.card.getByRole("button", { name: "Fold softmax" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(atBox).toBe("[y]");
});

test("every step is said once, politely, and nothing that moves all the time is said at all", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.editor).toBeVisible();
  await play.type("x: f32[64, 64]\ny = tanh(exp(x))\n");
  await expect(play.node(/^tanh y/)).toBeVisible();
  await play.leaveFields();
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    const isLive = (element: Element | null): boolean => {
      const region = element?.closest("[aria-live], [role=status], [role=alert]");
      return region !== null && region !== undefined && region.getAttribute("aria-live") !== "off";
    };
    new MutationObserver((changes) => {
      const regions = new Set<Element>();
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        if (!isLive(element) || element?.closest("[aria-hidden=true]")) continue;
        regions.add(element!.closest("[aria-live], [role=status], [role=alert]")!);
      }
      for (const region of regions) {
        const copy = region.cloneNode(true) as Element;
        for (const silent of copy.querySelectorAll("[aria-hidden=true]")) silent.remove();
        said.push(copy.textContent.trim());
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said);
  await page.keyboard.press("Home");
  await page.keyboard.press("j");
  await expect(play.steps).toContainText("Step 1 of 1");
  expect((await said()).filter((words) => words.includes("Step 1 of 1"))).toHaveLength(1);

  await play.run.click();
  await expect(play.region("Measured").getByText("Same result.")).toBeVisible({ timeout: 120_000 });
  const heard = await said();
  expect(heard.filter((words) => /^The run is over: naive .+, fused .+\. Same result\./.test(words))).toHaveLength(1);
  expect(heard.filter((words) => /repeat \d+ of|s left/.test(words))).toEqual([]);
});
