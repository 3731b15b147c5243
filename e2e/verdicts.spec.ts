import { expect, test, type Playground } from "./fixtures";

/** Opens an example by its title and stands at its last step, as one who walked there. */
async function atTheEnd(play: Playground, title: string): Promise<void> {
  await play.example(title);
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

test("a card says by its bars why: a limit, a prediction, a refusal, memory for time", async ({ page, play }) => {
  await play.open();
  await test.step("a limit is drawn as a value against the limit, and forcing it is the person's choice", async () => {
    await atTheEnd(play, "Computed once per tile");
    const limit = play.card.getByRole("region", { name: "Evaluations of each element" });
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    await expect(limit).toContainText("allowed");
    await expect(play.card.getByRole("region", { name: "Predicted time" })).toHaveCount(0);
    await play.card.getByRole("button", { name: /^Fuse anyway/ }).click();
    await expect(play.card).toContainText("Your choice");
    await expect(play.card).not.toContainText("Worth it");
  });
  await test.step("attention: the chosen bar is the shortest", async () => {
    await atTheEnd(play, "Attention, one head");
    await expect(play.card).toBeVisible();
    const { all, chosen } = await bars(play, "Predicted time");
    expect(chosen).toBe(Math.min(...all));
  });
  await test.step("the last step has its card: a refusal says why", async () => {
    await atTheEnd(play, "Matmul, then softmax");
    await expect(play.card).toContainText("Why not fused?");
    await expect(play.steps).not.toContainText("Done");
  });
  await test.step("what saves memory and costs time says so, bytes first", async () => {
    await atTheEnd(play, "ReLU keeps one bit");
    await play.page.keyboard.press("Home");
    await play.page.keyboard.press("j");
    await expect(play.card).toContainText("It saves memory, and costs time.");
    await expect(play.card.getByRole("region").first()).toHaveAccessibleName("Saved for the backward pass");
  });
});
