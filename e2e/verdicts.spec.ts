import { expect, test, type Playground } from "./fixtures";

/** Opens an example, waits for its plan, and stands at its last step, as one who walked there. */
async function atTheEnd(play: Playground, example: string): Promise<void> {
  await play.open(`./?example=${example}`);
  await expect(play.page.getByText(/^Step (\d+) of \1/).first()).toBeVisible();
  await play.leaveFields();
  await play.page.keyboard.press("End");
}

/** Widths of the bars of a group on the card, the chosen one's last. */
async function bars(play: Playground, group: string): Promise<{ all: number[]; chosen: number }> {
  const rows = play.card.getByRole("region", { name: group }).locator("dl > div");
  const all = await rows.locator(".cost-bar").evaluateAll((found) => found.map((bar) => bar.clientWidth));
  const chosen = await rows.evaluateAll((found) => found.findIndex((row) => row.dataset["chosen"] === "true"));
  return { all, chosen: all[chosen]! };
}

test("a limit is drawn as a value against the limit, and forcing it is the person's choice", async ({ page, play }) => {
  await atTheEnd(play, "duplicate-expensive");
  const limit = play.card.getByRole("region", { name: "Evaluations of each element" });
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowRight");
  await expect(limit).toContainText("allowed");
  await expect(play.card.getByRole("region", { name: "Predicted time" })).toHaveCount(0);
  await play.card.getByRole("button", { name: /^Fuse anyway/ }).click();
  await expect(play.card).toContainText("Your choice");
  await expect(play.card).not.toContainText("Worth it");
});

test("attention: the chosen bar is the shortest", async ({ play }) => {
  await atTheEnd(play, "attention");
  await expect(play.card).toBeVisible();
  const { all, chosen } = await bars(play, "Predicted time");
  expect(chosen).toBe(Math.min(...all));
});

test("the last step has its card: a refusal says why", async ({ play }) => {
  await atTheEnd(play, "matmul-softmax");
  await expect(play.card).toContainText("Why not fused?");
  await expect(play.steps).not.toContainText("Done");
});

test("what saves memory and costs time says so, bytes first", async ({ play }) => {
  await atTheEnd(play, "relu-bits");
  await play.page.keyboard.press("Home");
  await play.page.keyboard.press("j");
  await expect(play.card).toContainText("It saves memory, and costs time.");
  await expect(play.card.getByRole("region").first()).toHaveAccessibleName("Saved for the backward pass");
});
