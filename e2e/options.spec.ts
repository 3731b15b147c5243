import type { Locator, Page } from "@playwright/test";
import { expect, test, type Playground } from "./fixtures";

const softmax = "x: f32[2048, 1024]\nb: f32[1024]\ny = softmax(relu(x + b), dim=-1)\n";

async function openOptions(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Options", exact: true }).click();
  return page.getByRole("dialog", { name: "Planning options" });
}

const kernels = (play: Playground): Locator => play.region("Score").getByRole("img", { name: /^Kernels:/ });
const passes = (dialog: Locator): Promise<string[]> => dialog.getByRole("listitem").locator("b").allTextContents();

test("levels and passes are chosen, moved, refused with a reason, and travel with the link", async ({
  page,
  play,
  context,
}) => {
  await play.open();
  await expect(play.steps).toBeVisible();
  await test.step("passes are moved by key, by press and by hand; an order that can't run is refused with its reason", async () => {
    const dialog = await openOptions(page);
    await expect(dialog.getByRole("listitem").last()).toContainText("Split large kernels");
    const usual = await passes(dialog);
    const at = (title: string) => dialog.getByRole("checkbox", { name: title });
    await at("Fuse row reductions").focus();
    await page.keyboard.press("Alt+ArrowDown");
    await expect(at("Fuse row reductions")).toBeFocused();
    const index = usual.indexOf("Fuse row reductions");
    expect(await passes(dialog)).toEqual(usual.with(index, usual[index + 1]!).with(index + 1, usual[index]!));
    await dialog.getByRole("button", { name: "Move Fuse row reductions up" }).click();
    expect(await passes(dialog)).toEqual(usual);
    await dialog
      .getByRole("listitem")
      .filter({ hasText: "Recognise patterns" })
      .dragTo(dialog.getByRole("listitem").filter({ hasText: "Move max before monotone ops" }), {
        targetPosition: { x: 60, y: 4 },
      });
    const moved = usual.indexOf("Recognise patterns");
    expect(await passes(dialog)).toEqual(usual.with(moved, usual[moved + 1]!).with(moved + 1, usual[moved]!));
    await dialog.getByRole("button", { name: "Move Split large kernels up" }).click();
    await expect(dialog.getByRole("status")).toContainText("could break a limit again");
    expect((await passes(dialog)).at(-1)).toBe("Split large kernels");
    await dialog.getByRole("button", { name: "Default order" }).click();
    expect(await passes(dialog)).toEqual(usual);
  });
  await test.step("a level says what it runs, re-plans, travels with the link and is undone", async () => {
    await page.keyboard.press("Escape");
    await play.type(softmax);
    await expect(kernels(play)).toHaveAccessibleName(/end 1$/);
    const dialog = await openOptions(page);
    await dialog.getByRole("radio", { name: /naive plan, as written/ }).check();
    await expect(dialog.getByRole("listitem").filter({ hasText: "Fuse row reductions" })).toContainText("level 2");
    await page.keyboard.press("Escape");
    await expect(kernels(play)).toHaveAccessibleName(/end 3$/);
    const other = await context.newPage();
    await other.goto(await play.share());
    await expect((await openOptions(other)).getByRole("radio", { name: /naive plan, as written/ })).toBeChecked();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(kernels(play)).toHaveAccessibleName(/end 1$/);
  });
});

test("an option goes along to another example, is said beside the score, and a click sets it back", async ({
  page,
  play,
}) => {
  await play.open("./?example=layer-norm-gelu");
  await expect(play.steps).toBeVisible();
  const dialog = await openOptions(page);
  await expect(dialog).toContainText("Level 2 is enough for this program");
  await dialog.getByRole("radio", { name: /^1 / }).check();
  await page.keyboard.press("Escape");
  await play.example("Softmax");
  const changed = play.region("Score").getByRole("button", { name: /^Planned with changed options: level 1/ });
  await changed.click();
  await expect(changed).toHaveCount(0);
  await expect(kernels(play)).toHaveAccessibleName(/end 1$/);
});

test("a text pasted over an example has one naive score, whichever example it was", async ({ page, play }) => {
  const names: string[] = [];
  for (const example of ["attention", "layer-norm-gelu"]) {
    await play.open(`./?example=${example}`);
    await expect(play.steps).toBeVisible();
    await play.paste(softmax);
    await expect(page.getByRole("button", { name: /^Example: / })).toHaveCount(0);
    const changed = play.region("Score").getByRole("button", { name: /naive kernels: one per primitive/ });
    await expect(changed).toHaveCount(0);
    await expect(kernels(play)).toHaveAccessibleName(/naive 3, .*end 1$/);
    names.push((await kernels(play).getAttribute("aria-label"))!);
  }
  expect(names[1]).toBe(names[0]);
});

test("a constant of the machine has bounds, is marked when changed, and goes back; a run adds this device", async ({
  page,
  play,
}) => {
  await play.open();
  await play.run.click();
  await expect(play.region("Measured")).toContainText("Same result");
  const dialog = await openOptions(page);
  const launch = dialog.getByRole("textbox", { name: /^Launch/ });
  await launch.fill("-2");
  await expect(dialog).toContainText("Needs a number from 0 to 100,000 µs.");
  await launch.fill("25");
  await launch.press("Enter");
  await expect(dialog).toContainText("changed from 8 µs");
  await expect(dialog.getByRole("combobox", { name: "Machine" })).toContainText(
    "Data-centre GPU, round numbers; changed",
  );
  await dialog.getByRole("button", { name: "Launch back to 8 µs" }).click();
  await expect(launch).toHaveValue("8");
  await expect(dialog).not.toContainText("changed from");
  await dialog.getByRole("combobox", { name: "Machine" }).selectOption({ label: "As measured: swiftshader" });
  await expect(launch).not.toHaveValue("8");
  await page.keyboard.press("Escape");
  await expect(play.region("Score").getByTitle(/Predicted for swiftshader/)).toBeVisible();
});

test("options stand beside a live graph, at the pass that was pressed", async ({ page, play }) => {
  await play.open("./?example=layer-norm-gelu");
  await expect(play.steps).toBeVisible();
  await page.getByRole("button", { name: /^Fuse row reductions, .*: options$/ }).click();
  const dialog = page.getByRole("dialog", { name: "Planning options" });
  await expect(dialog.getByRole("checkbox", { name: "Fuse row reductions" })).toBeFocused();
  const drawer = (await dialog.boundingBox())!;
  const graph = (await play.region("Graph").boundingBox())!;
  expect(graph.x + graph.width).toBeLessThanOrEqual(drawer.x + 1);
  await expect(kernels(play)).toHaveAccessibleName(/end 1$/);
  await dialog.getByRole("radio", { name: /naive plan, as written/ }).check();
  await expect(kernels(play)).not.toHaveAccessibleName(/end 1$/);
  await expect(dialog).toBeVisible();
});
