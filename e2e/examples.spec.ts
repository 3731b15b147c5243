import { axe } from "./axe";
import { expect, test } from "./fixtures";

test("examples are found, opened and left by keys alone; their list has no accessibility faults", async ({
  page,
  play,
}) => {
  await play.open();
  await test.step("examples close with Escape and leave everything as it was", async () => {
    const button = page.getByRole("button", { name: /^Example:/ });
    await button.click();
    await page.keyboard.press("PageDown");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog", { name: "Examples" })).toBeHidden();
    await expect(button).toHaveAccessibleName("Example: log(relu(x + b))");
  });
  await test.step("examples are found by words and opened by keys alone", async () => {
    const button = page.getByRole("button", { name: /^Example:/ });
    await button.focus();
    await page.keyboard.press("Enter");
    const search = page.getByRole("combobox", { name: "Search examples" });
    await expect(search).toBeFocused();
    await expect(page.getByRole("option", { selected: true })).toContainText("log(relu(x + b))");
    await page.keyboard.type("softmax");
    await expect(page.getByRole("option", { selected: true })).toContainText("Maximum, sum and division");
    await page.keyboard.press("ArrowDown");
    await expect(page.getByRole("option", { selected: true })).toHaveText("store exp");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "Examples" })).toBeHidden();
    await expect(button).toBeFocused();
    await expect(button).toHaveAccessibleName("Example: Softmax: store exp");
  });
  await test.step("the list of examples has no accessibility faults, in either theme", async () => {
    await page.getByRole("button", { name: /^Example:/ }).click();
    await expect(page.getByRole("listbox", { name: "Examples" })).toBeVisible();
    for (const [colorScheme, rules] of [
      ["light", undefined],
      ["dark", "colours"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
      const { violations } = await axe(page, rules).include(".picker").analyze();
      expect(violations.map(({ id, nodes }) => [colorScheme, id, nodes[0]?.html])).toEqual([]);
    }
  });
});

test("examples bring their options, their variants and what lecture notes print of them", async ({ page, play }) => {
  await play.open();
  await test.step("examples compare what lecture notes print with what is counted", async () => {
    await play.openMeasured();
    await play.region("Measured").getByText("Compared with lecture notes").click();
    await expect(play.region("Measured")).toContainText("The lecture notes say 6 → 3; counted 7 → 3");
    await page.getByRole("button", { name: "b a vector" }).click();
    await expect(play.region("Measured")).toContainText("the big tensors move 6 → 2");
  });
  await test.step("examples offer their variants as long as the program is theirs, at any size", async () => {
    await play.command("log(relu(x + b))");
    const variants = page.getByRole("group", { name: "Variants of log(relu(x + b))" });
    await expect(variants.getByRole("button", { name: "Original", pressed: true })).toBeVisible();
    await page.getByRole("radio", { name: "S", exact: true }).click();
    await expect(variants).toBeVisible();
    await expect(page.getByText("edited")).toBeHidden();
    await expect(play.editor).toBeVisible();
    await play.type("x: f32[64, 64]\ny = exp(x)\n");
    await expect(page.getByRole("button", { name: "Program: Untitled" })).toBeVisible();
    await expect(variants).toBeHidden();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(variants).toBeVisible();
  });
  await test.step("examples bring their options and take them away again", async () => {
    const open = async (words: string): Promise<void> => {
      await page.getByRole("button", { name: /^Example:/ }).click();
      await expect(page.getByPlaceholder("Search examples")).toBeFocused();
      await page.keyboard.type(words);
      await page.keyboard.press("Enter");
    };
    const transfers = play.region("Measured").getByRole("img", { name: /^fused: / });
    await open("two readers");
    await expect(transfers).toHaveAccessibleName("fused: 4 read, 2 written");
    const variants = page.getByRole("group", { name: "Variants of One value, two readers" });
    await variants.getByRole("button", { name: "store t" }).click();
    await expect(transfers).toHaveAccessibleName("fused: 6 read, 3 written");
    await expect(play.region("Measured")).toContainText("stored, as here, it takes 9");
    await open("producer, one consumer");
    await expect(transfers).toHaveAccessibleName("fused: 3 read, 1 written");
  });
});

test("an example has its notes, a task asks for a faulty line, a challenge has a goal that a link takes along", async ({
  page,
  play,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("notes stand beside the example and the pass, and answer with programs counted on the spot", async () => {
    await play.region("Steps").getByRole("button", { name: "Note" }).click();
    const dialog = page.getByRole("dialog", { name: "Notes" });
    await expect(dialog.getByRole("article")).toContainText("How XLA does it: fusing");
    await dialog.getByRole("button", { name: /^3\. Can recomputing/ }).click();
    const line = dialog.getByRole("row", { name: /^Store exp/ });
    await expect(line).toContainText(/3 → \d/);
    await dialog.getByRole("button", { name: "Store exp" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("button", { name: /^Example: Softmax: store exp/ })).toBeVisible();
    const measured = play.region("Measured");
    await measured.getByRole("button", { name: "Can recomputing replace storing?" }).click();
    await expect(dialog.getByRole("button", { name: "Store exp" })).toHaveAttribute("aria-pressed", "true");
    await page.keyboard.press("Escape");
    await play.command("Coalescing");
    await expect(dialog.getByRole("article", { name: "Coalescing" })).toBeVisible();
  });
  await test.step("a task asks for the faulty line, and the counts tell when it shows", async () => {
    await page.keyboard.press("Escape");
    await play.command("Find the masked-lane bug");
    const measured = play.region("Measured");
    await play.openMeasured();
    await expect(measured).toContainText(/variance 3\.\d+ over 1,024 lanes, [01]\.\d+ over the row of 768/);
    const task = measured.getByRole("group", { name: /^One line adds the spare lanes/ });
    await task.getByRole("radio", { name: /^mean = / }).check();
    await expect(task.getByRole("status")).toContainText("Not this one.");
    await task.getByRole("radio", { name: "diff = row - mean" }).check();
    await expect(task.getByRole("status")).toContainText("Yes. In a spare lane this is 0 − mean");
    await measured.getByRole("button", { name: "width 1024" }).click();
    await expect(measured).toContainText(/Row 1: variance ([\d.]+) over 1,024 lanes, \1 over the row of 1,024/);
    await task.getByRole("radio", { name: "diff = row - mean" }).check();
    await task.getByRole("button", { name: "See the fix" }).click();
    await expect(measured).toContainText(/Row 1: variance ([\d.]+) over 1,024 lanes, \1 over the row of 768/);
    await expect(task).toBeHidden();
    expect(await play.text()).toContain("where(iota(1024) < H, row - mean, 0.0)");
  });
  await test.step("a challenge: the goal stands in the text, misses as given, is ticked when it holds, and travels in the link", async () => {
    await play.example("log(relu(x + b))");
    const program = play.region("Program");
    // A program that asks for nothing has no goal.
    await expect(program.getByText(/^Goal/)).toHaveCount(0);
    await play.command("Challenge: one matmul fewer");
    await expect(program.getByRole("button", { name: "✕ ≤ 3 MiB moved, now 4 MiB" })).toBeVisible();
    await expect(program).toContainText("The plan moves 4 MiB, 1 MiB more than the 3 MiB asked for.");
    await expect(play.region("Measured").getByRole("button", { name: "Show a solution" })).toBeVisible();
    await play.type("N = 512\na: f32[N, N]\nb: f32[N, N]\nv: f32[N, 1]\ny = a @ (b @ v)\nassert_bytes(12 * N * N)\n");
    await expect(program.getByText("Goal reached")).toBeVisible();
    await expect(program.getByRole("button", { name: "✓ ≤ 3 MiB moved" })).toBeVisible();
    const measured = play.region("Measured");
    await expect(measured).toContainText("solved");
    await expect(measured.getByRole("button", { name: "Next: Challenge: attention and p" })).toBeVisible();

    const link = await play.share();
    await page.goto("about:blank");
    await play.open(link);
    await expect(program.getByText("Goal reached")).toBeVisible();
  });
});
